import { hash } from 'node:crypto';
import type pg from 'pg';
import { DataIntegrityError, NotFoundError, type QuerySqlToken, SchemaValidationError } from 'slonik';
import { storableValues } from '../text/storable.ts';
import { camelName } from './columns.ts';

export type Schema = QuerySqlToken['parser'];
type Row<S extends Schema> = NonNullable<S['~standard']['types']>['output'];

/** A statement whose rows have the schema `S`. `Intent` is `never` for reads only, `'write'` for reads and writes. */
export type Statement<S extends Schema, Intent> = QuerySqlToken<S> & { readonly intent?: Intent };

export interface Result {
  rows: never[];
  rowCount: number;
}

/** Methods that send a statement, by the number of rows that they expect; `…First` return the first column. */
export abstract class Statements<Intent> {
  /** Null columns are absent members of the rows. */
  abstract send(query: Statement<Schema, Intent>): Promise<Result>;

  async any<S extends Schema>(query: Statement<S, Intent>): Promise<readonly Row<S>[]> {
    return (await this.send(query)).rows;
  }

  async anyFirst<S extends Schema>(query: Statement<S, Intent>): Promise<readonly Row<S>[keyof Row<S>][]> {
    return (await this.send(query)).rows.map(first);
  }

  async maybeOne<S extends Schema>(query: Statement<S, Intent>): Promise<Row<S> | null> {
    const { rows } = await this.send(query);
    if (rows.length > 1) throw new DataIntegrityError('The statement returned more than one row.', query);
    return rows[0] ?? null;
  }

  async maybeOneFirst<S extends Schema>(query: Statement<S, Intent>): Promise<Row<S>[keyof Row<S>] | null> {
    const row = await this.maybeOne(query);
    return row === null ? null : first(row as never);
  }

  async one<S extends Schema>(query: Statement<S, Intent>): Promise<Row<S>> {
    const row = await this.maybeOne(query);
    if (row === null) throw new NotFoundError('The statement returned no row.', query);
    return row;
  }

  async oneFirst<S extends Schema>(query: Statement<S, Intent>): Promise<Row<S>[keyof Row<S>]> {
    return first((await this.one(query)) as never);
  }

  /** Whether the query returns a row. */
  async exists(query: Statement<Schema, never>): Promise<boolean> {
    const { rowCount } = await this.send({ ...query, sql: `select from (${query.sql}) found limit 1` });
    return rowCount > 0;
  }
}

const first = (row: object): never => Object.values(row)[0] as never;

/** Sends a statement. Its rows have the names of members, and are checked by their schema. */
export async function execute(on: pg.Pool | pg.PoolClient, query: QuerySqlToken): Promise<Result> {
  const { parser, values } = query;
  const statement = preparedStatement(query);
  const { fields, rows, rowCount } = await on.query<unknown[]>({
    ...statement,
    values: storableValues(statement.text, values) as unknown[],
    rowMode: 'array',
  });
  const names = fields.map(({ name }) => camelName(name));
  return {
    rows: rows.map((row) => checkedRow(parser, query, present(names, row))) as never[],
    rowCount: rowCount ?? 0,
  };
}

/** Null columns become absent members: answers contain no null. */
function present(names: readonly string[], columns: readonly unknown[]): Record<string, unknown> {
  const row: Record<string, unknown> = {};
  for (let n = 0; n < columns.length; n++) if (columns[n] !== null) row[names[n] as string] = columns[n];
  return row;
}

function checkedRow(schema: Schema | undefined, query: QuerySqlToken, row: Record<string, unknown>): unknown {
  const result = schema?.['~standard'].validate(row);
  if (result === undefined) return row;
  if (result instanceof Promise) throw new TypeError('The schema of a row must not be asynchronous.');
  if (result.issues) throw new SchemaValidationError(query, row as never, result.issues as never);
  return result.value;
}

/** Text of a named statement as slonik writes it → its name on a connection, and its text as `pg` expects it. */
const preparedStatements = new Map<string, { name: string; text: string }>();

/** The name on a connection contains a hash of the text, because statements of one name may differ in text. */
function preparedStatement({ name, sql }: QuerySqlToken): { name?: string; text: string } {
  if (name === undefined) return { text: withDollarParameters(sql) };
  let known = preparedStatements.get(sql);
  if (known === undefined) {
    known = { name: `${name} ${hash('sha1', sql).slice(0, 16)}`, text: withDollarParameters(sql) };
    preparedStatements.set(sql, known);
  }
  return known;
}

const withDollarParameters = (sql: string) => sql.replaceAll('$slonik_', '$');
