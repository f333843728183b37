import { InvalidArgumentError } from 'commander';

/** Of an option that may be given several times. */
export const repeated = (text: string, before: readonly string[] = []): string[] => [...before, text];

/** Of an option that takes the number of a coordinate system. */
export function srid(text: string): number {
  const digits = /^(?:EPSG:)?(\d{1,9})$/i.exec(text)?.[1];
  if (digits === undefined) throw new InvalidArgumentError('It is a number such as 25832 or EPSG:25832.');
  return Number(digits);
}

/** Of an option that takes a whole number that is not negative. */
export function count(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It is a whole number.');
  return Number(text);
}

/** Of an option that takes a JSON object. */
export function jsonObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // the same is wrong with it
  }
  throw new InvalidArgumentError('It is a JSON object.');
}
