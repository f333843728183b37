import type { Samples } from '../../data/item.ts';
import type { Nodata } from './kernels.ts';

export type AreaMethod = 'average' | 'sum' | 'min' | 'max' | 'mode';

/** As in GDAL, borders that are this close to a cell's border lie on it. */
const EDGE = 1e-10;

/** Per target cell the source cells that it covers along an axis: `first … end - 1`; none if both are equal. */
export interface Covered {
  readonly first: Int32Array;
  readonly end: Int32Array;
  /** Position of both borders of each target cell in the source, within it. */
  readonly low: Float64Array;
  readonly high: Float64Array;
}

/**
 * @param origin position of the first border of the target in source cells
 * @param step source cells per target cell
 */
export function coveredBy(origin: number, step: number, count: number, size: number): Covered {
  const [first, end] = [new Int32Array(count), new Int32Array(count)];
  const [low, high] = [new Float64Array(count), new Float64Array(count)];
  for (let i = 0; i < count; i++) {
    const [one, other] = [origin + i * step, origin + (i + 1) * step];
    low[i] = Math.max(0, Math.min(one, other));
    high[i] = Math.min(size, Math.max(one, other));
    if (!(high[i]! - low[i]! > EDGE)) continue;
    first[i] = Math.floor(low[i]! + EDGE);
    end[i] = Math.ceil(high[i]! - EDGE);
  }
  return { first, end, low, high };
}

/** Part of source cell k that target cell i covers, 0 to 1. */
export const shareOf = ({ low, high }: Covered, i: number, k: number): number =>
  Math.min(k + 1, high[i]!) - Math.max(k, low[i]!);

/** One row of target cells, to which rows of source cells are added. */
export class AreaRow {
  readonly #method: AreaMethod;
  readonly #across: Covered;
  readonly #nodata: Nodata;
  readonly #shift: number;
  readonly #sums: Float64Array;
  readonly #weights: Float64Array;
  /** Per cell the weight of each value, in the order in which they come. */
  readonly #counts: (Map<number, number> | undefined)[] = [];

  /** @param shift is added to each value of a sum */
  constructor(method: AreaMethod, across: Covered, nodata: Nodata, shift: number) {
    this.#method = method;
    this.#across = across;
    this.#nodata = nodata;
    this.#shift = shift;
    this.#sums = new Float64Array(across.first.length);
    this.#weights = new Float64Array(across.first.length);
  }

  /** Adds a row of the source, which begins at `samples[at]`, of which the target covers the part `rowShare`. */
  add(samples: Samples, at: number, rowShare: number): void {
    const { low, high } = this.#nodata;
    const { first, end } = this.#across;
    for (let i = 0; i < first.length; i++)
      for (let k = first[i]!; k < end[i]!; k++) {
        const value = samples[at + k]!;
        if (Number.isNaN(value) || (value >= low && value <= high)) continue;
        this.addCell(i, value, rowShare * shareOf(this.#across, i, k));
      }
  }

  /** Adds a value to a target cell. `weight`: the part of the source cell that the target cell covers. */
  addCell(i: number, value: number, weight: number): void {
    const [sums, weights] = [this.#sums, this.#weights];
    switch (this.#method) {
      case 'average':
        sums[i]! += value * weight;
        break;
      case 'sum':
        sums[i]! += (value + this.#shift) * weight;
        break;
      case 'min':
        if (weights[i] === 0 || value < sums[i]!) sums[i] = value;
        break;
      case 'max':
        if (weights[i] === 0 || value > sums[i]!) sums[i] = value;
        break;
      case 'mode': {
        this.#counts[i] ??= new Map();
        this.#counts[i].set(value, (this.#counts[i].get(value) ?? 0) + 1);
      }
    }
    weights[i]! += weight;
  }

  /** The values of the row, NaN for no data. Empties the row. */
  take(): Float64Array {
    const values = new Float64Array(this.#sums.length);
    for (let i = 0; i < values.length; i++) {
      if (this.#weights[i] === 0) values[i] = Number.NaN;
      else if (this.#method === 'average') values[i] = this.#sums[i]! / this.#weights[i]!;
      else if (this.#method === 'mode') values[i] = commonest(this.#counts[i]!);
      else values[i] = this.#sums[i]!;
    }
    this.#sums.fill(0);
    this.#weights.fill(0);
    this.#counts.length = 0;
    return values;
  }
}

/** The value with the greatest weight; of several the first that came. */
function commonest(counts: ReadonlyMap<number, number>): number {
  let [best, most] = [Number.NaN, 0];
  for (const [value, weight] of counts)
    if (weight > most + EDGE) {
      best = value;
      most = weight;
    }
  return best;
}
