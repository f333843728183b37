import { type Command, InvalidArgumentError } from 'commander';

/** Parser of an option that may be repeated. */
export const repeated = (text: string, before: readonly string[] = []): string[] => [...before, text];

/** Adds `--wide` to a command that prints tables. */
export const wideOption = (command: Command): Command =>
  command.option('--wide', 'do not shorten tables to the width of the terminal');

/** Parser of an EPSG code. */
export function srid(text: string): number {
  const digits = /^(?:EPSG:)?(\d{1,9})$/i.exec(text)?.[1];
  if (digits === undefined) throw new InvalidArgumentError('It must be a number such as 25832 or EPSG:25832.');
  return Number(digits);
}

/** Parser of an integer of this range. */
export const integer =
  (min: number, max = Number.MAX_SAFE_INTEGER) =>
  (text: string): number => {
    const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    const range = max === Number.MAX_SAFE_INTEGER ? `of at least ${min}` : `from ${min} to ${max}`;
    throw new InvalidArgumentError(`It must be a whole number ${range}.`);
  };

export const count = integer(0);
