import type { Placed } from 'hydrofiles/features';

/** Features as numbers, which a thread takes more quickly than objects: number, position, size, offset of each. */
export function packPlaced(features: readonly Placed[], start: number, offset: number): Float64Array {
  const numbers = new Float64Array(4 * features.length);
  for (const [n, { number, at, size, offset: own = offset + at }] of features.entries())
    numbers.set([number, at - start, size, own], 4 * n);
  return numbers;
}

export function* placedIn(numbers: Float64Array): Generator<Placed> {
  for (let n = 0; n < numbers.length; n += 4)
    yield { number: numbers[n]!, at: numbers[n + 1]!, size: numbers[n + 2]!, offset: numbers[n + 3]! };
}
