import pg from 'pg';
import type { FragmentSqlToken, QuerySqlToken } from 'slonik';
import type { z } from 'zod';
import { preparedName, sql } from '../../db.ts';

type ParameterType = 'uuid' | 'uuid[]' | 'text' | 'text[]' | 'int' | 'bigint' | 'boolean' | 'timestamptz';
type Types = Readonly<Record<string, ParameterType>>;
type Value = string | number | boolean | null | readonly string[];

/** Parameters of a statement as SQL fragments, which may be used any number of times. */
export type Parameters<T extends Types> = { readonly [Name in keyof T]: FragmentSqlToken };
export type Values<T extends Types> = { readonly [Name in keyof T]: Value };

const parameter = (value: Value, type: ParameterType): FragmentSqlToken => {
  const made = Array.isArray(value) ? sql.fragment`${sql.array(value, 'text')}` : sql.fragment`${value as string}`;
  return { ...made, sql: `${made.sql}::${type}` };
};

/** Parameters with their values, for a statement whose text is built at each call. */
export const bound = <T extends Types>(types: T, values: Values<T>): Parameters<T> =>
  Object.fromEntries(
    Object.entries(types).map(([name, type]) => [name, parameter(values[name] as Value, type)]),
  ) as Parameters<T>;

/**
 * A prepared statement whose text is built once per process: `build` is called once, and each parameter is sent once
 * even if the text contains it several times. Values that `build` inserts itself become literals. Use it only if
 * Postgres' generic plan, made without the values, suits all values.
 */
export function statement<T extends Types, Row extends z.ZodType>(
  name: string,
  row: Row,
  types: T,
  build: (parameters: Parameters<T>) => FragmentSqlToken,
): (values: Values<T>) => QuerySqlToken<Row> {
  let made: { token: QuerySqlToken<Row>; order: readonly string[] } | undefined;
  return (values) => {
    made ??= make(name, row, types, build);
    const sent = made.order.map((each) => values[each] as never);
    return { ...made.token, values: sent };
  };
}

/**
 * Memoizes `make` for each combination of the values of `shape`. The results stay in memory, so there must be few
 * combinations.
 */
export function byShape<Shape extends object, Made>(make: (shape: Shape) => Made): (shape: Shape) => Made {
  const made = new Map<string, Made>();
  return (shape) => {
    const key = Object.values(shape).join(' ');
    let found = made.get(key);
    if (found === undefined) {
      found = make(shape);
      made.set(key, found);
    }
    return found;
  };
}

function make<T extends Types, Row extends z.ZodType>(
  name: string,
  row: Row,
  types: T,
  build: (parameters: Parameters<T>) => FragmentSqlToken,
) {
  const marks = new Map(Object.keys(types).map((each) => [`parameter ${name} ${each}`, each]));
  const parameters = Object.fromEntries(
    [...marks].map(([mark, each]) => [each, parameter(mark, types[each] as never)]),
  );
  const token = sql.type(row)`${build(parameters as Parameters<T>)}`;
  const order: string[] = [];
  const text = token.sql.replace(/\$slonik_(\d+)/g, (_, place: string) => {
    const value = token.values[Number(place) - 1];
    const used = typeof value === 'string' ? marks.get(value) : undefined;
    if (used === undefined) return literal(value);
    if (!order.includes(used)) order.push(used);
    return `$slonik_${order.indexOf(used) + 1}`;
  });
  return { token: { ...token, sql: text, name: preparedName(name, text) }, order };
}

function literal(value: unknown): string {
  if (typeof value === 'string') return pg.escapeLiteral(value);
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new TypeError('Prepared statements support arrays as parameters only, not as literals.');
}
