import { z } from 'zod';
import { recordColumns } from '../datasets/queries.ts';
import { DatasetRow } from '../datasets/record.ts';
import type { Db } from '../db.ts';
import { sql } from '../db.ts';
import type { Caller } from '../http/caller.ts';
import { isVisible, projectsWithRights } from '../projects/visibility.queries.ts';
import { mayDelete, ownsProject, reads, rolesWith } from './privilege.queries.ts';
import { ItemType } from './record.ts';

const Binned = z.object({
  id: z.string(),
  itemType: ItemType,
  name: z.string(),
  tenantId: z.string(),
  containerId: z.string().optional(),
  deletedAt: z.string(),
  deletedBy: z.string(),
  /** The caller holds the privilege to delete it. */
  privileged: z.boolean(),
  /** A project that the caller owns, so to say: canDelete on it, not on its parent. */
  owned: z.boolean(),
  /** The caller would see it if it were not deleted. */
  readable: z.boolean(),
});
/** Something in the bin, as rules ask about it. */
export type Binned = z.infer<typeof Binned>;

/** What a path names: a dataset may be named with the project it lies in. */
export interface Wanted {
  itemType: ItemType;
  id: string;
  projectId?: string | undefined;
}

/** If it is in the bin and the caller sees it there: he may delete it, or he did. */
export const findBinned = (db: Db, caller: Caller, { itemType, id, projectId }: Wanted) =>
  db.maybeOne(sql.type(Binned)`
    select * from (
      select b.id, b.item_type, b.name, b.tenant_id, b.container_id, b.deleted_at, b.deleted_by, ${mayDelete(caller)} as privileged,
        b.item_type = 'Project' and ${ownsProject(caller)} as owned,
        ${reads(caller)} as readable
      from recycle_bin b
      where b.id = ${id} and b.item_type = ${itemType}
        ${projectId === undefined ? sql.fragment`` : sql.fragment`and b.container_id = ${projectId}`}) b
    where b.privileged or b.deleted_by = ${caller.userId}`);

/** The whole record of a dataset, for who is known to see it; it may be gone. */
export const findDataset = (db: Db, id: string) =>
  db.maybeOne(sql.type(DatasetRow)`select ${recordColumns} from datasets d where d.id = ${id}`);

const Container = z.object({ id: z.string(), tenantId: z.string() });

/** A project whose deleted contents can be asked for: deleted or not, the caller reads it or sees it in the bin. */
export const findContainer = (db: Db, caller: Caller, id: string) =>
  db.maybeOne(sql.type(Container)`
    select p.id, p.tenant_id from ${projectsWithRights(caller)} p
    where p.id = ${id} and (${isVisible(sql.fragment`p`)} or exists (
      select from recycle_bin b where b.id = p.id and (b.deleted_by = ${caller.userId} or ${mayDelete(caller)})))`);

const Step = z.object({ id: z.string(), name: z.string(), itemType: ItemType, privileged: z.boolean() });
/** One of those that a restore brings back. */
export type Step = z.infer<typeof Step>;

/** The deleted projects from the root down to what lies in `projectId`, which is one of them if it is deleted. */
export const listDeletedAbove = (db: Db, caller: Caller, projectId: string) =>
  db.any(sql.type(Step)`
    select b.id, b.name, b.item_type, ${mayDelete(caller)} as privileged
    from projects p join recycle_bin b on b.id = any(p.path)
    where p.id = ${projectId} order by array_position(p.path, b.id)`);

/** Who can give somebody the privilege that restoring each of these needs. */
export const listGrantors = (db: Db, ids: readonly string[]) =>
  db.any(sql.type(z.object({ id: z.string(), userIds: z.array(z.string()) }))`
    select b.id, coalesce(
      (select jsonb_agg(user_id order by user_id) from (
        select user_id from project_members m
        where m.project_id = coalesce(b.own_source_id, b.container_source_id) and m.principal_type = 'UserIdentity' and m.role = any(${rolesWith('canGrantAccess')})
        union select user_id from tenant_members t where t.tenant_id = b.tenant_id and t.role = 'Owner') grantors),
      '[]') as user_ids
    from recycle_bin b where b.id = any(${sql.array(ids, 'uuid')})`);
