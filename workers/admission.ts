import { setTimeout as sleep } from 'node:timers/promises';
import { SHORT_JOB } from '../src/jobs.ts';
import { TRANSFER } from '../src/transfers/queue/requirements.ts';
import type { Allocation, Allocator } from './allocator.ts';

/** State of the queue, which a worker reads from the database every second. */
export interface QueueSnapshot {
  /** The distinct flags of waiting transfers. */
  waiting: readonly (readonly string[])[];
  /** The transfer that this worker keeps its resources free for; it starts no others. */
  holdsFor?: { id: string; flags: readonly string[] } | undefined;
  /** The worker takes no more transfers. */
  draining: boolean;
}

/**
 * Admission control: decides which jobs a free slot may fetch from the queue. Whether a transfer fits into the free
 * memory, cores and scratch space is decided by `unmetRequirements` of `src/transfers/queue/requirements.ts`.
 */
export interface Admission {
  /**
   * Flags of jobs that a slot must skip; null: none. Waits while the slot could take no job at all. Asked before each
   * poll of the queue.
   */
  forbiddenFlags(): string[] | null | Promise<string[] | null>;
  /** Reports the end of a poll. */
  polled(milliseconds: number, found: boolean): void;
  /**
   * Allocates resources for a transfer that a slot has fetched. Undefined: not enough is free, and its flags are
   * forbidden for a while.
   */
  admit(id: string, flags: readonly string[]): Allocation | undefined;
  /** Counts a running short job until the returned function is called. */
  startShortJob(): () => void;
  update(snapshot: QueueSnapshot): void;
  /** At shutdown: wakes all waiting slots. */
  close(): void;
}

export interface AdmissionOptions {
  allocator: Allocator;
  /**
   * Whether a short job is due. Asked while there is no capacity for transfers, so that a full worker still runs short
   * jobs.
   */
  shortJobsWait(): Promise<boolean>;
  /** Makes this number of slots that wait for a notification poll again. */
  nudge(count: number): void;
}

/** Slots besides those of transfers, so that a short job never waits for a transfer to end. */
export const SHORT_JOB_SLOTS = 2;
const POLL_FOR_SHORT_JOBS_EVERY_MS = 1000;
/**
 * A poll that skips many rows is expensive for the database: after a slow poll without a job, pause for this many times
 * its duration.
 */
const PAUSE_FACTOR = 4;
const SLOW_MS = 10;
/** How long flags stay forbidden after a refused allocation; by then a snapshot has them. */
const REFUSAL_MS = 5000;

export function openAdmission({ allocator, shortJobsWait, nudge }: AdmissionOptions): Admission {
  /** Undefined before the first update. */
  let snapshot: QueueSnapshot | undefined;
  const refused = new Map<string, { flags: readonly string[]; until: number }>();
  /** Slots that poll the queue now. */
  let polling = 0;
  let shortJobs = 0;
  let pausedUntil = 0;
  let closed = false;
  /** One of the waiting slots has a timer. */
  let hasTimer = false;
  let nextShortJobPoll = 0;
  let changed = Promise.withResolvers<void>();

  function wakeSlots() {
    changed.resolve();
    changed = Promise.withResolvers();
  }

  /** Known combinations of flags of waiting transfers. */
  function* waitingFlags() {
    yield* snapshot?.waiting ?? [];
    const now = performance.now();
    for (const [key, { flags, until }] of refused) {
      if (until > now) yield flags;
      else refused.delete(key);
    }
  }

  function hasCapacity(): boolean {
    if (snapshot === undefined) return false;
    const { holdsFor, draining } = snapshot;
    if (draining || allocator.running + polling >= allocator.capacity.concurrency) return false;
    if (holdsFor) return polling === 0 && allocator.unmet(holdsFor.flags).length === 0;
    return allocator.unmet([]).length === 0;
  }

  /**
   * As few flags as possible, because the poll checks each of them at every row: one unmet flag per combination is
   * enough.
   */
  function unmetFlags(): string[] {
    const flags = new Set<string>();
    for (const combination of waitingFlags()) {
      const [first, ...others] = allocator.unmet(combination);
      if (first !== undefined && !flags.has(first) && !others.some((flag) => flags.has(flag))) flags.add(first);
    }
    if (shortJobs >= SHORT_JOB_SLOTS) flags.add(SHORT_JOB);
    return [...flags];
  }

  /** Undefined: the slot must not poll now. */
  function tryPoll(): string[] | null | undefined {
    if (closed || snapshot === undefined) return null;
    if (!hasCapacity()) return undefined;
    const flags = unmetFlags();
    if (flags.length > 0 && performance.now() < pausedUntil) return undefined;
    polling++;
    return flags.length > 0 ? flags : null;
  }

  async function wait(): Promise<string[] | null> {
    for (;;) {
      const flags = tryPoll();
      if (flags !== undefined) return flags;
      const ownsTimer = !hasTimer;
      hasTimer = true;
      try {
        const pause = Math.max((hasCapacity() ? pausedUntil : nextShortJobPoll) - performance.now(), 1);
        // only one of the waiting slots has a timer; it wakes the others
        await (ownsTimer ? Promise.race([changed.promise, sleep(pause, undefined, { ref: false })]) : changed.promise);
        if (!ownsTimer || closed || hasCapacity() || performance.now() < nextShortJobPoll) continue;
        nextShortJobPoll = performance.now() + POLL_FOR_SHORT_JOBS_EVERY_MS;
        if (shortJobs >= SHORT_JOB_SLOTS || !(await shortJobsWait())) continue;
        polling++;
        return [TRANSFER];
      } catch {
        // the database is unreachable; the poll reports it to the queue
        polling++;
        return [TRANSFER];
      } finally {
        if (ownsTimer) {
          hasTimer = false;
          wakeSlots();
        }
      }
    }
  }

  /** A slot that waits for a notification may have skipped a job that fits now. */
  function nudgeOne() {
    if (!closed && snapshot?.waiting.some((flags) => flags.length > 0)) nudge(1);
  }

  return {
    forbiddenFlags() {
      const flags = tryPoll();
      return flags === undefined ? wait() : flags;
    },
    polled(milliseconds, found) {
      polling--;
      if (!found && milliseconds > SLOW_MS) pausedUntil = performance.now() + PAUSE_FACTOR * milliseconds;
      wakeSlots();
    },
    admit(id, flags) {
      if (snapshot?.holdsFor?.id === id) snapshot = { ...snapshot, holdsFor: undefined };
      const allocation = allocator.allocate(flags);
      if (!allocation) {
        refused.set(flags.join(' '), { flags, until: performance.now() + REFUSAL_MS });
        return undefined;
      }
      nudgeOne();
      return {
        release() {
          allocation.release();
          pausedUntil = 0;
          wakeSlots();
          nudgeOne();
        },
      };
    },
    startShortJob() {
      shortJobs++;
      return () => {
        shortJobs--;
        wakeSlots();
      };
    },
    update(latest) {
      snapshot = latest;
      wakeSlots();
    },
    close() {
      closed = true;
      wakeSlots();
    },
  };
}
