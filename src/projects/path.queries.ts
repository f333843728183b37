import { z } from 'zod';
import { type Reads, sql } from '../db.ts';
import type { Caller } from '../http/caller.ts';
import { ROLES } from './access.ts';
import { isVisible, projectsWithRights } from './visibility.queries.ts';

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

/**
 * Projects from the root down to a project that the caller sees, including deleted ones. Empty if the caller does not
 * see it.
 */
export const listPath = (db: Reads, caller: Caller, id: string) =>
  db.any(sql.type(Node)`
    select a.id, a.name, a.parent_id as parent_project_id, a.deleted_at is not null as is_deleted, a.access_level, a.inherits_members,
      a.role as effective_user_role, a.rights
    from ${projectsWithRights(caller)} p join ${projectsWithRights(caller)} a on a.id = any(p.path)
    where p.id = ${id} and ${isVisible(sql.fragment`p`)}
    order by cardinality(a.path)`);
