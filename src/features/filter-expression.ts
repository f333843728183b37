import type { Field, FieldType } from 'hydrofiles/data';

export const COMPARISONS = ['=', '<>', '<', '<=', '>', '>='] as const;
export type Comparison = (typeof COMPARISONS)[number];

/**
 * A filter of features. Fields are numbers of fields; literals are texts that fit the type of their field. Plain JSON.
 */
export type Expression =
  | { op: 'and' | 'or'; of: readonly Expression[] }
  | { op: 'not'; of: Expression }
  | { op: Comparison; field: number; value: string }
  | { op: 'in'; field: number; values: readonly string[] }
  | { op: 'like'; field: number; pattern: string; anyCase: boolean }
  | { op: 'null'; field: number };

/** True, false, or undefined (unknown) for a comparison with null, as in SQL. */
export type Test = (values: readonly unknown[]) => boolean | undefined;

/** Kinds of values that can be compared. */
export type Comparable = 'number' | 'text' | 'boolean' | 'time';
export const COMPARED_AS: Readonly<Record<FieldType, Comparable>> = {
  string: 'text',
  json: 'text',
  integer: 'number',
  integer64: 'number',
  real: 'number',
  boolean: 'boolean',
  date: 'time',
  dateTime: 'time',
};

type Value = number | bigint | string;

/** The value of a literal; undefined if the text is none of the type. */
export function parseLiteral(text: string, as: Comparable): Value | undefined {
  switch (as) {
    case 'number':
      return parseNumber(text);
    case 'boolean':
      return /^true$/i.test(text) ? 1 : /^false$/i.test(text) ? 0 : undefined;
    case 'time':
      return parseInstant(text);
  }
  return text;
}

function parseNumber(text: string): number | bigint | undefined {
  if (!/^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text)) return undefined;
  if (/^[+-]?\d{16,}$/.test(text)) return BigInt(text.replace('+', ''));
  return Number(text);
}

/** GDAL writes a date of a filter with a `T` and no time. */
const TIME = /^(\d{4}-\d{2}-\d{2})(?:T|[T ](\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?)(Z|[+-]\d{2}:?\d{2})?)?$/i;

/** Milliseconds of a date or time, UTC unless it has a zone. */
function parseInstant(text: string): number | undefined {
  const [, date, time = '00:00', zone = 'Z'] = TIME.exec(text) ?? [];
  const instant = date === undefined ? NaN : Date.parse(`${date}T${time}${zone}`);
  return Number.isNaN(instant) ? undefined : instant;
}

/** The stored value as one to compare; undefined for null and for values of another type. */
function stored(value: unknown, as: Comparable): Value | undefined {
  if (value === null || value === undefined) return undefined;
  if (as === 'boolean') return value === true ? 1 : value === false ? 0 : undefined;
  if (as === 'number') return typeof value === 'number' || typeof value === 'bigint' ? value : undefined;
  return as === 'time' ? parseInstant(String(value)) : String(value);
}

/** Numbers of the fields that an expression names. */
export function fieldsIn(expression: Expression): number[] {
  if ('field' in expression) return [expression.field];
  return expression.op === 'not' ? fieldsIn(expression.of) : expression.of.flatMap(fieldsIn);
}

/** Compiles an expression. Its literals must have been checked with `parseLiteral`. */
export function compileTest(expression: Expression, fields: readonly Pick<Field, 'type'>[]): Test {
  switch (expression.op) {
    case 'and':
    case 'or':
      return several(
        expression.of.map((one) => compileTest(one, fields)),
        expression.op === 'or',
      );
    case 'not': {
      const test = compileTest(expression.of, fields);
      return (values) => {
        const result = test(values);
        return result === undefined ? undefined : !result;
      };
    }
    case 'null':
      return (values) => values[expression.field] === null || values[expression.field] === undefined;
    case 'like':
      return like(expression.field, expression.pattern, expression.anyCase);
    case 'in':
      return several(
        expression.values.map((value) => compileTest({ op: '=', field: expression.field, value }, fields)),
        true,
      );
  }
  const { op, field, value } = expression;
  const as = COMPARED_AS[fields[field]!.type];
  const expected = parseLiteral(value, as)!;
  const accepts = ACCEPTS[op];
  return (values) => {
    const found = stored(values[field], as);
    return found === undefined ? undefined : accepts(found < expected ? -1 : found > expected ? 1 : 0);
  };
}

const ACCEPTS: Record<Comparison, (order: number) => boolean> = {
  '=': (order) => order === 0,
  '<>': (order) => order !== 0,
  '<': (order) => order < 0,
  '<=': (order) => order <= 0,
  '>': (order) => order > 0,
  '>=': (order) => order >= 0,
};

/** `and`, or `or`: `decides` is the result that ends it. */
function several(tests: readonly Test[], decides: boolean): Test {
  return (values) => {
    let result: boolean | undefined = !decides;
    for (const test of tests) {
      const one = test(values);
      if (one === decides) return decides;
      if (one === undefined) result = undefined;
    }
    return result;
  };
}

function like(field: number, pattern: string, anyCase: boolean): Test {
  const expected = anyCase ? pattern.toLowerCase() : pattern;
  return (values) => {
    const value = values[field];
    if (value === null || value === undefined) return undefined;
    const text = String(value);
    return matches(anyCase ? text.toLowerCase() : text, expected);
  };
}

/**
 * Whether a text matches a pattern with `%` (any text), `_` (any character) and `\` before characters that mean
 * themselves.
 */
export function matches(text: string, pattern: string): boolean {
  // after a `%`, the place to try next: no regular expression, which could take exponential time
  let [at, p, star, retry] = [0, 0, -1, 0];
  while (at < text.length) {
    const escaped = pattern[p] === '\\' && p + 1 < pattern.length;
    if (pattern[p] === '%') {
      star = p++;
      retry = at;
    } else if (escaped ? pattern[p + 1] === text[at] : pattern[p] === '_' || pattern[p] === text[at]) {
      p += escaped ? 2 : 1;
      at++;
    } else if (star >= 0) {
      p = star + 1;
      at = ++retry;
    } else return false;
  }
  while (pattern[p] === '%') p++;
  return p === pattern.length;
}
