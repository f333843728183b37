import { AsyncLocalStorage } from 'node:async_hooks';
import type pg from 'pg';
import { type FragmentSqlToken, type QuerySqlToken, sql as slonikSql } from 'slonik';
import { columnTypes } from './platform/sql/columns.ts';
import { execute, type Result, type Schema, type Statement, Statements } from './platform/sql/execute.ts';
import { openPool, withOptions } from './platform/sql/pool.ts';

/** A part of a statement, with its values. */
export type Fragment = FragmentSqlToken;
type Json = Parameters<typeof slonikSql.jsonb>[0];

/**
 * Builds statements. Those of `type` and `prepared` read. `write` is for statements that write or lock and return rows,
 * also by functions of the database: only a `Transaction` accepts them. A `prepared` statement, and a `write` with a
 * name, is parsed once per connection; use it unless fragments give the statement many texts, or the best plan depends
 * on its values. `json` and `jsonb` replace slonik's, which throw for characters that `storableValues` replaces.
 */
export const sql = {
  ...slonikSql,
  json: (value: Json) => slonikSql.fragment`${JSON.stringify(value)}::json`,
  jsonb: (value: Json) => slonikSql.fragment`${JSON.stringify(value)}::jsonb`,
  write:
    <S extends Schema>(row: S, name?: string) =>
    (...template: Parameters<typeof slonikSql.fragment>): Statement<S, 'write'> => ({
      ...(name === undefined ? slonikSql.type(row) : slonikSql.prepared(name, row))(...template),
      intent: 'write',
    }),
};

/** Executes statements that read: the `Database`, or a `Transaction`, which sees its own writes. */
export type Reads = Statements<never>;

/** An open transaction: reads, and all writes. */
export class Transaction extends Statements<'write'> {
  readonly #client: pg.PoolClient;
  readonly #db: Database;
  readonly #afterCommit: ((db: Database) => unknown)[] = [];
  #savepoints = 0;
  #ended = false;

  private constructor(client: pg.PoolClient, db: Database) {
    super();
    this.#client = client;
    this.#db = db;
  }

  /** Takes a connection of the pool until `commit` or `rollBack`. */
  static async begin(pool: pg.Pool, db: Database): Promise<Transaction> {
    const client = await pool.connect();
    // not awaited: the first statement is sent with it, and fails if it fails
    client.query('begin read write').catch(() => {});
    return new Transaction(client, db);
  }

  send(query: QuerySqlToken): Promise<Result> {
    if (this.#ended) throw new Error('The transaction has ended.');
    return execute(this.#client, query);
  }

  /** Executes a statement without a result. */
  async query(query: Statement<Schema, 'write'>): Promise<{ rowCount: number }> {
    return this.send(query);
  }

  /** Rolls the writes of `work` back to a savepoint if it throws. */
  async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const savepoint = `savepoint_${++this.#savepoints}`;
    await this.#client.query(`savepoint ${savepoint}`);
    try {
      return await work(this);
    } catch (error) {
      await this.#client.query(`rollback to ${savepoint}`).catch(() => {});
      throw error;
    }
  }

  /**
   * Calls `work` after the commit; not after a rollback. The process may end before, so use it only for work that may
   * get lost: for example, notifications of processes that also poll.
   */
  afterCommit(work: (db: Database) => unknown): void {
    this.#afterCommit.push(work);
  }

  async commit(): Promise<void> {
    try {
      const { command } = await this.#client.query('commit');
      if (command !== 'COMMIT') throw new Error('The transaction was rolled back, because a statement had failed.');
    } catch (error) {
      await this.rollBack();
      throw error;
    }
    this.#ended = true;
    this.#client.release();
    for (const work of this.#afterCommit) work(this.#db);
  }

  /** Does nothing after the end. A connection that does not answer any more is closed. */
  async rollBack(): Promise<void> {
    if (this.#ended) return;
    this.#ended = true;
    const answers = await this.#client.query('rollback').then(
      () => true,
      () => false,
    );
    this.#client.release(!answers);
  }
}

/**
 * A transaction that begins with the first write of the code that runs `within` it, and stays open until `commit` or
 * `rollBack`, so that more can be written after that code has finished. Reads before the first write hold no
 * connection. If the first write throws, nothing was begun. After the end, code that still runs (a timer, a wait) uses
 * the pool again.
 */
export class LazyTransaction {
  readonly #begin: () => Promise<Transaction>;
  readonly #inside: <T>(tx: Transaction, work: () => T) => T;
  #tx: Transaction | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #isOver = false;

  /** @param inside runs `work` so that its statements go into `tx` */
  constructor(begin: () => Promise<Transaction>, inside: <T>(tx: Transaction, work: () => T) => T) {
    this.#begin = begin;
    this.#inside = inside;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** The open transaction. */
  get tx(): Transaction | undefined {
    return this.#tx;
  }

  /** Runs `work` in the transaction. If it throws, its writes are rolled back to a savepoint. */
  transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    // savepoints of one transaction must not overlap, so concurrent calls run one after the other
    const current = this.#last.then(() => {
      const tx = this.#tx;
      return tx ? this.#inside(tx, () => tx.transaction(work)) : this.#beginWith(work);
    });
    this.#last = current.catch(() => {});
    return current;
  }

  async #beginWith<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const tx = await this.#begin();
    try {
      const result = await this.#inside(tx, () => work(tx));
      this.#tx = tx;
      return result;
    } catch (error) {
      await tx.rollBack();
      throw error;
    }
  }

  async commit(): Promise<void> {
    await this.#end();
    await this.#tx?.commit();
  }

  async rollBack(): Promise<void> {
    await this.#end();
    await this.#tx?.rollBack();
  }

  async #end() {
    this.#isOver = true;
    await this.#last;
  }
}

/**
 * SQLSTATE of a statement whose cached plan a migration has outdated. A retry on another connection helps, because the
 * pool closes a connection whose statement failed.
 */
const OUTDATED_PLAN = '0A000';

/** Settings of a connection outside of transactions, which begin `read write`. */
const READ_ONLY = '-c default_transaction_read_only=on';
/** Postgres would plan most of our prepared statements at each execution, which costs more than the execution. */
const PLANNED_ONCE = '-c plan_cache_mode=force_generic_plan';

/** A server that is not there refuses at once; one on a busy machine may need seconds to start a backend. */
const CONNECT_MS = 20_000;

/**
 * The connections of a process. Statements outside of transactions run read-only: one that writes fails with SQLSTATE
 * 25006. A quarter as many connections as `size` are for prepared statements outside of transactions; a `size` of 1 is
 * one connection for all. Connects lazily: if the server is unreachable, the first statement fails.
 */
export class Database extends Statements<never> {
  readonly #pool: pg.Pool;
  readonly #prepared: pg.Pool;
  readonly #current = new AsyncLocalStorage<{ lazy: LazyTransaction; tx?: Transaction } | undefined>();

  /** @param connectMs how long a statement may wait for a connection */
  constructor(url: string, size: number, applicationName = 'platform', connectMs = CONNECT_MS) {
    super();
    const open = (max: number, options: string) =>
      openPool({
        connectionString: withOptions(url, applicationName, options),
        max,
        connectionTimeoutMillis: connectMs,
        idleTimeoutMillis: 30_000,
        statement_timeout: 60_000,
        idle_in_transaction_session_timeout: 60_000,
        pipeline: true,
        types: columnTypes,
      });
    this.#pool = open(size, READ_ONLY);
    this.#prepared = size === 1 ? this.#pool : open(Math.ceil(size / 4), `${READ_ONLY} ${PLANNED_ONCE}`);
  }

  async send(query: QuerySqlToken): Promise<Result> {
    const { lazy, tx = lazy?.tx } = this.#current.getStore() ?? {};
    if (lazy && !lazy.isOver && tx) return tx.send(query);
    const pool = query.name === undefined ? this.#pool : this.#prepared;
    // every connection may have the outdated plan
    for (let tries = 0; ; tries++) {
      try {
        return await execute(pool, query);
      } catch (error) {
        if ((error as { code?: string }).code !== OUTDATED_PLAN || tries > pool.options.max) throw error;
      }
    }
  }

  /** Commits the writes of `work`, or makes them part of the lazy transaction `within` which the caller runs. */
  async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const { lazy, tx: open } = this.#current.getStore() ?? {};
    if (lazy && !lazy.isOver) return (open ?? lazy).transaction(work);
    const tx = await Transaction.begin(this.#pool, this);
    try {
      const result = await work(tx);
      await tx.commit();
      return result;
    } catch (error) {
      await tx.rollBack();
      throw error;
    }
  }

  lazyTransaction(): LazyTransaction {
    const lazy: LazyTransaction = new LazyTransaction(
      () => Transaction.begin(this.#pool, this),
      (tx, work) => this.#current.run({ lazy, tx }, work),
    );
    return lazy;
  }

  /**
   * Runs `work` so that its writes through this `Database` go into the lazy transaction; for undefined, outside of the
   * current one.
   */
  within<T>(lazy: LazyTransaction | undefined, work: () => T): T {
    return this.#current.run(lazy && { lazy }, work);
  }

  /** Number of connections; `awaited`: number of statements and transactions that wait for one. */
  connections(): { inUse: number; idle: number; awaited: number } {
    const pools = [...new Set([this.#pool, this.#prepared])];
    const sum = (count: (pool: pg.Pool) => number) => pools.reduce((total, pool) => total + count(pool), 0);
    return {
      inUse: sum(({ totalCount, idleCount }) => totalCount - idleCount),
      idle: sum(({ idleCount }) => idleCount),
      awaited: sum(({ waitingCount }) => waitingCount),
    };
  }

  async end(): Promise<void> {
    await Promise.all([...new Set([this.#pool, this.#prepared])].map((pool) => pool.end()));
  }
}
