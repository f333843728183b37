import { z } from 'zod';
import { type Reads, sql } from '../db.ts';
import { number } from '../http/rules/members.ts';

/** Counts of objects that are deleted with an account: memberships, roles in projects, active logins. */
export const Removal = z.object({
  groups: number('Number of groups.'),
  tenants: number('Number of tenants.'),
  projects: number('Number of projects that have the account as a member.'),
  logins: number('Number of active logins.'),
});
export type Removal = z.infer<typeof Removal>;

export const countRemoval = (db: Reads, userId: string) =>
  db.one(sql.type(Removal)`
    select (select count(*) from group_members where user_id = ${userId}) as groups,
      (select count(*) from tenant_members where user_id = ${userId}) as tenants,
      (select count(*) from project_members where user_id = ${userId}) as projects,
      (select count(*) from refresh_families where user_id = ${userId} and revoked_at is null and expires_at > now()) as logins`);
