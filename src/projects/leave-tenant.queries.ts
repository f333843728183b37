import { z } from 'zod';
import { sql, type Transaction } from '../db.ts';

const HeldRole = z.object({
  projectId: z.string(),
  rootId: z.string(),
  /** True for a root project whose only Owner is this user. */
  ownedAlone: z.boolean(),
});

/** Roles of a user, not inherited ones, in projects of a tenant, including deleted projects. */
export const listRolesIn = (tx: Transaction, tenantId: string, userId: string) =>
  tx.any(sql.type(HeldRole)`
    select p.id as project_id, p.root_id,
      p.parent_id is null and m.role = 'Owner' and not exists (
        select from project_members o where o.project_id = p.id and o.role = 'Owner' and o.user_id <> m.user_id) as owned_alone
    from project_members m join projects p on p.id = m.project_id
    where m.user_id = ${userId} and p.tenant_id = ${tenantId}`);

/** Deletes these roles, notes it as activity and raises the row version of each project. */
export const deleteRolesIn = (tx: Transaction, tenantId: string, userId: string, changedBy: string) =>
  tx.query(sql.unsafe`
    with ended as (
      delete from project_members m using projects p
      where p.id = m.project_id and p.tenant_id = ${tenantId} and m.user_id = ${userId}
      returning m.project_id, m.role, p.path),
    noted as (
      select record_activity('project.member.remove', ${changedBy}, project_id, null, 'account', ${userId}, null, path,
        before => jsonb_build_object('role', role), changed => '{role}')
      from ended)
    update projects set row_version = row_version + 1, updated_at = now(), updated_by = ${changedBy}
    where id in (select project_id from ended) and (select count(*) from noted) > 0`);

/**
 * Removes the user from the former members of purged projects of a tenant, so that their events are no longer shown to
 * the user.
 */
export const forgetGoneRolesIn = (tx: Transaction, tenantId: string, userId: string) =>
  tx.query(sql.unsafe`
    delete from removed_project_members m where m.user_id = ${userId} and exists (
      select from removed_projects g join events e on e.project_id = g.id
      where g.member_source_id = m.project_id and e.tenant_id = ${tenantId})`);
