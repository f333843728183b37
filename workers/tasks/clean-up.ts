import { deleteExpiredTokens, forgetRegistrationMails } from '../../src/accounts/mail.queries.ts';
import { removeNeverActivated } from '../../src/accounts/never-activated.ts';
import { openAccountStore } from '../../src/accounts/open-store.ts';
import type { Config } from '../../src/config.ts';
import { forgetEvents } from '../../src/events/forget.ts';
import { forgetOldAnswers } from '../../src/http/idempotency.queries.ts';
import { forgetDrains } from '../../src/operations/workers.queries.ts';
import { removeSpentBlobs } from '../../src/recycle-bin/spent-blobs.ts';
import { forgetOldTokens } from '../../src/tokens/clean-up.ts';
import { removeOrphanBlobs } from '../../src/transfers/orphan-blobs.ts';
import type { RunParts } from '../../src/transfers/run.ts';
import { removeSpentJobs } from '../../src/transfers/sweep.queries.ts';

type Settings = Pick<Config, 'tokens.accessLifetime' | 'accounts.store' | 'accounts.tokenLifetime'>;

const YOUNG_MS = 3_600_000;

/** Hourly, by whichever worker comes first: what nobody needs any more. */
export const cleanUpTask =
  (parts: Promise<RunParts>, settings: Settings, log: Parameters<typeof openAccountStore>[2]) =>
  async (_payload: unknown, { abortSignal: signal }: { abortSignal?: AbortSignal }) => {
    const { db, blobs } = await parts;
    await forgetOldAnswers(db);
    await deleteExpiredTokens(db);
    await forgetRegistrationMails(db);
    await removeSpentJobs(db);
    await forgetDrains(db);
    await forgetOldTokens(db, settings['tokens.accessLifetime'], signal);
    await forgetEvents(db, signal);
    await removeSpentBlobs(db, blobs, signal);
    await removeOrphanBlobs(db, blobs, { olderThanMs: YOUNG_MS, ...(signal ? { signal } : {}) });
    // last: an account file that is not understood must not keep the rest from being done
    const openStore = () => openAccountStore(settings, db, log);
    await removeNeverActivated(db, openStore, settings['accounts.tokenLifetime'], signal);
  };
