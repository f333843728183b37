import pg from 'pg';
import { timestampFromPostgres } from '../text/time.ts';

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

type Parse = (text: string) => unknown;

function exactInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is not a safe integer.`);
  return value;
}
// most metadata, properties and permissions are empty, and JSON.parse takes 20 µs for 150 of them
const parseJson: Parse = (text) => (text === '{}' ? {} : text === '[]' ? [] : JSON.parse(text));
const same: Parse = (text) => text;

/**
 * int8 becomes a number or throws if it is not exact; numeric stays text, so that credits are exact; times keep their
 * microseconds. OIDs of types and of their arrays are the same in every Postgres.
 */
const PARSERS: [one: number, many: number, parse: Parse][] = [
  [pg.types.builtins.INT8, 1016, exactInteger],
  [pg.types.builtins.NUMERIC, 1231, same],
  [pg.types.builtins.TIMESTAMPTZ, 1185, timestampFromPostgres],
  [pg.types.builtins.DATE, 1182, same],
  [pg.types.builtins.JSONB, 3807, parseJson],
];
const TEXT_ARRAY = 1009;
const textsOf = pg.types.getTypeParser(TEXT_ARRAY as never) as (text: string) => (string | null)[];
const parsers = new Map<number, Parse>(
  PARSERS.flatMap(([one, many, parse]) => [
    [one, parse],
    [many, (text: string) => textsOf(text).map((each) => (each === null ? null : parse(each)))],
  ]),
);

/** How `pg` parses columns. */
export const columnTypes = {
  getTypeParser: ((oid: number, format?: never) =>
    parsers.get(oid) ?? pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
};
