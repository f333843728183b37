import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../db.ts';
import { runAll } from '../platform/async/run-all.ts';
import type { Sealer } from '../platform/keys/sealing.ts';
import type { Outbound } from '../platform/net/outbound.ts';
import { attempt } from './attempt.ts';
import {
  type Claimed,
  claimDue,
  endDeliveriesOfDisabled,
  isAnyDue,
  type Outcome,
  recordOutcomes,
  releaseClaims,
  releaseLost,
  tryLockClaims,
} from './delivery.queries.ts';
import { publish } from './publish.ts';

export interface DeliverParts {
  db: Database;
  /** Id of this worker in table `workers`. */
  pool: string;
  outbound: Outbound;
  /** Decrypts the secrets of webhooks. */
  sealer: Sealer;
  /** Limit for one attempt, in milliseconds. */
  timeoutMs: number;
  /**
   * Setting `webhooks.retryAfter`: milliseconds from the end of each failed attempt to the next, about a day in all by
   * default. After the last one the delivery has failed; a replay (`webhooks.ts`) sends the events again.
   */
  retryAfterMs: readonly number[];
  /** Setting `webhooks.disableAfter`, in milliseconds. */
  disableAfterMs: number;
  log: Record<'info' | 'warn', (details: object, message: string) => void>;
}

const POLL_EVERY_MS = 250;
const CLEAR_UP_EVERY_MS = 1000;
/** Maximum of concurrent attempts in this process. Attempts that have become slow are not counted: they mostly wait. */
const MAX_CONCURRENT = 100;
/** From here on an attempt is slow. */
const SLOW_AFTER_MS = 1000;
/** Maximum with the slow ones. Each uses a socket. */
const MAX_SOCKETS = 400;
/** Maximum of concurrent attempts to failing webhooks. */
const MAX_CONCURRENT_FAILING = 50;
/** Maximum of concurrent attempts for one tenant, slow ones too. */
const MAX_PER_TENANT = MAX_CONCURRENT / 4;
/**
 * A claim is a lease: it expires this long after the timeout of its attempt, by when the outcome should be recorded.
 */
const LEASE_MARGIN_MS = 15_000;

/**
 * Publishes events and delivers them to webhooks, in every worker. Does not use the job queue: an attempt may wait ten
 * seconds for a receiver, so slow receivers must not delay conversions, nor long conversions events, nor one tenant's
 * receivers those of others. Rows of `deliveries` hold the state. A worker claims a row with a lease; if it dies, other
 * workers take over its deliveries.
 */
export class Deliveries {
  readonly #parts: DeliverParts;
  readonly #aborting = new AbortController();
  readonly #inFlight = new Map<Claimed, { since: number; done: Promise<void> }>();
  #outcomes: Outcome[] = [];
  #wake = new AbortController();
  #lastClearUp = 0;
  #outage = false;
  #stopping = false;
  readonly #running: Promise<void>;

  /** Begins at once. */
  constructor(parts: DeliverParts) {
    this.#parts = parts;
    this.#running = this.#loop();
  }

  async stop(): Promise<void> {
    this.#stopping = true;
    this.#wake.abort();
    await this.#running;
    this.#aborting.abort();
    await Promise.all([...this.#inFlight.values()].map(({ done }) => done));
    await this.#recordPending();
    const { db, pool } = this.#parts;
    await db.transaction((tx) => releaseClaims(tx, pool));
  }

  async #deliver(delivery: Claimed) {
    const { outbound, sealer, timeoutMs, retryAfterMs } = this.#parts;
    const { webhookId, id: eventId, claim, attempts } = delivery;
    const result = await attempt(delivery, { outbound, sealer, timeoutMs, signal: this.#aborting.signal });
    this.#inFlight.delete(delivery);
    // aborted by `stop`: does not count as an attempt
    if (!result.delivered && this.#aborting.signal.aborted) return;
    const delay = retryAfterMs[attempts];
    this.#outcomes.push({ webhookId, eventId, claim, ...result, ...(delay === undefined ? {} : { delay }) });
    this.#wake.abort();
  }

  async #recordPending() {
    const { db, log, ...rules } = this.#parts;
    const pending = this.#outcomes;
    this.#outcomes = [];
    if (pending.length === 0) return;
    try {
      for (const webhook of await db.transaction((tx) => recordOutcomes(tx, pending, rules)))
        log.warn(webhook, 'disabled a webhook whose deliveries failed for days');
    } catch (error) {
      this.#outcomes = [...pending, ...this.#outcomes];
      throw error;
    }
  }

  async #round() {
    await runAll([
      () => this.#recordPending(),
      () => publish(this.#parts.db),
      () => this.#clearUp(),
      () => this.#claimDeliveries(),
    ]);
  }

  async #clearUp() {
    if (performance.now() - this.#lastClearUp <= CLEAR_UP_EVERY_MS) return;
    this.#lastClearUp = performance.now();
    const { db } = this.#parts;
    await db.transaction((tx) => releaseLost(tx));
    await db.transaction((tx) => endDeliveriesOfDisabled(tx));
  }

  async #claimDeliveries() {
    const { db, pool, timeoutMs } = this.#parts;
    const failing = [...this.#inFlight.keys()].filter((delivery) => delivery.failing).length;
    const slowBefore = performance.now() - SLOW_AFTER_MS;
    const prompt = [...this.#inFlight.values()].filter(({ since }) => since >= slowBefore).length;
    const capacity = {
      all: Math.min(MAX_CONCURRENT - prompt, MAX_SOCKETS - this.#inFlight.size),
      failing: MAX_CONCURRENT_FAILING - failing,
      perTenant: MAX_PER_TENANT,
    };
    if (capacity.all <= 0 || !(await isAnyDue(db))) return;
    const claimed = await db.transaction(async (tx) =>
      (await tryLockClaims(tx)) ? claimDue(tx, pool, capacity, timeoutMs + LEASE_MARGIN_MS) : [],
    );
    const since = performance.now();
    for (const delivery of claimed) this.#inFlight.set(delivery, { since, done: this.#deliver(delivery) });
  }

  async #loop() {
    const { log } = this.#parts;
    while (!this.#stopping) {
      this.#wake = new AbortController();
      try {
        await this.#round();
        if (this.#outage) log.info({}, 'delivering events again');
        this.#outage = false;
      } catch (error) {
        if (!this.#outage) log.warn({ err: error }, 'events cannot be delivered now');
        this.#outage = true;
      }
      if (this.#outcomes.length === 0 || this.#outage)
        await sleep(POLL_EVERY_MS, undefined, { signal: this.#wake.signal }).catch(() => {});
    }
  }
}
