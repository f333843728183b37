import { AsyncLocalStorage } from 'node:async_hooks';
import { hash } from 'node:crypto';
import { createPgDriverFactory } from '@slonik/pg-driver';
import {
  type CommonQueryMethods,
  createPool,
  type DatabasePool,
  type DatabaseTransactionConnection,
  DataIntegrityError,
  type Interceptor,
  NotFoundError,
  type QuerySqlToken,
  SchemaValidationError,
  sql as slonikSql,
} from 'slonik';
import { surviveBrokenConnections } from './platform/sql/broken-connections.ts';
import { camelName, columnOf, typeParsers } from './platform/sql/columns.ts';
import { keptConnection } from './platform/sql/kept-connection.ts';
import { type Context, type LazyTransaction, openLazyTransaction } from './platform/sql/lazy-transaction.ts';
import { CONNECT_MS, openPreparedPool, type PreparedPool } from './platform/sql/prepared-pool.ts';
import { storableValues } from './platform/text/storable.ts';

surviveBrokenConnections();

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
const preparedTexts = new Map<string, PreparedText>();
interface PreparedText {
  name: string;
  text: string;
  /** Waits for locks and for the disk, so it needs more connections than the prepared pool has. */
  waits: boolean;
}
const WAITS = /\bcredit_(?:reserve|spend|release)\b/;

function preparedText(name: string, text: string): PreparedText {
  let made = preparedTexts.get(text);
  if (made === undefined) {
    const unique = `${name} ${hash('sha1', text).slice(0, 16)}`;
    made = { name: unique, text: text.replaceAll('$slonik_', '$'), waits: WAITS.test(text) };
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
    connectionTimeout: CONNECT_MS,
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
    const outcome = await pool.connect((connection) =>
      keptConnection(
        connection.transaction((tx) => {
          id = tx.transactionId;
          afterCommit.set(id, works);
          return work(tx);
        }),
        () => connection.query(sql.unsafe`select`),
      ),
    );
    if ('error' in outcome) throw outcome.error;
    for (const each of works) each(pool);
    return outcome.result;
  } finally {
    afterCommit.delete(id);
  }
}

/**
 * Matches statements that may write, also by functions; not a text such as the name of a right in `when 'update'`. A
 * false match only begins the lazy transaction early, which then holds a connection while its request waits for others.
 * A function that writes and is missing here would write outside of it.
 */
const WRITES =
  /(?<!')\b(?:insert|update|delete|merge|add_jobs?|credit_(?:add|reserve|spend|release|move|expire|warn))\b/i;

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
      const isQuick = query.name !== undefined && name in prepared && !preparedText(query.name, query.sql).waits;
      return run(isQuick ? (prepared as Db) : pool);
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
