import { z } from 'zod';
import { sql, type Transaction } from '../db.ts';
import type { Permissions } from './permissions.ts';

/** Ids of the root projects of these projects, including deleted ones. Unknown projects are skipped. */
export const listRoots = (tx: Transaction, ids: readonly string[]) =>
  tx.anyFirst(sql.type(z.object({ rootId: z.string() }))`
    select distinct root_id from projects where id = any(${sql.array(ids, 'uuid')}) order by root_id`);

/**
 * Serializes changes of the structure and the members of a tree: create, move, members, delete, restore, purge. Held
 * until the transaction ends. Changes of datasets and names do not take this lock. Prefer `lockProjectTrees`, which
 * also checks that it locked the right trees.
 */
export const lockTrees = (tx: Transaction, rootIds: readonly string[]) =>
  tx.query(sql.unsafe`
    select from projects where id = any(${sql.array(rootIds, 'uuid')}) order by id for no key update`);

export interface NewNode {
  id: string;
  /** Absent for a root project, which needs `tenantId`. */
  parentId?: string | undefined;
  tenantId?: string | undefined;
  name: string;
  description?: string | undefined;
  metadata?: Record<string, unknown> | undefined;
  settings?: Record<string, unknown> | undefined;
  accessLevel?: string | undefined;
  /** Always false for a root project. */
  inheritsMembers: boolean;
  permissions?: Permissions | undefined;
  createdBy: string;
}

/**
 * Inserts projects in one statement. Each is a root or has a parent that exists already, so each level of a tree needs
 * its own call. Subprojects take tenant, root, path and member source from their parent, whose tree must be locked.
 * Fires `projects_permissions_made`, which fills `permission_grants`.
 */
export const insertProjects = (tx: Transaction, rows: readonly NewNode[]) =>
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
 * Moves a project below another one of its tenant, or makes it a root project; one that inherits its members must get
 * its own before that. Updates path, root and inherited member source of all descendants. The caller locks both trees
 * and makes sure that no cycle results. Fires `keep_grants_void`, which keeps ended signed addresses void, and
 * `projects_followed`, which updates `recycle_bin`.
 */
export const setParent = (tx: Transaction, id: string, parentId: string | undefined, userId: string) =>
  tx.query(sql.unsafe`
    update projects p set
      parent_id = case when p.id = moved.id then target.id else p.parent_id end,
      updated_at = case when p.id = moved.id then now() else p.updated_at end,
      updated_by = case when p.id = moved.id then ${userId}::uuid else p.updated_by end,
      root_id = coalesce(target.root_id, moved.id),
      path = target.path || p.path[cardinality(moved.path):],
      member_source_id = case when moved.inherits_members and p.member_source_id = moved.member_source_id
        then target.member_source_id else p.member_source_id end
    from projects moved left join projects target on target.id = ${parentId ?? null}::uuid
    where moved.id = ${id} and p.path @> array[moved.id]`);

/**
 * Turns inheritance of members on or off for a subproject and updates the member source of all descendants that inherit
 * through it. The caller deletes or adds the subproject's own members. The tree must be locked. No change if the
 * setting is the same. Fires `projects_followed`, which updates `recycle_bin`.
 */
export const setInheritance = (tx: Transaction, id: string, inherits: boolean, userId: string) =>
  tx.query(sql.unsafe`
    update projects p set
      inherits_members = case when p.id = changed.id then ${inherits}::boolean else p.inherits_members end,
      updated_at = case when p.id = changed.id then now() else p.updated_at end,
      updated_by = case when p.id = changed.id then ${userId}::uuid else p.updated_by end,
      member_source_id = changed.source
    from (
      select c.id, c.member_source_id as before, case when ${inherits}::boolean then parent.member_source_id else c.id end as source
      from projects c left join projects parent on parent.id = c.parent_id
      where c.id = ${id} and c.inherits_members <> ${inherits}::boolean) changed
    where p.path @> array[changed.id] and p.member_source_id = changed.before`);

/** Whether project `id` is project `aboveId` or one of its descendants. */
export const isWithin = (tx: Transaction, id: string, aboveId: string) =>
  tx.exists(sql.unsafe`select from projects where id = ${id} and ${aboveId}::uuid = any(path)`);
