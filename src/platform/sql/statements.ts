import type { FragmentSqlToken, PrimitiveValueExpression, QuerySqlToken } from 'slonik';
import type { z } from 'zod';
import { sql } from '../../db.ts';

type ParameterType = 'uuid' | 'uuid[]' | 'text' | 'text[]' | 'int' | 'bigint' | 'boolean' | 'timestamptz';
type Types = Readonly<Record<string, ParameterType>>;
type Value = string | number | boolean | null | readonly string[];

/** Parameters of a statement as SQL fragments, which may be used any number of times. */
export type Parameters<T extends Types> = { readonly [Name in keyof T]: FragmentSqlToken };
export type Values<T extends Types> = { readonly [Name in keyof T]: Value };

/** Parameters with their values, for a statement whose text is built at each call. */
export const bound = <T extends Types>(types: T, values: Values<T>): Parameters<T> =>
  Object.fromEntries(
    Object.entries(types).map(([name, type]) => {
      const parameter = sql.fragment`${''}`;
      return [name, { ...parameter, sql: `${parameter.sql}::${type}`, values: [values[name]] }];
    }),
  ) as unknown as Parameters<T>;

/**
 * A prepared statement whose text is built once per process: `build` is called once, and the values of each call take
 * the places of its parameters. Values that `build` inserts itself are sent as they are. Use it only if Postgres'
 * generic plan, made without the values, suits all values.
 */
export function statement<T extends Types, Row extends z.ZodType>(
  name: string,
  row: Row,
  types: T,
  build: (parameters: Parameters<T>) => FragmentSqlToken,
): (values: Values<T>) => QuerySqlToken<Row> {
  const marks = new Map<unknown, string>(Object.keys(types).map((each) => [`parameter ${name} ${each}`, each]));
  let made: { token: QuerySqlToken<Row>; places: readonly (string | undefined)[] } | undefined;
  return (values) => {
    if (made === undefined) {
      const marked = Object.fromEntries([...marks].map(([mark, each]) => [each, mark as string])) as Values<T>;
      const token = sql.prepared(name, row)`${build(bound(types, marked))}`;
      made = { token, places: token.values.map((value) => marks.get(value)) };
    }
    const { token, places } = made;
    return {
      ...token,
      values: token.values.map((value, n) => {
        const parameter = places[n];
        return parameter === undefined ? value : (values[parameter] as PrimitiveValueExpression);
      }),
    };
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
