import type { Found } from '../../formats/flatgeobuf/index-search.ts';
import type { Area } from '../../formats/flatgeobuf/schema.ts';

/** The most features that are read for a tile: more never fit into its bytes. */
const MOST_FEATURES = 20_000;
const MOST_POINTS = 20_000;

/** A feature to be drawn. */
export interface Chosen extends Found {
  /** Side of its box in pixels; 0: a point. */
  readonly side: number;
  /** It stands for features of less than a pixel around it. */
  readonly gathered: boolean;
}

/**
 * Chooses the features of a tile by their boxes, so that few of many are read. Those of a pixel and more are drawn.
 * Smaller ones are gathered along the curve of the file until together they are as large as a pixel; the last one stands
 * for them. Of many points every second, fourth … is taken, which is even in space along a Hilbert curve.
 */
export class FeatureChooser {
  readonly #pixel: { readonly x: number; readonly y: number };
  readonly #lines: boolean;
  #large: Chosen[] = [];
  #points: Chosen[] = [];
  #stride = 1;
  #seen = 0;
  /** Size of the small features so far, in pixels. */
  #sum = 0;

  /** @param tile the area of the tile without its buffer, in the coordinate system of the file */
  constructor(tile: Area, lines: boolean) {
    this.#pixel = { x: (tile.east - tile.west) / 256, y: (tile.north - tile.south) / 256 };
    this.#lines = lines;
  }

  add(found: Found): void {
    const { box } = found;
    const [width, height] = [(box.east - box.west) / this.#pixel.x, (box.north - box.south) / this.#pixel.y];
    const side = Math.max(width, height);
    if (side === 0) this.#addPoint({ ...found, side, gathered: false });
    else if (side >= 1) this.#addLarge({ ...found, side, gathered: false });
    else {
      // A polygon covers about half of its box.
      this.#sum += this.#lines ? side : (width * height) / 2;
      if (this.#sum < 1) return;
      this.#sum -= 1;
      this.#addLarge({ ...found, side, gathered: true });
    }
  }

  #addPoint(point: Chosen): void {
    if (this.#seen++ % this.#stride === 0) this.#points.push(point);
    if (this.#points.length <= MOST_POINTS) return;
    this.#points = this.#points.filter((_, n) => n % 2 === 0);
    this.#stride *= 2;
  }

  #addLarge(feature: Chosen): void {
    this.#large.push(feature);
    if (this.#large.length > 2 * MOST_FEATURES) this.#large = largest(this.#large);
  }

  /** In the order of the file. */
  chosen(): Chosen[] {
    const all = [...(this.#large.length > MOST_FEATURES ? largest(this.#large) : this.#large), ...this.#points];
    return all.sort((one, other) => one.number - other.number);
  }
}

const largest = (features: readonly Chosen[]): Chosen[] =>
  features.toSorted((one, other) => other.side - one.side).slice(0, MOST_FEATURES);
