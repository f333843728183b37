import { z } from 'zod';
import { component, flag, rowVersion, text } from '../http/rules/members.ts';
import { descriptionText, freeForm, metadataForm } from '../http/rules/names.ts';
import { queryEnum } from '../http/rules/query.ts';
import { roleText } from './access.ts';
import { nameForm } from './names.ts';
import { permissionsForm } from './permissions.ts';

export const accessLevel = () => queryEnum(['Confidential', 'Private', 'Shared']);

export const memberForm = () =>
  z.object({
    userId: z.guid().toLowerCase().describe('User id of the member: an account or API key.'),
    role: roleText().describe('Role in the project.'),
  });
export const membersForm = () => z.array(memberForm()).max(10_000);

export const NewProject = component('NewProject', {
  name: nameForm().meta({ description: 'Name of the project, 1 to 255 characters.', example: 'Upper valley' }),
  description: descriptionText()
    .optional()
    .meta({ description: 'Description of the project.', example: 'Terrain and gauges' }),
  metadata: metadataForm.optional(),
  settings: freeForm().optional().describe('Free-form settings; stored unchanged, including null.'),
  accessLevel: accessLevel()
    .optional()
    .describe('`Confidential`, `Private` or `Shared`. Informational: it does not change permissions.'),
  inheritsMembers: flag('Whether the subproject inherits the members of its parent.').optional(),
  members: membersForm().optional().describe('Members with their roles; the creator becomes an Owner.'),
  permissions: permissionsForm().optional().describe('Permissions of principals besides their roles.'),
  thumbnailBase64: text('Thumbnail (PNG, JPEG or WEBP, maximum 1 MiB) in base64; empty removes it.', '').optional(),
});
export type ProjectRequest = z.output<typeof NewProject>;

/** A project as `GET` returns it, changed. Members that are not listed here are ignored. */
export const ChangedProject = NewProject.omit({ inheritsMembers: true, members: true, thumbnailBase64: true })
  .extend({
    id: z.guid().toLowerCase().describe('Id of the project.'),
    rowVersion: rowVersion.optional(),
  })
  .meta({ id: 'ChangedProject' });

export const ChangedAccessLevel = component('ChangedAccessLevel', {
  id: z.guid().toLowerCase().describe('Id of the project.'),
  accessLevel: accessLevel().describe(
    '`Confidential`, `Private` or `Shared`. Informational: it does not change permissions.',
  ),
  rowVersion: rowVersion.optional(),
});

/** `members` is optional because clients omit an empty list. */
export const ChangedMembers = component('ChangedMembers', {
  members: membersForm().default([]).describe('Members with their roles.'),
  rowVersion: rowVersion.optional(),
});
/** An empty text removes the image. */
export const Picture = component('Thumbnail', {
  thumbnailBase64: z
    .string()
    .default('')
    .meta({ description: 'Thumbnail (PNG, JPEG or WEBP, maximum 1 MiB) in base64; empty removes it.', example: '' }),
});
export const Inherit = component('InheritMembers', {
  rowVersion: rowVersion.optional(),
});
export const Target = component('Target', {
  targetProjectId: z.guid().toLowerCase().describe('Id of the project to move to.'),
});
