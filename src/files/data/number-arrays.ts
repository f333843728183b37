type Numbers = ArrayLike<number>;

/** Whether both have the same numbers. */
export function sameNumbers(one: Numbers, other: Numbers): boolean {
  if (one.length !== other.length) return false;
  for (let n = 0; n < one.length; n++) if (one[n] !== other[n]) return false;
  return true;
}

/** Whether no number is less than the one before it. */
export const isRising = (numbers: Uint32Array | Float64Array): boolean =>
  numbers.every((value, n) => n === 0 || value >= numbers[n - 1]!);

/** Index of the first number that is not less than `wanted`; the numbers rise. */
export function lowerBound(numbers: Numbers, wanted: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle]! < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
