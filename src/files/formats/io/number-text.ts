import { powersOfTen } from './decimal.ts';

/** Maximum length of the text of a number, in bytes. */
export const longestNumber = 32;

/**
 * Writes unscaled / 10^decimals without trailing zeros; `unscaled` is an integer below 2^53. Returns the position after
 * the text, as all `put…` functions here do.
 */
function putScaled(bytes: Uint8Array, start: number, negative: boolean, unscaled: number, decimals: number): number {
  let at = start;
  let places = decimals;
  let rest = unscaled;
  if (negative && unscaled > 0) bytes[at++] = 45;
  const power = powersOfTen[places]!;
  const integer = places === 0 ? rest : Math.floor(rest / power);
  rest -= integer * power;
  at = putInteger(bytes, at, integer);
  if (rest === 0 || places === 0) return at;
  bytes[at++] = 46;
  if (places > 8) {
    const low = powersOfTen[places - 8]!;
    const high = Math.floor(rest / low);
    rest -= high * low;
    at = putDigits(bytes, at, high, 8);
    places -= 8;
    if (rest === 0) return trimmed(bytes, at);
  }
  return trimmed(bytes, putDigits(bytes, at, rest, places));
}

function trimmed(bytes: Uint8Array, end: number): number {
  let at = end;
  while (bytes[at - 1] === 48) at--;
  return at;
}

/** Writes at most nine digits, with leading zeros. */
function putDigits(bytes: Uint8Array, at: number, value: number, digits: number): number {
  let rest = value | 0;
  for (let i = at + digits - 1; i >= at; i--) {
    const tenth = (rest / 10) | 0;
    bytes[i] = 48 + rest - tenth * 10;
    rest = tenth;
  }
  return at + digits;
}

function putInteger(bytes: Uint8Array, at: number, value: number): number {
  if (value >= 1e9) {
    const high = Math.floor(value / 1e9);
    return putDigits(bytes, putInteger(bytes, at, high), value - high * 1e9, 9);
  }
  const digits =
    value < 10
      ? 1
      : value < 100
        ? 2
        : value < 1e3
          ? 3
          : value < 1e4
            ? 4
            : value < 1e5
              ? 5
              : value < 1e6
                ? 6
                : value < 1e7
                  ? 7
                  : value < 1e8
                    ? 8
                    : 9;
  return putDigits(bytes, at, value, digits);
}

function putText(bytes: Uint8Array, start: number, text: string): number {
  let at = start;
  for (let i = 0; i < text.length; i++) bytes[at++] = text.charCodeAt(i);
  return at;
}

/** Writes a finite coordinate, rounded to a number of decimals. */
export function putFixed(bytes: Uint8Array, at: number, value: number, decimals: number): number {
  const size = Math.abs(value);
  const unscaled = Math.round(size * powersOfTen[decimals]!);
  if (unscaled > Number.MAX_SAFE_INTEGER) return putText(bytes, at, String(value));
  return putScaled(bytes, at, value < 0, unscaled, decimals);
}

/** Writes a finite coordinate, rounded to 15 significant digits and at most 15 decimals. */
export function putFifteen(bytes: Uint8Array, at: number, value: number): number {
  const size = Math.abs(value);
  if (size >= 1e15) {
    const rounded = Number(value.toPrecision(15));
    // the largest double would be rounded to Infinity
    return putText(bytes, at, String(Number.isFinite(rounded) ? rounded : value));
  }
  let decimals = 15;
  while (decimals > 0 && size >= powersOfTen[15 - decimals]!) decimals--;
  return putScaled(bytes, at, value < 0, Math.round(size * powersOfTen[decimals]!), decimals);
}

/**
 * size · 10^decimals if this is an integer of at most 15 digits and reading it back gives `size`; otherwise -1.
 * Division of two exact integers is correctly rounded, so it gives the same double as parsing the text.
 */
export function scaled(size: number, decimals: number): number {
  const unscaled = Math.round(size * powersOfTen[decimals]!);
  return unscaled < 1e15 && unscaled / powersOfTen[decimals]! === size ? unscaled : -1;
}

/**
 * Writes the shortest text that parses to the same number. `decimals` is a guess at the number of decimals, to save
 * time.
 */
export function putShortest(bytes: Uint8Array, at: number, value: number, decimals: number): number {
  const size = Math.abs(value);
  if (Number.isInteger(value) && size <= Number.MAX_SAFE_INTEGER) return putScaled(bytes, at, value < 0, size, 0);
  if (decimals <= 15) {
    const unscaled = scaled(size, decimals);
    if (unscaled >= 0) return putScaled(bytes, at, value < 0, unscaled, decimals);
  }
  // also finds numbers with fewer decimals: they end in zeros, which are not written
  const most = size < 1e6 ? 9 : size < 1e9 ? 6 : 3;
  const unscaled = scaled(size, most);
  if (unscaled >= 0) return putScaled(bytes, at, value < 0, unscaled, most);
  return putText(bytes, at, String(value));
}

/**
 * Writes unscaled / 10^decimals, with all decimals, right-aligned into a field of blanks; `unscaled` is below 2^53.
 * Returns false, without writing, if the field is too narrow.
 */
export function putPadded(
  bytes: Uint8Array,
  start: number,
  width: number,
  negative: boolean,
  unscaled: number,
  decimals: number,
): boolean {
  const sign = negative && unscaled > 0 ? 1 : 0;
  let digits = 1;
  while (digits < 16 && unscaled >= powersOfTen[digits]!) digits++;
  const length = sign + Math.max(digits, decimals + 1) + (decimals > 0 ? 1 : 0);
  if (length > width) return false;
  let at = start + width - 1;
  let rest = unscaled;
  for (let n = 0; n < Math.max(digits, decimals + 1); n++) {
    if (n === decimals && n > 0) bytes[at--] = 46;
    const tenth = Math.floor(rest / 10);
    bytes[at--] = 48 + rest - tenth * 10;
    rest = tenth;
  }
  if (sign === 1) bytes[at] = 45;
  return true;
}
