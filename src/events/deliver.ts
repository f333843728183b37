import { setTimeout as sleep } from 'node:timers/promises';
import type { Db } from '../db.ts';
import { takeAll } from '../platform/async/one-by-one.ts';
import type { Outbound } from '../platform/net/outbound.ts';
import { attempt } from './attempt.ts';
import type { Claimed, Outcome } from './delivery.queries.ts';
import { claimDue, isAnyDue, recordOutcomes, releaseClaims, releaseLost, tryLockClaims } from './delivery.queries.ts';
import { publish } from './publish.ts';

export interface DeliverParts {
  db: Db;
  /** Name of this worker in `workers`. */
  pool: string;
  outbound: Outbound;
  /** Milliseconds that one attempt may take. */
  timeoutMs: number;
  /** Milliseconds from the end of each failed attempt to the next. */
  retryAfterMs: readonly number[];
  log: Record<'info' | 'warn', (details: object, message: string) => void>;
}

const LOOK_EVERY_MS = 250;
const LOOK_FOR_LOST_EVERY_MS = 1000;
/** Attempts of this process under way: they wait for others and cost a socket each. */
const MOST = 100;
/** Of these, to webhooks that fail, so that those which wait for time-outs never take all. */
const MOST_FAILING = 50;
/** What was claimed is anybody's again when its attempt and the note of it should long be over. */
const GRACE_MS = 15_000;

/**
 * Publishes events and delivers them to webhooks, in every worker. Beside the queue and not through it: an attempt waits up to fifteen
 * seconds for somebody else's server, and conversions that run for hours must not hold up events, nor dead receivers conversions. The row
 * in `deliveries` is the truth; each is claimed for a time, and whoever dies loses it to the others.
 */
export function deliverEvents(parts: DeliverParts): { stop(): Promise<void> } {
  const { db, pool, outbound, timeoutMs, retryAfterMs, log } = parts;
  let stopping = false;
  const aborting = new AbortController();
  const underWay = new Map<Claimed, Promise<void>>();
  let outcomes: Outcome[] = [];
  let wake = new AbortController();
  let lookedForLost = 0;

  async function run(delivery: Claimed) {
    const { webhookId, id: eventId, claim, attempts } = delivery;
    const attempted = await attempt(delivery, { outbound, timeoutMs, signal: aborting.signal });
    underWay.delete(delivery);
    // stopped by us: that was no try
    if (!attempted.delivered && aborting.signal.aborted) return;
    const delay = retryAfterMs[attempts];
    outcomes.push({ webhookId, eventId, claim, ...attempted, ...(delay === undefined ? {} : { delay }) });
    wake.abort();
  }

  async function note() {
    const noted = outcomes;
    outcomes = [];
    if (noted.length === 0) return;
    try {
      await recordOutcomes(db, noted);
    } catch (error) {
      outcomes = [...noted, ...outcomes];
      throw error;
    }
  }

  async function round() {
    await takeAll([note, () => publish(db), lookForLost, claim]);
  }

  async function lookForLost() {
    if (performance.now() - lookedForLost <= LOOK_FOR_LOST_EVERY_MS) return;
    lookedForLost = performance.now();
    await releaseLost(db);
  }

  async function claim() {
    const failing = [...underWay.keys()].filter((delivery) => delivery.failing).length;
    const room = { all: MOST - underWay.size, failing: MOST_FAILING - failing };
    if (room.all <= 0 || !(await isAnyDue(db))) return;
    const claimed = await db.transaction(async (tx) =>
      (await tryLockClaims(tx)) ? claimDue(tx, pool, room, timeoutMs + GRACE_MS) : [],
    );
    for (const delivery of claimed) underWay.set(delivery, run(delivery));
  }

  let away = false;
  async function loop() {
    while (!stopping) {
      wake = new AbortController();
      try {
        await round();
        if (away) log.info({}, 'delivering events again');
        away = false;
      } catch (error) {
        if (!away) log.warn({ err: error }, 'events cannot be delivered now');
        away = true;
      }
      if (outcomes.length === 0 || away) await sleep(LOOK_EVERY_MS, undefined, { signal: wake.signal }).catch(() => {});
    }
  }
  const running = loop();

  return {
    async stop() {
      stopping = true;
      wake.abort();
      await running;
      aborting.abort();
      await Promise.all(underWay.values());
      await note();
      await releaseClaims(db, pool);
    },
  };
}
