import { z } from 'zod';
import { forbidden } from '../errors.ts';

export const ROLES = ['Owner', 'Contributor', 'Reader'] as const;
export type Role = (typeof ROLES)[number];

/** The nine rights on a project and what lies in it. */
export const Capabilities = z
  .object({
    canEdit: z.boolean(),
    canEditAccessLevel: z.boolean(),
    canDelete: z.boolean(),
    canGrantAccess: z.boolean(),
    canCreateContent: z.boolean(),
    canListContent: z.boolean(),
    canUpdateContent: z.boolean(),
    canDeleteContent: z.boolean(),
    canReadContent: z.boolean(),
  })
  .meta({ id: 'Capabilities' });
export type Capabilities = z.infer<typeof Capabilities>;
export type Capability = keyof Capabilities;

const NAMES = Object.keys(Capabilities.shape) as Capability[];
const rights = (...names: Capability[]) => names.reduce((sum, name) => sum | (1 << NAMES.indexOf(name)), 0);

/** Rights are a sum of bits, one per capability, in answers of the database and in rules; `capabilitiesOf` spells them out. */
export const ALL = rights(...NAMES);
export const VISIBLE = rights('canReadContent');
export const ROLE_RIGHTS: Record<Role, number> = {
  Owner: ALL,
  Contributor: ALL & ~rights('canEditAccessLevel', 'canDelete', 'canGrantAccess'),
  Reader: rights('canListContent', 'canReadContent'),
};
/** What an entity's permissions allow or deny. */
export const OPERATION_RIGHTS = {
  read: rights('canListContent', 'canReadContent'),
  update: rights('canEdit', 'canUpdateContent', 'canCreateContent'),
  delete: rights('canDelete', 'canDeleteContent'),
} as const;

export const capabilitiesOf = (sum: number): Capabilities =>
  Object.fromEntries(NAMES.map((name, bit) => [name, (sum & (1 << bit)) !== 0])) as Capabilities;

export const may = (entity: { rights: number }, capability: Capability) => (entity.rights & rights(capability)) !== 0;

/** The bit of a capability, for filters. */
export const rightOf = (capability: Capability) => rights(capability);

/** `Owner`, `owner`, `ProjectMemberRole.OWNER`: what stands behind the last dot, in any letter case. */
export const roleText = () =>
  z.preprocess((value) => {
    if (typeof value !== 'string') return value;
    const last = value.slice(value.lastIndexOf('.') + 1).toLowerCase();
    return ROLES.find((role) => role.toLowerCase() === last) ?? value;
  }, z.enum(ROLES));

const VERBS: Record<Capability, string> = {
  canEdit: 'change',
  canEditAccessLevel: 'change the access level of',
  canDelete: 'delete',
  canGrantAccess: 'change the members of',
  canCreateContent: 'add to',
  canListContent: 'list the contents of',
  canUpdateContent: 'change what is in',
  canDeleteContent: 'delete what is in',
  canReadContent: 'read what is in',
};

/** Throws `forbidden` unless the caller's rights on the project include this. Ask only about what is visible to the caller. */
export function demand(project: { id: string; rights: number; role?: Role | undefined }, capability: Capability) {
  if (may(project, capability)) return;
  const as = project.role === undefined ? 'You' : `As ${project.role} you`;
  throw forbidden(`${as} may not ${VERBS[capability]} project '${project.id}'.`);
}
