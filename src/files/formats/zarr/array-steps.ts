import { product } from '../../data/hyperslab.ts';
import { newValues, type StoredValues } from '../../data/stored-values.ts';
import type { ArrayStep } from './codecs.ts';

/** Undoes the codecs from values to values. */
export const undoSteps = (values: StoredValues, steps: readonly ArrayStep[]): StoredValues =>
  steps.toReversed().reduce(undone, values);

function undone(values: StoredValues, step: ArrayStep): StoredValues {
  if (step.by === 'transpose') return transposed(values, step.shape, step.order);
  const all = newValues(step.to, values.length);
  const exact = all instanceof BigInt64Array || all instanceof BigUint64Array;
  if (exact && step.by !== 'scale') {
    let sum = 0n;
    for (let n = 0; n < all.length; n++) {
      const value = whole(values[n]!);
      sum = step.by === 'delta' ? sum + value : value;
      all[n] = sum;
    }
    return all;
  }
  // NumPy computes floats of single precision in it, and sums in the type of the result.
  const rounded = values instanceof Float32Array ? Math.fround : (value: number) => value;
  const [scale, offset] = step.by === 'scale' ? [rounded(step.scale), rounded(step.offset)] : [1, 0];
  let sum = 0;
  for (let n = 0; n < all.length; n++) {
    const value = Number(values[n]!);
    if (step.by === 'cast') all[n] = value as never;
    else if (step.by === 'delta') {
      all[n] = (sum + value) as never;
      sum = Number(all[n]);
    } else {
      const real = rounded(rounded(value / scale) + offset);
      all[n] = (exact ? whole(real) : real) as never;
    }
  }
  return all;
}

const whole = (value: number | bigint): bigint => {
  if (typeof value === 'bigint') return value;
  return Number.isFinite(value) ? BigInt(Math.trunc(value)) : -(2n ** 63n);
};

/** @param shape of the result; dimension n of `values` is its dimension `order[n]` */
function transposed(values: StoredValues, shape: readonly number[], order: readonly number[]): StoredValues {
  const all = values.slice();
  const steps = order.map((d) => product(shape.slice(d + 1)));
  const lengths = order.map((d) => shape[d]!);
  let from = 0;
  const copy = (d: number, at: number) => {
    const [step, length] = [steps[d] ?? 0, lengths[d] ?? 1];
    for (let n = 0, to = at; n < length; n++, to += step)
      if (d >= order.length - 1) all[to] = values[from++] as never;
      else copy(d + 1, to);
  };
  copy(0, 0);
  return all;
}
