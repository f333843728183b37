/** 10^0 … 10^22: the powers of ten that a double holds exactly. */
export const powersOfTen = Float64Array.from({ length: 23 }, (_, n) => Number(`1e${n}`));

const form = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;

/**
 * The number that the bytes from `start` to `end` write; undefined when they write none. Up to 15 digits come from two integers that a
 * double holds exactly, so that their quotient is rounded correctly; all else goes by way of a string.
 */
export function decimalNumber(bytes: Buffer, start: number, end: number): number | undefined {
  let at = start;
  const first = bytes[at]!;
  const negative = first === 45;
  if (negative || first === 43) at++;
  let mantissa = 0;
  let digits = 0;
  let point = -1;
  for (; at < end; at++) {
    const d = bytes[at]! - 48;
    if (d >= 0 && d <= 9) {
      mantissa = mantissa * 10 + d;
      digits++;
    } else if (d === -2 && point < 0) point = digits;
    else return slow(bytes, start, end);
  }
  if (digits === 0 || digits > 15) return slow(bytes, start, end);
  const value = point < 0 ? mantissa : mantissa / powersOfTen[digits - point]!;
  return negative ? -value : value;
}

function slow(bytes: Buffer, start: number, end: number): number | undefined {
  const text = bytes.toString('latin1', start, end);
  return form.test(text) ? Number(text) : undefined;
}

/** (big + small … big + small + slack) / divisor when the rounding is beyond doubt, else NaN. `big` and `small` are exact integers. */
export function quotient(big: number, small: number, divisor: number, slack: number): number {
  const sum = big + small;
  const rest = small - (sum - big);
  const first = sum / divisor;
  // first · divisor without rounding error (Dekker, with Veltkamp's split by 2^27 + 1).
  const product = first * divisor;
  const a = 134217729 * first;
  const firstHigh = a - (a - first);
  const firstLow = first - firstHigh;
  const b = 134217729 * divisor;
  const divisorHigh = b - (b - divisor);
  const divisorLow = divisor - divisorHigh;
  const error =
    firstLow * divisorLow - (product - firstHigh * divisorHigh - firstLow * divisorHigh - firstHigh * divisorLow);
  const second = (sum - product - error + rest) / divisor;
  const doubt = first * 2 ** -98;
  const lowest = first + (second - doubt);
  const highest = first + (second + slack / divisor + doubt);
  return lowest === highest ? lowest : Number.NaN;
}
