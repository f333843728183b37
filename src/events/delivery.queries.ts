import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../db.ts';
import { EventRow } from './cloud-event.ts';
import { eventColumns } from './queries.ts';

const Claimed = EventRow.extend({
  webhookId: z.string(),
  /** Fencing token: increases with each claim. */
  claim: z.number(),
  /** Attempts before this one. */
  attempts: z.number(),
  url: z.string(),
  sealedSecret: z.instanceof(Buffer).optional(),
  /** In clear: from a process of an older version. */
  secret: z.instanceof(Buffer).optional(),
  failing: z.boolean(),
});
/** A delivery that this worker has claimed, with its event. */
export type Claimed = z.infer<typeof Claimed>;

export interface Capacity {
  /** Attempts that may start. */
  all: number;
  /** Maximum number of these deliveries to webhooks whose last attempt failed. */
  failing: number;
  /** Maximum of concurrent attempts of this worker for one tenant, and half as many to its failing webhooks. */
  perTenant: number;
}

/** Maximum of concurrent attempts to one webhook, over all workers. A failing webhook gets one at a time. */
const MAX_PER_WEBHOOK = 8;

export const isAnyDue = (db: Reads) =>
  db.exists(sql.unsafe`select from deliveries where state = 'Pending' and next_at <= now()`);

/**
 * Lets one worker claim at a time, so that the attempts in flight per webhook are counted correctly. Others try again
 * later.
 */
export async function tryLockClaims(tx: Transaction): Promise<boolean> {
  await tx.query(sql.unsafe`set local idle_in_transaction_session_timeout = '3s'`);
  return tx.oneFirst(sql.type(z.object({ locked: z.boolean() }))`
    select pg_try_advisory_xact_lock(hashtextextended('event deliveries', 0)) as locked`);
}

/**
 * Claims due deliveries for the duration of the lease in milliseconds. Round robin over tenants and their webhooks,
 * working ones before failing ones, so that no receiver delays another.
 */
export const claimDue = (tx: Transaction, worker: string, capacity: Capacity, leaseMs: number) =>
  tx.any(sql.write(Claimed)`
    with own as (
      select w.tenant_id, count(*) as all_of, count(w.failing_since) as failing_of
      from deliveries d join webhooks w on w.id = d.webhook_id where d.worker = ${worker} group by w.tenant_id),
    due as (
      select d.*, w.tenant_id, w.failing_since is not null as failing from webhooks w
      cross join lateral (
        select count(*) as count from deliveries where webhook_id = w.id and worker is not null and next_at > now()) under_way
      cross join lateral (
        select webhook_id, event_id, next_at, row_number() over (order by next_at, event_id) as place from (
          select webhook_id, event_id, next_at from deliveries
          where webhook_id = w.id and state = 'Pending' and next_at <= now()
          order by next_at, event_id
          limit greatest(0, case when w.failing_since is null then ${MAX_PER_WEBHOOK}::int else 1 end - under_way.count)) first) d
      where w.disabled_at is null and coalesce(w.retry_at <= now(), true)),
    ranks as (
      select *, row_number() over (partition by tenant_id order by failing, place, next_at) as rank,
        row_number() over (partition by tenant_id, failing order by place, next_at) as rank_of_kind from due),
    turns as (
      select ranks.*, row_number() over (partition by failing order by rank_of_kind, next_at) as turn
      from ranks left join own using (tenant_id)
      where rank <= ${capacity.perTenant}::int - coalesce(own.all_of, 0)
        and (not failing or rank_of_kind <= ${capacity.perTenant}::int / 2 - coalesce(own.failing_of, 0))),
    chosen as (
      select * from turns where not failing or turn <= ${capacity.failing} order by failing, turn limit ${capacity.all}),
    claimed as (
      update deliveries d set worker = ${worker}, claim = d.claim + 1, next_at = now() + ${leaseMs} * interval '1 millisecond'
      from chosen where d.webhook_id = chosen.webhook_id and d.event_id = chosen.event_id
      returning d.webhook_id, d.event_id, d.claim, d.attempts)
    select claimed.webhook_id, claimed.claim, claimed.attempts, w.url, w.sealed_secret, w.secret, w.failing_since is not null as failing, ${eventColumns}
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

export interface BackOff {
  /** Milliseconds from each failure in a row to the next attempt to the webhook. */
  retryAfterMs: readonly number[];
  /** Failures over this time in milliseconds disable the webhook. */
  disableAfterMs: number;
}

/** While a webhook fails, one attempt a minute finds out whether it works again. */
const MAX_BACK_OFF_MS = 60_000;

/**
 * Records outcomes of attempts, skipping those that another claim or a replay has superseded; makes failing webhooks
 * back off, and disables those that have failed for too long. Returns the webhooks that it disabled.
 */
export const recordOutcomes = (
  tx: Transaction,
  outcomes: readonly Outcome[],
  { retryAfterMs, disableAfterMs }: BackOff,
) => {
  const delays = retryAfterMs.map((ms) => Math.min(ms, MAX_BACK_OFF_MS));
  const limit = sql.fragment`${disableAfterMs} * interval '1 millisecond'`;
  return tx.any(sql.write(Disabled)`
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
    latest as (select webhook_id, bool_or(delivered) as works from noted group by webhook_id),
    changed as (
      -- failures long ago do not count: the webhook had nothing to deliver since
      select w.id, latest.works, case when w.retry_at > now() - ${limit} then w.failing_since end as failing_since
      from webhooks w join latest on latest.webhook_id = w.id
      where not latest.works or w.failing_since is not null
      order by w.id for no key update of w),
    recorded as (
      update webhooks w set
        failing_since = case when not c.works then coalesce(c.failing_since, now()) end,
        failures = case when c.works then 0 else w.failures + 1 end,
        retry_at = case when not c.works then
          now() + coalesce((${sql.array(delays, 'int8')})[least(w.failures + 1, ${delays.length})], ${MAX_BACK_OFF_MS}) * interval '1 millisecond' end,
        disabled_at = case when not c.works and c.failing_since < now() - ${limit} then now() end
      from changed c where w.id = c.id and w.disabled_at is null
      returning w.id, w.tenant_id, w.failing_since, w.disabled_at),
    audited as (
      insert into audit (action, subject, tenant_id, details)
      select 'webhook.disable', id, tenant_id, jsonb_build_object('failingSince', failing_since) from recorded where disabled_at is not null)
    select id, tenant_id, failing_since from recorded where disabled_at is not null`);
};

const Disabled = z.object({ id: z.string(), tenantId: z.string(), failingSince: z.string() });

/** Ends pending deliveries of disabled webhooks. Waits for no lock: the next call ends those that were locked. */
export const endDeliveriesOfDisabled = (tx: Transaction) =>
  tx.query(sql.unsafe`
    with disabled as (
      select id from webhooks w where disabled_at is not null
        and exists (select from deliveries where webhook_id = w.id and state = 'Pending')
      for no key update skip locked),
    pending as (
      select d.webhook_id, d.event_id from deliveries d join disabled on disabled.id = d.webhook_id where d.state = 'Pending'
      for update of d skip locked)
    update deliveries d set state = 'Failed', next_at = null, worker = null, claim = d.claim + 1, updated_at = now(),
      error = 'The webhook is disabled because its deliveries failed for days.'
    from pending where d.webhook_id = pending.webhook_id and d.event_id = pending.event_id`);

/** Releases the claims of this worker without counting an attempt. */
export const releaseClaims = (tx: Transaction, worker: string) =>
  tx.query(sql.unsafe`update deliveries set worker = null, next_at = now() where worker = ${worker}`);

/** Releases the claims of workers that no longer exist. */
export const releaseLost = (tx: Transaction) =>
  tx.query(sql.unsafe`
    update deliveries d set worker = null, next_at = now()
    where d.worker is not null and not exists (select from workers where pool = d.worker)`);
