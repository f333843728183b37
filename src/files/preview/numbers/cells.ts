import type { ExactIntegers, Item, Samples } from '../../data/item.ts';

/** A value of an answer in JSON: integers beyond 2^53 are text, no value is null. */
export type Cell = number | string | boolean | null;

/** A value of a feature. */
export function cellOf(value: unknown): Cell {
  if (typeof value === 'bigint') return integerOf(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : null;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  return value === null || value === undefined ? null : JSON.stringify(value);
}

export const integerOf = (value: bigint): number | string =>
  value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : String(value);

/** Reads values of an item; undefined: no data. */
export type ValueOf = (values: Samples | ExactIntegers, n: number) => number | bigint | undefined;

/** Values with scale and offset applied; 64-bit integers without them exactly. */
export function valueReader({ nodata, exactNodata, scale = 1, offset = 0 }: Item): ValueOf {
  const empty = nodata === undefined ? undefined : Math.fround(nodata);
  const whole = exactNodata ?? (nodata !== undefined && Number.isInteger(nodata) ? BigInt(nodata) : undefined);
  const isScaled = scale !== 1 || offset !== 0;
  return (values, n) => {
    const value = values[n]!;
    if (typeof value === 'bigint') {
      if (value === whole) return undefined;
      return isScaled ? Number(value) * scale + offset : value;
    }
    if (value === (values instanceof Float32Array ? empty : nodata) || !Number.isFinite(value)) return undefined;
    return isScaled ? value * scale + offset : value;
  };
}

/** Doubles of single precision as the shortest number of the same single, so that 0.1 does not become 0.10000000149. */
export function shortener({ type, scale = 1, offset = 0 }: Item): (value: number) => number {
  if (type !== 'Float32' || scale !== 1 || offset !== 0) return (value) => value;
  return (value) => {
    if (Number.isInteger(value) || Math.fround(value) !== value) return value;
    for (let digits = 6; digits < 9; digits++) {
      const short = Number(value.toPrecision(digits));
      if (Math.fround(short) === value) return short;
    }
    return Number(value.toPrecision(9));
  };
}
