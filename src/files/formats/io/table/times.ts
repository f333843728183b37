import { FormatError } from '../../../errors.ts';

/** Parses a time to milliseconds since 1970-01-01T00:00:00 on its own clock, in UTC if it has a zone; else NaN. */
export interface TimeParser {
  readonly pattern: string;
  parse(text: string): number;
  /** Whether times have a zone. */
  readonly zoned: boolean;
}

const isoForm =
  /^(\d{4})(?:([-/.])(\d\d?)\2(\d\d?)|(\d\d)(\d\d)(?=T))(?:(?:[T ]| +)(\d\d?)(?::?(\d\d)(?::?(\d\d)(?:[.,](\d{1,9}))?)?)?)? ?(Z|[+-]\d\d(?::?\d\d)?)?$/i;
const europeanForm =
  /^(\d\d?)([./-])(\d\d?)\2(\d{4})(?:(?:[T ]| +)(\d\d?):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?: ?([AP]M))?)?$/i;
const namedForm =
  /^(\d\d?)[ ./-]([A-Z]{3})[a-z]*\.?[ ./-](\d{4})(?:(?:[T ]| +)(\d\d?):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(?: ?([AP]M))?)?$/i;
/** A day with two digits of the year: its form has to be given. */
const shortForm = /^\d\d?([./-])\d\d?\1\d\d(?: +\d\d?:\d\d(?::\d\d)?)?$/;
const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

interface Fields {
  readonly year: number;
  readonly month: number;
  readonly day: number;
  readonly hour?: number;
  readonly minute?: number;
  readonly second?: number;
  /** Digits behind the second. */
  readonly fraction?: string;
  readonly half?: string;
  readonly zone?: string;
}

/** NaN for a day or a time that does not exist; 24:00 is the end of the day. */
function toMilliseconds(fields: Fields): number {
  const { year, month, minute = 0, second = 0, fraction = '', half, zone } = fields;
  let { hour = 0 } = fields;
  if (half !== undefined) {
    if (hour < 1 || hour > 12) return Number.NaN;
    hour = (hour % 12) + (half.toLowerCase() === 'pm' ? 12 : 0);
  }
  const isEnd = hour === 24 && minute === 0 && second === 0;
  if ((hour > 23 && !isEnd) || minute > 59 || second > 59 || month < 1 || month > 12) return Number.NaN;
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, fields.day);
  if (fields.day < 1 || date.getUTCDate() !== fields.day) return Number.NaN;
  const part = fraction === '' ? 0 : Number(`0.${fraction}`) * 1000;
  return date.getTime() + ((hour * 60 + minute) * 60 + second) * 1000 + part - parseZone(zone);
}

function parseZone(zone: string | undefined): number {
  if (zone === undefined || /^z$/i.test(zone)) return 0;
  const [, sign, hours, minutes = '0'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone)!;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

const optional = (digits: string | undefined) => (digits === undefined ? undefined : Number(digits));

function isoTime(text: string, zoned: boolean): number {
  const found = isoForm.exec(text);
  if (found === null || (found[11] !== undefined) !== zoned) return Number.NaN;
  const [, year, , m1, d1, m2, d2, hour, minute, second, fraction, zone] = found;
  return toMilliseconds({
    year: Number(year),
    month: Number(m1 ?? m2),
    day: Number(d1 ?? d2),
    hour: optional(hour) ?? 0,
    minute: optional(minute) ?? 0,
    second: optional(second) ?? 0,
    fraction: fraction ?? '',
    ...(zone === undefined ? {} : { zone }),
  });
}

/** The usual form `2020-01-31T23:59:59`, without a zone, without a regular expression; NaN for other forms. */
function usualIso(text: string): number {
  const { length } = text;
  if (length !== 10 && length !== 16 && length !== 19) return Number.NaN;
  const digits = (at: number, count: number) => {
    let value = 0;
    for (let i = at; i < at + count; i++) {
      const digit = text.charCodeAt(i) - 48;
      if (digit < 0 || digit > 9) return Number.NaN;
      value = value * 10 + digit;
    }
    return value;
  };
  if (text[4] !== '-' || text[7] !== '-') return Number.NaN;
  const [year, month, date] = [digits(0, 4), digits(5, 2), digits(8, 2)];
  if (!(month >= 1 && month <= 12 && date >= 1 && date <= 28 && year >= 100)) return Number.NaN;
  if (length === 10) return Date.UTC(year, month - 1, date);
  if ((text[10] !== 'T' && text[10] !== ' ') || text[13] !== ':' || (length === 19 && text[16] !== ':'))
    return Number.NaN;
  const [hour, minute, second] = [digits(11, 2), digits(14, 2), length === 19 ? digits(17, 2) : 0];
  if (!(hour <= 23 && minute <= 59 && second <= 59)) return Number.NaN;
  return Date.UTC(year, month - 1, date, hour, minute, second);
}

const iso = (zoned: boolean): TimeParser => ({
  pattern: 'ISO 8601',
  zoned,
  parse(text) {
    const usual = zoned ? Number.NaN : usualIso(text);
    return Number.isNaN(usual) ? isoTime(text, zoned) : usual;
  },
});

function european(dayFirst: boolean, separator: string): TimeParser {
  const order = dayFirst ? ['dd', 'MM'] : ['MM', 'dd'];
  return {
    pattern: [...order, 'yyyy'].join(separator),
    zoned: false,
    parse(text) {
      const found = europeanForm.exec(text);
      if (found === null || found[2] !== separator) return Number.NaN;
      const [, one, , other, year, hour, minute, second, fraction = '', half] = found;
      const [date, month] = dayFirst ? [one, other] : [other, one];
      return toMilliseconds({
        year: Number(year),
        month: Number(month),
        day: Number(date),
        hour: optional(hour) ?? 0,
        minute: optional(minute) ?? 0,
        second: optional(second) ?? 0,
        fraction,
        ...(half === undefined ? {} : { half }),
      });
    },
  };
}

const named: TimeParser = {
  pattern: 'dd MMM yyyy',
  zoned: false,
  parse(text) {
    const found = namedForm.exec(text);
    if (found === null) return Number.NaN;
    const [, date, month, year, hour, minute, second, fraction = '', half] = found;
    return toMilliseconds({
      year: Number(year),
      month: months.indexOf(month!.toLowerCase()) + 1,
      day: Number(date),
      hour: optional(hour) ?? 0,
      minute: optional(minute) ?? 0,
      second: optional(second) ?? 0,
      fraction,
      ...(half === undefined ? {} : { half }),
    });
  },
};

/** How all of the texts, of which there must be one, are times. `ambiguous`: they are, but their form must be given. */
export function guessTimes(texts: readonly string[]): TimeParser | 'ambiguous' | undefined {
  const [first] = texts;
  if (first === undefined) return undefined;
  const fits = (parser: TimeParser) => texts.every((text) => !Number.isNaN(parser.parse(text)));
  const fixed = [iso(false), iso(true), named].find(fits);
  if (fixed !== undefined) return fixed;
  if (texts.every((text) => shortForm.test(text))) return 'ambiguous';
  const separator = europeanForm.exec(first)?.[2];
  if (separator === undefined) return undefined;
  const both = [european(true, separator), european(false, separator)].filter(fits);
  return both.length > 1 ? 'ambiguous' : both[0];
}

const letters = /'((?:[^']|'')*)'|([A-Za-z])\2*|[^A-Za-z']+/g;

/** A part of a form: digits of a field, or a literal text. */
interface Part {
  readonly field?: string;
  /** Minimum and maximum number of digits; 0: letters. */
  readonly digits: readonly [number, number];
  readonly text: string;
}

const digitsOfField: Readonly<Record<string, readonly [number, number]>> = {
  y: [4, 4],
  M: [1, 2],
  d: [1, 2],
  H: [1, 2],
  h: [1, 2],
  m: [1, 2],
  s: [1, 2],
  S: [1, 9],
  a: [0, 0],
  X: [0, 0],
  Z: [0, 0],
};
const sameFields: Readonly<Record<string, string>> = { u: 'y', L: 'M', x: 'X' };

/**
 * A parser of times in a form of letters of Unicode TR 35, such as `dd/MM/yyyy HH:mm`.
 * @throws FormatError for a form that is not understood
 */
export function timesLike(form: string): TimeParser {
  const parts = partsOf(form);
  const fields = new Set(parts.map(({ field }) => field));
  if (!['y', 'M', 'd'].every((field) => fields.has(field)))
    throw new FormatError(`TimeFormat '${form.slice(0, 80)}' needs a year (yyyy), a month (MM) and a day (dd).`);
  const shortYear = parts.some(({ field, digits }) => field === 'y' && digits[1] === 2);
  return {
    pattern: form,
    zoned: fields.has('X') || fields.has('Z'),
    parse(text) {
      const { y, M, d, H, h, m, s, S = '', a, X, Z } = split(text, parts) ?? {};
      if (y === undefined) return Number.NaN;
      const year = shortYear ? Number(y) + (Number(y) < 70 ? 2000 : 1900) : Number(y);
      const zone = X ?? Z;
      return toMilliseconds({
        year,
        month: /^\d/.test(M!) ? Number(M) : months.indexOf(M!.slice(0, 3).toLowerCase()) + 1,
        day: Number(d),
        hour: Number(H ?? h ?? 0),
        minute: Number(m ?? 0),
        second: Number(s ?? 0),
        fraction: S,
        ...(a === undefined ? {} : { half: a }),
        ...(zone === undefined ? {} : { zone }),
      });
    },
  };
}

function partsOf(form: string): Part[] {
  const found = new Set<string>();
  return [...form.matchAll(letters)].map(({ 0: word, 1: quoted, index }): Part => {
    if (quoted !== undefined) return { text: quoted === '' ? "'" : quoted.replaceAll("''", "'"), digits: [0, 0] };
    const letter = word[0]!;
    if (!/[A-Za-z]/.test(letter)) return { text: word, digits: [0, 0] };
    const field = sameFields[letter] ?? letter;
    const usual = Object.hasOwn(digitsOfField, field) ? digitsOfField[field]! : undefined;
    if (usual === undefined || found.has(field))
      throw new FormatError(
        `TimeFormat '${form.slice(0, 80)}' has the letters '${word}', which are not understood there.`,
      );
    found.add(field);
    const { length } = word;
    if (field === 'y' && length === 2) return { field, digits: [2, 2], text: '' };
    if (field === 'M' && length > 2) return { field, digits: [0, 0], text: '' };
    // Two letters take one digit, too, unless digits follow at once, as in `yyyyMMdd`.
    const isAlone = !/[A-Za-z]/.test(form[index - 1] ?? '-') && !/[A-Za-z]/.test(form[index + length] ?? '-');
    return { field, digits: isAlone || length === 1 || usual[1] !== 2 ? usual : [2, 2], text: '' };
  });
}

/** The texts of the fields; undefined for a text of another form. */
function split(text: string, parts: readonly Part[]): Record<string, string> | undefined {
  const fields: Record<string, string> = {};
  let at = 0;
  for (const { field, digits, text: literal } of parts) {
    if (field === undefined) {
      if (!text.startsWith(literal, at)) return undefined;
      at += literal.length;
      continue;
    }
    const [least, most] = digits;
    const start = at;
    if (most === 0) {
      const word = /^(?:[A-Za-z]+|[+-]\d\d(?::?\d\d)?)/.exec(text.slice(at, at + 20))?.[0] ?? '';
      const fits =
        field === 'a' ? /^[ap]m$/i.test(word) : field === 'M' ? word.length > 2 : /^(?:Z|[+-].*)$/.test(word);
      if (!fits) return undefined;
      at += word.length;
    } else {
      while (at - start < most && text[at]! >= '0' && text[at]! <= '9') at++;
      if (at - start < least) return undefined;
    }
    fields[field] = text.slice(start, at);
  }
  return at === text.length ? fields : undefined;
}
