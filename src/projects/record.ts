import { z } from 'zod';
import {
  component,
  createdAt,
  createdBy,
  flag,
  METADATA,
  rowVersion,
  text,
  updatedAt,
  updatedBy,
  uuidText,
} from '../http/rules/members.ts';
import { Capabilities, capabilitiesOf, ROLES, type Role } from './access.ts';
import { permissionsAnswer, withoutHiddenPermissions } from './permissions.ts';

/**
 * Free-form JSON object in answers, returned as the client sent it. Not validated, which is cheap; requests use
 * `freeForm()`.
 */
export const freeFormAnswer = () => z.any().meta({ type: 'object', additionalProperties: true });
export const metadataAnswer = freeFormAnswer().meta(METADATA);

export const Member = component('ProjectMember', {
  userId: uuidText('User id of the member: an account or API key.'),
  role: z.enum(ROLES).describe('Role in the project.'),
  principalType: text('`UserIdentity`, `OpenAPIAccount`, `MemberGroup` or `Unknown`.', 'UserIdentity'),
  guest: flag('The account is no member of the tenant of the project.').optional(),
});
export type Member = z.infer<typeof Member>;

const base = {
  id: uuidText('Id of the project.'),
  createdAt,
  createdBy,
  updatedAt,
  updatedBy,
  name: text('Name of the project.', 'Upper valley'),
  description: text('Description of the project.', 'Terrain and gauges').optional(),
  accessLevel: text('`Confidential`, `Private` or `Shared`. Informational: it does not change permissions.', 'Shared'),
  hasThumbnail: flag('Whether the project has a thumbnail, or a dataset directly in it.'),
  inheritsMembers: flag('Whether the subproject inherits the members of its parent.'),
  rowVersion,
  parentProjectId: uuidText('Id of the parent project. Absent for top-level projects.').optional(),
};

/** A project in a list. */
export const ProjectItem = component('ProjectItem', base);
export type ProjectItem = z.infer<typeof ProjectItem>;
/** The full record of a project. `members` are its own; empty if it inherits them. */
export const Project = component('Project', {
  ...base,
  metadata: metadataAnswer,
  settings: freeFormAnswer().describe('Free-form settings; stored unchanged, including null.'),
  members: z.array(Member).describe('Members with their roles; empty if it inherits them.'),
  capabilities: Capabilities.describe('Capabilities of the caller.'),
  permissions: permissionsAnswer()
    .optional()
    .describe('Permissions of principals besides their roles; only for callers with canGrantAccess.'),
});
export type Project = z.infer<typeof Project>;

export const ProjectRow = Project.omit({ capabilities: true });

/** Answer of a write that returns no record. */
export const Written = component('Written', {
  id: uuidText('Id of the written project or dataset.'),
  rowVersion,
});
export type Written = z.infer<typeof Written>;

/** The record that a caller with these rights gets: rights become capabilities, permissions may be hidden. */
export function toProject(row: z.infer<typeof ProjectRow> & { role?: Role | undefined; rights: number }): Project {
  const { role: _, rights, ...rest } = withoutHiddenPermissions(row);
  return { ...rest, capabilities: capabilitiesOf(rights) };
}
