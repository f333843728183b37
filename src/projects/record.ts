import { z } from 'zod';
import { Capabilities, capabilitiesOf, ROLES, type Role } from './access.ts';
import { permissionsAnswer, withoutHiddenPermissions } from './permissions.ts';

/**
 * Free-form JSON object in answers, returned as the client sent it. Not validated, which is cheap; requests use
 * `freeForm()`.
 */
export const freeFormAnswer = () => z.any().meta({ type: 'object', additionalProperties: true });

export const Member = z
  .object({ userId: z.string(), role: z.enum(ROLES), principalType: z.string(), guest: z.boolean().optional() })
  .meta({ id: 'ProjectMember' });
export type Member = z.infer<typeof Member>;

const base = {
  id: z.string(),
  createdAt: z.string(),
  createdBy: z.string(),
  updatedAt: z.string(),
  updatedBy: z.string(),
  name: z.string(),
  description: z.string().optional(),
  accessLevel: z.string(),
  hasThumbnail: z.boolean(),
  inheritsMembers: z.boolean(),
  rowVersion: z.string(),
  parentProjectId: z.string().optional(),
};

/** A project in a list. */
export const ProjectItem = z.object(base).meta({ id: 'ProjectItem' });
export type ProjectItem = z.infer<typeof ProjectItem>;
/** The full record of a project. `members` are its own; empty if it inherits them. */
export const Project = z
  .object({
    ...base,
    metadata: freeFormAnswer(),
    settings: freeFormAnswer(),
    members: z.array(Member),
    capabilities: Capabilities,
    /** Only for callers with canGrantAccess. */
    permissions: permissionsAnswer().optional(),
  })
  .meta({ id: 'Project' });
export type Project = z.infer<typeof Project>;

export const ProjectRow = Project.omit({ capabilities: true });

/** Answer of a write that returns no record. */
export const Written = z.object({ id: z.string(), rowVersion: z.string() }).meta({ id: 'Written' });
export type Written = z.infer<typeof Written>;

/** The record that a caller with these rights gets: rights become capabilities, permissions may be hidden. */
export function projectOf(row: z.infer<typeof ProjectRow> & { role?: Role | undefined; rights: number }): Project {
  const { role: _, rights, ...rest } = withoutHiddenPermissions(row);
  return { ...rest, capabilities: capabilitiesOf(rights) };
}
