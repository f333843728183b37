import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../db.ts';
import { noFreeSlot, openStreamSlots } from '../http/answers/event-stream.ts';
import { listen } from '../platform/postgres/listen.ts';
import { PUBLISHED } from './publish.queries.ts';
import { publish } from './publish.ts';
import { lastOffset } from './queries.ts';

/**
 * Notifies the event streams of this process about new events, with one database connection and one timer for all
 * streams.
 */
export interface EventNotifier {
  /** Highest published offset known to this process. Never decreases. */
  head(): number;
  /** Resolves when `head` has increased, after two seconds at the latest, and on close. */
  next(): Promise<void>;
  /** Lets streams check their caller again soon. */
  recheck(): void;
  /** True once the server closes; streams must end. */
  closed(): boolean;
  /** Registers a stream of a user and returns the function that unregisters it. Without streams, nothing is polled. */
  join(userId: string): Promise<() => void>;
  close(): Promise<void>;
}

/** Interval for publishing events of processes that do not publish themselves. */
const PUBLISH_EVERY_MS = 250;
/**
 * Interval at which streams check their caller again, so that a disabled account or an ended login loses its stream.
 */
const WAKE_EVERY_MS = 2000;
/** The same after a change of identities in this process, which an attacker can cause: all streams look for theirs. */
const WAKE_AFTER_CHANGE_MS = 500;
const MAX_STREAMS = { perUser: 20, total: 2000 };

export function openEventNotifier(db: Database, databaseUrl: string): EventNotifier {
  const slots = openStreamSlots('the events', MAX_STREAMS);
  const stopping = new AbortController();
  let head = 0;
  let change = Promise.withResolvers<void>();
  let stopListening: (() => Promise<void>) | undefined;
  let running: Promise<void> | undefined;
  let rechecks = false;

  const wake = () => {
    change.resolve();
    change = Promise.withResolvers();
  };
  const refreshHead = async () => {
    const last = await lastOffset(db);
    if (last <= head) return;
    head = last;
    wake();
  };
  // the database is unreachable; the next refresh tries again
  const onPublished = () => void refreshHead().catch(() => {});

  async function run() {
    let woken = performance.now();
    while (slots.used() > 0 && !stopping.signal.aborted) {
      await publish(db).catch(() => {});
      if (performance.now() - woken >= (rechecks ? WAKE_AFTER_CHANGE_MS : WAKE_EVERY_MS)) {
        woken = performance.now();
        rechecks = false;
        await refreshHead().catch(() => {});
        wake();
      }
      await sleep(PUBLISH_EVERY_MS, undefined, { signal: stopping.signal }).catch(() => {});
    }
    running = undefined;
  }

  return {
    head: () => head,
    next: () => change.promise,
    recheck() {
      rechecks = true;
    },
    closed: () => stopping.signal.aborted,
    async join(userId) {
      if (stopping.signal.aborted) throw noFreeSlot();
      const leave = slots.take(userId);
      try {
        stopListening ??= listen(databaseUrl, PUBLISHED, onPublished);
        running ??= run();
        await publish(db);
        await refreshHead();
      } catch (error) {
        leave();
        throw error;
      }
      return leave;
    },
    async close() {
      stopping.abort();
      wake();
      await running;
      await stopListening?.();
    },
  };
}
