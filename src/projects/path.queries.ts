import { z } from 'zod';
import type { Db } from '../db.ts';
import { sql } from '../db.ts';
import type { Caller } from '../http/caller.ts';
import { ROLES } from './access.ts';
import { judgedProjects, seen } from './visibility.queries.ts';

const Node = z.object({
  id: z.string(),
  name: z.string(),
  parentProjectId: z.string().optional(),
  isDeleted: z.boolean(),
  accessLevel: z.string(),
  inheritsMembers: z.boolean(),
  effectiveUserRole: z.enum(ROLES).optional(),
  rights: z.number(),
});

/** From the root to a project that the caller has a role on, deleted or not; no rows when there is none. */
export const listPath = (db: Db, caller: Caller, id: string) =>
  db.any(sql.type(Node)`
    select a.id, a.name, a.parent_id as parent_project_id, a.deleted_at is not null as is_deleted, a.access_level, a.inherits_members,
      a.role as effective_user_role, a.rights
    from ${judgedProjects(caller)} p join ${judgedProjects(caller)} a on a.id = any(p.path)
    where p.id = ${id} and ${seen(sql.fragment`p`)}
    order by cardinality(a.path)`);
