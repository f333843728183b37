import { z } from 'zod';
import { sql, type Transaction } from '../db.ts';
import type { Caller } from '../http/caller.ts';
import { projectsWithRights } from './visibility.queries.ts';

const FolderRow = z.object({
  id: z.string(),
  parentId: z.string().optional(),
  name: z.string(),
  /** Ids from the root of the tree down to this folder. */
  path: z.array(z.string()),
  memberSourceId: z.string(),
  inheritsMembers: z.boolean(),
  rights: z.number(),
});
export type FolderRow = z.infer<typeof FolderRow>;

/** One step of a path: the path of the folder that contains it, each segment followed by a slash, and a name. */
export interface Step {
  above: string;
  name: string;
}

/**
 * The project and the folders below it that are on these paths, visible or not, parents before children. Without
 * deleted folders and their descendants. A path may match several folders, because names are not unique.
 */
export const listAlong = (tx: Transaction, caller: Caller, projectId: string, steps: readonly Step[]) =>
  tx.any(sql.type(FolderRow)`
    with recursive wanted (above, name) as (
      select * from ${sql.unnest(
        steps.map(({ above, name }) => [above, name]),
        ['text', 'text'],
      )} w),
    found (id, place, depth) as (
      select id, '', 0 from projects where id = ${projectId}
      union all
      select c.id, f.place || path_segment(c.name) || '/', f.depth + 1
      from found f join wanted w on w.above = f.place
      join projects c on c.parent_id = f.id and c.name collate "C" = w.name
      where c.deleted_at is null)
    select p.id, p.parent_id, p.name, p.path, p.member_source_id, p.inherits_members, p.rights
    from found f join ${projectsWithRights(caller)} p on p.id = f.id
    order by f.depth, p.id`);

export interface PlacedFolder {
  id: string;
  parentId: string;
  name: string;
  path: readonly string[];
  memberSourceId: string;
}

/**
 * Creates folders, which inherit their members, and moves or renames others, all in one tree and one statement, so that
 * each may be below any other. Descendants of a moved folder move with it, as with `setParent`. The tree must be
 * locked. Fires `keep_grants_void`, which keeps ended signed addresses void, and `projects_followed`, which updates
 * `recycle_bin`.
 */
export const placeFolders = (
  tx: Transaction,
  { made, moved }: { made: readonly PlacedFolder[]; moved: readonly PlacedFolder[] },
  { rootId, accessLevel, userId }: { rootId: string; accessLevel: string; userId: string },
) =>
  tx.query(sql.unsafe`
    with made as (
      insert into projects (id, tenant_id, parent_id, root_id, path, member_source_id, inherits_members, name, access_level,
        created_by, updated_by)
      select m.id, root.tenant_id, m."parentId", root.id, m.path, m."memberSourceId", true, m.name, ${accessLevel}, ${userId}, ${userId}
      from jsonb_to_recordset(${sql.jsonb(made as never)}) as m (id uuid, "parentId" uuid, name text, path uuid[], "memberSourceId" uuid)
      join projects root on root.id = ${rootId})
    update projects p set
      parent_id = case when p.id = m.id then m."parentId" else p.parent_id end,
      name = case when p.id = m.id then m.name else p.name end,
      path = m.path || p.path[cardinality(m.before) + 1:],
      member_source_id = case when p.member_source_id = any(m.before[:cardinality(m.before) - 1])
        then m."memberSourceId" else p.member_source_id end,
      row_version = case when p.id = m.id then p.row_version + 1 else p.row_version end,
      updated_at = case when p.id = m.id then now() else p.updated_at end,
      updated_by = case when p.id = m.id then ${userId}::uuid else p.updated_by end
    from (
      -- a folder below several moved folders follows the nearest
      select distinct on (x.id) x.id as target, m.*, o.path as before
      from jsonb_to_recordset(${sql.jsonb(moved as never)}) as m (id uuid, "parentId" uuid, name text, path uuid[], "memberSourceId" uuid)
      join projects o on o.id = m.id join projects x on x.path @> array[m.id]
      order by x.id, cardinality(o.path) desc) m
    where p.id = m.target and (p.id = m.id or m.path <> m.before)`);

/** Fires `projects_binned`, which fills `recycle_bin`. */
export const markAllDeleted = (tx: Transaction, ids: readonly string[], userId: string) =>
  tx.query(sql.unsafe`
    update projects set deleted_at = now(), deleted_by = ${userId}, row_version = row_version + 1
    where id = any(${sql.array(ids, 'uuid')}) and deleted_at is null`);
