import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../db.ts';

const TenantRow = z.object({
  id: z.string(),
  name: z.string(),
  weight: z.string().transform(Number),
  /** Retention of the recycle bin in days. Absent: as the platform's setting. */
  recycleBinDays: z.number().optional(),
  createdAt: z.string(),
  createdBy: z.string().optional(),
  updatedAt: z.string(),
  updatedBy: z.string().optional(),
  rowVersion: z.string(),
});
export type TenantRow = z.infer<typeof TenantRow>;

const tenant = sql.fragment`t.id, t.name, t.weight, t.recycle_bin_days, t.created_at, t.created_by, t.updated_at, t.updated_by,
  t.row_version::text as row_version`;

/** Part of a list. Without a limit, everything from the offset on. */
export interface OffsetPage {
  offset?: number;
  limit?: number;
}

/** Tenants with these ids, or all. */
export const listTenants = (db: Reads, ids: readonly string[] | undefined, { offset = 0, limit }: OffsetPage) =>
  db.any(sql.type(TenantRow)`
    select ${tenant} from tenants t where ${ids === undefined} or t.id = any(${sql.array([...(ids ?? [])], 'uuid')})
    order by t.name collate "C", t.id offset ${offset} limit ${limit ?? null}::bigint`);

export const findTenant = (db: Reads, id: string) =>
  db.maybeOne(sql.type(TenantRow)`select ${tenant} from tenants t where t.id = ${id}`);

/** `findTenant` with a lock on the tenant and its members until `tx` ends, which serializes changes of members. */
export const lockTenant = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.write(TenantRow)`select ${tenant} from tenants t where t.id = ${id} for no key update`);

export const insertTenant = (tx: Transaction, name: string, createdBy: string | undefined) =>
  tx.one(sql.write(TenantRow)`
    insert into tenants as t (name, created_by, updated_by) values (${name}, ${createdBy ?? null}, ${createdBy ?? null})
    returning ${tenant}`);

export interface ChangedTenant {
  name: string;
  weight: number;
  recycleBinDays?: number | undefined;
  updatedBy: string;
}

export const updateTenant = (tx: Transaction, id: string, changed: ChangedTenant) =>
  tx.one(sql.write(TenantRow)`
    update tenants t set name = ${changed.name}, weight = ${changed.weight}::numeric,
      recycle_bin_days = ${changed.recycleBinDays ?? null}::integer, updated_at = now(), updated_by = ${changed.updatedBy}
    where t.id = ${id} returning ${tenant}`);

const Held = z.object({ projects: z.boolean(), keys: z.boolean(), credits: z.boolean() });

/** Whether a tenant has contents that prevent its deletion. */
export const findHeld = (tx: Transaction, tenantId: string) =>
  tx.one(sql.type(Held)`
    select exists (select from projects where tenant_id = ${tenantId}) as projects,
      exists (select from api_keys where tenant_id = ${tenantId}) as keys,
      exists (select from credit_lots where pool_id = ${tenantId} and is_open
        and (reserved > 0 or available > 0 and expires_at > clock_timestamp())) as credits`);

/** Waits for transactions that keep the tenant, such as a concurrent add of credits, and keeps new ones out. */
export const lockTenantForDelete = (tx: Transaction, id: string) =>
  tx.query(sql.unsafe`select from tenants where id = ${id} for update`);

/**
 * Deletes its transfers, too. Fires `transfers_counted`, which fills `transfer_counts`, and `releases_price`, which
 * ends reservations of credits.
 */
export const deleteTenant = (tx: Transaction, id: string) => tx.query(sql.unsafe`delete from tenants where id = ${id}`);
