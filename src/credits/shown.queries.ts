import { type Fragment, sql } from '../db.ts';
import { type Caller, ownedTenants } from '../http/caller.ts';
import { isVisible, projectsWithRights } from '../projects/visibility.queries.ts';

// What members of a tenant may read of the projects that its credits were used for.

/** Lateral join `named` with the name of the project of `row`, if the caller may see the project, deleted or not. */
export const projectNames = (caller: Caller, row: Fragment) => sql.fragment`
  left join lateral (
    select p.name from ${projectsWithRights(caller)} p where p.id = ${row}.project_id and ${isVisible(sql.fragment`p`)}) named on true`;

/**
 * Column `created_by`, absent for a row of a project that the caller may not see. Owners of the tenant see it also of a
 * project that is no longer there.
 */
export const shownCreator = (caller: Caller, pool: string, row: Fragment) => sql.fragment`
  case when ${row}.project_id is null or named.name is not null
    or ${ownedTenants(caller).includes(pool)} and not exists (select from projects gone where gone.id = ${row}.project_id)
  then ${row}.created_by end as created_by`;
