/** A number in JSON, where NaN and infinities are strings. */
export const numberText = (value: number): number | string => (Number.isFinite(value) ? value : String(value));

/** The inverse of `numberText`; undefined for anything else. */
export function textNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && ['NaN', 'Infinity', '-Infinity'].includes(value) ? Number(value) : undefined;
}
