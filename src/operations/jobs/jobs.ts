import { audit, by } from '../../audit.ts';
import type { Database, Reads, Transaction } from '../../db.ts';
import { conflict, notFound } from '../../errors.ts';
import type { Caller } from '../../http/caller.ts';
import { isUuid } from '../../platform/text/uuid.ts';
import { endTransfer } from '../../transfers/ends/cancel.ts';
import type { StartRules } from '../../transfers/starts/rules.ts';
import { type DryRun, inDryRunTransaction } from '../../transfers/starts/start.ts';
import { explainWaiting, type Why } from '../../transfers/views/why.ts';
import { retryAsStarter } from '../retries/retry.ts';
import {
  findOtherJob,
  findQueueRow,
  findTransferJob,
  type JobDetail,
  listLogTail,
  removeJob,
  restartJob,
} from './queries.ts';

const LOG_LINES = 20;
const NUMBER = /^\d{1,18}$/;

/** All details of a job. Throws `notFound`. */
export async function showJob(db: Reads, id: string): Promise<JobDetail> {
  if (isUuid(id)) {
    const transfer = await findTransferJob(db, id);
    if (!transfer) throw notFound('Job', id);
    const queue = await findQueueRow(db, { key: id });
    return { ...transfer, ...(queue ? { queue } : {}), log: [...(await listLogTail(db, id, LOG_LINES))] };
  }
  const other = await getOtherJob(db, id);
  const queue = await findQueueRow(db, { id });
  return { ...other, ...(queue ? { queue } : {}), log: [] };
}

async function getOtherJob(db: Reads, id: string) {
  const found = NUMBER.test(id) ? await findOtherJob(db, id) : undefined;
  if (!found) throw notFound('Job', id);
  return found;
}

/** Explains why a transfer of any tenant has not started, including transfers ahead of it. */
export async function whyJob(db: Reads, id: string): Promise<Why> {
  if (!isUuid(id) || !(await findTransferJob(db, id))) throw notFound('Transfer', id);
  return explainWaiting(db, id, async (ids) => ids);
}

/** Cancels a transfer of any tenant, or removes another job that is not running from the queue. */
export async function cancelJob(db: Database, caller: Caller, id: string): Promise<void> {
  await db.transaction(async (tx) => {
    if (isUuid(id)) {
      const transfer = await findTransferJob(tx, id);
      if (!transfer) throw notFound('Job', id);
      await endTransfer(tx, id, caller.userId);
      await recordAction(tx, caller, 'job.cancel', transfer);
      return;
    }
    const job = await getOtherJob(tx, id);
    if (!(await removeJob(tx, id)))
      throw conflict(`Job '${id}' (${job.task}) is running and cannot be cancelled. Wait for its end.`, {
        code: 'JobRunning',
      });
    await recordAction(tx, caller, 'job.cancel', job);
  });
}

/**
 * Retries a failed transfer as its starter, or lets another job that is out of attempts or delayed run now. Returns the
 * id of the new transfer or the job. A dry run only checks it, and tells what the starter's tenant would pay.
 */
export const retryJob = (
  db: Database,
  rules: StartRules,
  caller: Caller,
  id: string,
  { scopes, dryRun }: { scopes: readonly string[]; dryRun: boolean },
): Promise<{ id: string } | DryRun> =>
  isUuid(id)
    ? inDryRunTransaction({ db }, dryRun, (tx) => writeTransferRetry(tx, rules, caller, id, scopes))
    : db.transaction((tx) => restartOtherJob(tx, caller, id, dryRun));

async function writeTransferRetry(
  tx: Transaction,
  rules: StartRules,
  caller: Caller,
  id: string,
  scopes: readonly string[],
) {
  const transfer = await findTransferJob(tx, id);
  if (!transfer) throw notFound('Job', id);
  const { address, requestId } = caller;
  const written = await retryAsStarter(tx, rules, id, { scopes, address, requestId });
  await recordAction(tx, caller, 'job.retry', transfer, { startedId: written.summary.id });
  return written;
}

async function restartOtherJob(
  tx: Transaction,
  caller: Caller,
  id: string,
  dryRun: boolean,
): Promise<{ id: string } | DryRun> {
  const job = await getOtherJob(tx, id);
  if (dryRun ? job.state === 'running' : !(await restartJob(tx, id)))
    throw conflict(`Job '${id}' (${job.task}) is running already.`, { code: 'JobRunning' });
  if (dryRun) return { valid: true, warnings: [] };
  await recordAction(tx, caller, 'job.retry', job);
  return { id };
}

const recordAction = (
  tx: Transaction,
  caller: Caller,
  action: 'job.cancel' | 'job.retry',
  { id, task, tenantId }: { id: string; task: string; tenantId?: string | undefined },
  more: Record<string, unknown> = {},
) =>
  audit(tx, {
    action,
    ...by(caller),
    subject: id,
    ...(tenantId === undefined ? {} : { tenantId }),
    details: { task, ...more },
  });
