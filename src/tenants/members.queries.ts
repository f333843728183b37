import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../db.ts';
import type { OffsetPage } from './queries.ts';

export const ROLES = ['Owner', 'Member'] as const;
export type Role = (typeof ROLES)[number];
const Role = z.enum(ROLES);

const Member = z.object({ userId: z.string(), role: Role, accountId: z.string(), name: z.string() });

export const listMembers = (db: Reads, tenantId: string, { offset = 0, limit }: OffsetPage = {}) =>
  db.any(sql.type(Member)`
    select m.user_id, m.role, a.id as account_id, a.name from tenant_members m join accounts a using (user_id)
    where m.tenant_id = ${tenantId} order by a.id collate "C" offset ${offset} limit ${limit ?? null}::bigint`);

/** Names of the Owners of a tenant, at most `most`. */
export const listOwnerNames = (db: Reads, tenantId: string, most: number) =>
  db.anyFirst(sql.type(z.object({ name: z.string() }))`
    select coalesce(nullif(a.name, ''), a.id) as name from tenant_members m join accounts a using (user_id)
    where m.tenant_id = ${tenantId} and m.role = 'Owner' order by 1 limit ${most}`);

export const findRole = (db: Reads, tenantId: string, userId: string) =>
  db.maybeOneFirst(sql.type(z.object({ role: Role }))`
    select role from tenant_members where tenant_id = ${tenantId} and user_id = ${userId}`);

export const hasOtherOwner = (tx: Transaction, tenantId: string, userId: string) =>
  tx.exists(sql.unsafe`
    select from tenant_members where tenant_id = ${tenantId} and user_id <> ${userId} and role = 'Owner'`);

/** Adds a member or changes the member's role. */
export const putMember = (tx: Transaction, tenantId: string, userId: string, role: Role) =>
  tx.query(sql.unsafe`
    insert into tenant_members (tenant_id, user_id, role) values (${tenantId}, ${userId}, ${role})
    on conflict (tenant_id, user_id) do update set role = excluded.role`);

export const deleteMember = (tx: Transaction, tenantId: string, userId: string) =>
  tx.query(sql.unsafe`delete from tenant_members where tenant_id = ${tenantId} and user_id = ${userId}`);

export const deleteMembers = (tx: Transaction, tenantId: string) =>
  tx.query(sql.unsafe`delete from tenant_members where tenant_id = ${tenantId}`);

/** Locks the members of all tenants that a user owns until `tx` ends. */
export const lockOwnedTenants = (tx: Transaction, userId: string) =>
  tx.query(sql.unsafe`
    select from tenants where id in (select tenant_id from tenant_members where user_id = ${userId} and role = 'Owner')
    order by id for no key update`);

/** Id of a tenant whose only Owner is this user, or null. */
export const findTenantOwnedAlone = (tx: Transaction, userId: string) =>
  tx.maybeOneFirst(sql.type(z.object({ tenantId: z.string() }))`
    select m.tenant_id from tenant_members m where m.user_id = ${userId} and m.role = 'Owner' and not exists (
      select from tenant_members o where o.tenant_id = m.tenant_id and o.user_id <> m.user_id and o.role = 'Owner')
    order by m.tenant_id limit 1`);
