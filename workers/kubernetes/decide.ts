import type { HandedOver } from '../../src/transfers/cluster/cluster-jobs.queries.ts';
import type { EventView, JobView, PodView } from './cluster-view.ts';
import { jobName } from './job.ts';
import { exitWords, lastingFailure, waitingWords } from './waiting-words.ts';

/** What the cluster shows of a Job that was handed over. */
export interface Sight {
  job: JobView | undefined;
  pod: PodView | undefined;
  /** Whether the kubelet of the pod's node answers. Undefined: not known. */
  nodeReady: boolean | undefined;
  events: { job?: EventView | undefined; pod?: EventView | undefined; claim?: EventView | undefined };
  /** Why this may be out of date, in a sentence. Then the Job may exist although it is not seen. */
  trouble: string | undefined;
  /** The Job was made with other settings than the present ones. */
  outdated: boolean;
  /** How long, in ms, the pod's node has been silent, or the pod has been told to go. 0: neither. */
  lostMs: number;
  /** How long, in ms, the transfer has waited again after a claim. */
  releasedMs: number;
}

/** What to do with a transfer that was handed over. */
export type Decision =
  | { kind: 'wait'; reason?: string | undefined; unscheduled?: string | undefined }
  /** Its Job was suspended while it ran, and will run it again. */
  | { kind: 'keep' }
  /** The Job is used up or lost: it goes, and the transfer may be handed over again. */
  | {
      kind: 'withdraw';
      oom?: boolean;
      failed?: boolean;
      /** Other pods would end in the same way, until something is changed. */
      isLasting?: boolean;
      delayMs?: number;
      reason?: string | undefined;
      line?: string | undefined;
    }
  /** Its worker is frozen: its lock ends. */
  | { kind: 'endWorker'; pool: string }
  /** The transfer has ended, the Job has not. */
  | { kind: 'delete' }
  /** Transfer and Job have ended. */
  | { kind: 'forget' };

/** A node may be silent, and a pod take to hand its transfer back, for this time. */
const LOST_MS = 10_000;
/** How long the end of a pod may take to be seen after its transfer was handed back. */
const END_SEEN_MS = 5000;
/** How long a Job may take to be seen after it was made. */
const SEEN_MS = 5000;
/** How long a pod may take to end after its transfer. */
const PATIENCE_MS = 30_000;
const FIRST_PAUSE_MS = 2000;
const MAX_PAUSE_MS = 60_000;
/** A Job of former settings gets this time to start. */
const OUTDATED_MS = 30_000;

/** Milliseconds before the next Job, after this many that ended before the claim. */
export const pauseAfter = (failures: number) =>
  failures === 0 ? 0 : Math.min(FIRST_PAUSE_MS * 2 ** (failures - 1), MAX_PAUSE_MS);

/** Decides by Postgres' view of the transfer, and by what the cluster shows of its Job. */
export function decide(row: HandedOver, sight: Sight): Decision {
  const { status, transferId } = row;
  if (status === 'Completed' || status === 'Error') return afterEnd(row, sight);
  if (row.ageMs === undefined) return { kind: 'wait', reason: row.reason };
  if (status === 'InProgress') {
    const isHere = row.host?.startsWith(`${jobName(transferId, row.number)}-`) ?? false;
    if (isHere && row.pool !== undefined && sight.lostMs >= LOST_MS) return { kind: 'endWorker', pool: row.pool };
    // the Job may be needed no more, but the row decides that, and a later claim cannot be that of its pod
    return isHere || row.host === undefined ? { kind: 'wait' } : { kind: 'withdraw' };
  }
  return row.claimed ? afterRelease(sight) : beforeClaim(row, row.ageMs, sight);
}

/** Decides on a transfer whose Job is in another cluster, which no dispatcher serves any more. */
export function decideUnserved({ status, cluster }: HandedOver): Decision {
  if (status === 'Completed' || status === 'Error') return { kind: 'forget' };
  if (status === 'InProgress') return { kind: 'wait' };
  const line = `No dispatcher serves ${cluster} any more, where its Job is. Another cluster gets the transfer.`;
  return { kind: 'withdraw', line };
}

function afterEnd({ cancelled, endedMs = 0 }: HandedOver, { job, pod }: Sight): Decision {
  if (job === undefined || job.ended || job.deleting) return { kind: 'forget' };
  const hasStarted = pod !== undefined && pod.node !== undefined && pod.waiting === undefined;
  return cancelled || !hasStarted || endedMs > PATIENCE_MS ? { kind: 'delete' } : { kind: 'wait' };
}

/** The pod has run an attempt and runs no other; only how it ended may still be unknown. */
function afterRelease({ job, pod, lostMs, releasedMs }: Sight): Decision {
  if (job?.suspended && !job.ended && !job.deleting) return { kind: 'keep' };
  if (pod?.exit !== undefined) {
    const { reason, code } = pod.exit;
    const isUsual = code === 0 || code === 6;
    return { kind: 'withdraw', oom: reason === 'OOMKilled', ...(isUsual ? {} : { line: exitWords(pod.exit) }) };
  }
  const isGone = pod === undefined || job === undefined || job.ended || job.deleting || pod.deleting;
  return isGone || lostMs > 0 || releasedMs > END_SEEN_MS ? { kind: 'withdraw' } : { kind: 'wait' };
}

function beforeClaim(row: HandedOver, ageMs: number, sight: Sight): Decision {
  const { job, pod, events, trouble, lostMs } = sight;
  // its pods go when it is suspended
  if (job?.suspended && !job.ended && !job.deleting)
    return { kind: 'wait', reason: waitingWords(job, pod, events)?.text };
  if (pod?.exit !== undefined) return afterFailure(row, pod.exit);
  if (job === undefined) {
    if (trouble !== undefined) return { kind: 'wait', reason: trouble };
    return ageMs > SEEN_MS ? { kind: 'withdraw' } : { kind: 'wait' };
  }
  if (job.ended) return afterFailure(row, { code: undefined, reason: '', message: job.failure ?? '' });
  if (job.deleting || pod?.deleting) return { kind: 'withdraw' };
  if (lostMs >= LOST_MS) return { kind: 'withdraw', line: `The node ${pod?.node} of its pod in Kubernetes was lost.` };
  const words = waitingWords(job, pod, events);
  if (words !== undefined && sight.outdated && ageMs > OUTDATED_MS) return { kind: 'withdraw' };
  return words?.isRoom ? { kind: 'wait', unscheduled: words.text } : { kind: 'wait', reason: words?.text ?? trouble };
}

function afterFailure({ failures }: HandedOver, exit: NonNullable<PodView['exit']>): Decision {
  if (exit.reason === 'OOMKilled') return { kind: 'withdraw', oom: true, failed: true, line: exitWords(exit) };
  const lasting = lastingFailure(exit);
  if (lasting !== undefined) return { kind: 'withdraw', failed: true, isLasting: true, reason: lasting, line: lasting };
  // after 7, whoever ran it has handed it back since; a pod that uses another database may end with 7 or 0 for ever
  const line = exitWords(exit);
  const reason = failures > 0 ? line : undefined;
  return { kind: 'withdraw', failed: true, delayMs: pauseAfter(failures), reason, line };
}
