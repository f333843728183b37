/** Pixels: features of this side and larger ones are never coalesced. */
const MAX_COALESCED_SIDE = 4;

/** The size of a feature on the screen. */
export interface Sized {
  /** Side of its box in pixels; 0: a point. */
  readonly side: number;
  /** About its area, or the length of a line, in pixels. */
  readonly size: number;
  /** The feature represents smaller features around it with a total size of `size`, and is drawn in that size. */
  readonly coalesced: boolean;
}

/**
 * Coalesces features below a side, as the tiny polygon reduction of tippecanoe: adds up their areas along the curve of
 * the file until these are as large as a square of that side; the last feature stands for them and is drawn as the
 * square. So their area on the screen stays.
 */
export class Coalescer {
  readonly #side: number;
  readonly #whole: number;
  #sum: number;

  constructor(side: number, lines: boolean) {
    this.#side = side;
    this.#whole = lines ? side : side * side;
    // The half rounds what is left at the end.
    this.#sum = this.#whole / 2;
  }

  /** How a feature is drawn; undefined if another feature represents it. */
  add<T extends Sized>(feature: T): T | undefined {
    if (feature.side >= this.#side) return feature;
    return this.isFull(feature.size) ? this.standIn(feature) : undefined;
  }

  /** Adds a small feature. Returns whether it represents those added so far. */
  isFull(size: number): boolean {
    this.#sum += size;
    if (this.#sum < this.#whole) return false;
    this.#sum -= this.#whole;
    return true;
  }

  standIn<T extends object>(feature: T): T & Sized {
    return { ...feature, side: this.#side, size: this.#whole, coalesced: true };
  }
}

/**
 * Makes features fewer by coalescing those below a side, which grows until there are few enough, at most to 4 pixels.
 * @param fewer the number of features that is wanted
 */
export function coalesceTo<T extends Sized>(
  features: readonly T[],
  { fewer, side, lines }: { fewer: number; side: number; lines: boolean },
): { features: readonly T[]; side: number } {
  let [fewest, reached] = [features, side];
  while (fewest.length > fewer && reached < MAX_COALESCED_SIDE) {
    reached = Math.min(MAX_COALESCED_SIDE, reached * Math.SQRT2);
    const coalescer = new Coalescer(reached, lines);
    // Points have no area that could be coalesced.
    fewest = features.flatMap((one) => (one.side === 0 ? one : (coalescer.add(one) ?? [])));
  }
  return { features: fewest, side: reached };
}
