/** `2024-12-31` or `2024/12/31`; days 29 to 31 may be missing in the month. */
const day = /^\d{4}([-/])(0[1-9]|1[0-2])\1(0[1-9]|[12]\d|3[01])$/;
/** Time of day, with or without seconds and zone. */
const clock = /^[T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?(Z|[+-]\d\d(:?\d\d)?)?$/;
const dayLength = 10;

/** Whether a value of a feature is a date. */
export const isDate = (text: string): boolean =>
  text.length === dayLength && day.test(text) && (text[8]! < '2' || isInMonth(text));

function isInMonth(text: string): boolean {
  const [year, month, date] = [0, 5, 8].map((at) => Number.parseInt(text.slice(at), 10)) as [number, number, number];
  return date <= daysInMonth(year, month);
}

/** Number of days of a month from 1 to 12. */
export function daysInMonth(year: number, month: number): number {
  if (month !== 2) return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

/** Whether a value of a feature is a date with a time of day. */
export const isDateTime = (text: string): boolean =>
  isDate(text.slice(0, dayLength)) && clock.test(text.slice(dayLength));

/** Whether a value of a feature is a date, alone or followed by `T` or a blank and any text. */
export const beginsWithDate = (text: string): boolean =>
  isDate(text.slice(0, dayLength)) && (text.length === dayLength || 'T '.includes(text[dayLength]!));

/** ISO 8601: `YYYY-MM-DD`, alone or with `T` and `HHMMSS` or `HH:MM:SS`, a fraction and `Z`. */
const utc = /^(\d{4}-\d\d-\d\d)(?:T(\d\d):?(\d\d):?(\d\d)(?:\.(\d+))?Z?)?$/i;

/** Milliseconds since 1970 of a parsed time, with fractions of a millisecond. */
export const millisecondsOf = ({ second, fraction }: NonNullable<ReturnType<typeof parseUtc>>): number =>
  Date.parse(`${second}Z`) + Number(`0.${fraction || '0'}`) * 1000;

/**
 * Parses a UTC time of an API client to `YYYY-MM-DDTHH:MM:SS` and the fractional digits of the second. Undefined for an
 * invalid time.
 */
export function parseUtc(text: string): { second: string; fraction: string } | undefined {
  const [, day, hours = '00', minutes = '00', seconds = '00', fraction = ''] = utc.exec(text.trim()) ?? [];
  if (day === undefined) return undefined;
  const second = `${day}T${hours}:${minutes}:${seconds}`;
  const parsed = new Date(`${second}Z`);
  // Date accepts 30 February and 24:00:00 as times of a later day
  if (Number.isNaN(parsed.getTime()) || parsed.toISOString().slice(0, 19) !== second) return undefined;
  return { second, fraction };
}

/** Milliseconds since 1970 on the data's own clock → ISO 8601 without a zone. */
export function clockText(time: number): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? `${time} ms` : date.toISOString().replace(/(\.000)?Z$/, '');
}

/** As `clockText`; of the fraction of a millisecond microseconds are kept. */
export function microClockText(time: number): string {
  const whole = Math.floor(time);
  const micros = Math.round((time - whole) * 1000);
  if (micros === 0 || micros === 1000) return clockText(whole + micros / 1000);
  const text = clockText(whole);
  return `${text}${text.length === 19 ? '.000' : ''}${String(micros).padStart(3, '0')}`;
}
