import type { Db } from '../db.ts';
import { forgetOldEvents } from './queries.ts';

const KEPT_DAYS = 30;
const AT_ONCE = 5000;

/** Removes events, and what was kept for them, when their time is over. */
export async function forgetEvents(db: Db, signal?: AbortSignal): Promise<void> {
  while (await forgetOldEvents(db, KEPT_DAYS, AT_ONCE)) if (signal?.aborted) return;
}
