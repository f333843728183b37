import type { Samples } from '../../data/item.ts';
import { isFloat } from '../../data/samples.ts';
import { isBig, newValues, type StoredType, type StoredValues } from '../../data/stored-values.ts';
import { filled } from './stored.ts';

export interface OverviewSource {
  width: number;
  height: number;
  type: StoredType;
  nodata?: number;
  /** Average of the cells with data; otherwise the nearest cell. */
  average: boolean;
}

/** Builds an overview of half the size, rounded down as in GDAL, while rows of the image pass. */
export class OverviewBuilder {
  readonly width: number;
  readonly height: number;
  readonly #from: OverviewSource;
  readonly #nodata: number;
  /** Per source column: the target column in which it begins, and its fraction in that column. */
  readonly #target: Uint32Array;
  readonly #share: Float64Array;
  #row = 0;
  #sums: Float64Array;
  #weights: Float64Array;
  #nextSums: Float64Array;
  #nextWeights: Float64Array;

  constructor(from: OverviewSource) {
    this.#from = from;
    this.width = Math.max(1, Math.floor(from.width / 2));
    this.height = Math.max(1, Math.floor(from.height / 2));
    const { nodata = Number.NaN } = from;
    this.#nodata = from.type === 'Float32' ? Math.fround(nodata) : nodata;
    this.#target = new Uint32Array(from.width);
    this.#share = new Float64Array(from.width);
    for (let column = 0; column < from.width; column++) {
      const [target, share] = overlap(column, from.width, this.width);
      this.#target[column] = target;
      this.#share[column] = share;
    }
    [this.#sums, this.#weights, this.#nextSums, this.#nextWeights] = [0, 0, 0, 0].map(
      () => new Float64Array(this.width + 1),
    ) as [Float64Array, Float64Array, Float64Array, Float64Array];
  }

  /** Adds rows of the image, band after band, and yields the overview rows that they complete. */
  *add(samples: StoredValues): Generator<StoredValues> {
    const { width, height, average } = this.#from;
    for (let from = 0; from < samples.length; from += width) {
      const row = samples.subarray(from, from + width);
      const [target, share] = overlap(this.#row, height, this.height);
      if (!average) {
        // Because of rounding, the row may be the nearest one of the next target row.
        const own = [target, target + 1].some(
          (one) => one < this.height && nearestOf(one, height, this.height) === this.#row,
        );
        if (own) yield this.#nearest(row);
      } else {
        this.#collect(row, share, this.#sums, this.#weights);
        if (share < 1) this.#collect(row, 1 - share, this.#nextSums, this.#nextWeights);
        const [following] = this.#row + 1 === height ? [this.height] : overlap(this.#row + 1, height, this.height);
        if (following > target || share < 1) yield this.#mean();
      }
      this.#row = (this.#row + 1) % height;
    }
  }

  #nearest(row: StoredValues): StoredValues {
    const out = newValues(this.#from.type, this.width);
    for (let column = 0; column < this.width; column++)
      out[column] = row[nearestOf(column, this.#from.width, this.width)]!;
    return out;
  }

  #collect(row: StoredValues, weight: number, sums: Float64Array, weights: Float64Array): void {
    const nodata = this.#nodata;
    if (row.length === 2 * this.width && !isBig(this.#from.type)) {
      collectPairs(row as Samples, nodata, weight, sums, weights);
      return;
    }
    for (let column = 0; column < row.length; column++) {
      const value = Number(row[column]);
      if (value === nodata || Number.isNaN(value)) continue;
      const target = this.#target[column]!;
      const share = this.#share[column]! * weight;
      sums[target]! += value * share;
      weights[target]! += share;
      if (share < weight) {
        sums[target + 1]! += value * (weight - share);
        weights[target + 1]! += weight - share;
      }
    }
  }

  #mean(): StoredValues {
    const { type } = this.#from;
    const empty = Number.isNaN(this.#nodata) && !isFloat(type) ? 0 : this.#nodata;
    const out = filled(type, this.width, empty);
    for (let column = 0; column < this.width; column++) {
      if (this.#weights[column]! < 1e-9) continue;
      const mean = this.#sums[column]! / this.#weights[column]!;
      const value = isFloat(type) ? mean : Math.round(mean);
      out[column] = typeof out[column] === 'bigint' ? BigInt(value) : value;
    }
    [this.#sums, this.#nextSums] = [this.#nextSums, this.#sums.fill(0)];
    [this.#weights, this.#nextWeights] = [this.#nextWeights, this.#weights.fill(0)];
    return out;
  }
}

/** Fast path for an even width: each target cell consists of two whole source cells. */
function collectPairs(row: Samples, nodata: number, weight: number, sums: Float64Array, weights: Float64Array): void {
  for (let column = 0; column < row.length; column++) {
    const value = row[column]!;
    if (value === nodata || Number.isNaN(value)) continue;
    const target = column >> 1;
    sums[target]! += value * weight;
    weights[target]! += weight;
  }
}

/**
 * Overlap of source cell `at` of `many` with `few` target cells of the same extent: the target cell in which it begins,
 * and the fraction in it.
 */
function overlap(at: number, many: number, few: number): [target: number, share: number] {
  const ratio = many / few;
  const target = Math.min(few - 1, Math.floor((at + 1e-9) / ratio));
  const share = (target + 1) * ratio - at;
  return [target, share > 1 - 1e-9 ? 1 : share];
}

const nearestOf = (target: number, many: number, few: number): number =>
  Math.min(many - 1, Math.floor(0.5 + (target * many) / few));
