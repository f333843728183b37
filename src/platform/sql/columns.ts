import type { DriverTypeParser } from 'slonik';
import { timestampFromPostgres } from '../text/time.ts';
import { nativeParser } from './prepared-statement.ts';

/** Column names in camelCase, by their name in the database. */
const camelNames = new Map<string, string>();
export function camelName(column: string): string {
  let name = camelNames.get(column);
  if (name === undefined) {
    name = column.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
    camelNames.set(column, name);
  }
  return name;
}

/**
 * int8 becomes a number or throws if it is not exact; numeric stays text, so that credits are exact; times keep their
 * microseconds.
 */
export const typeParsers: DriverTypeParser[] = [
  {
    name: 'int8',
    parse: (text) => {
      const value = Number(text);
      if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is not a safe integer.`);
      return value;
    },
  },
  { name: 'numeric', parse: (text) => text },
  { name: 'timestamptz', parse: timestampFromPostgres },
  { name: 'date', parse: (text) => text },
  // most metadata, properties and permissions are empty, and JSON.parse takes 20 µs for 150 of them
  { name: 'jsonb', parse: (text) => (text === '{}' ? {} : text === '[]' ? [] : JSON.parse(text)) },
];

/** OIDs of these types and of their arrays, which are the same in every Postgres. */
const TYPE_OIDS: Record<string, [one: number, many: number]> = {
  int8: [20, 1016],
  numeric: [1700, 1231],
  timestamptz: [1184, 1185],
  date: [1082, 1182],
  jsonb: [3802, 3807],
};
const TEXT_ARRAY_OID = 1009;
const parsersByOid = new Map<number, (text: string) => unknown>(
  typeParsers.flatMap(({ name, parse }) => {
    const [one, many] = TYPE_OIDS[name] ?? [];
    if (one === undefined || many === undefined) throw new Error(`The OID of the type ${name} is not known.`);
    const list = (text: string) =>
      (nativeParser(TEXT_ARRAY_OID)(text) as (string | null)[]).map((each) => (each === null ? null : parse(each)));
    return [
      [one, parse],
      [many, list],
    ] as const;
  }),
);
/** Member name and parser of a column, for prepared statements, which bypass slonik. */
export const columnOf = ({ name, dataTypeID }: { name: string; dataTypeID: number }) => ({
  name: camelName(name),
  parse: parsersByOid.get(dataTypeID) ?? nativeParser(dataTypeID),
});
