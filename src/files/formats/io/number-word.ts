const special = /^[+-]?(?:nan(?:\(\w*\))?|1[.,]#(?:qnan|snan|ind)\w*)$/i;
const infinite = /^([+-]?)(?:inf(?:inity)?|1[.,]#inf\w*)$/i;
const decimal = /^[+-]?(?:\d+(?:[.,]\d*)?|[.,]\d+)(?:[eEdD][+-]?\d+)?$/;

/**
 * Parses a number with decimal point or comma, an exponent (`e`, or `d` of Fortran), or the words of C libraries for
 * infinity and NaN. Undefined if the word is not a number.
 */
export function parseNumber(word: string): number | undefined {
  if (decimal.test(word)) return Number(word.replace(',', '.').replace(/d/i, 'e'));
  if (special.test(word)) return Number.NaN;
  const sign = infinite.exec(word)?.[1];
  if (sign === undefined) return undefined;
  return sign === '-' ? -Infinity : Infinity;
}
