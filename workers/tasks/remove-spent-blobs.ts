import { runMaintenance } from '../../src/operations/cron/maintenance-task.ts';
import { removeSpentBlobs } from '../../src/recycle-bin/blob-deletions.ts';
import type { Executor } from '../../src/transfers/run/executor.ts';

/**
 * Deletes blobs of purged datasets. The hourly clean-up retries blobs that the store could not delete, and reports
 * them.
 */
export const removeSpentBlobsTask =
  (executor: Promise<Executor>) =>
  async (_payload: unknown, { abortSignal: signal }: { abortSignal?: AbortSignal }) => {
    const { db, blobs, log } = await executor;
    await runMaintenance({ db, log, signal }, 'removeSpentBlobs', (run) => removeSpentBlobs(db, blobs, run));
  };
