import { AsyncLocalStorage } from 'node:async_hooks';
import { hash } from 'node:crypto';
import { createPgDriverFactory } from '@slonik/pg-driver';
import type {
  CommonQueryMethods,
  DatabasePool,
  DatabaseTransactionConnection,
  DriverTypeParser,
  Interceptor,
  QuerySqlToken,
} from 'slonik';
import {
  BackendTerminatedError,
  BackendTerminatedUnexpectedlyError,
  ConnectionError,
  createPool,
  DataIntegrityError,
  ForeignKeyIntegrityConstraintViolationError,
  IdleTransactionTimeoutError,
  NotFoundError,
  SchemaValidationError,
  StatementTimeoutError,
  sql as slonikSql,
  UniqueIntegrityConstraintViolationError,
} from 'slonik';
import type { Context, Effect } from './platform/sql/lazy-transaction.ts';
import { openEffect } from './platform/sql/lazy-transaction.ts';
import type { PreparedPool } from './platform/sql/prepared-pool.ts';
import { openPreparedPool } from './platform/sql/prepared-pool.ts';
import { nativeParser } from './platform/sql/prepared-statement.ts';
import { storableValues } from './platform/text/storable.ts';
import { timestampFromPostgres } from './platform/text/time.ts';

/** slonik's own `json` and `jsonb` throw where a text holds what Postgres refuses; `storable` below mends it, wherever it stands. */
export const sql = {
  ...slonikSql,
  json: (value: Json) => slonikSql.fragment`${JSON.stringify(value)}::json`,
  jsonb: (value: Json) => slonikSql.fragment`${JSON.stringify(value)}::jsonb`,
};
type Json = Parameters<typeof slonikSql.jsonb>[0];

/** Where statements go: the pool or the transaction under way. `transaction` inside a transaction is a savepoint. */
export type Db = CommonQueryMethods;

/** The pool as the process owns it. */
export interface Database extends Db {
  /** Nothing is begun yet. */
  effect(): Effect;
  /** Runs `work` with every write through this `Database`, made anywhere below it, inside the effect; without one, outside of any. */
  within<T>(effect: Effect | undefined, work: () => T): T;
  /** How many connections there are, and how many statements wait for one. */
  connections(): { inUse: number; idle: number; awaited: number };
  end(): Promise<void>;
}

const camelNames = new Map<string, string>();
function camelName(column: string): string {
  let name = camelNames.get(column);
  if (name === undefined) {
    name = column.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
    camelNames.set(column, name);
  }
  return name;
}

/**
 * Rows enter here: column names become camelCase, null columns are absent members (nothing null ever reaches an answer), and the
 * statement's schema is held against what is left. slonik alone validates nothing.
 */
const rows: Interceptor = {
  name: 'rows',
  transformRow: (context, query, row) => {
    const present: Record<string, unknown> = {};
    for (const column in row) if (row[column] !== null) present[camelName(column)] = row[column];
    return checkedRow(context.resultParser, query, present) as typeof row;
  },
};

function checkedRow(
  schema: QuerySqlToken['parser'] | undefined,
  query: { sql: string; values: QuerySqlToken['values'] },
  row: Record<string, unknown>,
): unknown {
  const result = schema?.['~standard'].validate(row);
  if (result === undefined) return row;
  if (result instanceof Promise) throw new TypeError('The schema of a row must not be asynchronous.');
  if (result.issues) throw new SchemaValidationError(query, row as never, result.issues as never);
  return result.value;
}

/** The text of a statement → its name on a connection, and the text as `pg` takes it. */
const preparedTexts = new Map<string, { name: string; text: string }>();

function preparedText(name: string, text: string): { name: string; text: string } {
  let made = preparedTexts.get(text);
  if (made === undefined) {
    made = { name: `${name} ${hash('sha1', text).slice(0, 16)}`, text: text.replaceAll('$slonik_', '$') };
    preparedTexts.set(text, made);
  }
  return made;
}

/** The name under which connections keep a statement: a name may stand for a few texts. */
export const preparedName = (name: string, text: string): string => preparedText(name, text).name;

/**
 * A statement made by `sql.prepared` is parsed and planned once per connection, which costs Postgres more than most of them do. Its name
 * may stand for a few texts (what its fragments make of it); where they are many, or the best plan depends on the values, use `sql.type`.
 */
const prepared: Interceptor = {
  name: 'prepared',
  transformQuery: (_context, query) =>
    query.name === undefined ? query : { ...query, name: preparedName(query.name, query.sql) },
};

/** No text makes a statement fail, whoever sent it; see `storableValues`. */
const storable: Interceptor = {
  name: 'storable',
  transformQuery: (_context, query) => {
    const values = storableValues(query.sql, query.values);
    return values === query.values ? query : { ...query, values };
  },
};

/** Sizes and counts fit a number exactly or are refused; amounts stay text, so that credits are exact; times keep their microseconds. */
const typeParsers: DriverTypeParser[] = [
  {
    name: 'int8',
    parse: (text) => {
      const value = Number(text);
      if (!Number.isSafeInteger(value)) throw new RangeError(`${text} does not fit a number exactly.`);
      return value;
    },
  },
  { name: 'numeric', parse: (text) => text },
  { name: 'timestamptz', parse: timestampFromPostgres },
  { name: 'date', parse: (text) => text },
  // most metadata, properties and permissions of a list are empty, and 150 of these take JSON.parse 20 µs
  { name: 'jsonb', parse: (text) => (text === '{}' ? {} : text === '[]' ? [] : JSON.parse(text)) },
];

/** The same types by their numbers in every Postgres, and their arrays. */
const TYPE_NUMBERS: Record<string, [one: number, many: number]> = {
  int8: [20, 1016],
  numeric: [1700, 1231],
  timestamptz: [1184, 1185],
  date: [1082, 1182],
  jsonb: [3802, 3807],
};
const TEXT_LIST = 1009;
const parsersByNumber = new Map<number, (text: string) => unknown>(
  typeParsers.flatMap(({ name, parse }) => {
    const [one, many] = TYPE_NUMBERS[name] ?? [];
    if (one === undefined || many === undefined) throw new Error(`The number of the type ${name} is not known.`);
    const list = (text: string) =>
      (nativeParser(TEXT_LIST)(text) as (string | null)[]).map((each) => (each === null ? null : parse(each)));
    return [
      [one, parse],
      [many, list],
    ] as const;
  }),
);
const columnOf = ({ name, dataTypeID }: { name: string; dataTypeID: number }) => ({
  name: camelName(name),
  parse: parsersByNumber.get(dataTypeID) ?? nativeParser(dataTypeID),
});

/**
 * Opens a pool. Connections are made when they are needed; an unreachable server shows at the first statement.
 * @param preparedSize connections, besides these, for prepared statements outside of transactions
 */
export async function connect(
  url: string,
  poolSize: number,
  applicationName = 'platform',
  preparedSize = Math.ceil(poolSize / 4),
): Promise<Database> {
  const pool = await createPool(withOptions(url, applicationName), {
    driverFactory: createPgDriverFactory(),
    interceptors: [rows, storable, prepared],
    typeParsers,
    maximumPoolSize: poolSize,
    captureStackTrace: false,
    idleTimeout: 30_000,
    statementTimeout: 60_000,
    // A handler that ran into a serialisation failure starts again at its own door (a request, a job), not silently in its middle.
    transactionRetryLimit: 0,
    // No statement of ours changes a session, so there is nothing to discard; the default costs a round trip per release.
    resetConnection: async () => {},
  });
  // slonik repeats each error as an event; whoever made the statement has it already.
  pool.on('error', () => {});
  const quick = openPreparedPool({
    connectionString: withOptions(url, applicationName, '-c plan_cache_mode=force_generic_plan'),
    size: preparedSize,
    columnOf,
  });
  return following(pool, quick);
}

/** The address with what the server sets for each connection that is made by it. */
export function withOptions(url: string, applicationName: string, more = ''): string {
  const parsed = new URL(url);
  parsed.searchParams.set('application_name', applicationName);
  parsed.searchParams.set('options', `-c timezone=UTC ${more}`.trim());
  return parsed.href;
}

/** What is to be done behind the commit of each transaction under way, by its id, which the savepoints inside it share. */
const behind = new Map<string, Work[]>();
type Work = (db: Db) => unknown;

/**
 * Does `work` with the pool as soon as the transaction of `tx` has committed, and never when it is rolled back. The process may end
 * before, so it must be something that others would find out by themselves.
 */
export function behindCommit(tx: Db, work: Work): void {
  const { transactionId = '' } = tx as Partial<DatabaseTransactionConnection>;
  const works = behind.get(transactionId);
  if (works === undefined) throw new Error('This is no transaction under way.');
  works.push(work);
}

async function begin<T>(pool: DatabasePool, work: (tx: DatabaseTransactionConnection) => Promise<T>): Promise<T> {
  const works: Work[] = [];
  let id = '';
  try {
    const result = await pool.transaction((tx) => {
      id = tx.transactionId;
      behind.set(id, works);
      return work(tx);
    });
    for (const each of works) each(pool);
    return result;
  } finally {
    behind.delete(id);
  }
}

/**
 * A statement that may write, jobs of the queue included, so that it must not run outside of the effect. One that only looks like it begins
 * the effect early.
 */
const WRITES = /\b(?:insert|update|delete|merge|add_jobs?)\b/i;

/** Prepared statements as slonik's methods answer them, without slonik. */
function answering(
  quick: PreparedPool,
): Pick<Db, 'any' | 'anyFirst' | 'maybeOne' | 'maybeOneFirst' | 'one' | 'oneFirst'> {
  async function any(query: QuerySqlToken): Promise<readonly never[]> {
    const { parser } = query;
    const { name, text } = preparedText(query.name ?? '', query.sql);
    const rows = await quick.rows({ name, text, values: storableValues(text, query.values) });
    for (let n = 0; n < rows.length; n++) rows[n] = checkedRow(parser, query, rows[n] as never) as never;
    return rows as never;
  }
  async function maybeOne(query: QuerySqlToken): Promise<never> {
    const rows = await any(query);
    if (rows.length > 1) throw new DataIntegrityError('The statement gives more than one row.', query);
    return (rows[0] ?? null) as never;
  }
  async function one(query: QuerySqlToken): Promise<never> {
    const row = await maybeOne(query);
    if (row === null) throw new NotFoundError('The statement gives no row.', query);
    return row;
  }
  const first = (row: object) => Object.values(row)[0] as never;
  return {
    any,
    anyFirst: async (query) => (await any(query)).map(first),
    maybeOne,
    async maybeOneFirst(query) {
      const row = await maybeOne(query);
      return row === null ? (null as never) : first(row);
    },
    one,
    oneFirst: async (query) => first(await one(query)),
  };
}

/** A pool whose statements follow the effect that `within` put around them, if any. */
function following(pool: DatabasePool, quick: PreparedPool): Database {
  const prepared = answering(quick);
  const current = new AsyncLocalStorage<Context | undefined>();
  type Method = Exclude<keyof CommonQueryMethods, 'transaction' | 'stream'>;
  const statement = <Name extends Method>(name: Name): CommonQueryMethods[Name] => {
    const send = (query: { name?: string; sql: string }) => {
      const context = current.getStore();
      const run = (db: Pick<Db, Name>) => (db[name] as (query: unknown) => Promise<unknown>)(query);
      if (context?.tx !== undefined) return run(context.tx);
      if (context !== undefined && WRITES.test(query.sql)) return context.transaction(run);
      return run(query.name !== undefined && name in prepared ? (prepared as Db) : pool);
    };
    return send as never;
  };
  const contextOf = new WeakMap<Effect, Context>();
  return {
    any: statement('any'),
    anyFirst: statement('anyFirst'),
    exists: statement('exists'),
    many: statement('many'),
    manyFirst: statement('manyFirst'),
    maybeOne: statement('maybeOne'),
    maybeOneFirst: statement('maybeOneFirst'),
    one: statement('one'),
    oneFirst: statement('oneFirst'),
    query: statement('query'),
    record: statement('record'),
    stream: (...a) => (current.getStore()?.tx ?? pool).stream(...a),
    transaction: (work) => current.getStore()?.transaction(work as never) ?? begin(pool, work),
    effect() {
      const { effect, context } = openEffect(
        (work) => begin(pool, work),
        (context, work) => current.run(context, work),
      );
      contextOf.set(effect, context);
      return effect;
    },
    within: (effect, work) => current.run(effect && contextOf.get(effect), work),
    connections() {
      const { acquiredConnections, idleConnections, waitingClients } = pool.state();
      const { inUse, idle, awaited } = quick.connections();
      return {
        inUse: acquiredConnections + inUse,
        idle: idleConnections + idle,
        awaited: waitingClients + awaited,
      };
    },
    async end() {
      await Promise.all([pool.end(), quick.end()]);
    },
  };
}

/**
 * What an error of the database means to whoever asked: it cannot be reached or is busy beyond its time limits (`outage`), two of us
 * were in each other's way (`again`), a unique or foreign key holds against it (`conflict`). Undefined: a bug, or no error of the database.
 */
export type Trouble = 'outage' | 'again' | 'conflict' | undefined;

const OUTAGES = [
  BackendTerminatedError,
  BackendTerminatedUnexpectedlyError,
  ConnectionError,
  IdleTransactionTimeoutError,
  StatementTimeoutError,
];
// Of the system's calls, and SQLSTATE: connection exceptions, refused logins, a missing database, insufficient
// resources, operator intervention.
const OUTAGE_CODES = /^(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT|08...|28...|3D000|53...|57P..)$/;
/** What slonik says, without a code, of a connection that broke under an earlier statement of the same transaction. */
const BROKEN_CLIENT = /^Client is (pending destroy|destroyed)\.$/;
/** What `pg` says, without a code, of a connection that broke or was not made in time. */
const NO_CONNECTION =
  /^(Connection terminated|timeout e|Client has encountered a connection error|canceling statement due to statement timeout)/;
const CONFLICT_CODES = /^(23503|23505)$/;
const AGAIN_CODES = /^(40001|40P01|55P03)$/;

export function troubleOf(error: unknown): Trouble {
  if (!(error instanceof Error)) return undefined;
  if (OUTAGES.some((kind) => error instanceof kind)) return 'outage';
  if (error instanceof UniqueIntegrityConstraintViolationError) return 'conflict';
  if (error instanceof ForeignKeyIntegrityConstraintViolationError) return 'conflict';
  const code = 'code' in error ? String(error.code) : '';
  if (OUTAGE_CODES.test(code) || BROKEN_CLIENT.test(error.message)) return 'outage';
  if (NO_CONNECTION.test(error.message)) return 'outage';
  if (CONFLICT_CODES.test(code)) return 'conflict';
  if (AGAIN_CODES.test(code)) return 'again';
  return troubleOf(error.cause);
}
