import { ConversionError } from '../../errors.ts';

/**
 * Dates in names of files: ISO 8601 basic and extended, `20260124`, `20260124T0600`, `20260124_060000`, `2026-01-24`,
 * `2026-01-24T06:00`, and months such as `202601`.
 */
const FORMS = [
  /(?<!\d)(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)(?:[_T-]?(?<hour>\d\d)(?<minute>\d\d)(?<second>\d\d)?)?(?!\d)/g,
  /(?<!\d)(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)(?:[T_ ](?<hour>\d\d)[:-]?(?<minute>\d\d)(?:[:-]?(?<second>\d\d))?)?(?!\d)/g,
];
const MONTH = /(?<!\d)(?<year>\d{4})(?<month>\d\d)(?!\d)/g;

/**
 * Milliseconds since 1970 of the date in the name of a file, on the clock of its data. Undefined without one.
 * @throws ConversionError if the name has several
 */
export function dateInName(name: string): number | undefined {
  const days = FORMS.flatMap((form) => datesIn(name, form));
  const found = [...new Set(days.length > 0 ? days : datesIn(name, MONTH))];
  if (found.length < 2) return found[0];
  throw new ConversionError('Its name has several dates, and it has no time inside. Leave one in the name.');
}

function datesIn(name: string, form: RegExp): number[] {
  return [...name.matchAll(form)].flatMap(({ groups = {} }) => {
    const { year, month, day = '01', hour = '00', minute = '00', second = '00' } = groups;
    const text = `${year}-${month}-${day}T${hour}:${minute}:${second}`;
    const time = Date.parse(`${text}Z`);
    // `Date` reads 30 February as a day of March
    return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text) ? [time] : [];
  });
}
