import { audit, by } from '../../audit.ts';
import type { Database, Reads, Transaction } from '../../db.ts';
import { AppError, conflict, notFound } from '../../errors.ts';
import type { Caller } from '../../http/caller.ts';
import { databaseErrorKind } from '../../platform/sql/error-kind.ts';
import type { StartRules } from '../../transfers/starts/rules.ts';
import { isFailure } from './failures.queries.ts';
import {
  type Due,
  endMassRetry,
  findMassRetry,
  findNext,
  findRepeatedFailure,
  findRunning,
  insertMassRetry,
  isAnyDue,
  lockDue,
  type NewMassRetry,
  recordStep,
} from './mass-retry.queries.ts';
import { retryAsStarter } from './retry.ts';

/**
 * Starts a mass retry: retries all failed transfers with one fingerprint, at a limited rate. One at a time for each
 * fingerprint.
 */
export async function startMassRetry(db: Database, caller: Caller, request: NewMassRetry) {
  return db.transaction(async (tx) => {
    if (!(await isFailure(tx, request.fingerprint))) throw notFound('Failure', request.fingerprint);
    const id = await insertMassRetry(tx, request, caller);
    if (!id) {
      const other = await findRunning(tx, request.fingerprint);
      throw conflict(
        `Failures '${request.fingerprint}' are being retried already, by '${other}'. Stop it first, or wait.`,
        {
          code: 'RetryRunning',
        },
      );
    }
    await audit(tx, {
      action: 'job.retry',
      ...by(caller),
      subject: request.fingerprint,
      details: { retryId: id, ...request },
    });
    return getMassRetry(tx, id);
  });
}

/** Stops a mass retry. Transfers that it has started continue. */
export async function stopMassRetry(db: Database, caller: Caller, id: string) {
  return db.transaction(async (tx) => {
    const order = await getMassRetry(tx, id);
    if (!(await endMassRetry(tx, id, 'Stopped', `Stopped by ${caller.accountId}.`)))
      throw conflict(`Retry '${id}' has already ended (${order.state}).`, { code: 'RetryEnded' });
    await audit(tx, { action: 'job.retry.stop', ...by(caller), subject: order.fingerprint, details: { retryId: id } });
    return getMassRetry(tx, id);
  });
}

export async function getMassRetry(db: Reads, id: string) {
  const order = await findMassRetry(db, id);
  if (!order) throw notFound('Retry', id);
  return order;
}

const TIME_BUDGET_MS = 800;

/**
 * Performs due steps of mass retries, for less than a second. Every worker calls it about once a second. Each step is
 * one transaction with a lock on its mass retry, so that no step is repeated after a crash or taken by two workers.
 */
export async function followMassRetries(db: Database, rules: StartRules, scopes: readonly string[]): Promise<void> {
  const until = performance.now() + TIME_BUDGET_MS;
  while (performance.now() < until && (await isAnyDue(db))) {
    const stepped = await db.transaction(async (tx) => {
      const order = await lockDue(tx);
      if (order) await step(tx, rules, order, scopes);
      return order !== null;
    });
    if (!stepped) return;
  }
}

async function step(tx: Transaction, rules: StartRules, order: Due, scopes: readonly string[]): Promise<void> {
  const repeated = order.stopOnFail ? await findRepeatedFailure(tx, order) : undefined;
  if (repeated) {
    await endMassRetry(tx, order.id, 'Stopped', `Transfer '${repeated}' failed in the same way.`);
    return;
  }
  const next = order.left ? await findNext(tx, order.id) : undefined;
  if (!next) {
    await endMassRetry(tx, order.id, 'Done');
    return;
  }
  try {
    // a savepoint: an error rolls back only this transfer
    const context = { scopes, address: '', requestId: order.requestId };
    const { summary } = await tx.transaction((inner) => retryAsStarter(inner, rules, next, context));
    await recordStep(tx, order.id, next, { startedId: summary.id });
  } catch (error) {
    const trouble = databaseErrorKind(error);
    if (trouble === 'outage' || trouble === 'again') throw error;
    // every other error is recorded; otherwise the same transfer would fail at each step and block all mass retries
    const refusal =
      error instanceof AppError ? error.message : `Transfer '${next}' cannot be retried: ${errorName(error)}.`;
    await recordStep(tx, order.id, next, { refusal });
  }
}

/** Only the name of an unexpected error, because its message may contain data of rows. */
const errorName = (error: unknown) => (error instanceof Error ? error.name : 'Error');
