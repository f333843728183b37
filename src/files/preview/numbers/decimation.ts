import type { ExactIntegers, Samples } from '../../data/item.ts';
import type { ValueOf } from './cells.ts';

/** A row of a series: its number, its offset on the axis and its value, undefined without one. */
export interface Point {
  readonly row: number;
  readonly offset: number;
  readonly value: number | bigint | undefined;
}

/** Rows of a chunk: their offsets and the values of an item. */
export interface Column {
  readonly firstRow: number;
  readonly offsets: Float64Array;
  readonly values: Samples | ExactIntegers;
}

/** Collects the rows of an item that an answer has. */
export interface Collector {
  add(column: Column, from: number, to: number): void;
  /** In the order of the rows. */
  points(): Point[];
}

/** Keeps all rows. */
export class AllPoints implements Collector {
  readonly #readValue: ValueOf;
  readonly #points: Point[] = [];

  constructor(readValue: ValueOf) {
    this.#readValue = readValue;
  }

  add({ firstRow, offsets, values }: Column, from: number, to: number): void {
    for (let n = from; n < to; n++)
      this.#points.push({ row: firstRow + n, offset: offsets[n]!, value: this.#readValue(values, n) });
  }

  points(): Point[] {
    return this.#points;
  }
}

/**
 * Keeps the least and the greatest value of each pixel with their own times, and the first and last row that have a
 * value. A pixel whose rows all have no value is a gap. Memory does not depend on the number of rows.
 */
export class PixelExtremes implements Collector {
  readonly #readValue: ValueOf;
  readonly #low: number;
  readonly #perUnit: number;
  readonly #pixels: number;
  readonly #least: (Point | undefined)[];
  readonly #most: (Point | undefined)[];
  readonly #gaps: (Point | undefined)[];
  #first: Point | undefined;
  #last: Point | undefined;

  /** @param range offsets of the first and the last pixel */
  constructor(readValue: ValueOf, { low, high }: { readonly low: number; readonly high: number }, pixels: number) {
    this.#readValue = readValue;
    this.#low = low;
    this.#perUnit = high > low ? pixels / (high - low) : 0;
    this.#pixels = pixels;
    this.#least = new Array(pixels);
    this.#most = new Array(pixels);
    this.#gaps = new Array(pixels);
  }

  add({ firstRow, offsets, values }: Column, from: number, to: number): void {
    const [least, most, readValue] = [this.#least, this.#most, this.#readValue];
    for (let n = from; n < to; n++) {
      const offset = offsets[n]!;
      const pixel = Math.min(this.#pixels - 1, Math.floor((offset - this.#low) * this.#perUnit));
      const value = readValue(values, n);
      if (value === undefined) {
        this.#gaps[pixel] ??= { row: firstRow + n, offset, value };
        continue;
      }
      const below = least[pixel];
      const isLeast = below === undefined || value < below.value!;
      const isMost = below === undefined || value > most[pixel]!.value!;
      if (this.#first !== undefined && !isLeast && !isMost) continue;
      const point = { row: firstRow + n, offset, value };
      this.#first ??= point;
      if (isLeast) least[pixel] = point;
      if (isMost) most[pixel] = point;
    }
    for (let n = to - 1; n >= from; n--) {
      const value = readValue(values, n);
      if (value === undefined) continue;
      this.#last = { row: firstRow + n, offset: offsets[n]!, value };
      break;
    }
  }

  points(): Point[] {
    const kept = new Map<number, Point>();
    for (const point of [this.#first, this.#last]) if (point !== undefined) kept.set(point.row, point);
    for (let pixel = 0; pixel < this.#pixels; pixel++) {
      const [least, most, gap] = [this.#least[pixel], this.#most[pixel], this.#gaps[pixel]];
      if (least !== undefined) kept.set(least.row, least);
      if (most !== undefined) kept.set(most.row, most);
      if (least === undefined && gap !== undefined) kept.set(gap.row, gap);
    }
    return [...kept.values()].sort((one, other) => one.row - other.row);
  }
}
