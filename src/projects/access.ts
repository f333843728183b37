import { z } from 'zod';
import { forbidden } from '../errors.ts';
import { component, flag } from '../http/rules/members.ts';

export const ROLES = ['Owner', 'Contributor', 'Reader'] as const;
export type Role = (typeof ROLES)[number];

/** The nine capabilities on a project and its contents. */
export const Capabilities = component('Capabilities', {
  canEdit: flag('May change name, description and metadata.'),
  canEditAccessLevel: flag('May change the access level.'),
  canDelete: flag('May delete the project.'),
  canGrantAccess: flag('May change members and permissions.'),
  canCreateContent: flag('May create datasets and subprojects.'),
  canListContent: flag('May list datasets and subprojects.'),
  canUpdateContent: flag('May change datasets.'),
  canDeleteContent: flag('May delete datasets and subprojects.'),
  canReadContent: flag('May read datasets.'),
});
export type Capabilities = z.infer<typeof Capabilities>;
export type Capability = keyof Capabilities;

const NAMES = Object.keys(Capabilities.shape) as Capability[];
const rights = (...names: Capability[]) => names.reduce((sum, name) => sum | (1 << NAMES.indexOf(name)), 0);

/**
 * Rights are a bit mask, one bit per capability. The database and the rules use the mask; `capabilitiesOf` turns it
 * into names.
 */
export const ALL = rights(...NAMES);
export const VISIBLE = rights('canReadContent');
export const ROLE_RIGHTS: Record<Role, number> = {
  Owner: ALL,
  Contributor: ALL & ~rights('canEditAccessLevel', 'canDelete', 'canGrantAccess'),
  Reader: rights('canListContent', 'canReadContent'),
};
/** Rights that each operation of a permission entry allows or denies. */
export const OPERATION_RIGHTS = {
  read: rights('canListContent', 'canReadContent'),
  update: rights('canEdit', 'canUpdateContent', 'canCreateContent'),
  delete: rights('canDelete', 'canDeleteContent'),
} as const;

export const capabilitiesOf = (sum: number): Capabilities =>
  Object.fromEntries(NAMES.map((name, bit) => [name, (sum & (1 << bit)) !== 0])) as Capabilities;

export const may = (entity: { rights: number }, capability: Capability) => (entity.rights & rights(capability)) !== 0;

/** Bit of a capability, for filters. */
export const rightOf = (capability: Capability) => rights(capability);

/** Accepts `Owner`, `owner` and `ProjectMemberRole.OWNER`: reads the part behind the last dot, in any letter case. */
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
  canUpdateContent: 'change the contents of',
  canDeleteContent: 'delete from',
  canReadContent: 'read the contents of',
};

/** Throws `forbidden` if the caller's rights on the project lack the capability. Call it for visible projects only. */
export function requireCapability(
  project: { id: string; rights: number; role?: Role | undefined },
  capability: Capability,
) {
  if (may(project, capability)) return;
  const subject = project.role === undefined ? 'You' : `As ${project.role} you`;
  throw forbidden(`${subject} may not ${VERBS[capability]} project '${project.id}'. This requires ${capability}.`);
}
