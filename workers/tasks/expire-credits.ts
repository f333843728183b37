import { bookExpiredCredits } from '../../src/credits/expire.ts';
import { runMaintenance } from '../../src/operations/cron/maintenance-task.ts';
import type { Executor } from '../../src/transfers/run/executor.ts';

/** Hourly job: books expired credits, and writes events for those that expire soon. */
export const expireCreditsTask =
  (executor: Promise<Executor>) =>
  async (_payload: unknown, { abortSignal: signal }: { abortSignal?: AbortSignal }) => {
    const { db, log } = await executor;
    await runMaintenance({ db, log, signal }, 'expireCredits', (run) => bookExpiredCredits(db, run));
  };
