import { deleteExpiredTokens, deleteOldRegistrationMails } from '../../src/accounts/mail.queries.ts';
import { removeNeverActivated } from '../../src/accounts/never-activated.ts';
import { openAccountStore } from '../../src/accounts/open-store.ts';
import { requeueMails } from '../../src/accounts/send-mail.ts';
import type { Config } from '../../src/config.ts';
import { forgetEvents } from '../../src/events/forget.ts';
import { forgetOldAnswers } from '../../src/http/rules/idempotency.queries.ts';
import { runMaintenance } from '../../src/operations/cron/maintenance-task.ts';
import { forgetDrains } from '../../src/operations/workers/queries.ts';
import { forgetPreviews } from '../../src/preview/clean-up.ts';
import { deleteOldInvitations } from '../../src/projects/invitations/queries.ts';
import { removeSpentBlobs } from '../../src/recycle-bin/blob-deletions.ts';
import { forgetShares } from '../../src/shares/clean-up.ts';
import { forgetOldTokens } from '../../src/tokens/clean-up.ts';
import { removeExhaustedJobs } from '../../src/transfers/queue/sweep.queries.ts';
import type { Executor } from '../../src/transfers/run/executor.ts';
import { removeOrphanBlobs } from '../../src/transfers/store/orphan-blobs.ts';
import { forgetOldTransfers } from '../../src/transfers/store/retention.ts';

type Settings = Pick<
  Config,
  | 'tokens.accessLifetime'
  | 'accounts.store'
  | 'accounts.tokenLifetime'
  | 'data'
  | 'preview.keep'
  | 'preview.maxSize'
  | 'events.retention'
  | 'transfers.retention'
  | 'transfers.logRetention'
>;

/** Hourly job: deletes expired data. A part that fails does not stop the others. */
export const cleanUpTask =
  (executor: Promise<Executor>, settings: Settings, log: Parameters<typeof openAccountStore>[2]) =>
  async (_payload: unknown, { abortSignal: signal }: { abortSignal?: AbortSignal }) => {
    const { db, blobs } = await executor;
    await runMaintenance({ db, log, signal }, 'cleanUp', async (run) => {
      const { attempt } = run;
      await attempt('answers of repeated requests', async () => {
        while (!(await db.transaction(forgetOldAnswers)).isLast) signal?.throwIfAborted();
      });
      await attempt('tokens of mails', () => db.transaction(deleteExpiredTokens));
      await attempt('notes of registrations', () => db.transaction(deleteOldRegistrationMails));
      await attempt('mails', () => requeueMails({ db, log }, run));
      await attempt('old invitations', () => db.transaction(deleteOldInvitations));
      await attempt('spent jobs', () => db.transaction(removeExhaustedJobs));
      await attempt('drains', () => db.transaction(forgetDrains));
      await forgetOldTokens(db, settings['tokens.accessLifetime'], run);
      await forgetShares(db, run);
      await attempt('events', () => forgetEvents(db, settings['events.retention'], signal));
      await forgetOldTransfers(db, settings, run);
      await forgetPreviews(db, settings, run);
      await attempt('spent blobs', () => removeSpentBlobs(db, blobs, run));
      await attempt('blobs without a row', async () => {
        const { keptBecause } = await removeOrphanBlobs(db, blobs, { run });
        if (keptBecause !== undefined) log.error({ chore: 'cleanUp' }, keptBecause);
      });
      const openStore = () => openAccountStore(settings, db, log);
      await attempt('accounts that were never activated', () =>
        removeNeverActivated(db, openStore, settings['accounts.tokenLifetime'], run),
      );
    });
  };
