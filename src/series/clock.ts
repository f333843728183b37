import { parseUtc } from 'hydrofiles/text';
import type { Timestamp } from '../platform/text/time.ts';

/** Microseconds since 1970, UTC. A bigint, because a double is not exact from the year 2255 on. */
export type Micros = bigint;

const DAY_LENGTH = 10;
const MICROSECONDS = 1000n;

/** Files have many times of one day: its parsed text, and its digits as a number. */
let lastDay = '';
let lastDayMs = 0;
let lastNumber = -1;
let lastNumberMs = 0;

/**
 * Parses a time in any form of the API, also with a blank instead of `T`; digits after the microseconds are dropped.
 * Undefined if the text is not a time.
 */
export function parseTime(text: string): Micros | undefined {
  const trimmed = text.trim();
  const day = trimmed.slice(0, DAY_LENGTH);
  if (day !== lastDay) {
    const parsed = parseUtc(day);
    if (parsed === undefined) return undefined;
    lastDayMs = Date.parse(`${parsed.second}Z`);
    lastDay = day;
  }
  if (trimmed.length === DAY_LENGTH) return microsOfMs(lastDayMs);
  const plain = clockMs(trimmed);
  if (plain !== undefined) return microsOfMs(lastDayMs + plain);
  const parsed = parseUtc(
    trimmed[DAY_LENGTH] === ' ' ? `${day}T${trimmed.slice(DAY_LENGTH + 1).trimStart()}` : trimmed,
  );
  if (parsed === undefined) return undefined;
  const fraction = BigInt(parsed.fraction.slice(0, 6).padEnd(6, '0'));
  return BigInt(Date.parse(`${parsed.second}Z`)) * MICROSECONDS + fraction;
}

/** One bigint instead of two, where a double is exact. */
export const microsOfMs = (ms: number): Micros => {
  const micros = ms * 1000;
  return Number.isSafeInteger(micros) ? BigInt(micros) : BigInt(ms) * MICROSECONDS;
};

/**
 * Milliseconds since 1970 of the date in a text at `at`; undefined if there is no valid date.
 * @param number its digits, such as 20260124
 */
export function parseDay(number: number, text: string, at: number): number | undefined {
  if (number === lastNumber) return lastNumberMs;
  const parsed = parseUtc(text.slice(at, at + DAY_LENGTH));
  if (parsed === undefined) return undefined;
  lastNumber = number;
  lastNumberMs = Date.parse(`${parsed.second}Z`);
  return lastNumberMs;
}

/** Milliseconds of the most frequent form `…T08:17:02`; undefined for others. */
function clockMs(text: string): number | undefined {
  if (text.length !== 19 || (text[10] !== 'T' && text[10] !== ' ') || text[13] !== ':' || text[16] !== ':') {
    return undefined;
  }
  const [hours, minutes, seconds] = [twoDigits(text, 11), twoDigits(text, 14), twoDigits(text, 17)];
  // NaN, which other characters than digits give, is not less than anything
  return hours < 24 && minutes < 60 && seconds < 60 ? ((hours * 60 + minutes) * 60 + seconds) * 1000 : undefined;
}

function twoDigits(text: string, at: number): number {
  const [tens, ones] = [text.charCodeAt(at) - 48, text.charCodeAt(at + 1) - 48];
  return tens >= 0 && tens <= 9 && ones >= 0 && ones <= 9 ? tens * 10 + ones : Number.NaN;
}

/** Two digits of each number below 100. */
const TWO_DIGITS = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, '0'));
const DAY_MS = 86_400_000;
const DAY_MICROS = BigInt(DAY_MS) * MICROSECONDS;
/** Values often have many times of one day: its text. */
let shownDay = Number.NaN;
let shownDayText = '';

/** Wire form: UTC without a zone, seven fraction digits. */
export function formatTime(time: Micros): Timestamp {
  const [day, micros] = dayAndRest(time);
  if (day !== shownDay) {
    shownDayText = dayText(day);
    shownDay = day;
  }
  const fraction = micros % 1e6;
  const seconds = (micros - fraction) / 1e6;
  const minutes = Math.floor(seconds / 60);
  const clock = `${TWO_DIGITS[Math.floor(minutes / 60)]}:${TWO_DIGITS[minutes % 60]}:${TWO_DIGITS[seconds % 60]}`;
  return `${shownDayText}${clock}.${fraction === 0 ? '0000000' : `${String(fraction).padStart(6, '0')}0`}`;
}

/** Days of 400 years, after which the calendar repeats itself, and from 0000-03-01 to 1970. */
const ERA_DAYS = 146_097;
const DAYS_BEFORE_1970 = 719_468;

/** A day since 1970 in wire form, with the `T` behind it. */
export function dayText(day: number): string {
  // years begin in March, so that the day that only some years have is the last one (Howard Hinnant's algorithm)
  const since = day + DAYS_BEFORE_1970;
  const era = Math.floor(since / ERA_DAYS);
  const inEra = since - era * ERA_DAYS;
  const years = Math.floor(
    (inEra - Math.floor(inEra / 1460) + Math.floor(inEra / 36_524) - Math.floor(inEra / 146_096)) / 365,
  );
  const inYear = inEra - (365 * years + Math.floor(years / 4) - Math.floor(years / 100));
  const fromMarch = Math.floor((5 * inYear + 2) / 153);
  const date = inYear - Math.floor((153 * fromMarch + 2) / 5) + 1;
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  const year = years + 400 * era + (month <= 2 ? 1 : 0);
  if (year < 0 || year > 9999) {
    const text = new Date(day * DAY_MS).toISOString();
    return text.slice(0, text.indexOf('T') + 1);
  }
  return `${TWO_DIGITS[Math.floor(year / 100)]}${TWO_DIGITS[year % 100]}-${TWO_DIGITS[month]}-${TWO_DIGITS[date]}T`;
}

/** Days since 1970 and microseconds of the day. */
function dayAndRest(time: Micros): [day: number, micros: number] {
  const micros = Number(time);
  if (Number.isSafeInteger(micros)) {
    const day = Math.floor(micros / (DAY_MS * 1000));
    return [day, micros - day * DAY_MS * 1000];
  }
  const rest = ((time % DAY_MICROS) + DAY_MICROS) % DAY_MICROS;
  return [Number((time - rest) / DAY_MICROS), Number(rest)];
}
