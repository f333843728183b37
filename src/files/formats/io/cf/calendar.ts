/** A date of any calendar; years are numbered as astronomers do, with a year 0. */
export interface CalendarDate {
  readonly year: number;
  /** 1 to 12. */
  readonly month: number;
  readonly day: number;
}

/** How a calendar of CF counts days, from any day on. */
export interface Calendar {
  readonly name: string;
  /** Whether there is a year 0 before the year 1; else the year before is −1, which astronomers call 0. */
  readonly yearZero: boolean;
  daysOf(date: CalendarDate): number;
  dateOf(days: number): CalendarDate;
}

const julianLeap = (year: number): boolean => year % 4 === 0;
const gregorianLeap = (year: number): boolean => year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
const lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Days before a year of a calendar, from 0000-01-01 on. */
type DaysBefore = (year: number) => number;

/** A calendar of twelve months that differ from ours in leap years only. */
function twelveMonths(
  name: string,
  yearZero: boolean,
  isLeap: (year: number) => boolean,
  before: DaysBefore,
): Calendar {
  const monthLength = (year: number, month: number) => lengths[month - 1]! + (month === 2 && isLeap(year) ? 1 : 0);
  return {
    name,
    yearZero,
    daysOf({ year, month, day }) {
      let days = before(year) + day - 1;
      for (let one = 1; one < month; one++) days += monthLength(year, one);
      return days;
    },
    dateOf(days) {
      let year = Math.floor(days / 365.2425);
      while (before(year) > days) year--;
      while (before(year + 1) <= days) year++;
      let left = days - before(year);
      let month = 1;
      while (left >= monthLength(year, month)) left -= monthLength(year, month++);
      return { year, month, day: left + 1 };
    },
  };
}

const noLeap = twelveMonths(
  'noleap',
  true,
  () => false,
  (year) => 365 * year,
);
const allLeap = twelveMonths(
  'all_leap',
  true,
  () => true,
  (year) => 366 * year,
);
const julian = twelveMonths('julian', false, julianLeap, (year) => 365 * year + Math.ceil(year / 4));
const gregorian = twelveMonths(
  'proleptic_gregorian',
  true,
  gregorianLeap,
  (year) => 365 * year + Math.ceil(year / 4) - Math.ceil(year / 100) + Math.ceil(year / 400),
);
const months30: Calendar = {
  name: '360_day',
  yearZero: true,
  daysOf: ({ year, month, day }) => 360 * year + 30 * (month - 1) + day - 1,
  dateOf(days) {
    const year = Math.floor(days / 360);
    const left = days - 360 * year;
    return { year, month: Math.floor(left / 30) + 1, day: (left % 30) + 1 };
  },
};

/** 1582-10-15, the first day of the Gregorian calendar; the day before was 1582-10-04. */
const reform = gregorian.daysOf({ year: 1582, month: 10, day: 15 });
const toJulian = reform - 1 - julian.daysOf({ year: 1582, month: 10, day: 4 });
const mixed: Calendar = {
  name: 'standard',
  yearZero: false,
  daysOf(date) {
    const days = gregorian.daysOf(date);
    return days >= reform ? days : julian.daysOf(date) + toJulian;
  },
  dateOf: (days) => (days >= reform ? gregorian.dateOf(days) : julian.dateOf(days - toJulian)),
};

const calendars: Readonly<Record<string, Calendar>> = {
  standard: mixed,
  gregorian: mixed,
  proleptic_gregorian: gregorian,
  julian,
  noleap: noLeap,
  '365_day': noLeap,
  all_leap: allLeap,
  '366_day': allLeap,
  '360_day': months30,
};

/** The calendar of an attribute `calendar`; undefined for a word that CF or this module does not know. */
export const calendarOf = (word: string): Calendar | undefined =>
  Object.hasOwn(calendars, word.toLowerCase()) ? calendars[word.toLowerCase()] : undefined;

/** Whether the calendar has the date. */
export function hasDate(calendar: Calendar, date: CalendarDate): boolean {
  if (!(date.month >= 1 && date.month <= 12 && date.day >= 1 && date.day <= 31)) return false;
  const { year, month, day } = calendar.dateOf(calendar.daysOf(date));
  return year === date.year && month === date.month && day === date.day;
}

/** Whether the days of the calendar are those of ISO 8601 from a day on. */
export const isIsoFrom = (calendar: Calendar, days: number): boolean =>
  calendar === gregorian || (calendar === mixed && days >= reform);

/** Whether ISO 8601 has a date of another calendar. */
export const isIsoDate = (date: CalendarDate): boolean => hasDate(gregorian, date);

/** `2000-02-30`. */
export const dateText = ({ year, month, day }: CalendarDate): string =>
  `${year < 0 ? '-' : ''}${String(Math.abs(year)).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;

/** Days from 1970-01-01 to a date of ISO 8601. */
export const isoDays = (date: CalendarDate): number => gregorian.daysOf(date) - epoch;
const epoch = gregorian.daysOf({ year: 1970, month: 1, day: 1 });
