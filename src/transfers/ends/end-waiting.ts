import type { Transaction } from '../../db.ts';
import { listWaitingBelow } from './end.queries.ts';
import { notifyEnded } from './notices.queries.ts';
import { PROJECT_DELETED } from './outcome.ts';
import { settle } from './settle.ts';

/** Transfers per statement and per notification. */
const AT_ONCE = 200;

/**
 * Ends waiting transfers of deleted projects, and returns the ids of those that it ended. Running ones are skipped: the
 * workers end them.
 */
export async function endOfDeleted(tx: Transaction, ids: readonly string[]): Promise<string[]> {
  const all: string[] = [];
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const settled = await settle(tx, { waiting: ids.slice(at, at + AT_ONCE), outcome: PROJECT_DELETED });
    const ended = settled.map(({ id }) => id);
    // clients that wait also poll, so a lost notification does no harm
    if (ended.length > 0) tx.afterCommit((db) => notifyEnded(db, ended).catch(() => {}));
    all.push(...ended);
  }
  return all;
}

/**
 * Ends the waiting transfers of these projects and of all below them, in the transaction that deletes the projects. It
 * does not see a transfer that another transaction starts or hands back at the same moment: workers find that one
 * within seconds.
 */
export async function endWaitingBelow(tx: Transaction, projectIds: readonly string[]): Promise<void> {
  await endOfDeleted(tx, await listWaitingBelow(tx, projectIds));
}
