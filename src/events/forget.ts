import type { Database } from '../db.ts';
import { forgetOldEvents } from './queries.ts';

const BATCH_SIZE = 5000;

/** Deletes events after the retention time, with their deliveries and the records of purged projects. */
export async function forgetEvents(db: Database, ageMs: number, signal?: AbortSignal): Promise<void> {
  while (await db.transaction((tx) => forgetOldEvents(tx, ageMs, BATCH_SIZE))) if (signal?.aborted) return;
}
