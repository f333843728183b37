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

/** Of an option that takes an amount such as 4 or 0.5. Which ones are too small or too large, the server says. */
export function amount(text: string): number {
  if (!/^\d{1,15}(\.\d{1,6})?$/.test(text)) throw new InvalidArgumentError('It is a number.');
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

const UNITS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Of an option that takes a time such as 90s, 30m, 2h or 7d. */
export function milliseconds(text: string): number {
  const [, number, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  if (number === undefined) throw new InvalidArgumentError('It is a time such as 90s, 30m, 2h or 7d.');
  return Number(number) * (UNITS[unit] as number);
}

/** The same, in the words of the API: `d.hh:mm:ss`. */
export function age(text: string): string {
  const seconds = Math.floor(milliseconds(text) / 1000);
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  return `${Math.floor(seconds / 86_400)}.${two((seconds / 3600) % 24)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}`;
}
