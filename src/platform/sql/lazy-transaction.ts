import type { CommonQueryMethods as Db } from 'slonik';

/**
 * The one transaction of whatever runs `within` it. It begins with the first write and stays open until it is ended, so that more can be
 * written with what the work has come to; reads before it hold no connection. A beginning that throws leaves nothing behind. When it has
 * ended, whatever goes on (a timer, a wait) uses the pool again.
 */
export interface Effect {
  /** Runs `work` in the transaction; if it throws, what it wrote is undone. */
  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T>;
  commit(): Promise<void>;
  /** Undoes all that was written. */
  rollBack(): Promise<void>;
}

/** Where the statements of an asynchronous context go. */
export interface Context {
  /** Of a transaction under way. */
  tx: Db | undefined;
  transaction<T>(work: (tx: Db) => Promise<T>): Promise<T>;
}

type Begin = <T>(work: (tx: Db) => Promise<T>) => Promise<T>;
type Run = <T>(context: Context, work: () => T) => T;

/**
 * An effect of which nothing is begun yet, and the context of what runs within it.
 * @param begin opens a transaction of its own
 * @param run runs work in a context, for what is done inside the transaction
 */
export function openEffect(begin: Begin, run: Run): { effect: Effect; context: Context } {
  let open: { tx: Db; outcome: PromiseWithResolvers<void>; ended: Promise<void> } | undefined;
  let over = false;
  let turn: Promise<unknown> = Promise.resolve();
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

  /** Throws what `work` throws, and then the transaction is undone and closed. */
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

  const effect: Effect = {
    transaction(work) {
      if (over) return begin(work);
      // two at once come one after the other, as savepoints must
      const mine = turn.then(() => {
        const { tx } = open ?? {};
        return tx ? inside(tx, () => tx.transaction(work)) : beginWith(work);
      });
      turn = mine.catch(() => {});
      return mine;
    },
    async commit() {
      over = true;
      await turn;
      open?.outcome.resolve();
      await open?.ended;
    },
    async rollBack() {
      over = true;
      await turn;
      open?.outcome.reject(new Error('The effect is undone.'));
      await open?.ended.catch(() => {});
    },
  };
  const context: Context = {
    get tx() {
      return over ? undefined : open?.tx;
    },
    transaction: effect.transaction,
  };
  return { effect, context };
}
