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
import type { Context, LazyTransaction } from './platform/sql/lazy-transaction.ts';
import { openLazyTransaction } from './platform/sql/lazy-transaction.ts';
import type { PreparedPool } from './platform/sql/prepared-pool.ts';
import { openPreparedPool } from './platform/sql/prepared-pool.ts';
import { nativeParser } from './platform/sql/prepared-statement.ts';
import { storableValues } from './platform/text/storable.ts';
import { timestampFromPostgres } from './platform/text/time.ts';

/**
 * slonik's `json` and `jsonb` throw for characters that Postgres cannot store. Here the interceptor `storable` replaces
 * these characters.
 */
export const sql = {
  ...slonikSql,
  json: (value: Json) => slonikSql.fragment`${JSON.stringify(value)}::json`,
  jsonb: (value: Json) => slonikSql.fragment`${JSON.stringify(value)}::jsonb`,
};
type Json = Parameters<typeof slonikSql.jsonb>[0];

/** Executes statements: the pool or an open transaction. `transaction` inside a transaction is a savepoint. */
export type Db = CommonQueryMethods;

/** The pool of a process. */
export interface Database extends Db {
  lazyTransaction(): LazyTransaction;
  /**
   * Runs `work` so that its writes through this `Database` go into the lazy transaction; for undefined, outside of the
   * current one.
   */
  within<T>(lazyTransaction: LazyTransaction | undefined, work: () => T): T;
  /** Number of connections; `awaited`: number of statements that wait for one. */
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
 * Transforms each row: column names become camelCase, null columns become absent members (answers contain no null), and
 * the row is validated with the statement's schema, which slonik does not do.
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

/** Text of a statement as slonik writes it → its name on a connection, and its text as `pg` expects it. */
const preparedTexts = new Map<string, { name: string; text: string }>();

function preparedText(name: string, text: string): { name: string; text: string } {
  let made = preparedTexts.get(text);
  if (made === undefined) {
    made = { name: `${name} ${hash('sha1', text).slice(0, 16)}`, text: text.replaceAll('$slonik_', '$') };
    preparedTexts.set(text, made);
  }
  return made;
}

/**
 * Name of the prepared statement on a connection. Contains a hash of the text, because statements of one `name` may
 * differ in text.
 */
export const preparedName = (name: string, text: string): string => preparedText(name, text).name;

/**
 * Names statements of `sql.prepared`, so that Postgres parses and plans them once per connection; for most of our
 * statements that costs more than the execution. Use `sql.type` if fragments give a statement many texts, or if the
 * best plan depends on the values.
 */
const prepared: Interceptor = {
  name: 'prepared',
  transformQuery: (_context, query) =>
    query.name === undefined ? query : { ...query, name: preparedName(query.name, query.sql) },
};

/** Replaces characters that Postgres cannot store; see `storableValues`. */
const storable: Interceptor = {
  name: 'storable',
  transformQuery: (_context, query) => {
    const values = storableValues(query.sql, query.values);
    return values === query.values ? query : { ...query, values };
  },
};

/**
 * int8 becomes a number or throws if it is not exact; numeric stays text, so that credits are exact; times keep their
 * microseconds.
 */
const typeParsers: DriverTypeParser[] = [
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
const columnOf = ({ name, dataTypeID }: { name: string; dataTypeID: number }) => ({
  name: camelName(name),
  parse: parsersByOid.get(dataTypeID) ?? nativeParser(dataTypeID),
});

/**
 * Opens a pool. Connects lazily: if the server is unreachable, the first statement fails.
 * @param preparedSize number of additional connections, for prepared statements outside of transactions
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
    // after a serialization failure the whole request or job is retried, not only its transaction
    transactionRetryLimit: 0,
    // no statement of ours changes the session; the default (`discard all`) costs a round trip per release
    resetConnection: async () => {},
  });
  // slonik emits each error as an event too; the caller of the statement has received it already
  pool.on('error', () => {});
  const quick = openPreparedPool({
    connectionString: withOptions(url, applicationName, '-c plan_cache_mode=force_generic_plan'),
    size: preparedSize,
    columnOf,
  });
  return contextualPool(pool, quick);
}

/** The connection string with session settings: application name, time zone UTC, and `more` options. */
export function withOptions(url: string, applicationName: string, more = ''): string {
  const parsed = new URL(url);
  parsed.searchParams.set('application_name', applicationName);
  parsed.searchParams.set('options', `-c timezone=UTC ${more}`.trim());
  return parsed.href;
}

/** Id of an open transaction, which its savepoints share → work to do after its commit. */
const afterCommit = new Map<string, Work[]>();
type Work = (db: Db) => unknown;

/**
 * Calls `work` with the pool after the commit of the transaction of `tx`; not after a rollback. The process may end
 * before, so use it only for work that may get lost: for example, notifications of processes that also poll.
 */
export function runAfterCommit(tx: Db, work: Work): void {
  const { transactionId = '' } = tx as Partial<DatabaseTransactionConnection>;
  const works = afterCommit.get(transactionId);
  if (works === undefined) throw new Error('The transaction is not open.');
  works.push(work);
}

async function begin<T>(pool: DatabasePool, work: (tx: DatabaseTransactionConnection) => Promise<T>): Promise<T> {
  const works: Work[] = [];
  let id = '';
  try {
    const result = await pool.transaction((tx) => {
      id = tx.transactionId;
      afterCommit.set(id, works);
      return work(tx);
    });
    for (const each of works) each(pool);
    return result;
  } finally {
    afterCommit.delete(id);
  }
}

/** Matches statements that may write, also by adding jobs. A false match only begins the lazy transaction early. */
const WRITES = /\b(?:insert|update|delete|merge|add_jobs?)\b/i;

/** slonik's query methods for prepared statements, on a pool without slonik. */
function preparedMethods(
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
    if (rows.length > 1) throw new DataIntegrityError('The statement returned more than one row.', query);
    return (rows[0] ?? null) as never;
  }
  async function one(query: QuerySqlToken): Promise<never> {
    const row = await maybeOne(query);
    if (row === null) throw new NotFoundError('The statement returned no row.', query);
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

/**
 * A pool whose statements run in the lazy transaction of the current asynchronous context (`within`), if there is one.
 */
function contextualPool(pool: DatabasePool, quick: PreparedPool): Database {
  const prepared = preparedMethods(quick);
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
  const contextOf = new WeakMap<LazyTransaction, Context>();
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
    lazyTransaction() {
      const { lazyTransaction, context } = openLazyTransaction(
        (work) => begin(pool, work),
        (context, work) => current.run(context, work),
      );
      contextOf.set(lazyTransaction, context);
      return lazyTransaction;
    },
    within: (lazyTransaction, work) => current.run(lazyTransaction && contextOf.get(lazyTransaction), work),
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
 * - `outage`: the database is unreachable, or a time limit has passed
 * - `again`: deadlock, serialization failure or lock timeout; a retry can succeed
 * - `conflict`: violation of a unique or foreign key
 * - undefined: a bug, or not an error of the database
 */
export type DatabaseErrorKind = 'outage' | 'again' | 'conflict' | undefined;

const OUTAGES = [
  BackendTerminatedError,
  BackendTerminatedUnexpectedlyError,
  ConnectionError,
  IdleTransactionTimeoutError,
  StatementTimeoutError,
];
/**
 * Codes of system calls; SQLSTATE: connection exception, invalid authorization, unknown database, lack of resources,
 * operator intervention.
 */
const OUTAGE_CODES = /^(ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|EPIPE|ETIMEDOUT|08...|28...|3D000|53...|57P..)$/;
/** slonik's message, without a code, for a connection that broke during an earlier statement of the transaction. */
const BROKEN_CLIENT = /^Client is (pending destroy|destroyed)\.$/;
/** Messages of `pg`, without a code, for a connection that broke or timed out. */
const NO_CONNECTION =
  /^(Connection terminated|timeout e|Client has encountered a connection error|canceling statement due to statement timeout)/;
const CONFLICT_CODES = /^(23503|23505)$/;
/** serialization_failure, deadlock_detected, lock_not_available. */
const AGAIN_CODES = /^(40001|40P01|55P03)$/;

export function databaseErrorKind(error: unknown): DatabaseErrorKind {
  if (!(error instanceof Error)) return undefined;
  if (OUTAGES.some((kind) => error instanceof kind)) return 'outage';
  if (error instanceof UniqueIntegrityConstraintViolationError) return 'conflict';
  if (error instanceof ForeignKeyIntegrityConstraintViolationError) return 'conflict';
  const code = 'code' in error ? String(error.code) : '';
  if (OUTAGE_CODES.test(code) || BROKEN_CLIENT.test(error.message)) return 'outage';
  if (NO_CONNECTION.test(error.message)) return 'outage';
  if (CONFLICT_CODES.test(code)) return 'conflict';
  if (AGAIN_CODES.test(code)) return 'again';
  return databaseErrorKind(error.cause);
}
