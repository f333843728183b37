import type { BlobStore } from '../../blobs/blobs.ts';
import type { Db } from '../../db.ts';
import { AppError, FormatError } from '../../errors.ts';
import type { SpanOptions, Tracing } from '../../platform/telemetry/tracing.ts';
import { CANCELLED, lastWords, PROJECT_DELETED } from '../ends/outcome.ts';
import { failRun, failUnheld, handBack } from '../ends/settle.ts';
import { wake, wakeAgain } from '../queue/wake.ts';
import { carryOut } from './carry.ts';
import type { Convert } from './conversion.ts';
import { ChildDied } from './conversion.ts';
import { perform } from './convert.ts';
import type { RemoteSources } from './input.ts';
import type { Report } from './report.ts';
import { openReport } from './report.ts';
import type { ClaimedRow, Counts } from './run.queries.ts';
import { claimTransfer, getStops, lockWaiting } from './run.queries.ts';
import type { StopReason } from './stopped.ts';
import { Stopped } from './stopped.ts';

/** What a worker process gives to its runs. */
export interface RunParts {
  db: Db;
  blobs: BlobStore;
  convert: Convert;
  sources: RemoteSources;
  log: { warn(details: object, message: string): void };
  /** Name of this process in the queue, under which it holds its liveness lock. */
  pool: string;
  /** A folder of this pool's on the blob store's file system. */
  scratch: string;
  /** What a transfer may put there that asked for no amount. */
  scratchGb: number;
  /** What a transfer may compute on that asked for no number. */
  cores: number;
  /** Milliseconds. */
  timeLimit: number;
  /** The runs of this process under way, by transfer. */
  running: Map<string, Run>;
  /** Called when a transfer has ended, so that those who wait for it look. */
  announce(id: string): void;
  tracing: Tracing;
}

export interface Run {
  /** Absent until it is claimed. */
  attempt?: number;
  stop(why: StopReason): void;
}

/** A conversion whose process died this often is not tried again. */
const MOST_CHILD_DEATHS = 2;
/** Tries against a store or machine that is out of order: with the pauses of `pauseAfter` about five minutes. */
const MOST_OUTAGES = 10;
const pauseAfter = (outages: number) => Math.min(1000 * 2 ** outages, 60_000);
/** Longer than this nobody waits because somebody else's server says so. */
const LONGEST_PAUSE_MS = 15 * 60_000;

/**
 * Runs a transfer to its end, or leaves it to others: a queue row is only a wake-up call, so nothing happens when the transfer has ended
 * or is run elsewhere. Three commits in all: submit, claim, finish. Throws only when the database cannot be reached.
 * @param flags what its queue row says that it needs, for which this worker has room
 */
export async function runTransfer(parts: RunParts, id: string, flags: readonly string[]): Promise<void> {
  if (parts.running.has(id)) return;
  const stop = new AbortController();
  const run: Run = { stop: (why) => stop.abort(new Stopped(why)) };
  parts.running.set(id, run);
  try {
    const transfer = await claimTransfer(parts.db, { id, flags }, parts.pool, parts.timeLimit);
    // what its row needs may have been told wrongly by the queue's
    if (!transfer) return await putBack(parts.db, id, flags);
    run.attempt = transfer.attempt;
    if (transfer.cancelled) run.stop('cancelled');
    if (transfer.projectDeleted) run.stop('projectDeleted');
    const report = openReport(parts.db, transfer, () => run.stop('overtaken'));
    report.log('info', `Attempt ${transfer.attempt - transfer.handedBack} started.`);
    try {
      const work = transfer.carry ? carryOut : perform;
      await parts.tracing.span('transfer', traced(parts, transfer), () => work(parts, transfer, report, stop.signal));
    } catch (error) {
      await settle(parts, transfer, report, error);
    } finally {
      await report.close();
    }
    parts.announce(id);
  } finally {
    parts.running.delete(id);
  }
}

const traced = ({ pool }: RunParts, { id, type, attempt, traceparent }: ClaimedRow): SpanOptions => ({
  kind: 'consumer',
  parent: traceparent,
  attributes: {
    'platform.transfer.id': id,
    'platform.transfer.type': type,
    'platform.transfer.attempt': attempt,
    'platform.worker': pool,
  },
});

/**
 * Leaves a transfer that this worker has no room for to others, with no attempt used up and at its turn. What it needs stands in its new
 * queue row again, so that nobody who has it not takes that one. What is not to be tried any more ends here.
 * @param unless with these needs it is left as it is
 */
export const putBack = (db: Db, id: string, unless?: readonly string[]): Promise<void> =>
  db.transaction(async (tx) => {
    const waiting = await lockWaiting(tx, id, unless);
    if (!waiting) return;
    const sentence = lastWords(waiting);
    if (sentence !== undefined) await failUnheld(tx, waiting, sentence);
    else await (waiting.attempt > 0 ? wakeAgain(tx, [waiting]) : wake(tx, [waiting]));
  });

/** Tells hopeless (end with the sentence) from outage (try again later) from overtaken (be silent). */
async function settle(parts: RunParts, transfer: ClaimedRow, report: Report, error: unknown) {
  const { db, log } = parts;
  const lines = await report.close();
  const fail = (sentence: string) => failRun(db, transfer, sentence, lines);
  const again = (sentence: string, counts: Counts, delay?: number) => {
    const told = { time: new Date().toISOString(), level: 'warning', message: sentence } as const;
    return handBack(db, transfer, counts, [...lines, told], delay);
  };

  if (error instanceof Stopped) {
    // The commit tells one reason from the other only afterwards: a run that was really overtaken can write no sentence either.
    const stops = error.why === 'overtaken' ? await getStops(db, transfer.id) : undefined;
    if (error.why === 'shutdown')
      await again('The worker was stopped; the transfer waits for another one.', { handedBack: 1 });
    else if (error.why === 'cancelled' || stops?.cancelled) await fail(CANCELLED);
    else if (error.why === 'projectDeleted' || stops?.projectDeleted) await fail(PROJECT_DELETED);
  } else if (isHopeless(error)) await fail(error.message);
  else if (error instanceof ChildDied) {
    log.warn({ transferId: transfer.id, err: error }, 'a conversion process died');
    if (transfer.childDeaths + 1 < MOST_CHILD_DEATHS)
      await again('The conversion broke off; it is tried again.', { childDeaths: 1 });
    else await fail(`The conversion broke off ${MOST_CHILD_DEATHS} times without a reason that it could name.`);
  } else {
    log.warn({ transferId: transfer.id, err: error }, 'a transfer could not be run');
    // only a refusal tells something that its reader may know
    const known = error instanceof AppError ? error : undefined;
    const asked = Math.min((known?.details.retryAfter ?? 0) * 1000, LONGEST_PAUSE_MS);
    const pause = Math.max(pauseAfter(transfer.outages), asked);
    if (transfer.outages + 1 < MOST_OUTAGES)
      await again(
        `${known?.message ?? 'The platform was out of order.'} The transfer is tried again.`,
        { outages: 1 },
        pause,
      );
    else if (known) await fail(`${known.message} It was tried ${MOST_OUTAGES} times.`);
    else await fail(`The platform could not run this transfer; it tried ${MOST_OUTAGES} times.`);
  }
}

const isHopeless = (error: unknown): error is Error =>
  error instanceof FormatError ||
  (error instanceof AppError && error.kind !== 'unavailable' && error.kind !== 'tooManyRequests');
