import type { Db } from '../db.ts';
import { lockTrees, rootsOf } from './tree.queries.ts';

/** Trees that were locked turned out not to be all. */
class MoreTrees extends Error {}

/**
 * Locks the trees that `look` tells of until the transaction ends, and gives what it tells with them locked. A restore to another place may
 * carry a project into another tree meanwhile: then the locks are given back before others are waited for, or two who hold some would wait for
 * each other.
 */
export async function lockTreesIn<T>(
  tx: Db,
  look: (tx: Db) => Promise<T>,
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
 * Waits until nobody else changes the trees in which these projects stand, and keeps others waiting until the transaction ends. What is
 * read after it stays true. Projects that are not there lock nothing. Take all trees of a transaction in one call, so that two
 * transactions cannot wait for each other.
 */
export async function lockTreesOf(tx: Db, ...ids: readonly string[]): Promise<void> {
  await lockTreesIn(
    tx,
    (each) => rootsOf(each, ids),
    (roots) => roots,
  );
}
