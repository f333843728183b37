import { z } from 'zod';
import { type Fragment, type Reads, sql, type Transaction } from '../db.ts';
import { ItemType } from './record.ts';

/** The lowest uuid. */
const NO_ID = '00000000-0000-0000-0000-000000000000';

/** How long a tenant keeps deleted items. `retention`: default in milliseconds. */
export const retentionOf = (tenant: Fragment, retention: number) =>
  sql.fragment`coalesce(${tenant}.recycle_bin_days * interval '1 day', ${retention} * interval '1 millisecond')`;

/** Items of tenant `t` that were deleted before this time have expired. */
const limit = (retention: number) => sql.fragment`now() - ${retentionOf(sql.fragment`t`, retention)}`;

/** Tenants with expired items in the recycle bin. */
export const listTenantsToSweep = (db: Reads, retention: number) =>
  db.anyFirst(sql.type(z.object({ id: z.string() }))`
    select t.id from tenants t
    where exists (select from recycle_bin b where b.tenant_id = t.id and b.deleted_at < ${limit(retention)})`);

const Expired = z.object({
  id: z.string(),
  itemType: ItemType,
  /** The project itself, or the project of a dataset. */
  placeId: z.string(),
  deletedAt: z.string(),
});
export type Expired = z.infer<typeof Expired>;

/**
 * Expired items of a tenant, oldest first, starting behind `after`, up to `maxRows` rows of contents (column `weight`);
 * at least one item.
 */
export const listExpired = (db: Reads, tenantId: string, retention: number, maxRows: number, after?: Expired) =>
  db.any(sql.type(Expired)`
    select id, item_type, place_id, deleted_at from (
      select b.id, b.item_type, b.deleted_at, case b.item_type when 'Project' then b.id else b.container_id end as place_id,
        sum(b.weight) over (order by b.deleted_at, b.id) - b.weight as before
      from (
        select b.* from recycle_bin b join tenants t on t.id = b.tenant_id
        where b.tenant_id = ${tenantId} and b.deleted_at < ${limit(retention)}
          and (b.deleted_at, b.id) > (${after?.deletedAt ?? '-infinity'}::timestamptz, ${after?.id ?? NO_ID}::uuid)
        order by b.deleted_at, b.id limit ${maxRows}) b) b
    where before < ${maxRows}
    order by deleted_at, id`);

const Doomed = z.object({ id: z.string(), itemType: ItemType, name: z.string(), tenantId: z.string() });

/** The ones among these items that are still in the recycle bin and expired. */
export const stillExpired = (tx: Transaction, ids: readonly string[], retention: number) =>
  tx.any(sql.type(Doomed)`
    select b.id, b.item_type, b.name, b.tenant_id from recycle_bin b join tenants t on t.id = b.tenant_id
    where b.id = any(${sql.array(ids, 'uuid')}) and b.deleted_at < ${limit(retention)}`);
