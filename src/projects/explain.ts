import { z } from 'zod';
import type { Db } from '../db.ts';
import { invalidMember, notFound } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { holderOf } from '../tokens/caller.ts';
import { findIdentity } from '../tokens/queries.ts';
import type { Capability } from './access.ts';
import { Capabilities, capabilitiesOf, demand, may, OPERATION_RIGHTS, ROLE_RIGHTS, ROLES } from './access.ts';
import { findJudged, listGrants } from './explain.queries.ts';
import { visibleProject } from './visibility.queries.ts';

const Rule = z.object({
  /** Where it comes from. */
  rule: z.enum(['TenantOwner', 'Key', 'Member', 'Permission']),
  effect: z.enum(['Allows', 'Denies']),
  /** The project that has the member or the permission: this one or, where they are inherited, one above it. */
  projectId: z.string().optional(),
  role: z.enum(ROLES).optional(),
  /** As the permission names the user: an id, a login id, a group. */
  principal: z.string().optional(),
  operation: z.string().optional(),
});
type Rule = z.infer<typeof Rule>;

export const Access = z
  .object({
    projectId: z.string(),
    userId: z.string(),
    role: z.enum(ROLES).optional(),
    capabilities: Capabilities,
    /** Of each capability, whether the user has it and every rule that speaks of it; without any it is not given. */
    reasons: z.array(z.object({ capability: z.string(), allowed: z.boolean(), rules: z.array(Rule) })),
  })
  .meta({ id: 'ProjectAccess' });
export type Access = z.infer<typeof Access>;

/** Which rule gives or denies a user each capability on a project. For those who may grant access there. */
export async function explainAccess(db: Db, caller: Caller, id: string, userId: string): Promise<Access> {
  const project = await visibleProject(db, caller, id);
  demand(project, 'canGrantAccess');
  const user = userId === caller.userId ? caller : await callerOf(db, userId, caller);
  const judged = await findJudged(db, user, id);
  // purged since
  if (!judged) throw notFound('Project', id);
  const { role, memberRole, rights } = judged;
  const rules: (Rule & { speaksOf: number })[] = [];
  const owner = user.tenants.some((tenant) => tenant.id === project.tenantId && tenant.role === 'Owner');
  if (owner) rules.push({ rule: 'TenantOwner', effect: 'Allows', role: 'Owner', speaksOf: ROLE_RIGHTS.Owner });
  // a key asks about itself: it has its role in all of its tenant
  if (user.key?.tenantId === project.tenantId) {
    const { role: keyRole } = user.key;
    rules.push({ rule: 'Key', effect: 'Allows', role: keyRole, speaksOf: ROLE_RIGHTS[keyRole] });
  }
  if (memberRole !== undefined) {
    const from = { projectId: project.memberSourceId, role: memberRole };
    rules.push({ rule: 'Member', effect: 'Allows', ...from, speaksOf: ROLE_RIGHTS[memberRole] });
  }
  for (const { denied, operation, ...grant } of await listGrants(db, user, id)) {
    // nothing takes anything from an Owner of the tenant
    if (denied && owner) continue;
    const speaksOf = OPERATION_RIGHTS[operation];
    rules.push({ rule: 'Permission', effect: denied ? 'Denies' : 'Allows', operation, ...grant, speaksOf });
  }
  const capabilities = capabilitiesOf(rights);
  return {
    projectId: id,
    userId: user.userId,
    role,
    capabilities,
    reasons: (Object.keys(capabilities) as Capability[]).map((capability) => ({
      capability,
      allowed: capabilities[capability],
      rules: rules
        .filter(({ speaksOf }) => may({ rights: speaksOf }, capability))
        .map(({ speaksOf: _, ...rule }) => rule),
    })),
  };
}

/** Somebody else as he would call: with all his tenants and groups. */
async function callerOf(db: Db, userId: string, { address, requestId }: Caller): Promise<Caller> {
  const identity = await findIdentity(db, userId);
  if (!identity) throw invalidMember('userId', `There is no user '${userId}'.`);
  return { ...holderOf(identity), scopes: [], via: 'token', address, requestId };
}
