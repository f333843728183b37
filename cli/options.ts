import { type Command, InvalidArgumentError, Option } from 'commander';
import { integer, isUuid, repeated } from 'hydrofiles/terminal';

/** `a, b or c`. */
const oneOf = (values: readonly string[]): string =>
  values.length < 2 ? values.join() : `${values.slice(0, -1).join(', ')} or ${values.at(-1)}`;

/** Parses one of these words in any letter case; returns the spelling of the API. */
function parseChoice(text: string, values: readonly string[]): string {
  const found = values.find((value) => value.toLowerCase() === text.toLowerCase());
  if (found === undefined) throw new InvalidArgumentError(`It must be ${oneOf(values)}.`);
  return found;
}

/** An option that takes one of these words; help and errors list them. */
export function choice(flags: string, description: string, values: readonly string[]): Option {
  const option = new Option(flags, `${description}: ${oneOf(values)}`);
  option.choices(values).argParser((text: string) => parseChoice(text, values));
  return option;
}

/** An option that takes one or more of these words; may be repeated. */
export function choices(flags: string, description: string, values: readonly string[]): Option {
  const option = new Option(flags, `${description}: ${oneOf(values)}; may be repeated`);
  option
    .choices(values)
    .argParser((text: string, before: readonly string[] | undefined) => [...(before ?? []), parseChoice(text, values)]);
  return option;
}

/** Adds a hidden option: the name that older versions had for the option `current` (its long flag). */
export function legacyOption(command: Command, flags: string, current: string): Command {
  const option = command.options.find(({ long }) => long === current);
  if (option === undefined) throw new Error(`${command.name()} has no option ${current}.`);
  const old = new Option(flags).hideHelp();
  if (option.parseArg) old.argParser(option.parseArg);
  old.attributeName = () => option.attributeName();
  return command.addOption(old);
}

/** Parser of a UUID. */
export function uuid(text: string): string {
  if (!isUuid(text)) throw new InvalidArgumentError('It must be a UUID such as 0199f0a2-7c41-7d52-9b1e-4c1f6a2b3d5e.');
  return text.toLowerCase();
}

/** Parser of the page size of a list. */
export const limit = integer(1, 1000);

/** Parser of a number, also of one below 0. */
export function number(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) throw new InvalidArgumentError('It must be a number such as 2.5.');
  return value;
}

/** Parser of an amount such as 4 or 0.5, above 0 and at most `max`. */
export const amount =
  (max: number) =>
  (text: string): number => {
    const value = /^\d{1,15}(\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
    if (value > 0 && value <= max) return value;
    throw new InvalidArgumentError(`It must be a number above 0, and at most ${max}.`);
  };

/** Parser of a worker label, or of the key of one; may be repeated. */
export function label(text: string, before?: readonly string[]): string[] {
  if (!/^[A-Za-z0-9][\w./-]*(=[\w.-]{1,63})?$/.test(text))
    throw new InvalidArgumentError('It must be KEY=VALUE or KEY, such as gpu=a100.');
  return repeated(text, before);
}

/** Parser of a JSON object. */
export function jsonObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // reported below
  }
  throw new InvalidArgumentError('It must be a JSON object.');
}

const UNITS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const DURATION = /^(\d{1,9})([smhd])$/;

/** Parser of a duration such as 90s, 30m, 2h or 7d; in milliseconds. */
export function milliseconds(text: string): number {
  const [, number, unit = ''] = DURATION.exec(text) ?? [];
  if (number === undefined) throw new InvalidArgumentError('It must be a duration such as 90s, 30m, 2h or 7d.');
  return Number(number) * (UNITS[unit] as number);
}

/** Times that the API accepts; all are UTC. */
const TIME = /^(\d{4}-\d\d-\d\d)(?:T(\d\d):?(\d\d):?(\d\d)(\.\d{1,9})?Z?)?$/;

/** Parser of a time (UTC). */
export function time(text: string): string {
  if (parseTime(text) !== undefined) return text;
  throw new InvalidArgumentError('It must be a time (UTC) such as 2026-01-24 or 2026-01-24T08:00:00.');
}

/** Parser of a time (UTC) or an age: `2h` is two hours ago. Returns a time. */
export function pastTime(text: string): string {
  if (DURATION.test(text)) return new Date(Date.now() - milliseconds(text)).toISOString();
  if (parseTime(text) !== undefined) return text;
  throw new InvalidArgumentError(
    'It must be a time (UTC) such as 2026-01-24 or 2026-01-24T08:00:00, or how long ago, such as 90s, 30m, 2h or 7d.',
  );
}

/** Parser of a time (UTC) or a duration: `7d` is in seven days. Returns a time. */
export function futureTime(text: string): string {
  if (DURATION.test(text)) return new Date(Date.now() + milliseconds(text)).toISOString();
  if (parseTime(text) !== undefined) return text;
  throw new InvalidArgumentError(
    'It must be a time (UTC) such as 2026-01-24 or 2026-01-24T08:00:00, or a duration such as 90s, 30m, 2h or 7d.',
  );
}

/** Milliseconds since 1970, without fractions of a second. Undefined: not a time. */
function parseTime(text: string): number | undefined {
  const [, day, hour = '00', minute = '00', second = '00'] = TIME.exec(text) ?? [];
  const at = new Date(`${day}T${hour}:${minute}:${second}Z`);
  // Date reads 30 February as a day of March.
  return !Number.isNaN(at.valueOf()) && at.toISOString().startsWith(`${day}`) ? at.valueOf() : undefined;
}

/** Age of a time of `pastTime`, as a duration of the API: `d.hh:mm:ss`, at least a second. */
export function formatAge(past: string): string {
  return timeSpan(Date.now() - (parseTime(past) ?? Number.NaN));
}

/** A duration in milliseconds as the API reads it: `d.hh:mm:ss`, at least a second. */
export function timeSpan(duration: number): string {
  const seconds = Math.max(1, Math.floor(duration / 1000));
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  return `${Math.floor(seconds / 86_400)}.${two((seconds / 3600) % 24)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}`;
}
