import { z } from 'zod';
import { type Fragment, sql, type Transaction } from '../../db.ts';

/** Whether an unfinished transfer of this tenant has exactly this resource request. */
export const isUnderWay = (tx: Transaction, tenantId: string, asked: readonly string[]) =>
  tx.exists(sql.unsafe`
    select from transfers where tenant_id = ${tenantId} and asked = ${sql.array(asked, 'text')} and finished_at is null`);

/** Serializes checks of new resource requests of this tenant until the transaction ends. */
export const lockAsked = (tx: Transaction, tenantId: string) =>
  tx.query(sql.unsafe`select pg_advisory_xact_lock(hashtextextended('asked by ' || ${tenantId}, 0))`);

/**
 * Other resource requests of its unfinished transfers, at most `limit`. A loose index scan: one lookup per request, not
 * per transfer.
 */
export const listAsked = (tx: Transaction, tenantId: string, besides: readonly string[], limit: number) => {
  const next = (more: Fragment) => sql.fragment`
    select asked from transfers
    where tenant_id = ${tenantId} and finished_at is null and asked is not null and ${more} order by asked limit 1`;
  return tx.any(sql.type(z.object({ asked: z.array(z.string()) }))`
    with recursive found as (
      (${next(sql.fragment`true`)})
      union all
      select further.asked from found cross join lateral (${next(sql.fragment`asked > found.asked`)}) further)
    select asked from found where asked <> ${sql.array(besides, 'text')} limit ${limit}`);
};
