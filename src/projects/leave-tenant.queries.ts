import { z } from 'zod';
import type { Db } from '../db.ts';
import { sql } from '../db.ts';

const HeldRole = z.object({
  projectId: z.string(),
  rootId: z.string(),
  /** A root project that has no other Owner among its members. */
  ownedAlone: z.boolean(),
});

/** Roles that a user has by himself in projects of a tenant, deleted ones too. */
export const listRolesIn = (tx: Db, tenantId: string, userId: string) =>
  tx.any(sql.type(HeldRole)`
    select p.id as project_id, p.root_id,
      p.parent_id is null and m.role = 'Owner' and not exists (
        select from project_members o where o.project_id = p.id and o.role = 'Owner' and o.user_id <> m.user_id) as owned_alone
    from project_members m join projects p on p.id = m.project_id
    where m.user_id = ${userId} and p.tenant_id = ${tenantId}`);

/** Ends them all. Each of these projects has changed. */
export const deleteRolesIn = (tx: Db, tenantId: string, userId: string, changedBy: string) =>
  tx.query(sql.unsafe`
    with ended as (
      delete from project_members m using projects p
      where p.id = m.project_id and p.tenant_id = ${tenantId} and m.user_id = ${userId}
      returning m.project_id)
    update projects set row_version = row_version + 1, updated_at = now(), updated_by = ${changedBy}
    where id in (select project_id from ended)`);

/** Events of a tenant's projects that were removed for good are no longer for this user, who was among their members. */
export const forgetGoneRolesIn = (tx: Db, tenantId: string, userId: string) =>
  tx.query(sql.unsafe`
    delete from gone_members m where m.user_id = ${userId} and exists (
      select from gone_projects g join events e on e.project_id = g.id
      where g.member_source_id = m.project_id and e.tenant_id = ${tenantId})`);
