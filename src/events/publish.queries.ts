import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../db.ts';

/** NOTIFY channel for published events. Notifications may be lost, so listeners poll too. */
export const PUBLISHED = 'events_published';

export const hasUnpublished = (db: Reads) => db.exists(sql.unsafe`select from events where "offset" is null`);

/**
 * Serializes publishing: offsets become visible in order, because one transaction commits before the next one assigns
 * offsets. Postgres ends the transaction of a process that was suspended in the middle.
 */
export async function lockPublishing(tx: Transaction) {
  await tx.query(sql.unsafe`set local idle_in_transaction_session_timeout = '3s'`);
  await tx.query(sql.unsafe`select pg_advisory_xact_lock(hashtextextended('events publishing', 0))`);
}

/**
 * Assigns offsets to the oldest unpublished events, inserts a delivery for each subscribed webhook, and notifies.
 * Webhooks without types get no change events. Returns the number of events.
 */
export const publishSome = (tx: Transaction, limit: number) =>
  tx.oneFirst(sql.write(z.object({ count: z.number() }))`
    with fresh as materialized (
      select id, nextval('event_offsets') as number
      from (select id from events where "offset" is null order by id limit ${limit}) e),
    published as (
      update events e set "offset" = fresh.number from fresh where e.id = fresh.id returning e.id, e.type, e.tenant_id, e.transaction_id),
    -- the lock waits for a concurrent deletion of a webhook, which then gets no delivery
    hooks as materialized (
      select id, tenant_id, types from webhooks
      where tenant_id in (select tenant_id from published) and disabled_at is null for key share),
    asked as (
      insert into deliveries (webhook_id, event_id)
      select hooks.id, published.id from hooks join published using (tenant_id)
      where hooks.types = '{}' and published.transaction_id is null or published.type = any(hooks.types)),
    told as (select pg_notify(${PUBLISHED}, '') where exists (select from fresh))
    select (select count(*) from fresh) as count from (select count(*) from told) t`);
