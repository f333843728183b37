import type { CommonQueryMethods as Db } from 'slonik';

/**
 * A transaction that begins with the first write of the code that runs `within` it, and stays open until `commit` or
 * `rollBack`, so that more can be written after that code has finished. Reads before the first write hold no
 * connection. If the first write throws, nothing was begun. After the end, code that still runs (a timer, a wait) uses
 * the pool again.
 */
export interface LazyTransaction {
  /** Runs `work` in the transaction. If it throws, its writes are rolled back to a savepoint. */
  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T>;
  commit(): Promise<void>;
  rollBack(): Promise<void>;
}

/** Where the statements of an asynchronous context are executed. */
export interface Context {
  /** The open transaction; undefined: the pool. */
  tx: Db | undefined;
  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T>;
}

type Begin = <T>(work: (tx: Db) => Promise<T>) => Promise<T>;
type Run = <T>(context: Context, work: () => T) => T;

/**
 * A transaction that has not begun, and the context of the code that runs within it.
 * @param begin opens a separate transaction
 * @param run runs `work` in a context; used for code inside the transaction
 */
export function openLazyTransaction(begin: Begin, run: Run): { lazyTransaction: LazyTransaction; context: Context } {
  let open: { tx: Db; outcome: PromiseWithResolvers<void>; ended: Promise<void> } | undefined;
  let over = false;
  let last: Promise<unknown> = Promise.resolve();
  const inside = <T>(tx: Db, work: () => T) =>
    run(
      {
        get tx() {
          return over ? undefined : tx;
        },
        transaction: (inner) => (over ? begin(inner) : tx.transaction(inner)),
      },
      work,
    );

  /** If `work` throws, the transaction is rolled back and closed. */
  async function beginWith<T>(work: (tx: Db) => Promise<T>): Promise<T> {
    const begun = Promise.withResolvers<T>();
    const outcome = Promise.withResolvers<void>();
    outcome.promise.catch(() => {});
    const ended = begin(async (tx) => {
      const result = await inside(tx, () => work(tx));
      open = { tx, outcome, ended };
      begun.resolve(result);
      await outcome.promise;
    });
    ended.catch(begun.reject);
    return begun.promise;
  }

  const lazyTransaction: LazyTransaction = {
    transaction(work) {
      if (over) return begin(work);
      // savepoints of one transaction must not overlap, so concurrent calls run one after the other
      const current = last.then(() => {
        const { tx } = open ?? {};
        return tx ? inside(tx, () => tx.transaction(work)) : beginWith(work);
      });
      last = current.catch(() => {});
      return current;
    },
    async commit() {
      over = true;
      await last;
      open?.outcome.resolve();
      await open?.ended;
    },
    async rollBack() {
      over = true;
      await last;
      open?.outcome.reject(new Error('The transaction is rolled back.'));
      await open?.ended.catch(() => {});
    },
  };
  const context: Context = {
    get tx() {
      return over ? undefined : open?.tx;
    },
    transaction: lazyTransaction.transaction,
  };
  return { lazyTransaction, context };
}
