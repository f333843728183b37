import { z } from 'zod';
import { recordColumns } from '../datasets/queries.ts';
import { DatasetRow } from '../datasets/record.ts';
import { type Reads, sql } from '../db.ts';
import type { Caller } from '../http/caller.ts';
import { isVisible, projectsWithRights } from '../projects/visibility.queries.ts';
import { mayDelete, ownsProject, reads, rolesWithCapability } from './privilege.queries.ts';
import { ItemType } from './record.ts';

const DeletedItem = z.object({
  id: z.string(),
  itemType: ItemType,
  name: z.string(),
  tenantId: z.string(),
  containerId: z.string().optional(),
  deletedAt: z.string(),
  deletedBy: z.string(),
  /** The caller holds the privilege to delete the item. */
  privileged: z.boolean(),
  /** A project on which the caller has canDelete itself, not through its parent. */
  owned: z.boolean(),
  /** The caller would see the item if it were not deleted. */
  readable: z.boolean(),
});
/** An item of the recycle bin with what rules check. */
export type DeletedItem = z.infer<typeof DeletedItem>;

/** The item that a request addresses. With `projectId`, a dataset must be in that project. */
export interface ItemAddress {
  itemType: ItemType;
  id: string;
  projectId?: string | undefined;
}

/**
 * Finds an item of the recycle bin that the caller may see: one that the caller deleted, or has the privilege to
 * delete.
 */
export const findDeletedItem = (db: Reads, caller: Caller, { itemType, id, projectId }: ItemAddress) =>
  db.maybeOne(sql.type(DeletedItem)`
    select * from (
      select b.id, b.item_type, b.name, b.tenant_id, b.container_id, b.deleted_at, b.deleted_by, ${mayDelete(caller)} as privileged,
        b.item_type = 'Project' and ${ownsProject(caller)} as owned,
        ${reads(caller)} as readable
      from recycle_bin b
      where b.id = ${id} and b.item_type = ${itemType}
        ${projectId === undefined ? sql.fragment`` : sql.fragment`and b.container_id = ${projectId}`}) b
    where b.privileged or b.deleted_by = ${caller.userId}`);

/** The full record of a dataset, without a check of rights. Null if it no longer exists. */
export const findDataset = (db: Reads, id: string) =>
  db.maybeOne(sql.type(DatasetRow)`select ${recordColumns} from datasets d where d.id = ${id}`);

const Container = z.object({ id: z.string(), tenantId: z.string() });

/** A project whose deleted contents the caller may list: visible, or visible in the recycle bin. */
export const findContainer = (db: Reads, caller: Caller, id: string) =>
  db.maybeOne(sql.type(Container)`
    select p.id, p.tenant_id from ${projectsWithRights(caller)} p
    where p.id = ${id} and (${isVisible(sql.fragment`p`)} or exists (
      select from recycle_bin b where b.id = p.id and (b.deleted_by = ${caller.userId} or ${mayDelete(caller)})))`);

const Step = z.object({ id: z.string(), name: z.string(), itemType: ItemType, privileged: z.boolean() });
/** An item that a restore brings back. */
export type Step = z.infer<typeof Step>;

/** The deleted projects from the root down to `projectId`, including `projectId` if it is deleted. */
export const listDeletedAbove = (db: Reads, caller: Caller, projectId: string) =>
  db.any(sql.type(Step)`
    select b.id, b.name, b.item_type, ${mayDelete(caller)} as privileged
    from projects p join recycle_bin b on b.id = any(p.path)
    where p.id = ${projectId} order by array_position(p.path, b.id)`);

/** Users who can grant the privilege that restoring each of these items needs. */
export const listGrantors = (db: Reads, ids: readonly string[]) =>
  db.any(sql.type(z.object({ id: z.string(), userIds: z.array(z.string()) }))`
    select b.id, coalesce(
      (select jsonb_agg(user_id order by user_id) from (
        select user_id from project_members m
        where m.project_id = coalesce(b.own_source_id, b.container_source_id) and m.principal_type = 'UserIdentity' and m.role = any(${rolesWithCapability('canGrantAccess')})
        union select user_id from tenant_members t where t.tenant_id = b.tenant_id and t.role = 'Owner') grantors),
      '[]') as user_ids
    from recycle_bin b where b.id = any(${sql.array(ids, 'uuid')})`);
