import { ConversionError, FormatError } from 'hydrofiles/errors';
import type { Database, Reads } from '../../db.ts';
import { AppError } from '../../errors.ts';
import type { SpanOptions } from '../../platform/telemetry/tracing.ts';
import { CANCELLED, decideEnding, type Ending, failed, type HandedBack, PROJECT_DELETED } from '../ends/outcome.ts';
import { type Settled, settle } from '../ends/settle.ts';
import { enqueueFirst, enqueueTransfers } from '../queue/enqueue.ts';
import { ChildDied } from './conversion.ts';
import { runConversion } from './convert.ts';
import type { Executor, Run } from './executor.ts';
import { runMoveOrCopy } from './move-or-copy.ts';
import { Report } from './report.ts';
import { type ClaimedRow, claimTransfer, getStops, lockWaiting, removeQueueRow } from './run.queries.ts';
import { Stopped } from './stopped.ts';

/** A transfer for which this process has capacity. */
export interface Job {
  id: string;
  /** The resource request that the capacity was taken for. */
  flags: readonly string[];
  /** Set if this process has not taken the queue row: then the claim removes it. */
  unqueue?: boolean;
}

/**
 * Outcome of `perform`. `notClaimed`: the transfer has ended, runs elsewhere, or has another resource request.
 * `takenOver`: another process took the transfer over, and settles it.
 */
export type Performed = Settled['kind'] | 'notClaimed' | 'takenOver';

/** A transfer whose conversion process died this often is not tried again. */
const MAX_CHILD_DEATHS = 2;
/**
 * Maximum number of attempts against a store or machine that is out of order: about five minutes with the pauses of
 * `pauseAfter`.
 */
const MAX_OUTAGES = 10;
const pauseAfter = (outages: number) => Math.min(1000 * 2 ** outages, 60_000);
/** Maximum pause that a remote server may request with `Retry-After`. */
const MAX_PAUSE_MS = 15 * 60_000;

/**
 * Claims a transfer, runs one attempt, and settles it. The transfer's row decides; a queue row only triggers the run.
 * So it may be called for any id at any time. Three commits in all: submit, claim, settle. Throws only if the database
 * cannot be reached.
 */
export async function perform(executor: Executor, job: Job): Promise<Performed> {
  const { db, running } = executor;
  const { id, flags } = job;
  if (running.has(id)) return 'notClaimed';
  const stop = new AbortController();
  const run: Run = { stop: (why) => stop.abort(new Stopped(why)) };
  running.set(id, run);
  try {
    const transfer = await claim(executor, job);
    if (!transfer) {
      // its queue row may have had an old resource request
      await putBack(db, id, flags);
      return 'notClaimed';
    }
    run.attempt = transfer.attempt;
    if (transfer.cancelled) run.stop('cancelled');
    if (transfer.projectDeleted) run.stop('projectDeleted');
    const performed = await runAttempt(executor, transfer, run, stop.signal);
    executor.announce(id);
    return performed;
  } finally {
    running.delete(id);
  }
}

function claim({ db, pool, timeLimit }: Executor, { id, flags, unqueue = false }: Job): Promise<ClaimedRow | null> {
  return db.transaction(async (tx) => {
    const transfer = await claimTransfer(tx, { id, flags }, pool, timeLimit);
    if (transfer && unqueue) await removeQueueRow(tx, id);
    return transfer;
  });
}

async function runAttempt(executor: Executor, transfer: ClaimedRow, run: Run, signal: AbortSignal): Promise<Performed> {
  const { db, tracing } = executor;
  const report = new Report(db, transfer, () => run.stop('takenOver'));
  report.log('info', `Attempt ${transfer.attempt - transfer.handedBack} started.`);
  const work = transfer.carry ? runMoveOrCopy : runConversion;
  try {
    await tracing.span('transfer', spanOptions(executor, transfer), () => work(executor, transfer, report, signal));
    return 'completed';
  } catch (error) {
    const lines = await report.close();
    const outcome = await toOutcome(executor, transfer, error);
    if (outcome === undefined) return 'takenOver';
    try {
      const [settled] = await db.transaction((tx) => settle(tx, { attempt: transfer, outcome, lines }));
      return settled?.kind ?? 'takenOver';
    } catch (failure) {
      executor.unwritten.set(transfer.id, { attempt: transfer.attempt, outcome, lines });
      throw failure;
    }
  } finally {
    await report.close();
  }
}

const spanOptions = ({ pool }: Executor, { id, type, attempt, traceparent }: ClaimedRow): SpanOptions => ({
  kind: 'consumer',
  parent: traceparent,
  attributes: {
    'platform.transfer.id': id,
    'platform.transfer.type': type,
    'platform.transfer.attempt': attempt,
    'platform.worker': pool,
  },
});

/** The outcome of an attempt that threw. Undefined: another process took the transfer over, so nothing is written. */
async function toOutcome(
  executor: Executor,
  transfer: ClaimedRow,
  error: unknown,
): Promise<Ending | HandedBack | undefined> {
  if (error instanceof Stopped) return stoppedOutcome(executor.db, transfer, error);
  if (isPermanent(error)) return failed(error.message);
  if (error instanceof ChildDied) {
    executor.log.warn({ transferId: transfer.id, err: error }, 'a conversion process died');
    return diedOutcome(transfer);
  }
  executor.log.warn({ transferId: transfer.id, err: error }, 'a transfer could not be run');
  return outageOutcome(transfer, error);
}

async function stoppedOutcome(
  db: Reads,
  { id }: ClaimedRow,
  { why }: Stopped,
): Promise<Ending | HandedBack | undefined> {
  if (why === 'shutdown') {
    const sentence = 'The worker was stopped; the transfer waits for another one.';
    return { kind: 'handedBack', sentence, counts: { handedBack: 1 } };
  }
  // a refused commit may mean a cancel or a takeover; after a takeover the settlement changes nothing
  const stops = why === 'takenOver' ? await getStops(db, id) : undefined;
  if (why === 'cancelled' || stops?.cancelled) return CANCELLED;
  if (why === 'projectDeleted' || stops?.projectDeleted) return PROJECT_DELETED;
  return undefined;
}

function diedOutcome({ childDeaths }: ClaimedRow): Ending | HandedBack {
  if (childDeaths + 1 >= MAX_CHILD_DEATHS)
    return failed(`The conversion broke off ${MAX_CHILD_DEATHS} times without a reason that it could name.`);
  const sentence = 'The conversion broke off; it is tried again.';
  return { kind: 'handedBack', sentence, counts: { childDeaths: 1 } };
}

function outageOutcome({ outages }: ClaimedRow, error: unknown): Ending | HandedBack {
  // only messages of `AppError` are meant for users
  const known = error instanceof AppError ? error : undefined;
  if (outages + 1 >= MAX_OUTAGES)
    return failed(
      known
        ? `${known.message} It was tried ${MAX_OUTAGES} times.`
        : `The platform could not run this transfer; it tried ${MAX_OUTAGES} times.`,
    );
  const sentence = `${known?.message ?? 'The platform was out of order.'} The transfer is tried again.`;
  const askedPause = Math.min((known?.details.retryAfter ?? 0) * 1000, MAX_PAUSE_MS);
  const delay = Math.max(pauseAfter(outages), askedPause);
  return { kind: 'handedBack', sentence, counts: { outages: 1 }, delay };
}

/** A bad file or a bad parameter: retrying cannot help. */
const isPermanent = (error: unknown): error is Error =>
  error instanceof FormatError ||
  error instanceof ConversionError ||
  (error instanceof AppError && error.kind !== 'unavailable' && error.kind !== 'tooManyRequests');

/**
 * Leaves a waiting transfer to other workers, at its virtual time and without counting an attempt. Its new queue row
 * has the resource request of its transfer row, so that no worker without that capacity takes it. Ends a transfer that
 * has no attempts left.
 * @param unless a transfer with this resource request stays as it is
 */
export const putBack = (db: Database, id: string, unless?: readonly string[]): Promise<void> =>
  db.transaction(async (tx) => {
    const waiting = await lockWaiting(tx, id, unless);
    if (!waiting) return;
    const ending = decideEnding(waiting);
    if (ending !== undefined) await settle(tx, { unheld: waiting, outcome: ending });
    else await (waiting.attempt > 0 ? enqueueFirst(tx, [waiting]) : enqueueTransfers(tx, [waiting]));
  });
