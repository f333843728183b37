import { runChore } from '../../src/operations/cron/chores.ts';
import { removeSpentBlobs } from '../../src/recycle-bin/spent-blobs.ts';
import type { Executor } from '../../src/transfers/run/executor.ts';

/** Soon after a removal. What the store does not remove now is tried again by the hourly clean-up, which tells of it. */
export const removeSpentBlobsTask =
  (executor: Promise<Executor>) =>
  async (_payload: unknown, { abortSignal: signal }: { abortSignal?: AbortSignal }) => {
    const { db, blobs, log } = await executor;
    await runChore({ db, log, signal }, 'removeSpentBlobs', (chore) => removeSpentBlobs(db, blobs, chore));
  };
