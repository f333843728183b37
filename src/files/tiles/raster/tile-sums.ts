import { pooledSamples, releaseBuffer } from '../../data/buffer-pool.ts';
import { addMaxima, addQuartets, addSums } from './halved-pixels.ts';

export type Aggregation = 'Mean' | 'Max';

/** Pixels of a tile as sums of pixels of the base level, or as their maxima. */
export interface Sums {
  readonly planes: readonly Float64Array[];
  /** How many pixels of the base level have data. Absent for maxima, and at the base level. */
  readonly counts?: readonly Uint32Array[];
}

/** A tile above the base level. The arrays are used again when they were taken. */
export interface SummedTile extends Sums {
  readonly level: number;
  readonly column: number;
  readonly row: number;
}

/** Sides of tiles in pixels. */
interface Sides {
  readonly tileWidth: number;
  readonly tileHeight: number;
}

/**
 * Draws a tile of its own sums, or of those of its four tiles of the next level; tiles without data are left out. Its
 * pixels are those of `drawPyramid`. Undefined if there are none.
 */
export function drawOfSums(
  level: number,
  tiles: readonly SummedTile[],
  sides: Sides,
): readonly Float64Array[] | undefined {
  const [first] = tiles;
  if (first === undefined) return undefined;
  if (first.level === level) return valuesOf(first);
  const pool = new ArrayPool(sides.tileWidth * sides.tileHeight);
  const parent = newSums(pool, first.planes.length, first.counts === undefined ? 'Max' : 'Mean');
  for (const tile of tiles) addTile(tile, tile, parent, sides);
  return valuesOf(parent);
}

/** Arrays for the pixels of tiles, used again and again: each is half a megabyte. */
export class ArrayPool {
  readonly #pixels: number;
  readonly #values: Float64Array[] = [];
  readonly #counts: Uint32Array[] = [];

  constructor(pixels: number) {
    this.#pixels = pixels;
  }

  values(fill: number): Float64Array {
    return (this.#values.pop() ?? (pooledSamples('Float64', this.#pixels) as Float64Array)).fill(fill);
  }

  counts(): Uint32Array {
    return (this.#counts.pop() ?? new Uint32Array(this.#pixels)).fill(0);
  }

  giveBack({ planes, counts = [] }: Sums): void {
    this.#values.push(...planes);
    this.#counts.push(...counts);
  }

  /** Leaves the arrays to other drawings. */
  close(): void {
    for (const values of this.#values.splice(0)) releaseBuffer(values);
  }
}

/** Adds four pixels to each pixel of the tile above. */
export function addTile(
  { planes, counts }: Sums,
  { column, row }: { column: number; row: number },
  parent: Sums,
  { tileWidth, tileHeight }: Sides,
): void {
  const quadrant = { left: (column & 1) * tileWidth, top: (row & 1) * tileHeight, tileWidth, tileHeight };
  const even = tileWidth % 2 === 0 && tileHeight % 2 === 0;
  for (const [n, plane] of planes.entries()) {
    const sums = parent.planes[n]!;
    const sizes = parent.counts?.[n];
    if (sizes === undefined) addMaxima(plane, sums, quadrant);
    else if (even && counts === undefined) addQuartets(plane, sums, sizes, quadrant);
    else addSums(plane, counts?.[n], sums, sizes, quadrant);
  }
}

export function newSums(pool: ArrayPool, planes: number, method: Aggregation): Sums {
  const each = <T>(make: () => T) => Array.from({ length: planes }, make);
  return method === 'Max'
    ? { planes: each(() => pool.values(Number.NaN)) }
    : { planes: each(() => pool.values(0)), counts: each(() => pool.counts()) };
}

/** Replaces sums by means; maxima stay unchanged. */
export function valuesOf({ planes, counts }: Sums): readonly Float64Array[] {
  if (counts === undefined) return planes;
  for (const [n, plane] of planes.entries()) {
    const count = counts[n]!;
    for (let i = 0; i < plane.length; i++) plane[i] = count[i] === 0 ? Number.NaN : plane[i]! / count[i]!;
  }
  return planes;
}
