import type { Db } from '../../db.ts';
import { behindCommit } from '../../db.ts';
import { appendAll } from '../../outbox.ts';
import { finished, sidesOf } from '../events.ts';
import { failWaiting, listWaitingBelow } from '../run/run.queries.ts';
import { notifyEnded } from './notices.queries.ts';
import { PROJECT_DELETED } from './outcome.ts';

/** Transfers that one statement ends, and one notification tells of. */
const AT_ONCE = 200;

/**
 * Ends those of these transfers that wait because their project was deleted, and gives their ids. Those that run are for their workers to
 * end.
 */
export async function endOfDeleted(tx: Db, ids: readonly string[]): Promise<string[]> {
  const all: string[] = [];
  for (let at = 0; at < ids.length; at += AT_ONCE) {
    const ended = await failWaiting(tx, ids.slice(at, at + AT_ONCE), PROJECT_DELETED);
    const events = ended.flatMap((transfer) =>
      sidesOf(transfer).map((side) =>
        finished(side, { status: 'Error', progress: transfer.progress, errorMessage: PROJECT_DELETED }),
      ),
    );
    await appendAll(tx, events);
    const told = ended.map(({ id }) => id);
    if (told.length > 0) behindCommit(tx, (db) => notifyEnded(db, told).catch(() => {})); // who waits looks by himself, too
    all.push(...told);
  }
  return all;
}

/**
 * Ends what waits for these projects or for anything below them, in the transaction that deletes them. A transfer that another transaction
 * starts or hands back at the same moment is not in sight: workers find it within seconds.
 */
export async function endWaitingBelow(tx: Db, projectIds: readonly string[]): Promise<void> {
  await endOfDeleted(tx, await listWaitingBelow(tx, projectIds));
}
