import { z } from 'zod';
import { type Reads, sql } from '../db.ts';
import { type Caller, isAdministrator } from '../http/caller.ts';
import { component, text, uuidText } from '../http/rules/members.ts';
import { isVisible, projectsWithRights } from './visibility.queries.ts';

export const Principal = component('KnownPrincipal', {
  id: uuidText('User id of the account, or id of the API key.'),
  principalType: z
    .enum(['UserIdentity', 'OpenAPIAccount'])
    .describe('Kind of the principal: `UserIdentity` or `OpenAPIAccount`.'),
  loginId: text('Login id of the account; an API key has none.', 'ann').optional(),
  name: text('Name of the person or of the API key.', 'Ann Example'),
});
export type Principal = z.infer<typeof Principal>;

/**
 * Looks up accounts and API keys by id or login id. Returns those that the caller may see: principals of the caller's
 * tenants, and members of projects visible to the caller.
 */
export function listPrincipals(
  db: Reads,
  caller: Caller,
  { ids, loginIds }: { ids: readonly string[]; loginIds: readonly string[] },
) {
  const wanted = sql.array(ids, 'uuid');
  const tenants = sql.array(
    caller.tenants.map((tenant) => tenant.id),
    'uuid',
  );
  const all = isAdministrator(caller);
  return db.any(sql.type(Principal)`
    select a.user_id as id, 'UserIdentity' as principal_type, a.id as login_id, a.name
    from accounts a
    where (a.user_id = any(${wanted})
        or a.folded_id = any(array(select fold_name(login_id) from unnest(${sql.array(loginIds, 'text')}) l (login_id))))
      and (${all} or a.user_id = ${caller.userId}
      or exists (select from tenant_members m where m.user_id = a.user_id and m.tenant_id = any(${tenants}))
      or exists (
        select from project_members m join ${projectsWithRights(caller)} p on p.id = m.project_id
        where m.user_id = a.user_id and ${isVisible(sql.fragment`p`)}))
    union all
    select k.id, 'OpenAPIAccount', null, k.name
    from api_keys k where k.id = any(${wanted}) and (${all} or k.tenant_id = any(${tenants}))`);
}
