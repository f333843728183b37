import { z } from 'zod';
import { forbidden } from '../errors.ts';

export const ROLES = ['Owner', 'Contributor', 'Reader'] as const;
export type Role = (typeof ROLES)[number];

/** The nine rights on a project and what lies in it. */
export const Capabilities = z.object({
  canEdit: z.boolean(),
  canEditAccessLevel: z.boolean(),
  canDelete: z.boolean(),
  canGrantAccess: z.boolean(),
  canCreateContent: z.boolean(),
  canListContent: z.boolean(),
  canUpdateContent: z.boolean(),
  canDeleteContent: z.boolean(),
  canReadContent: z.boolean(),
});
export type Capabilities = z.infer<typeof Capabilities>;
export type Capability = keyof Capabilities;

const all = (value: boolean): Capabilities => ({
  canEdit: value,
  canEditAccessLevel: value,
  canDelete: value,
  canGrantAccess: value,
  canCreateContent: value,
  canListContent: value,
  canUpdateContent: value,
  canDeleteContent: value,
  canReadContent: value,
});

const BY_ROLE: Record<Role, Capabilities> = {
  Owner: all(true),
  Contributor: { ...all(true), canEditAccessLevel: false, canDelete: false, canGrantAccess: false },
  Reader: { ...all(false), canListContent: true, canReadContent: true },
};
const NONE = all(false);

/** What a role gives; without one, nothing. */
export const capabilitiesOf = (role: Role | undefined): Capabilities => (role === undefined ? NONE : BY_ROLE[role]);

export const rolesWith = (capability: Capability): Role[] => ROLES.filter((role) => BY_ROLE[role][capability]);

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

/** Throws `forbidden` unless the caller's role on the project gives this. Ask only about what is visible to the caller. */
export function demand(project: { id: string; role: Role }, capability: Capability) {
  if (BY_ROLE[project.role][capability]) return;
  throw forbidden(`As ${project.role} you may not ${VERBS[capability]} project '${project.id}'.`);
}
