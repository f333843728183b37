import type { Transaction } from '../db.ts';
import { listRoots, lockTrees } from './tree.queries.ts';

/** Thrown when the locked trees turn out not to be all that are needed. */
class MoreTrees extends Error {}

/**
 * Locks the trees of the rows that `look` returns until the transaction ends, and returns the rows as read under the
 * lock. A concurrent restore can move a project to another tree; then a savepoint rolls back, which releases the locks,
 * and all are taken again in order. Waiting for a further lock while holding some could deadlock.
 */
export async function lockTreesIn<T>(
  tx: Transaction,
  look: (tx: Transaction) => Promise<T>,
  rootsIn: (found: T) => readonly string[],
): Promise<T> {
  for (;;) {
    const roots = rootsIn(await look(tx));
    try {
      return await tx.transaction(async (inner) => {
        await lockTrees(inner, roots);
        const found = await look(inner);
        if (!rootsIn(found).every((root) => roots.includes(root))) throw new MoreTrees();
        return found;
      });
    } catch (error) {
      if (!(error instanceof MoreTrees)) throw error;
    }
  }
}

/**
 * Locks the trees of these projects against other changes until the transaction ends. Rows read after it stay current.
 * Unknown ids lock nothing. To avoid deadlocks, lock all trees of a transaction in one call.
 */
export async function lockProjectTrees(tx: Transaction, ...ids: readonly string[]): Promise<void> {
  await lockTreesIn(
    tx,
    (each) => listRoots(each, ids),
    (roots) => roots,
  );
}
