import { z } from 'zod';
import { type Reads, sql } from '../db.ts';
import { type Caller, denyingTenants } from '../http/caller.ts';
import { ROLES } from './access.ts';
import { namesCaller, projectsWithRights } from './visibility.queries.ts';

const ProjectAccess = z.object({
  role: z.enum(ROLES).optional(),
  rights: z.number(),
  /** Role as a member, apart from what the tenant or a key grants. */
  memberRole: z.enum(ROLES).optional(),
});

export const findAccess = (db: Reads, user: Caller, id: string) =>
  db.maybeOne(sql.type(ProjectAccess)`
    select p.role, p.rights, m.role as member_role
    from ${projectsWithRights(user)} p
    left join project_members m on m.project_id = p.member_source_id and m.user_id = ${user.userId}
    where p.id = ${id}`);

const Grant = z.object({
  projectId: z.string(),
  principal: z.string(),
  operation: z.enum(['read', 'update', 'delete']),
  denied: z.boolean(),
});

/**
 * Permission entries that name this user, of the project and of the ancestors through which it inherits its members.
 * With a tenant header, another tenant's project allows the caller nothing, but what it denies holds.
 */
export const listGrants = (db: Reads, user: Caller, id: string) =>
  db.any(sql.type(Grant)`
    select g.project_id, g.principal, g.operation, g.denied
    from projects p
    join permission_grants g on g.project_id = any(p.path[array_position(p.path, p.member_source_id):])
    where p.id = ${id} and ${namesCaller(user)}
      and p.tenant_id = any(case when g.denied then ${sql.array(denyingTenants(user), 'uuid')}
        else ${sql.array(
          user.tenants.map((tenant) => tenant.id),
          'uuid',
        )} end)
    order by array_position(p.path, g.project_id), g.denied desc, g.operation, g.principal`);
