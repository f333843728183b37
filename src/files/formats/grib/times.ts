import { FormatError } from '../../errors.ts';

const hour = 3_600_000;

/** Milliseconds of the units of time of tables 4 (GRIB 1) and 4.4 (GRIB 2) that both have. */
const lengths: Readonly<Record<number, number>> = {
  0: 60_000,
  1: hour,
  2: 24 * hour,
  10: 3 * hour,
  11: 6 * hour,
  12: 12 * hour,
};
/** Seconds are unit 13 of GRIB 2 and 254 of GRIB 1, whose unit 13 is a quarter of an hour. */
const ofEdition: Readonly<Record<1 | 2, Readonly<Record<number, number>>>> = {
  1: { 13: hour / 4, 14: hour / 2, 254: 1000 },
  2: { 13: 1000 },
};
const months: Readonly<Record<number, number>> = { 3: 1, 4: 12, 5: 120, 6: 360, 7: 1200 };

/**
 * A time that lies `count` units after another (milliseconds since 1970). Months and years are those of the calendar.
 * @throws FormatError for a unit that the tables do not have, and for a time outside of the years 1 to 9999
 */
export function after(time: number, count: number, unit: number, edition: 1 | 2, offset: number): number {
  const moved = movedBy(time, count, unit, edition, offset);
  const year = new Date(moved).getUTCFullYear();
  if (year >= 1 && year <= 9999) return moved;
  throw new FormatError(
    `A message lies ${count} units ${unit} from its reference time, in no year of four digits.`,
    offset,
  );
}

function movedBy(time: number, count: number, unit: number, edition: 1 | 2, offset: number): number {
  const length = lengths[unit] ?? ofEdition[edition][unit];
  if (length !== undefined) return time + count * length;
  const size = months[unit];
  if (size !== undefined) {
    const date = new Date(time);
    date.setUTCMonth(date.getUTCMonth() + count * size);
    return date.getTime();
  }
  if (count === 0) return time;
  throw new FormatError(
    `The message counts its time in the unit ${unit}, which GRIB ${edition} does not have.`,
    offset,
  );
}

/** Milliseconds since 1970 of a date and time in UTC. @throws FormatError for one that the calendar does not have */
export function timeOfDate(
  [year, month, day, hours, minutes, seconds]: readonly [number, number, number, number, number, number],
  offset: number,
): number {
  const time = new Date(0);
  time.setUTCFullYear(year, month - 1, day);
  time.setUTCHours(hours, minutes, seconds);
  const isDate = time.getUTCMonth() === month - 1 && time.getUTCDate() === day;
  if (isDate && hours < 24 && minutes < 60 && seconds < 61) return time.getTime();
  const text = `${year}-${month}-${day} ${hours}:${minutes}:${seconds}`;
  throw new FormatError(`The date and time ${text} of a message are not in the calendar.`, offset);
}
