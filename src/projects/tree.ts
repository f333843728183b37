import type { Db } from '../db.ts';
import { lockTrees, rootsOf } from './tree.queries.ts';

/**
 * Waits until nobody else changes the trees in which these projects stand, and keeps others waiting until the transaction ends. What is
 * read after it stays true. Projects that are not there lock nothing. Take all trees of a transaction in one call, so that two
 * transactions cannot wait for each other.
 */
export async function lockTreesOf(tx: Db, ...ids: readonly string[]): Promise<void> {
  let roots = await rootsOf(tx, ids);
  for (;;) {
    await lockTrees(tx, roots);
    // a restore to another place may have carried a project into another tree meanwhile
    const now = await rootsOf(tx, ids);
    if (now.every((root) => roots.includes(root))) return;
    roots = now;
  }
}
