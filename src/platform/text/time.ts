import { parseUtc } from 'hydrofiles/text';

/**
 * Format of times in the API: UTC without a zone, seven fraction digits (`2026-01-24T08:17:02.4350000`). Sorts as text.
 */
export type Timestamp = string;

/**
 * Converts Postgres' text of a `timestamptz` in a session with time zone UTC to the format of the API, to the
 * microsecond.
 */
export function timestampFromPostgres(text: string): Timestamp {
  const [, day, clock, fraction = ''] = /^(\S+) (\d\d:\d\d:\d\d)(?:\.(\d+))?\+00$/.exec(text) ?? [];
  if (day === undefined || clock === undefined) throw new Error(`Not a time in UTC: '${text}'.`);
  return `${day}T${clock}.${fraction.padEnd(7, '0')}`;
}

export const timestampFromDate = (date: Date): Timestamp => `${date.toISOString().slice(0, -1)}0000`;
export const dateFromTimestamp = (timestamp: Timestamp): Date => new Date(`${timestamp.slice(0, 23)}Z`);

/**
 * Converts a time of a client to the format of the API, truncated to microseconds. Undefined if the text is not a time,
 * or lies in the year 0000, which Postgres does not have.
 */
export function timestampFromText(text: string): Timestamp | undefined {
  const time = dataTimeFromText(text);
  return time?.startsWith('0000') ? undefined : time;
}

/** The same for a time on the clock of data, which is not stored as a time in Postgres: it may lie in the year 0000. */
export function dataTimeFromText(text: string): Timestamp | undefined {
  const parsed = parseUtc(text);
  return parsed && `${parsed.second}.${parsed.fraction.slice(0, 6).padEnd(7, '0')}`;
}

/** `[d.]h:mm:ss[.f]` or `N days, h:mm:ss[.f]`. */
const DURATION = /^(?:(\d{1,6})(?:\.| days?, *))?(\d{1,4}):([0-5]\d):([0-5]\d(?:\.\d{1,9})?)$/i;

/** Converts a duration of a client to milliseconds. Undefined if the text is not a duration. */
export function durationFromText(text: string): number | undefined {
  const [, days = '0', hours, minutes, seconds] = DURATION.exec(text.trim()) ?? [];
  if (hours === undefined) return undefined;
  const whole = (Number(days) * 24 + Number(hours)) * 60 + Number(minutes);
  return Math.round((whole * 60 + Number(seconds)) * 1000);
}

/** A duration for a message: `2 h`, `90 s`. */
export function formatDuration(milliseconds: number): string {
  const units = [
    ['h', 3_600_000],
    ['min', 60_000],
    ['s', 1000],
  ] as const;
  const [unit, length] = units.find(([, length]) => milliseconds >= length && milliseconds % length === 0) ?? ['ms', 1];
  return `${milliseconds / length} ${unit}`;
}
