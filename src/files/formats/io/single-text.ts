import { powersOfTen } from './decimal.ts';
import { putShortest } from './number-text.ts';

/**
 * Writes the shortest decimal number that is read back as a finite Float32. Returns the position after the text.
 * @param value a number that a Float32 holds exactly
 */
export function putSingle(bytes: Uint8Array, at: number, value: number): number {
  return putShortest(bytes, at, shortestSingle(value), 3);
}

function shortestSingle(value: number): number {
  const size = Math.abs(value);
  if (Number.isInteger(value) && size < 1e7) return value;
  if (size >= 1e-3 && size < 1e7)
    for (let places = 1; places <= 9; places++) {
      const shorter = Math.round(value * powersOfTen[places]!) / powersOfTen[places]!;
      if (Math.fround(shorter) === value) return shorter;
    }
  for (let digits = 1; digits < 10; digits++) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) === value) return shorter;
  }
  return value;
}
