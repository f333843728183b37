import { z } from 'zod';
import type { Db } from '../db.ts';
import { sql } from '../db.ts';
import { EventRow } from './cloud-event.ts';
import { eventColumns } from './queries.ts';

const Claimed = EventRow.extend({
  webhookId: z.string(),
  /** Fencing token: increases with each claim. */
  claim: z.number(),
  /** Attempts before this one. */
  attempts: z.number(),
  url: z.string(),
  secret: z.instanceof(Buffer),
  failing: z.boolean(),
});
/** A delivery that this worker has claimed, with its event. */
export type Claimed = z.infer<typeof Claimed>;

export interface Capacity {
  /** Attempts that may start. */
  all: number;
  /** Maximum among them to webhooks whose last attempt failed. */
  failing: number;
}

/** Maximum of concurrent attempts to one webhook, over all workers. A failing webhook gets one at a time. */
const MAX_PER_WEBHOOK = 8;

export const isAnyDue = (db: Db) =>
  db.exists(sql.unsafe`select from deliveries where state = 'Pending' and next_at <= now()`);

/** Lets one worker claim at a time, so that the attempts in flight per webhook are counted correctly. Others try again later. */
export async function tryLockClaims(tx: Db): Promise<boolean> {
  await tx.query(sql.unsafe`set local idle_in_transaction_session_timeout = '3s'`);
  return tx.oneFirst(sql.type(z.object({ locked: z.boolean() }))`
    select pg_try_advisory_xact_lock(hashtextextended('event deliveries', 0)) as locked`);
}

/**
 * Claims due deliveries for the duration of the lease in milliseconds. Round robin over the webhooks, working ones before failing ones, so that
 * no receiver delays another.
 */
export const claimDue = (tx: Db, worker: string, capacity: Capacity, leaseMs: number) =>
  tx.any(sql.type(Claimed)`
    with due as (
      select d.*, w.failing from webhooks w
      cross join lateral (
        select count(*) as count from deliveries where webhook_id = w.id and worker is not null and next_at > now()) under_way
      cross join lateral (
        select webhook_id, event_id, next_at, row_number() over (order by next_at, event_id) as place from (
          select webhook_id, event_id, next_at from deliveries
          where webhook_id = w.id and state = 'Pending' and next_at <= now()
          order by next_at, event_id
          limit greatest(0, case when w.failing then 1 else ${MAX_PER_WEBHOOK}::int end - under_way.count)) first) d),
    turns as (select *, row_number() over (partition by failing order by place, next_at) as turn from due),
    chosen as (
      select * from turns where not failing or turn <= ${capacity.failing} order by failing, turn limit ${capacity.all}),
    claimed as (
      update deliveries d set worker = ${worker}, claim = d.claim + 1, next_at = now() + ${leaseMs} * interval '1 millisecond'
      from chosen where d.webhook_id = chosen.webhook_id and d.event_id = chosen.event_id
      returning d.webhook_id, d.event_id, d.claim, d.attempts)
    select claimed.webhook_id, claimed.claim, claimed.attempts, w.url, w.secret, w.failing, ${eventColumns}
    from claimed join webhooks w on w.id = claimed.webhook_id join events e on e.id = claimed.event_id`);

/** Outcome of an attempt. */
export interface Outcome {
  webhookId: string;
  eventId: string;
  claim: number;
  delivered: boolean;
  /** HTTP status, if there was a response. */
  status?: number;
  error?: string;
  /** Milliseconds to the next attempt. Undefined if this was the last one. */
  delay?: number;
}

/** Records outcomes of attempts. Skips those that another claim or a replay has superseded. */
export const recordOutcomes = (db: Db, outcomes: readonly Outcome[]) =>
  db.query(sql.unsafe`
    with outcome as (
      select * from ${sql.unnest(
        outcomes.map((one) => [
          one.webhookId,
          one.eventId,
          one.claim,
          one.delivered,
          one.status ?? null,
          one.error ?? null,
          one.delay ?? null,
        ]),
        ['uuid', 'uuid', 'int4', 'bool', 'int4', 'text', 'int8'],
      )} as o (webhook_id, event_id, claim, delivered, status, error, delay)),
    noted as (
      -- another claim: outcomes that are sent again, because the answer was lost, count once
      update deliveries d set worker = null, claim = d.claim + 1, attempts = d.attempts + 1, status = o.status, error = o.error, updated_at = now(),
        state = case when o.delivered then 'Delivered' when o.delay is null then 'Failed' else 'Pending' end,
        next_at = case when not o.delivered then now() + o.delay * interval '1 millisecond' end
      from outcome o
      where d.webhook_id = o.webhook_id and d.event_id = o.event_id and d.claim = o.claim and d.state = 'Pending'
      returning d.webhook_id, o.delivered),
    latest as (select webhook_id, not bool_or(delivered) as failing from noted group by webhook_id)
    update webhooks w set failing = latest.failing from latest where w.id = latest.webhook_id and w.failing <> latest.failing`);

/** Releases the claims of this worker without counting an attempt. */
export const releaseClaims = (db: Db, worker: string) =>
  db.query(sql.unsafe`update deliveries set worker = null, next_at = now() where worker = ${worker}`);

/** Releases the claims of workers that no longer exist. */
export const releaseLost = (db: Db) =>
  db.query(sql.unsafe`
    update deliveries d set worker = null, next_at = now()
    where d.worker is not null and not exists (select from workers where pool = d.worker)`);
