import { z } from 'zod';
import type { Db } from '../db.ts';
import { sql } from '../db.ts';
import type { Caller } from '../http/caller.ts';
import { ROLES } from './access.ts';
import { judgedProjects, naming } from './visibility.queries.ts';

const Judged = z.object({
  role: z.enum(ROLES).optional(),
  rights: z.number(),
  /** As a member, whatever else he is. */
  memberRole: z.enum(ROLES).optional(),
});

export const findJudged = (db: Db, user: Caller, id: string) =>
  db.maybeOne(sql.type(Judged)`
    select p.role, p.rights, m.role as member_role
    from ${judgedProjects(user)} p
    left join project_members m on m.project_id = p.member_source_id and m.user_id = ${user.userId}
    where p.id = ${id}`);

const Grant = z.object({
  projectId: z.string(),
  principal: z.string(),
  operation: z.enum(['read', 'update', 'delete']),
  denied: z.boolean(),
});

/** Permissions of a project, and of those it inherits members through, that speak of this user. */
export const listGrants = (db: Db, user: Caller, id: string) =>
  db.any(sql.type(Grant)`
    select g.project_id, g.principal, g.operation, g.denied
    from projects p
    join permission_grants g on g.project_id = any(p.path[array_position(p.path, p.member_source_id):])
    where p.id = ${id} and ${naming(user)}
      and p.tenant_id = any(${sql.array(
        user.tenants.map((tenant) => tenant.id),
        'uuid',
      )})
    order by array_position(p.path, g.project_id), g.denied desc, g.operation, g.principal`);
