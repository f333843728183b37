import { runMaintenance } from '../../src/operations/cron/maintenance-task.ts';
import type { Executor } from '../../src/transfers/run/executor.ts';
import { verifyBlobs } from '../../src/transfers/store/verify.ts';

/**
 * Daily job: compares blobs with their digests. Also goes on with a verification that an administrator started.
 * @param unchecked milliseconds after which a blob is checked again
 */
export const verifyBlobsTask =
  (executor: Promise<Executor>, unchecked: number) =>
  async (_payload: unknown, { abortSignal: signal }: { abortSignal?: AbortSignal }) => {
    const { db, blobs, log } = await executor;
    await runMaintenance({ db, log, signal }, 'verifyBlobs', (run) => verifyBlobs(db, blobs, { unchecked, run }));
  };
