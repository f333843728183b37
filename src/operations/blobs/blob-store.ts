import { by, record } from '../../audit.ts';
import type { Db } from '../../db.ts';
import { conflict } from '../../errors.ts';
import type { Caller } from '../../http/caller.ts';
import { enqueue } from '../../jobs.ts';
import type { SweepState } from '../../transfers/store/sweep-state.queries.ts';
import { confirmSweep, findSweepState } from '../../transfers/store/sweep-state.queries.ts';

const NEVER_SWEPT: SweepState = { allBlobs: 0, unknownBlobs: 0, unknownBytes: 0 };

export const blobStoreState = async (db: Db): Promise<SweepState> => (await findSweepState(db)) ?? NEVER_SWEPT;

/** Enqueues a sweep of blobs. `confirm` allows it to delete as many unknown blobs as the last sweep found, and no more. */
export function sweepBlobs(db: Db, caller: Caller, { confirm }: { confirm: boolean }): Promise<SweepState> {
  return db.transaction(async (tx) => {
    const state = confirm ? await confirmSweep(tx) : await blobStoreState(tx);
    if (!state)
      throw conflict('No sweep waits for a confirmation. Start one without confirm.', { code: 'NothingToConfirm' });
    const { place = 'blobs', unknownBlobs, unknownBytes } = state;
    if (confirm) {
      const details = { blobs: unknownBlobs, bytes: unknownBytes };
      await record(tx, { action: 'blobs.sweep.confirm', ...by(caller), subject: place, details });
    }
    await enqueue(tx, 'cleanUp', {}, { jobKey: 'cleanUp now' });
    return state;
  });
}
