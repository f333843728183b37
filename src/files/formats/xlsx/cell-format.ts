/** What a number in a cell is: a number, a day, a day with a time, a time of day, or a duration in days. */
export type CellFormat = 'number' | 'date' | 'dateTime' | 'time' | 'duration';

/** Formats that Excel does not write into the file (ECMA-376 part 1, 18.8.30), also those of East Asian versions. */
const builtIn: ReadonlyMap<number, CellFormat> = new Map<number, CellFormat>([
  ...[14, 15, 16, 17, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58].map((id) => [id, 'date'] as const),
  ...[18, 19, 20, 21, 32, 33, 34, 35, 45, 47, 55, 56].map((id) => [id, 'time'] as const),
  [22, 'dateTime'],
  [46, 'duration'],
]);

/** The kind of a number by its format, for one of the file by its code, such as `dd/mm/yyyy hh:mm`. */
export function formatOf(id: number, code: string | undefined): CellFormat {
  if (code === undefined) return builtIn.get(id) ?? 'number';
  // Without texts in quotes, escaped and repeated characters, and the sections for negative numbers and texts.
  const [letters = ''] = code.replace(/"[^"]*"|[\\_*]./g, '').split(';');
  if (/\[(?:h+|m+|s+)\]/i.test(letters)) return 'duration';
  const plain = letters.replace(/\[[^[\]]*\]|General/gi, '');
  const hasTime = /[hs]/i.test(plain);
  if (/[yd]/i.test(plain) || (/m/i.test(plain) && !hasTime)) return hasTime ? 'dateTime' : 'date';
  return hasTime ? 'time' : 'number';
}

const day = 86_400_000;
/** The first day after 9999-12-31. */
const end = Date.UTC(10_000, 0, 1);

/**
 * A number of days as a date or time in ISO 8601; undefined for a day that does not exist. Excel counts 1900-02-29,
 * which Lotus 1-2-3 had, as day 60.
 */
export function dayText(days: number, format: CellFormat, from1904: boolean): string | undefined {
  if (!(days >= 0)) return undefined;
  const start = from1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, days < 60 ? 31 : 30);
  const time = start + Math.round(days * day);
  if ((!from1904 && days >= 60 && days < 61) || time >= end) return undefined;
  const text = new Date(time).toISOString().replace(/(?:\.000)?Z$/, '');
  if (format === 'time' && days < 1) return text.slice(11);
  return format === 'date' && text.length === 19 && text.endsWith('T00:00:00') ? text.slice(0, 10) : text;
}
