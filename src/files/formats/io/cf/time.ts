import { isRising } from '../../../data/number-arrays.ts';
import { MILLISECONDS, type TimeAxis, type TimeUnit } from '../../../data/time-axis.ts';
import { FormatError } from '../../../errors.ts';
import {
  type Calendar,
  type CalendarDate,
  calendarOf,
  dateText,
  hasDate,
  isIsoDate,
  isIsoFrom,
  isoDays,
} from './calendar.ts';
import { realNumbers, roundingOf } from './numbers.ts';
import { type CfContext, type CfVariable, shortened, textOf } from './variable.ts';

/** Times of the steps in rising order, and which step of the file each of them is, if the file has another order. */
export interface CfTimes {
  readonly time: TimeAxis;
  readonly order?: Uint32Array;
}

/** A unit of time: that of the axis, and its size in milliseconds. */
interface Unit {
  readonly unit: TimeUnit;
  readonly size: number;
}

const day = MILLISECONDS.day;
const words: readonly (readonly [pattern: RegExp, unit: TimeUnit, size: number])[] = [
  [/^(?:nanoseconds?|nanosecs?|nsecs?|ns)$/i, 'millisecond', 1e-6],
  [/^(?:microseconds?|microsecs?|usecs?|us|µs|μs)$/i, 'millisecond', 1e-3],
  [/^(?:milliseconds?|millisecs?|msecs?|ms)$/i, 'millisecond', 1],
  [/^(?:seconds?|secs?|s)$/i, 'second', 1000],
  [/^(?:minutes?|mins?)$/i, 'minute', MILLISECONDS.minute],
  [/^(?:hours?|hrs?|h)$/i, 'hour', MILLISECONDS.hour],
  [/^(?:days?|d)$/i, 'day', day],
  [/^weeks?$/i, 'day', 7 * day],
];
/**
 * UDUNITS takes them for a twelfth of the tropical year and for the tropical year, which is no month or year of a
 * calendar.
 */
const vague = /^(?:months?|mons?|years?|yrs?|a|common_years?|leap_years?|julian_years?|gregorian_years?)$/i;

function unitOf(word: string, calendar: Calendar | undefined, name: string): Unit | undefined {
  const found = words.find(([pattern]) => pattern.test(word));
  if (found !== undefined) return { unit: found[1], size: found[2] };
  if (!vague.test(word)) return undefined;
  if (calendar?.name === '360_day' && /^mon/i.test(word)) return { unit: 'day', size: 30 * day };
  if (/^common_year/i.test(word)) return { unit: 'day', size: 365 * day };
  throw new FormatError(
    `The times in '${name}' are in '${word}', which are not of equal length. Write them in days or a smaller unit.`,
  );
}

const since = /^(\S+)\s+(?:since|after|from|ref|@)\s+(\S.*)$/i;
const date = /^([+-]?\d{1,6})-(\d{1,2})(?:-(\d{1,2}))?(?=$|[T\s+Z-])/i;
const clock = /^[T\s]\s*(\d{1,2})(?::(\d{1,2})(?::(\d{1,2}(?:\.\d*)?))?)?/i;
const zone = /^\s*(?:(Z|UTC|GMT)|([+-])(\d{1,2})(?::?(\d{2}))?)$/i;

/** A moment from which times are counted: a date of a calendar, and milliseconds on that day, in UTC. */
interface Reference {
  readonly date: CalendarDate;
  readonly milliseconds: number;
  /** Of the zone of the text, in milliseconds. */
  readonly ahead: number;
}

/** A reference such as `1992-10-8 15:15:42.5 -6:00`; undefined if it is no valid date and time of the calendar. */
function referenceOf(text: string, calendar: Calendar): Reference | undefined {
  const compact = /^(\d{4})(\d{2})(\d{2})(?=$|[T\s])/.exec(text);
  const read = compact ?? date.exec(text);
  if (read === null) return undefined;
  let rest = text.slice(read[0].length);
  const [year, month, dayOfMonth] = [read[1], read[2], read[3] ?? '1'].map(Number) as [number, number, number];
  let milliseconds = 0;
  let ahead = 0;
  const time = clock.exec(rest);
  // A date without a time may be followed by a zone.
  if (time !== null && !/^\s[+-]/.test(rest)) {
    const [hours, minutes, seconds] = [time[1], time[2] ?? '0', time[3] ?? '0'].map(Number) as [number, number, number];
    if (hours > 24 || minutes > 59 || seconds >= 61 || (hours === 24 && minutes + seconds > 0)) return undefined;
    milliseconds = hours * MILLISECONDS.hour + minutes * MILLISECONDS.minute + Math.round(seconds * 1e6) / 1e3;
    rest = rest.slice(time[0].length);
  }
  if (rest.trim() !== '') {
    const offset = zone.exec(rest);
    if (offset === null) return undefined;
    const [, , sign, hours = '0', minutes = '0'] = offset;
    if (Number(hours) > 23 || Number(minutes) > 59) return undefined;
    ahead = (sign === '-' ? -1 : 1) * (Number(hours) * MILLISECONDS.hour + Number(minutes) * MILLISECONDS.minute);
    milliseconds -= ahead;
  }
  // A calendar without a year 0 has the year −1 before the year 1.
  if (year === 0 && !calendar.yearZero) return undefined;
  const own = { year: year < 0 && !calendar.yearZero ? year + 1 : year, month, day: dayOfMonth };
  return hasDate(calendar, own) ? { date: own, milliseconds, ahead } : undefined;
}

/** Whether the units of a variable are those of times on a calendar. */
export const hasTimeUnits = ({ metadata }: CfVariable): boolean => since.test(textOf(metadata.attributes.units) ?? '');

/**
 * The times of a coordinate variable of one dimension or none; undefined if its units are not those of a time.
 * @throws FormatError for units, a reference or a calendar that cannot be kept, and for a step without a time
 */
export async function timesOf(variable: CfVariable, context: CfContext): Promise<CfTimes | undefined> {
  const { attributes, name, type } = variable.metadata;
  const units = textOf(attributes.units) ?? '';
  const [, counted, from] = since.exec(units) ?? [];
  const word = (textOf(attributes.calendar) ?? 'standard').toLowerCase();
  const calendar = calendarOf(word);
  const unit = unitOf(counted ?? units, calendar, name);
  if (unit === undefined) return undefined;
  const numbers = await realNumbers(variable);
  const missing = numbers.findIndex((value) => !Number.isFinite(value));
  if (missing >= 0) throw new FormatError(`Step ${missing} in '${name}' has no time, so its values have no place.`);
  const order = orderOf(numbers);
  if (order !== undefined)
    context.remark(
      `The times in '${name}' ${isFalling(numbers) ? 'run backwards' : 'are not in order'}; the steps were sorted by time.`,
    );
  const sorted = order === undefined ? numbers : Float64Array.from(order, (step) => numbers[step]!);
  const rounding = roundingOf(sorted, type);
  const kept = order === undefined ? {} : { order };
  if (from === undefined) return { time: axisOf(unit, undefined, sorted, rounding), ...kept };
  if (calendar === undefined)
    throw new FormatError(`The times in '${name}' are of the calendar '${shortened(word)}', which is not supported.`);
  const reference = referenceOf(from, calendar);
  if (reference === undefined)
    throw new FormatError(
      `The times in '${name}' count from '${shortened(from)}', which is not a valid date and time of the calendar '${word}'.`,
    );
  if (reference.ahead !== 0)
    context.remark(
      `The times in '${name}' count from '${shortened(from)}', in a time zone; they were converted to UTC.`,
    );
  const time = labelled({ unit, calendar, reference, name, word }, sorted, rounding, context);
  return { time, ...kept };
}

const isFalling = (numbers: Float64Array): boolean => numbers.every((value, n) => n === 0 || value <= numbers[n - 1]!);

/** The steps by time; undefined if they are in order. */
function orderOf(numbers: Float64Array): Uint32Array | undefined {
  if (isRising(numbers)) return undefined;
  return Uint32Array.from(numbers.keys()).sort((one, other) => numbers[one]! - numbers[other]! || one - other);
}

/** The axis of ISO 8601 whose times have the dates that the calendar gives them. */
function labelled(
  {
    unit,
    calendar,
    reference,
    name,
    word,
  }: { unit: Unit; calendar: Calendar; reference: Reference; name: string; word: string },
  numbers: Float64Array,
  rounding: number,
  { reportLoss, remark }: CfContext,
): TimeAxis {
  const origin = calendar.daysOf(reference.date);
  const dayOf = (value: number) => origin + Math.floor((reference.milliseconds + value * unit.size) / day);
  const first = numbers.length === 0 ? origin : Math.min(origin, dayOf(numbers[0]!));
  if (isIsoFrom(calendar, first)) {
    const start = isoDays(reference.date) * day + reference.milliseconds;
    checkYears(start + (numbers[0] ?? 0) * unit.size, start + (numbers.at(-1) ?? 0) * unit.size, name);
    // A start before the years that other formats can write is moved to the first day.
    if (reference.date.year >= 1 && reference.date.year <= 9999) return axisOf(unit, start, numbers, rounding);
  }
  const labels = Float64Array.from(numbers, (value) => {
    const milliseconds = reference.milliseconds + value * unit.size;
    const days = Math.floor(milliseconds / day);
    const own = calendar.dateOf(origin + days);
    if (!isIsoDate(own))
      throw new FormatError(
        `The times in '${name}' are of the calendar '${word}', whose date ${dateText(own)} is not one of the Gregorian calendar.`,
      );
    return isoDays(own) * day + milliseconds - days * day;
  });
  if (labels.length > 0) checkYears(labels[0]!, labels.at(-1)!, name);
  if (calendar.name === 'standard') {
    if (numbers.length > 0 && !isIsoFrom(calendar, dayOf(numbers[0]!)))
      remark(
        `Times in '${name}' before 1582-10-15 are dates of the Julian calendar (CF 4.4.1). They keep these dates, so the time between dates before and after is not that of ISO 8601.`,
      );
  } else if (calendar.name !== 'proleptic_gregorian')
    reportLoss(`The calendar '${word}' of '${name}' was left out; the times keep their dates.`);
  const start = Math.floor((labels[0] ?? 0) / day) * day;
  return axisOf(
    unit,
    start,
    labels.map((label) => (label - start) / unit.size),
    rounding,
  );
}

const years = {
  first: isoDays({ year: 1, month: 1, day: 1 }) * day,
  end: isoDays({ year: 10_000, month: 1, day: 1 }) * day,
};

function checkYears(first: number, last: number, name: string): void {
  if (first >= years.first && last < years.end) return;
  throw new FormatError(`Times in '${name}' lie outside of the years 1 to 9999.`);
}

/** An axis in the unit; equidistant if the times are so within the rounding of their type. */
function axisOf({ unit, size }: Unit, start: number | undefined, numbers: Float64Array, rounding: number): TimeAxis {
  const perUnit = size / MILLISECONDS[unit];
  const head = { unit, ...(start === undefined ? {} : { start }) };
  const tidy = (value: number) => tidied(value, size, rounding) * perUnit;
  const [offset = 0] = numbers;
  const count = numbers.length;
  const interval = count < 2 ? 1 : (numbers[count - 1]! - offset) / (count - 1);
  const even = numbers.every((value, step) => Math.abs(value - offset - step * interval) <= rounding);
  if (even)
    return {
      spacing: 'equidistant',
      ...head,
      count,
      offset: tidy(offset),
      interval: count < 2 ? 1 : tidied(interval, size, rounding) * perUnit,
    };
  return { spacing: 'nonEquidistant', ...head, offsets: numbers.map(tidy) };
}

/** The whole milliseconds nearest to a time, if it differs from them only by the rounding of its type. */
function tidied(value: number, size: number, rounding: number): number {
  const exact = Math.round(value * size) / size;
  return Math.abs(exact - value) <= rounding ? exact : value;
}
