import { runChore } from '../../src/operations/cron/chores.ts';
import { sweepBin } from '../../src/recycle-bin/sweep.ts';
import type { RunParts } from '../../src/transfers/run/perform.ts';

/** Daily, by whichever worker comes first. `retention` is milliseconds. */
export const sweepRecycleBinTask =
  (parts: Promise<RunParts>, retention: number) =>
  async (_payload: unknown, { abortSignal: signal }: { abortSignal?: AbortSignal }) => {
    const { db, log } = await parts;
    await runChore({ db, log, signal }, 'sweepRecycleBin', async (chore) => {
      await sweepBin(db, retention, chore);
    });
  };
