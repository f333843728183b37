import { runChore } from '../../src/operations/cron/chores.ts';
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
    await runChore({ db, log, signal }, 'sweepRecycleBin', async (chore) => {
      await sweepBin(db, retention, chore);
    });
  };
