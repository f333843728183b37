import type { StoredType } from '../../../data/stored-values.ts';
import { packingOf } from './packing.ts';
import { type CfVariable, numberOf } from './variable.ts';

/** Values of a coordinate variable with scale and offset applied; NaN where there are none. */
export async function realNumbers(variable: CfVariable): Promise<Float64Array> {
  const { attributes, type } = variable.metadata;
  const { unpack, nodata } = packingOf(variable.metadata);
  const raw = await variable.all();
  const values = unpack === undefined ? raw : unpack(raw);
  const [scale, offset] = [numberOf(attributes.scale_factor) ?? 1, numberOf(attributes.add_offset) ?? 0];
  const plain = scale === 1 && offset === 0;
  const single = type === 'Float32' && values.length <= mostDecimals;
  return Float64Array.from(values as Iterable<number | bigint>, (value) => {
    if (nodata !== undefined && value === nodata) return Number.NaN;
    if (!plain) return Number(value) * scale + offset;
    return single ? shortestDecimal(Number(value)) : Number(value);
  });
}

/** Finding decimal numbers takes a microsecond each. */
const mostDecimals = 1_000_000;

/** The shortest decimal number that single precision rounds to a value: the number that was meant. */
function shortestDecimal(value: number): number {
  for (let digits = 6; digits <= 9; digits++) {
    const decimal = Number(value.toPrecision(digits));
    if (Math.fround(decimal) === value) return decimal;
  }
  return value;
}

/** The largest difference that rounding to a type makes between the values and those that were meant. */
export function roundingOf(values: Float64Array, type: StoredType): number {
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  // Two units of the last place: the values were computed before they were stored.
  return largest * (type === 'Float32' ? 2 ** -23 : 2 ** -51);
}

/** Evenly spaced numbers. */
export interface Line {
  readonly first: number;
  readonly step: number;
  /** Largest difference of a value from the line, as a share of the step. */
  readonly deviation: number;
}

/** Share of the mean step by which a coordinate may differ from the line. */
const tolerance = 1 / 100;

/** The straight line of coordinates that are even; undefined for others, and for fewer than two. */
export function lineThrough(values: Float64Array, type: StoredType): Line | undefined {
  const last = values.length - 1;
  const first = values[0];
  if (first === undefined || last < 1) return undefined;
  const mean = (values[last]! - first) / last;
  if (!Number.isFinite(mean) || mean === 0) return undefined;
  const rounding = roundingOf(values, type);
  const rounded = Number(mean.toPrecision(12));
  const step = Math.abs(first + last * rounded - values[last]!) <= rounding ? rounded : mean;
  const most = Math.max(tolerance * Math.abs(mean), rounding);
  let largest = 0;
  for (let n = 0; n <= last; n++) {
    const difference = Math.abs(values[n]! - first - n * step);
    if (!(difference <= most)) return undefined;
    largest = Math.max(largest, difference);
  }
  return { first, step, deviation: largest / Math.abs(step) };
}
