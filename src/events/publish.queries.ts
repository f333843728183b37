import { z } from 'zod';
import type { Db } from '../db.ts';
import { sql } from '../db.ts';

/** Told when events were published. May be lost; whoever needs to know also looks now and then. */
export const PUBLISHED = 'events_published';

export const hasUnpublished = (db: Db) => db.exists(sql.unsafe`select from events where "offset" is null`);

/**
 * One process publishes at a time: what it numbers is in sight before the next one numbers more. The server ends the transaction of a
 * process that was stopped in its middle.
 */
export async function lockPublishing(tx: Db) {
  await tx.query(sql.unsafe`set local idle_in_transaction_session_timeout = '3s'`);
  await tx.query(sql.unsafe`select pg_advisory_xact_lock(hashtextextended('events publishing', 0))`);
}

/** Gives the oldest events without one an offset, each webhook that wants them a delivery, and tells. How many they were. */
export const publishSome = (tx: Db, atMost: number) =>
  tx.oneFirst(sql.type(z.object({ count: z.number() }))`
    with fresh as materialized (
      select id, nextval('event_offsets') as number
      from (select id from events where "offset" is null order by id limit ${atMost}) e),
    published as (
      update events e set "offset" = fresh.number from fresh where e.id = fresh.id returning e.id, e.type, e.tenant_id),
    -- locked: a webhook that is being deleted is waited for, and asks for nothing any more
    hooks as materialized (
      select id, tenant_id, types from webhooks where tenant_id in (select tenant_id from published) for key share),
    asked as (
      insert into deliveries (webhook_id, event_id)
      select hooks.id, published.id from hooks join published using (tenant_id)
      where hooks.types = '{}' or published.type = any(hooks.types)),
    told as (select pg_notify(${PUBLISHED}, '') where exists (select from fresh))
    select (select count(*) from fresh) as count from (select count(*) from told) t`);
