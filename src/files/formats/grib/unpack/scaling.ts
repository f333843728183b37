import type { Octets } from '../octets.ts';

/** A value is (reference + number · 2^binary) / 10^decimal. */
export interface Scaling {
  readonly reference: number;
  readonly binary: number;
  readonly decimal: number;
}

/** Octets 12 to 20 of section 5 of templates 5.0, 5.2, 5.3, 5.40, 5.41 and 5.42. */
export const scalingOf = (octets: Octets): Scaling => ({
  reference: octets.single(12),
  binary: octets.signed(16, 2),
  decimal: octets.signed(18, 2),
});

/** The values of packed numbers. */
export function scaled(numbers: ArrayLike<number>, { reference, binary, decimal }: Scaling): Float64Array {
  const values = new Float64Array(numbers.length);
  const step = 2 ** binary;
  const factor = decimal > 0 ? 1 / 10 ** decimal : 10 ** -decimal;
  for (let n = 0; n < values.length; n++) values[n] = (numbers[n]! * step + reference) * factor;
  return values;
}
