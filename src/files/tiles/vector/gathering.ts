/** Pixels: features that are at least as large are never gathered. */
const MOST_GATHERED = 4;

/** The size of a feature on the screen. */
export interface Sized {
  /** Side of its box in pixels; 0: a point. */
  readonly side: number;
  /** About its area, or the length of a line, in pixels. */
  readonly size: number;
  /** The feature represents smaller features around it with a total size of `size`, and is drawn in that size. */
  readonly gathered: boolean;
}

/**
 * Gathers features below a side along the curve of the file until together they are as large as that side; the last
 * one stands for them. So their area on the screen stays.
 */
export class Gathering {
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
  of<T extends Sized>(feature: T): T | undefined {
    if (feature.side >= this.#side) return feature;
    return this.isFull(feature.size) ? this.standing(feature) : undefined;
  }

  /** Adds a small feature. Returns whether it represents those added so far. */
  isFull(size: number): boolean {
    this.#sum += size;
    if (this.#sum < this.#whole) return false;
    this.#sum -= this.#whole;
    return true;
  }

  standing<T extends object>(feature: T): T & Sized {
    return { ...feature, side: this.#side, size: this.#whole, gathered: true };
  }
}

/**
 * Makes features fewer by gathering those below a side, which grows until there are few enough, at most to 4 pixels.
 * @param fewer the number of features that is wanted
 */
export function gatheredTo<T extends Sized>(
  features: readonly T[],
  { fewer, side, lines }: { fewer: number; side: number; lines: boolean },
): { features: readonly T[]; side: number } {
  let [fewest, reached] = [features, side];
  while (fewest.length > fewer && reached < MOST_GATHERED) {
    reached = Math.min(MOST_GATHERED, reached * Math.SQRT2);
    const gathering = new Gathering(reached, lines);
    // Points have no area that could be gathered.
    fewest = features.flatMap((one) => (one.side === 0 ? one : (gathering.of(one) ?? [])));
  }
  return { features: fewest, side: reached };
}
