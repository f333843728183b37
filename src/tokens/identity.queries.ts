import { z } from 'zod';
import type { Db } from '../db.ts';
import { sql } from '../db.ts';

/** An account with all that decides what it may do, as it is now, whatever its tokens say. */
const Identity = z.object({
  userId: z.string(),
  accountId: z.string(),
  foldedId: z.string(),
  name: z.string(),
  email: z.string().optional(),
  enabled: z.boolean(),
  activated: z.boolean(),
  tenantId: z.string().optional(),
  roles: z.array(z.string()),
  metadata: z.record(z.string(), z.unknown()),
  groups: z.array(z.string()),
  tenants: z.array(z.object({ id: z.string(), role: z.enum(['Owner', 'Member']) })),
});
export type Identity = z.infer<typeof Identity>;

const identity = sql.fragment`
    select a.user_id, a.id as account_id, a.folded_id, a.name, a.email, a.enabled, a.activated, a.tenant_id, a.roles, a.metadata,
      array(select g.name from group_members m join user_groups g on g.id = m.group_id where m.user_id = a.user_id
        order by g.name collate "C") as groups,
      coalesce((select jsonb_agg(jsonb_build_object('id', m.tenant_id, 'role', m.role) order by m.tenant_id)
        from tenant_members m where m.user_id = a.user_id), '[]') as tenants
    from accounts a`;

export const findIdentity = (db: Db, userId: string) =>
  db.maybeOne(sql.type(Identity)`${identity} where a.user_id = ${userId}`);

/** In its exact spelling. */
export const findIdentityByLoginId = (db: Db, id: string) =>
  db.maybeOne(sql.type(Identity)`${identity} where a.folded_id = fold_name(${id}) and a.id = ${id}`);
