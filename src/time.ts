/** A moment as bodies carry it: UTC, no zone, seven fraction digits (`2026-01-24T08:17:02.4350000`). Sorts as text. */
export type Timestamp = string;

/** Postgres's text of a `timestamptz` in a session with time zone UTC → wire form, to the microsecond. */
export function timestampFromPostgres(text: string): Timestamp {
  const [, day, clock, fraction = ''] = /^(\S+) (\d\d:\d\d:\d\d)(?:\.(\d+))?\+00$/.exec(text) ?? [];
  if (day === undefined || clock === undefined) throw new Error(`Not a time in UTC: '${text}'.`);
  return `${day}T${clock}.${fraction.padEnd(7, '0')}`;
}

export const timestampFromDate = (date: Date): Timestamp => `${date.toISOString().slice(0, -1)}0000`;
export const dateFromTimestamp = (timestamp: Timestamp): Date => new Date(`${timestamp.slice(0, 23)}Z`);
