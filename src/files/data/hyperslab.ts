import type { StoredValues } from './stored-values.ts';

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
    const source = flatIndex(from, index);
    to.values.set(from.values.subarray(source, source + run) as never, flatIndex(to, index));
    let d = last - 1;
    for (; d >= 0; d--) {
      index[d]!++;
      if (index[d]! < extent[d]!) break;
      index[d] = 0;
    }
    if (d < 0) return;
  }
}

/** Chosen indices of a dimension of an array, and where the first of them goes. */
interface Chosen {
  readonly to: number;
  readonly at: Uint32Array | { readonly first: number; readonly length: number };
}

/** Copies the values at all combinations of chosen indices. */
export function copySelected(from: Omit<Part, 'start'>, to: Omit<Part, 'start'>, chosen: readonly Chosen[]): void {
  const last = chosen.length - 1;
  if (last < 0) to.values.set(from.values.subarray(0, 1) as never);
  else copyAlong(0, 0, 0);

  function copyAlong(d: number, before: number, target: number): void {
    const { at, to: first } = chosen[d]!;
    const source = before * from.shape[d]!;
    const offset = target * to.shape[d]! + first;
    if (d === last && !(at instanceof Uint32Array))
      to.values.set(from.values.subarray(source + at.first, source + at.first + at.length) as never, offset);
    else
      for (let n = 0; n < at.length; n++) {
        const index = source + (at instanceof Uint32Array ? at[n]! : at.first + n);
        if (d === last) to.values[offset + n] = from.values[index] as never;
        else copyAlong(d + 1, index, offset + n);
      }
  }
}

function flatIndex({ shape, start }: Part, index: readonly number[]): number {
  let offset = 0;
  for (let d = 0; d < shape.length; d++) offset = offset * shape[d]! + start[d]! + index[d]!;
  return offset;
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
