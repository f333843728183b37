import { Coalescer, coalesceTo, type Sized } from './coalesce.ts';

/** The most features that are read for a tile: more never fit into its bytes. */
const MOST_FEATURES = 20_000;
const MOST_POINTS = 20_000;
/** The most bytes that are read for a tile, unless one feature has more. */
const MOST_BYTES = 64 << 20;

/** A feature in a file. */
export interface Stored {
  /** Number of the feature in the file, from 0. */
  readonly number: number;
  /** Where its bytes begin and end; the end is 0 if it is not known. */
  readonly offset: number;
  readonly end: number;
}

/** Features whose boxes touch a tile, in the order of the file. */
export interface TouchedBoxes<F extends Stored> {
  /** Places of the boxes in `boxes`. */
  readonly touched: Iterable<number>;
  /** West, south, east, north from each place on. */
  readonly boxes: Float64Array;
  found(this: void, at: number): F;
}

/** A feature to be drawn. */
export type Chosen<F extends Stored = Stored> = F & Sized;

/**
 * Chooses the features of a tile by their boxes, so that few of many are read. Those of a pixel and more are drawn. Of
 * smaller ones, one is drawn for several whose areas together make a pixel. If these are too many, larger ones are
 * coalesced too, up to 4 pixels; then the smallest are left out. Of many points every second, fourth … is taken, which
 * is even in space along a Hilbert curve.
 */
export class FeatureChooser<F extends Stored = Stored> {
  readonly #pixel: { readonly x: number; readonly y: number };
  readonly #lines: boolean;
  #coalescer: Coalescer;
  #side = 1;
  #features: readonly Chosen<F>[] = [];
  #added: Chosen<F>[] = [];
  /** While no feature is chosen: the largest of those that are too small to be drawn by themselves. */
  #left: Chosen<F> | undefined;
  #points: Chosen<F>[] = [];
  #stride = 1;
  #seen = 0;

  /** @param pixel in the coordinate system of the file */
  constructor(pixel: { readonly x: number; readonly y: number }, lines: boolean) {
    this.#pixel = pixel;
    this.#lines = lines;
    this.#coalescer = new Coalescer(1, lines);
  }

  add({ touched, boxes, found }: TouchedBoxes<F>): void {
    for (const at of touched) {
      const width = (boxes[at + 2]! - boxes[at]!) / this.#pixel.x;
      const height = (boxes[at + 3]! - boxes[at + 1]!) / this.#pixel.y;
      const side = Math.max(width, height);
      if (side === 0) this.#addPoint(at, found);
      else {
        // A polygon covers about half of its box.
        const size = this.#lines ? side : (width * height) / 2;
        const small = side < this.#side;
        if (small && !this.#coalescer.isFull(size)) {
          if (this.#features.length + this.#added.length === 0 && !(this.#left && this.#left.side >= side))
            this.#left = { ...found(at), side, size, coalesced: true };
          continue;
        }
        const feature = { ...found(at), side, size, coalesced: false };
        this.#added.push(small ? this.#coalescer.standIn(feature) : feature);
        if (this.#added.length > MOST_FEATURES) this.#coalesce();
      }
    }
  }

  #addPoint(at: number, found: TouchedBoxes<F>['found']): void {
    if (this.#seen++ % this.#stride === 0) this.#points.push({ ...found(at), side: 0, size: 0, coalesced: false });
    if (this.#points.length <= MOST_POINTS) return;
    this.#points = this.#points.filter((_, n) => n % 2 === 0);
    this.#stride *= 2;
  }

  #coalesce(): void {
    const all = [...this.#features, ...this.#added];
    const { features, side } = coalesceTo(all, { fewer: MOST_FEATURES, side: this.#side, lines: this.#lines });
    this.#features = features.length > MOST_FEATURES ? largest(features) : features;
    this.#added = [];
    if (side === this.#side) return;
    this.#side = side;
    this.#coalescer = new Coalescer(side, this.#lines);
  }

  /** Features to draw, in the order of the file, and the side in pixels below which features were coalesced. */
  chosen(): { features: Chosen<F>[]; side: number } {
    this.#coalesce();
    const features = [...this.#features, ...this.#points];
    // If no feature was chosen, one is, so that the tile is not empty.
    if (features.length === 0 && this.#left !== undefined) features.push(this.#coalescer.standIn(this.#left));
    return {
      features: withinBytes(features).toSorted((one, other) => one.number - other.number),
      side: this.#side,
    };
  }
}

const bySide = (one: Sized, other: Sized) => other.side - one.side;

/** The `MOST_FEATURES` largest features, in the order of the file. */
const largest = <F extends Stored>(features: readonly Chosen<F>[]): Chosen<F>[] =>
  features
    .toSorted(bySide)
    .slice(0, MOST_FEATURES)
    .sort((one, other) => one.number - other.number);

function withinBytes<F extends Stored>(features: readonly Chosen<F>[]): readonly Chosen<F>[] {
  const bytesOf = ({ offset, end }: Stored) => Math.max(0, end - offset);
  if (features.reduce((sum, one) => sum + bytesOf(one), 0) <= MOST_BYTES) return features;
  let room = MOST_BYTES;
  return features.toSorted(bySide).filter((one, n) => {
    room -= bytesOf(one);
    return room > 0 || n === 0;
  });
}
