import { deleteExpiredTokens } from '../../src/accounts/mail.queries.ts';
import { forgetEvents } from '../../src/events/forget.ts';
import { forgetOldAnswers } from '../../src/http/idempotency.queries.ts';
import { removeSpentBlobs } from '../../src/recycle-bin/spent-blobs.ts';
import { forgetOldTokens } from '../../src/tokens/clean-up.ts';
import { removeOrphanBlobs } from '../../src/transfers/orphan-blobs.ts';
import type { RunParts } from '../../src/transfers/run.ts';
import { removeSpentJobs } from '../../src/transfers/sweep.queries.ts';

const YOUNG_MS = 3_600_000;

/** Hourly, by whichever worker comes first: what nobody needs any more. */
export const cleanUpTask =
  (parts: Promise<RunParts>, accessLifetimeMs: number) =>
  async (_payload: unknown, { abortSignal: signal }: { abortSignal?: AbortSignal }) => {
    const { db, blobs } = await parts;
    await forgetOldAnswers(db);
    await deleteExpiredTokens(db);
    await removeSpentJobs(db);
    await forgetOldTokens(db, accessLifetimeMs, signal);
    await forgetEvents(db, signal);
    await removeSpentBlobs(db, blobs, signal);
    await removeOrphanBlobs(db, blobs, { olderThanMs: YOUNG_MS, ...(signal ? { signal } : {}) });
  };
