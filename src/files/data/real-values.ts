import type { ExactIntegers, Item, Samples } from './item.ts';

/** Samples with scale and offset applied, NaN for no data. */
export function realValues(samples: Samples | ExactIntegers, item: Item): Float64Array {
  const { nodata, scale = 1, offset = 0 } = item;
  const empty = nodata !== undefined && samples instanceof Float32Array ? Math.fround(nodata) : nodata;
  const values = new Float64Array(samples.length);
  for (let i = 0; i < samples.length; i++) {
    const value = Number(samples[i]);
    values[i] = value === empty || !Number.isFinite(value) ? Number.NaN : value * scale + offset;
  }
  return values;
}
