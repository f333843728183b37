/** A number in JSON, where NaN, infinities and −0 are strings. */
export function numberText(value: number): number | string {
  if (Object.is(value, -0)) return '-0';
  return Number.isFinite(value) ? value : String(value);
}

/** The inverse of `numberText`; undefined for anything else. */
export function textNumber(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && ['NaN', 'Infinity', '-Infinity', '-0'].includes(value)
    ? Number(value)
    : undefined;
}
