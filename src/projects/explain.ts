import { z } from 'zod';
import type { Reads } from '../db.ts';
import { invalidMember, notFound } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { component, flag, objects, text, uuidText } from '../http/rules/members.ts';
import { holderOf } from '../tokens/caller.ts';
import { findIdentity } from '../tokens/queries.ts';
import {
  Capabilities,
  type Capability,
  capabilitiesOf,
  may,
  OPERATION_RIGHTS,
  ROLE_RIGHTS,
  ROLES,
  requireCapability,
} from './access.ts';
import { findAccess, listGrants } from './explain.queries.ts';
import { visibleProject } from './visibility.queries.ts';

const Rule = z.object({
  rule: z.enum(['TenantOwner', 'Key', 'Member', 'Permission']).describe('Source of the rule.'),
  effect: z.enum(['Allows', 'Denies']).describe('What the rule does: it allows or denies.'),
  projectId: uuidText(
    'Id of the project with the member or permission: this project, or the ancestor it is inherited from.',
  ).optional(),
  role: z.enum(ROLES).optional().describe('Role that grants the capability.'),
  principal: text('How the permission names the user: user id, login id or group.', 'Editors').optional(),
  operation: text('`read`, `update` or `delete`; others are stored without effect.', 'read').optional(),
});
export type Rule = z.infer<typeof Rule>;

export const Access = component('ProjectAccess', {
  projectId: uuidText('Id of the project.'),
  userId: uuidText('User id of the person or key.'),
  role: z.enum(ROLES).optional().describe('Role in the project; absent without one.'),
  capabilities: Capabilities.describe('Capabilities of the caller.'),
  reasons: objects(
    'For each capability: whether the user has it, and the rules that allow or deny it; without a rule it is denied.',
    {
      capability: text('One of the nine capabilities.', 'canEdit'),
      allowed: flag('Whether the caller has the capability.'),
      rules: z.array(Rule).describe('Rules that grant or deny the capability.'),
    },
  ),
});
export type Access = z.infer<typeof Access>;

/** Lists the rules that allow or deny a user each capability on a project. Needs canGrantAccess. */
export async function explainAccess(db: Reads, caller: Caller, id: string, userId: string): Promise<Access> {
  const project = await visibleProject(db, caller, id);
  requireCapability(project, 'canGrantAccess');
  const user = userId === caller.userId ? caller : await makeCaller(db, userId, caller);
  const access = await findAccess(db, user, id);
  // purged since the first query
  if (!access) throw notFound('Project', id);
  const { role, memberRole, rights } = access;
  const rules: (Rule & { rights: number })[] = [];
  const owner = user.tenants.some((tenant) => tenant.id === project.tenantId && tenant.role === 'Owner');
  if (owner) rules.push({ rule: 'TenantOwner', effect: 'Allows', role: 'Owner', rights: ROLE_RIGHTS.Owner });
  // an API key asking about itself has its role in every project of its tenant
  if (user.key?.tenantId === project.tenantId) {
    const { role: keyRole } = user.key;
    rules.push({ rule: 'Key', effect: 'Allows', role: keyRole, rights: ROLE_RIGHTS[keyRole] });
  }
  if (memberRole !== undefined) {
    const from = { projectId: project.memberSourceId, role: memberRole };
    rules.push({ rule: 'Member', effect: 'Allows', ...from, rights: ROLE_RIGHTS[memberRole] });
  }
  for (const { denied, operation, ...grant } of await listGrants(db, user, id)) {
    // permissions cannot deny an Owner of the tenant anything
    if (denied && owner) continue;
    const effect = denied ? 'Denies' : 'Allows';
    rules.push({ rule: 'Permission', effect, operation, ...grant, rights: OPERATION_RIGHTS[operation] });
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
      rules: rules.filter((rule) => may(rule, capability)).map(({ rights: _, ...rule }) => rule),
    })),
  };
}

/** Another user as a caller, with all tenants and groups of that user. */
async function makeCaller(db: Reads, userId: string, { address, requestId }: Caller): Promise<Caller> {
  const identity = await findIdentity(db, userId);
  if (!identity) throw invalidMember('userId', `User '${userId}' does not exist.`);
  return { ...holderOf(identity), scopes: [], via: 'token', address, requestId };
}
