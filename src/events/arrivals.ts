import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../db.ts';
import { AppError } from '../errors.ts';
import { listen } from '../listen.ts';
import { PUBLISHED } from './publish.queries.ts';
import { publish } from './publish.ts';
import { lastOffset } from './queries.ts';

/** Tells the streams of this process that there are new events: one connection and one timer for all of them. */
export interface Arrivals {
  /** The highest offset that is known to be published; never falls. */
  head(): number;
  /** Resolves when that rose, every five seconds at the latest, and at the end. */
  next(): Promise<void>;
  /** The server closes: streams end. */
  closed(): boolean;
  /** One more stream of somebody; gives how to leave. Nothing is looked for while there is none. */
  join(userId: string): Promise<() => void>;
  close(): Promise<void>;
}

/** Events written by processes that publish nothing themselves are found within this time. */
const PUBLISH_EVERY_MS = 250;
/** Streams look at their caller this often; whoever was disabled hears no more. */
const WAKE_EVERY_MS = 5000;
const MOST_STREAMS = 2000;
const MOST_OF_ONE = 20;

export function openArrivals(db: Db, databaseUrl: string): Arrivals {
  const streams = new Map<string, number>();
  const stopping = new AbortController();
  let head = 0;
  let change = Promise.withResolvers<void>();
  let stopListening: (() => Promise<void>) | undefined;
  let running: Promise<void> | undefined;

  const wake = () => {
    change.resolve();
    change = Promise.withResolvers();
  };
  const look = async () => {
    const last = await lastOffset(db);
    if (last <= head) return;
    head = last;
    wake();
  };
  const lookSoon = () => void look().catch(() => {}); // the database is away; the next look may find it

  async function run() {
    let woken = performance.now();
    while (streams.size > 0 && !stopping.signal.aborted) {
      await publish(db).catch(() => {});
      if (performance.now() - woken >= WAKE_EVERY_MS) {
        woken = performance.now();
        await look().catch(() => {});
        wake();
      }
      await sleep(PUBLISH_EVERY_MS, undefined, { signal: stopping.signal }).catch(() => {});
    }
    running = undefined;
  }
  const total = () => streams.values().reduce((sum, count) => sum + count, 0);

  return {
    head: () => head,
    next: () => change.promise,
    closed: () => stopping.signal.aborted,
    async join(userId) {
      const own = streams.get(userId) ?? 0;
      if (own >= MOST_OF_ONE) {
        const sentence = `You follow the events ${own} times already, which is as often as one may.`;
        throw new AppError('tooManyRequests', sentence, { retryAfter: 10 });
      }
      if (total() >= MOST_STREAMS || stopping.signal.aborted)
        throw new AppError('unavailable', 'No more streams can be served here now.', { retryAfter: 10 });
      streams.set(userId, own + 1);
      let left = false;
      const leave = () => {
        if (left) return;
        left = true;
        const count = (streams.get(userId) ?? 1) - 1;
        if (count > 0) streams.set(userId, count);
        else streams.delete(userId);
      };
      try {
        stopListening ??= listen(databaseUrl, PUBLISHED, lookSoon);
        running ??= run();
        await publish(db);
        await look();
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
