import type { Database } from '../db.ts';
import type { MaintenanceRun } from '../platform/async/maintenance-run.ts';
import { deleteOldShares, deletePastDays } from './queries.ts';

/** Deletes what tells browsers of past days apart, and links that ended or expired three months ago. */
export async function forgetShares(db: Database, { attempt }: MaintenanceRun): Promise<void> {
  await attempt('browsers that opened links', () => db.transaction(deletePastDays));
  await attempt('old links', () => db.transaction(deleteOldShares));
}
