import type { Config } from '../../config.ts';
import type { Database } from '../../db.ts';
import type { MaintenanceRun } from '../../platform/async/maintenance-run.ts';
import { forgetSomeLines, forgetSomeTransfers } from './retention.queries.ts';

const BATCH = 500;
/** In one run. The next one goes on. */
const MOST_TRANSFERS = 50_000;
const MOST_LINES = 500_000;
const LINES = 5000;

/** Deletes transfers, and lines of their logs, whose time is over. Each batch is a transaction. */
export async function forgetOldTransfers(
  db: Database,
  settings: Pick<Config, 'transfers.retention' | 'transfers.logRetention'>,
  { attempt, signal }: MaintenanceRun,
): Promise<void> {
  await attempt('lines of old transfers', async () => {
    for (let sum = 0, count = LINES; count === LINES && sum < MOST_LINES; sum += count) {
      signal?.throwIfAborted();
      count = await db.transaction((tx) => forgetSomeLines(tx, settings['transfers.logRetention'], LINES));
    }
  });
  await attempt('old transfers', async () => {
    let deleted = 0;
    for (let last: Awaited<ReturnType<typeof forgetSomeTransfers>>[number] | undefined; ; ) {
      signal?.throwIfAborted();
      const after = last;
      const seen = await db.transaction((tx) => forgetSomeTransfers(tx, settings['transfers.retention'], after, BATCH));
      deleted += seen.filter((one) => one.deleted).length;
      last = seen.at(-1);
      if (seen.length < BATCH || deleted >= MOST_TRANSFERS) return;
    }
  });
}
