import { by, record } from '../../audit.ts';
import type { Db } from '../../db.ts';
import { troubleOf } from '../../db.ts';
import { AppError, conflict, notFound } from '../../errors.ts';
import type { Caller } from '../../http/caller.ts';
import { isFailure } from './failures.queries.ts';
import type { Due, NewMassRetry } from './mass-retry.queries.ts';
import {
  anyDue,
  endMassRetry,
  findMassRetry,
  findNext,
  findRunning,
  findSameFailure,
  insertMassRetry,
  lockDue,
  noteStep,
} from './mass-retry.queries.ts';
import { retryAsStarter } from './retry.ts';

/** Orders that all failures of one kind are tried again, at a pace. One order at a time for each kind. */
export async function startMassRetry(db: Db, caller: Caller, wish: NewMassRetry) {
  return db.transaction(async (tx) => {
    if (!(await isFailure(tx, wish.fingerprint))) throw notFound('Failure', wish.fingerprint);
    const id = await insertMassRetry(tx, wish, caller);
    if (!id) {
      const other = await findRunning(tx, wish.fingerprint);
      throw conflict(`Failures '${wish.fingerprint}' are being tried again already, by order '${other}'.`, {
        code: 'RetryRunning',
      });
    }
    await record(tx, {
      action: 'job.retry',
      ...by(caller),
      subject: wish.fingerprint,
      details: { retryId: id, ...wish },
    });
    return getMassRetry(tx, id);
  });
}

/** Starts no more; what was started goes on. */
export async function stopMassRetry(db: Db, caller: Caller, id: string) {
  return db.transaction(async (tx) => {
    const order = await getMassRetry(tx, id);
    if (!(await endMassRetry(tx, id, 'Stopped', `${caller.accountId} stopped it.`)))
      throw conflict(`Retry '${id}' has ended: it is ${order.state}.`, { code: 'RetryEnded' });
    await record(tx, { action: 'job.retry.stop', ...by(caller), subject: order.fingerprint, details: { retryId: id } });
    return getMassRetry(tx, id);
  });
}

export async function getMassRetry(db: Db, id: string) {
  const order = await findMassRetry(db, id);
  if (!order) throw notFound('Retry', id);
  return order;
}

const MOST_MS = 800;

/**
 * Takes the steps of orders that are due, for less than a second; every live worker calls it every second or so. Each step is one
 * transaction which holds its order, so that a crash repeats none and two workers never take the same.
 */
export async function followMassRetries(db: Db, scopes: readonly string[]): Promise<void> {
  const until = performance.now() + MOST_MS;
  while (performance.now() < until && (await anyDue(db))) {
    const went = await db.transaction(async (tx) => {
      const order = await lockDue(tx);
      if (order) await step(tx, order, scopes);
      return order !== null;
    });
    if (!went) return;
  }
}

async function step(tx: Db, order: Due, scopes: readonly string[]): Promise<void> {
  const again = order.stopOnFail ? await findSameFailure(tx, order) : undefined;
  if (again) {
    await endMassRetry(tx, order.id, 'Stopped', `Transfer '${again}' failed in the same way.`);
    return;
  }
  const next = order.left ? await findNext(tx, order.id) : undefined;
  if (!next) {
    await endMassRetry(tx, order.id, 'Done');
    return;
  }
  try {
    // within a savepoint: a refusal takes back what was done for this one alone
    const context = { scopes, address: '', requestId: order.requestId };
    const started = await tx.transaction((inner) => retryAsStarter(inner, next, context));
    await noteStep(tx, order.id, next, { startedId: started.id });
  } catch (error) {
    const trouble = troubleOf(error);
    if (trouble === 'outage' || trouble === 'again') throw error;
    // noted whatever it is, or it would be next again for ever, and hold up every other order
    const refusal =
      error instanceof AppError ? error.message : `Transfer '${next}' cannot be started again: ${nameOf(error)}.`;
    await noteStep(tx, order.id, next, { refusal });
  }
}

/** Its sentence may hold what stands in rows. */
const nameOf = (error: unknown) => (error instanceof Error ? error.name : 'Error');
