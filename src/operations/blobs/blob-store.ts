import type { z } from 'zod';
import { audit, by } from '../../audit.ts';
import type { Database, Reads } from '../../db.ts';
import { conflict } from '../../errors.ts';
import type { Caller } from '../../http/caller.ts';
import { number } from '../../http/rules/members.ts';
import { enqueue } from '../../jobs.ts';
import { type BlobProblem, countDamaged, countNamed } from '../../transfers/store/digests.queries.ts';
import { confirmSweep, findSweepState, SweepState } from '../../transfers/store/sweep-state.queries.ts';
import { findVerification, startVerification, Verification } from '../../transfers/store/verification.queries.ts';

const NEVER_SWEPT: SweepState = { allBlobs: 0, allBytes: 0, unknownBlobs: 0, unknownBytes: 0 };

const sweepState = async (db: Reads): Promise<SweepState> => (await findSweepState(db)) ?? NEVER_SWEPT;

export const BlobStoreState = SweepState.extend({
  damagedBlobs: number('Number of blobs whose bytes are not those that were written.'),
  missingBlobs: number('Number of blobs that are not in the store.'),
  verification: Verification.optional().describe('The running verification, else the last one.'),
});
export type BlobStoreState = z.infer<typeof BlobStoreState>;

/** Before the first sweep the number of blobs is that of the database. */
export async function blobStoreState(db: Reads): Promise<BlobStoreState> {
  const [swept, counts, verification] = await Promise.all([sweepState(db), countDamaged(db), findVerification(db)]);
  const countOf = (wanted: BlobProblem) => counts.find(({ problem }) => problem === wanted)?.count ?? 0;
  return {
    ...swept,
    ...(swept.sweptAt === undefined ? { allBlobs: await countNamed(db) } : {}),
    damagedBlobs: countOf('damaged'),
    missingBlobs: countOf('missing'),
    ...(verification === null ? {} : { verification }),
  };
}

/**
 * Starts a verification of all blobs, or of `sample` by chance; one of all that runs already is this one. A worker does
 * it.
 */
export function startVerifying(db: Database, sample: number | undefined): Promise<Verification> {
  return db.transaction(async (tx) => {
    const started = await startVerification(tx, { unchecked: 0, sample });
    const running = started ?? (await findVerification(tx));
    if (running === null || (started === null && (running.sample || sample !== undefined)))
      throw conflict('Another verification of blobs runs. Try again when it has ended: platform blobs show.', {
        code: 'VerificationRuns',
      });
    await enqueue(tx, 'verifyBlobs', {}, { jobKey: 'verifyBlobs now' });
    return running;
  });
}

/**
 * Enqueues a sweep of blobs. `confirm` allows it to delete as many unknown blobs as the last sweep found, and no more.
 */
export function sweepBlobs(db: Database, caller: Caller, { confirm }: { confirm: boolean }): Promise<SweepState> {
  return db.transaction(async (tx) => {
    const state = confirm ? await confirmSweep(tx) : await sweepState(tx);
    if (!state)
      throw conflict('No sweep waits for a confirmation. Start one without confirm.', { code: 'NothingToConfirm' });
    const { place = 'blobs', unknownBlobs, unknownBytes } = state;
    if (confirm) {
      const details = { blobs: unknownBlobs, bytes: unknownBytes };
      await audit(tx, { action: 'blobs.sweep.confirm', ...by(caller), subject: place, details });
    }
    await enqueue(tx, 'cleanUp', {}, { jobKey: 'cleanUp now' });
    return state;
  });
}
