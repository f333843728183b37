import type { StoredValues } from './types.ts';

export const product = (lengths: readonly number[]): number => lengths.reduce((all, length) => all * length, 1);

/** A part of an array whose last dimension varies fastest. */
export interface Part {
  readonly values: StoredValues;
  readonly shape: readonly number[];
  readonly start: readonly number[];
}

/** Copies a block of `extent` values per dimension from one array to another of the same number of dimensions. */
export function copyBlock(from: Part, to: Part, extent: readonly number[]): void {
  if (extent.some((length) => length <= 0)) return;
  const last = extent.length - 1;
  const run = last < 0 ? 1 : extent[last]!;
  const index = extent.map(() => 0);
  for (;;) {
    const source = placeOf(from, index);
    to.values.set(from.values.subarray(source, source + run) as never, placeOf(to, index));
    let d = last - 1;
    for (; d >= 0; d--) {
      index[d]!++;
      if (index[d]! < extent[d]!) break;
      index[d] = 0;
    }
    if (d < 0) return;
  }
}

function placeOf({ shape, start }: Part, index: readonly number[]): number {
  let place = 0;
  for (let d = 0; d < shape.length; d++) place = place * shape[d]! + start[d]! + index[d]!;
  return place;
}

/** All indices of a grid with these lengths, the last varying fastest. */
export function* indicesOf(lengths: readonly number[]): Generator<number[]> {
  const count = product(lengths);
  const index = lengths.map(() => 0);
  for (let n = 0; n < count; n++) {
    yield [...index];
    for (let d = lengths.length - 1; d >= 0; d--) {
      index[d]!++;
      if (index[d]! < lengths[d]!) break;
      index[d] = 0;
    }
  }
}
