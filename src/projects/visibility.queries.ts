import { z } from 'zod';
import type { Db } from '../db.ts';
import { sql } from '../db.ts';
import { notFound } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { ownedTenants } from '../http/caller.ts';
import { ROLES } from './access.ts';

/**
 * What this caller sees, as a table to select from and join with: `from ${visibleProjects(caller)} p`. The columns of `projects`, of those
 * that are alive with all their ancestors and where the caller has a role, and that `role`. It comes from the members of the nearest
 * ancestor that does not inherit; an Owner of the tenant is Owner of every project in it.
 */
export function visibleProjects(caller: Caller) {
  const owned = ownedTenants(caller);
  const alive = sql.fragment`not exists (select from projects a where a.id = any(p.path) and a.deleted_at is not null)`;
  const member = sql.fragment`project_members m on m.project_id = p.member_source_id and m.user_id = ${caller.userId}`;
  // without the first form a list would look at every project of a large tenant to find the few with a role
  if (owned.length === 0) return sql.fragment`(select p.*, m.role from projects p join ${member} where ${alive})`;
  const own = sql.fragment`p.tenant_id = any(${sql.array(owned, 'uuid')})`;
  return sql.fragment`
    (select p.*, case when ${own} then 'Owner' else m.role end as role
     from projects p left join ${member} where ${alive} and (${own} or m.role is not null))`;
}

const Visible = z.object({
  id: z.string(),
  tenantId: z.string(),
  parentId: z.string().optional(),
  rootId: z.string(),
  memberSourceId: z.string(),
  name: z.string(),
  role: z.enum(ROLES),
});
/** A project as rules ask about it: `demand(project, 'canEdit')`. */
export type VisibleProject = z.infer<typeof Visible>;

/** The project, if the caller sees it; else `notFound`, before anything is said of rights. */
export async function visibleProject(db: Db, caller: Caller, id: string): Promise<VisibleProject> {
  const found = await db.maybeOne(sql.type(Visible)`
    select p.id, p.tenant_id, p.parent_id, p.root_id, p.member_source_id, p.name, p.role
    from ${visibleProjects(caller)} p where p.id = ${id}`);
  if (!found) throw notFound('Project', id);
  return found;
}
