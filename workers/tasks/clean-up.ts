import { deleteExpiredTokens, deleteOldRegistrationMails } from '../../src/accounts/mail.queries.ts';
import { removeNeverActivated } from '../../src/accounts/never-activated.ts';
import { openAccountStore } from '../../src/accounts/open-store.ts';
import { requeueMails } from '../../src/accounts/send-mail.ts';
import type { Config } from '../../src/config.ts';
import { forgetEvents } from '../../src/events/forget.ts';
import { forgetOldAnswers } from '../../src/http/rules/idempotency.queries.ts';
import { runChore } from '../../src/operations/cron/chores.ts';
import { forgetDrains } from '../../src/operations/workers/queries.ts';
import { removeSpentBlobs } from '../../src/recycle-bin/spent-blobs.ts';
import { forgetOldTokens } from '../../src/tokens/clean-up.ts';
import { removeExhaustedJobs } from '../../src/transfers/queue/sweep.queries.ts';
import type { Executor } from '../../src/transfers/run/executor.ts';
import { removeOrphanBlobs } from '../../src/transfers/store/orphan-blobs.ts';

type Settings = Pick<Config, 'tokens.accessLifetime' | 'accounts.store' | 'accounts.tokenLifetime'>;

const YOUNG_MS = 3_600_000;

/** Hourly job: deletes expired data. A part that fails does not stop the others. */
export const cleanUpTask =
  (executor: Promise<Executor>, settings: Settings, log: Parameters<typeof openAccountStore>[2]) =>
  async (_payload: unknown, { abortSignal: signal }: { abortSignal?: AbortSignal }) => {
    const { db, blobs } = await executor;
    await runChore({ db, log, signal }, 'cleanUp', async (chore) => {
      const { attempt } = chore;
      await attempt('answers of repeated requests', () => forgetOldAnswers(db));
      await attempt('tokens of mails', () => deleteExpiredTokens(db));
      await attempt('notes of registrations', () => deleteOldRegistrationMails(db));
      await attempt('mails', () => requeueMails({ db, log }, chore));
      await attempt('spent jobs', () => removeExhaustedJobs(db));
      await attempt('drains', () => forgetDrains(db));
      await forgetOldTokens(db, settings['tokens.accessLifetime'], chore);
      await attempt('events', () => forgetEvents(db, signal));
      await attempt('spent blobs', () => removeSpentBlobs(db, blobs, chore));
      await attempt('blobs without a row', async () => {
        const { keptBecause } = await removeOrphanBlobs(db, blobs, { olderThanMs: YOUNG_MS, chore });
        if (keptBecause !== undefined) log.error({ chore: 'cleanUp' }, keptBecause);
      });
      const openStore = () => openAccountStore(settings, db, log);
      await attempt('accounts that were never activated', () =>
        removeNeverActivated(db, openStore, settings['accounts.tokenLifetime'], chore),
      );
    });
  };
