import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../db.ts';
import { noPlace, openPlaces } from '../http/answers/event-stream.ts';
import { listen } from '../platform/postgres/listen.ts';
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
const MOST_STREAMS = { ofOne: 20, ofAll: 2000 };

export function openArrivals(db: Db, databaseUrl: string): Arrivals {
  const places = openPlaces('the events', MOST_STREAMS);
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
    while (places.taken() > 0 && !stopping.signal.aborted) {
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

  return {
    head: () => head,
    next: () => change.promise,
    closed: () => stopping.signal.aborted,
    async join(userId) {
      if (stopping.signal.aborted) throw noPlace();
      const leave = places.take(userId);
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
