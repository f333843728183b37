import { setTimeout as sleep } from 'node:timers/promises';
import { SHORT_JOB } from '../src/jobs.ts';
import { TRANSFER } from '../src/transfers/queue/requirements.ts';
import type { Allocation, Allocator } from './allocator.ts';

/** State of the queue, which a worker reads from the database every second. */
export interface QueueSnapshot {
  /** The distinct flags of waiting transfers. */
  waiting: readonly (readonly string[])[];
  /** The transfer that this worker keeps its resources free for; it starts no others. */
  reservedFor?: { id: string; flags: readonly string[] } | undefined;
  /** The worker takes no more transfers. */
  draining: boolean;
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

/**
 * Admission control: decides which jobs a free slot may fetch from the queue. Whether a transfer fits into the free
 * memory, cores and scratch space is decided by `unmetRequirements` of `src/transfers/queue/requirements.ts`.
 */
export class Admission {
  readonly #allocator: Allocator;
  readonly #shortJobsWait: AdmissionOptions['shortJobsWait'];
  readonly #nudge: AdmissionOptions['nudge'];
  /** Undefined before the first update. */
  #snapshot: QueueSnapshot | undefined;
  readonly #refused = new Map<string, { flags: readonly string[]; until: number }>();
  /** Slots that poll the queue now. */
  #polling = 0;
  #shortJobs = 0;
  #pausedUntil = 0;
  #closed = false;
  /** One of the waiting slots has a timer. */
  #hasTimer = false;
  #nextShortJobPoll = 0;
  #changed = Promise.withResolvers<void>();

  constructor({ allocator, shortJobsWait, nudge }: AdmissionOptions) {
    this.#allocator = allocator;
    this.#shortJobsWait = shortJobsWait;
    this.#nudge = nudge;
  }

  /**
   * Flags of jobs that a slot must skip; null: none. Waits while the slot could take no job at all. Asked before each
   * poll of the queue.
   */
  forbiddenFlags(): string[] | null | Promise<string[] | null> {
    const flags = this.#tryPoll();
    return flags === undefined ? this.#wait() : flags;
  }

  /** Reports the end of a poll. */
  polled(milliseconds: number, found: boolean): void {
    this.#polling--;
    if (!found && milliseconds > SLOW_MS) this.#pausedUntil = performance.now() + PAUSE_FACTOR * milliseconds;
    this.#wakeSlots();
  }

  /**
   * Allocates resources for a transfer that a slot has fetched. Undefined: not enough is free, and its flags are
   * forbidden for a while.
   */
  admit(id: string, flags: readonly string[]): Allocation | undefined {
    if (this.#snapshot?.reservedFor?.id === id) this.#snapshot = { ...this.#snapshot, reservedFor: undefined };
    const allocation = this.#allocator.allocate(flags);
    if (!allocation) {
      this.#refused.set(flags.join(' '), { flags, until: performance.now() + REFUSAL_MS });
      return undefined;
    }
    this.#nudgeOne();
    return {
      release: () => {
        allocation.release();
        this.#pausedUntil = 0;
        this.#wakeSlots();
        this.#nudgeOne();
      },
    };
  }

  /** Counts a running short job until the returned function is called. */
  startShortJob(): () => void {
    this.#shortJobs++;
    return () => {
      this.#shortJobs--;
      this.#wakeSlots();
    };
  }

  update(latest: QueueSnapshot): void {
    this.#snapshot = latest;
    this.#wakeSlots();
  }

  /** At shutdown: wakes all waiting slots. */
  close(): void {
    this.#closed = true;
    this.#wakeSlots();
  }

  #wakeSlots() {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  /** Known combinations of flags of waiting transfers. */
  *#waitingFlags() {
    yield* this.#snapshot?.waiting ?? [];
    const now = performance.now();
    for (const [key, { flags, until }] of this.#refused) {
      if (until > now) yield flags;
      else this.#refused.delete(key);
    }
  }

  #hasCapacity(): boolean {
    if (this.#snapshot === undefined) return false;
    const { reservedFor, draining } = this.#snapshot;
    if (draining || this.#allocator.running + this.#polling >= this.#allocator.capacity.concurrency) return false;
    if (reservedFor) return this.#polling === 0 && this.#allocator.unmet(reservedFor.flags).length === 0;
    return this.#allocator.unmet([]).length === 0;
  }

  /**
   * As few flags as possible, because the poll checks each of them at every row: one unmet flag per combination is
   * enough.
   */
  #unmetFlags(): string[] {
    const flags = new Set<string>();
    for (const combination of this.#waitingFlags()) {
      const [first, ...others] = this.#allocator.unmet(combination);
      if (first !== undefined && !flags.has(first) && !others.some((flag) => flags.has(flag))) flags.add(first);
    }
    if (this.#shortJobs >= SHORT_JOB_SLOTS) flags.add(SHORT_JOB);
    return [...flags];
  }

  /** Undefined: the slot must not poll now. */
  #tryPoll(): string[] | null | undefined {
    if (this.#closed || this.#snapshot === undefined) return null;
    if (!this.#hasCapacity()) return undefined;
    const flags = this.#unmetFlags();
    if (flags.length > 0 && performance.now() < this.#pausedUntil) return undefined;
    this.#polling++;
    return flags.length > 0 ? flags : null;
  }

  async #wait(): Promise<string[] | null> {
    for (;;) {
      const flags = this.#tryPoll();
      if (flags !== undefined) return flags;
      const ownsTimer = !this.#hasTimer;
      this.#hasTimer = true;
      try {
        const pause = Math.max(
          (this.#hasCapacity() ? this.#pausedUntil : this.#nextShortJobPoll) - performance.now(),
          1,
        );
        // only one of the waiting slots has a timer; it wakes the others
        await (ownsTimer
          ? Promise.race([this.#changed.promise, sleep(pause, undefined, { ref: false })])
          : this.#changed.promise);
        if (!ownsTimer || this.#closed || this.#hasCapacity() || performance.now() < this.#nextShortJobPoll) continue;
        this.#nextShortJobPoll = performance.now() + POLL_FOR_SHORT_JOBS_EVERY_MS;
        if (this.#shortJobs >= SHORT_JOB_SLOTS || !(await this.#shortJobsWait())) continue;
        this.#polling++;
        return [TRANSFER];
      } catch {
        // the database is unreachable; the poll reports it to the queue
        this.#polling++;
        return [TRANSFER];
      } finally {
        if (ownsTimer) {
          this.#hasTimer = false;
          this.#wakeSlots();
        }
      }
    }
  }

  /** A slot that waits for a notification may have skipped a job that fits now. */
  #nudgeOne() {
    if (!this.#closed && this.#snapshot?.waiting.some((flags) => flags.length > 0)) this.#nudge(1);
  }
}
