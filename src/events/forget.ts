import type { Db } from '../db.ts';
import { forgetOldEvents } from './queries.ts';

const RETENTION_DAYS = 30;
const BATCH_SIZE = 5000;

/** Deletes events after the retention time, with their deliveries and the records of purged projects. */
export async function forgetEvents(db: Db, signal?: AbortSignal): Promise<void> {
  while (await forgetOldEvents(db, RETENTION_DAYS, BATCH_SIZE)) if (signal?.aborted) return;
}
