import { z } from 'zod';
import type { Db } from '../db.ts';
import { sql } from '../db.ts';
import type { Permissions } from './permissions.ts';

/** Ids of the trees in which these projects stand now, deleted ones too; unknown projects have none. */
export const rootsOf = (tx: Db, ids: readonly string[]) =>
  tx.anyFirst(sql.type(z.object({ rootId: z.string() }))`
    select distinct root_id from projects where id = any(${sql.array(ids, 'uuid')}) order by root_id`);

/**
 * Whatever changes the shape of a tree or who is a member where goes one after the other: creation, move, members, deletion, restore,
 * purge. Held until the transaction ends. Datasets and names do not wait for it. Prefer `lockTreesOf`, which also checks what it locked.
 */
export const lockTrees = (tx: Db, rootIds: readonly string[]) =>
  tx.query(sql.unsafe`
    select from projects where id = any(${sql.array(rootIds, 'uuid')}) order by id for no key update`);

export interface NewNode {
  id: string;
  /** Absent: a root project, and `tenantId` is there. */
  parentId?: string | undefined;
  tenantId?: string | undefined;
  name: string;
  description?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
  settings?: Record<string, unknown> | undefined;
  accessLevel?: string | undefined;
  /** Never of a root project. */
  inheritsMembers: boolean;
  permissions?: Permissions | undefined;
  createdBy: string;
}

/**
 * Writes projects, each a root or below a parent that is there already (so many levels take a call each), in one statement. Subprojects
 * get tenant, root, path and member source from their parent, whose tree must be locked.
 */
export const insertProjects = (tx: Db, rows: readonly NewNode[]) =>
  tx.query(sql.unsafe`
    insert into projects (id, tenant_id, parent_id, root_id, path, member_source_id, inherits_members, name, description, metadata,
      settings, access_level, permissions, created_by, updated_by)
    select r.id, coalesce(parent.tenant_id, r."tenantId"), parent.id, coalesce(parent.root_id, r.id), parent.path || r.id,
      case when r."inheritsMembers" then parent.member_source_id else r.id end, r."inheritsMembers", r.name, r.description,
      coalesce(r.metadata, '{}'), coalesce(r.settings, '{}'), coalesce(r."accessLevel", 'Shared'), coalesce(r.permissions, '[]'),
      r."createdBy", r."createdBy"
    from jsonb_to_recordset(${sql.jsonb(rows as never)}) as r (id uuid, "tenantId" uuid, "parentId" uuid, "inheritsMembers" boolean,
      name text, description text, metadata jsonb, settings jsonb, "accessLevel" text, permissions jsonb, "createdBy" uuid)
    left join projects parent on parent.id = r."parentId"`);

/**
 * Puts a project below another one of its tenant, or makes a root of it (one that inherits must be given members of its own before).
 * All that lies below comes with it: path, root and, where members come from above the moved project, member source. The trees on both
 * ends must be locked; whether this closes a loop is for the caller to know.
 */
export const setParent = (tx: Db, id: string, parentId: string | undefined) =>
  tx.query(sql.unsafe`
    update projects p set
      parent_id = case when p.id = moved.id then target.id else p.parent_id end,
      root_id = coalesce(target.root_id, moved.id),
      path = target.path || p.path[cardinality(moved.path):],
      member_source_id = case when moved.inherits_members and p.member_source_id = moved.member_source_id
        then target.member_source_id else p.member_source_id end
    from projects moved left join projects target on target.id = ${parentId ?? null}::uuid
    where moved.id = ${id} and p.path @> array[moved.id]`);

/**
 * Lets a subproject take its members from above, or not any more, and with it everything below that takes them through it. Its own
 * members are for the caller to remove or to give. The tree must be locked. Changes nothing when it is so already.
 */
export const setInheritance = (tx: Db, id: string, inherits: boolean) =>
  tx.query(sql.unsafe`
    update projects p set
      inherits_members = case when p.id = changed.id then ${inherits}::boolean else p.inherits_members end,
      member_source_id = changed.source
    from (
      select c.id, c.member_source_id as before, case when ${inherits}::boolean then parent.member_source_id else c.id end as source
      from projects c left join projects parent on parent.id = c.parent_id
      where c.id = ${id} and c.inherits_members <> ${inherits}::boolean) changed
    where p.path @> array[changed.id] and p.member_source_id = changed.before`);

/** Whether a project is another one or lies anywhere below it. */
export const liesBelow = (tx: Db, id: string, aboveId: string) =>
  tx.exists(sql.unsafe`select from projects where id = ${id} and ${aboveId}::uuid = any(path)`);
