import { z } from 'zod';
import { type Fragment, sql, type Transaction } from '../../db.ts';

/** Whether an unfinished transfer of this tenant has exactly this resource request. */
export const isUnderWay = (tx: Transaction, tenantId: string, flags: readonly string[]) =>
  tx.exists(sql.unsafe`
    select from transfers where tenant_id = ${tenantId} and requested_flags = ${sql.array(flags, 'text')} and finished_at is null`);

/** Serializes checks of new resource requests of this tenant until the transaction ends. */
export const lockAsked = (tx: Transaction, tenantId: string) =>
  tx.query(sql.unsafe`select pg_advisory_xact_lock(hashtextextended('asked by ' || ${tenantId}, 0))`);

/**
 * Other resource requests of its unfinished transfers, at most `limit`. A loose index scan: one lookup per request, not
 * per transfer.
 */
export const listRequestedFlags = (tx: Transaction, tenantId: string, besides: readonly string[], limit: number) => {
  const next = (more: Fragment) => sql.fragment`
    select requested_flags from transfers
    where tenant_id = ${tenantId} and finished_at is null and requested_flags is not null and ${more} order by requested_flags limit 1`;
  return tx.any(sql.type(z.object({ requestedFlags: z.array(z.string()) }))`
    with recursive found as (
      (${next(sql.fragment`true`)})
      union all
      select further.requested_flags from found cross join lateral (${next(sql.fragment`requested_flags > found.requested_flags`)}) further)
    select requested_flags from found where requested_flags <> ${sql.array(besides, 'text')} limit ${limit}`);
};
