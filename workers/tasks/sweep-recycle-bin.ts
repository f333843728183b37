import { runMaintenance } from '../../src/operations/cron/maintenance-task.ts';
import { sweepBin } from '../../src/recycle-bin/sweep.ts';
import type { Executor } from '../../src/transfers/run/executor.ts';

/**
 * Daily job: purges expired items of the recycle bin.
 * @param retention milliseconds
 */
export const sweepRecycleBinTask =
  (executor: Promise<Executor>, retention: number) =>
  async (_payload: unknown, { abortSignal: signal }: { abortSignal?: AbortSignal }) => {
    const { db, log } = await executor;
    await runMaintenance({ db, log, signal }, 'sweepRecycleBin', async (run) => {
      await sweepBin(db, retention, run);
    });
  };
