import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../db.ts';
import { noFreeSlot, StreamSlots } from '../http/answers/event-stream.ts';
import { listen } from '../platform/postgres/listen.ts';
import { PUBLISHED } from './publish.queries.ts';
import { publish } from './publish.ts';
import { lastOffset } from './queries.ts';

/** Interval for publishing events of processes that do not publish themselves. */
const PUBLISH_EVERY_MS = 250;
/**
 * Interval at which streams check their caller again, so that a disabled account or an ended login loses its stream.
 */
const WAKE_EVERY_MS = 2000;
/** The same after a change of identities in this process, which an attacker can cause: all streams look for theirs. */
const WAKE_AFTER_CHANGE_MS = 500;
const MAX_STREAMS = { perUser: 20, total: 2000 };

/**
 * Notifies the event streams of this process about new events, with one database connection and one timer for all
 * streams.
 */
export class EventNotifier {
  readonly #db: Database;
  readonly #databaseUrl: string;
  readonly #slots = new StreamSlots('the events', MAX_STREAMS);
  readonly #stopping = new AbortController();
  #head = 0;
  #change = Promise.withResolvers<void>();
  #stopListening: (() => Promise<void>) | undefined;
  #running: Promise<void> | undefined;
  #rechecks = false;

  constructor(db: Database, databaseUrl: string) {
    this.#db = db;
    this.#databaseUrl = databaseUrl;
  }

  /** Highest published offset known to this process. Never decreases. */
  get head(): number {
    return this.#head;
  }

  /** Resolves when `head` has increased, after two seconds at the latest, and on close. */
  next(): Promise<void> {
    return this.#change.promise;
  }

  /** Lets streams check their caller again soon. */
  recheck(): void {
    this.#rechecks = true;
  }

  /** True once the server closes; streams must end. */
  get closed(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Registers a stream of a user and returns the function that unregisters it. Without streams, nothing is polled. */
  async join(userId: string): Promise<() => void> {
    if (this.closed) throw noFreeSlot();
    const leave = this.#slots.take(userId);
    try {
      // the database may be unreachable; the next refresh tries again
      this.#stopListening ??= listen(this.#databaseUrl, PUBLISHED, () => void this.#refreshHead().catch(() => {}));
      this.#running ??= this.#run();
      await publish(this.#db);
      await this.#refreshHead();
    } catch (error) {
      leave();
      throw error;
    }
    return leave;
  }

  async close(): Promise<void> {
    this.#stopping.abort();
    this.#wake();
    await this.#running;
    await this.#stopListening?.();
  }

  #wake() {
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }

  async #refreshHead() {
    const last = await lastOffset(this.#db);
    if (last <= this.#head) return;
    this.#head = last;
    this.#wake();
  }

  async #run() {
    let woken = performance.now();
    while (this.#slots.used > 0 && !this.closed) {
      await publish(this.#db).catch(() => {});
      if (performance.now() - woken >= (this.#rechecks ? WAKE_AFTER_CHANGE_MS : WAKE_EVERY_MS)) {
        woken = performance.now();
        this.#rechecks = false;
        await this.#refreshHead().catch(() => {});
        this.#wake();
      }
      await sleep(PUBLISH_EVERY_MS, undefined, { signal: this.#stopping.signal }).catch(() => {});
    }
    this.#running = undefined;
  }
}
