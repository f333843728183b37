import { z } from 'zod';
import { descriptionText, freeForm } from '../http/rules/names.ts';
import { queryEnum } from '../http/rules/query.ts';
import { roleText } from './access.ts';
import { nameForm } from './names.ts';
import { permissionsForm } from './permissions.ts';

export const accessLevel = () => queryEnum(['Confidential', 'Private', 'Shared']);

export const memberForm = () => z.object({ userId: z.guid().toLowerCase(), role: roleText() });
export const membersForm = () => z.array(memberForm()).max(10_000);

export const NewProject = z
  .object({
    name: nameForm(),
    description: descriptionText().optional(),
    metadata: freeForm().optional(),
    settings: freeForm().optional(),
    accessLevel: accessLevel().optional(),
    inheritsMembers: z.boolean().optional(),
    members: membersForm().optional(),
    permissions: permissionsForm().optional(),
    /** Empty: no thumbnail. */
    thumbnailBase64: z.string().optional(),
  })
  .meta({ id: 'NewProject' });
export type ProjectRequest = z.output<typeof NewProject>;

const rowVersion = () => z.string().optional();

/** A project as `GET` returns it, changed. Members that are not listed here are ignored. */
export const ChangedProject = NewProject.omit({ inheritsMembers: true, members: true, thumbnailBase64: true })
  .extend({
    id: z.guid().toLowerCase(),
    rowVersion: rowVersion(),
  })
  .meta({ id: 'ChangedProject' });

export const ChangedAccessLevel = z
  .object({
    id: z.guid().toLowerCase(),
    accessLevel: accessLevel(),
    rowVersion: rowVersion(),
  })
  .meta({ id: 'ChangedAccessLevel' });

/** `members` is optional because clients omit an empty list. */
export const ChangedMembers = z
  .object({ members: membersForm().default([]), rowVersion: rowVersion() })
  .meta({ id: 'ChangedMembers' });
/** An empty text removes the image. */
export const Picture = z.object({ thumbnailBase64: z.string().default('') }).meta({ id: 'Thumbnail' });
export const Inherit = z.object({ rowVersion: rowVersion() }).meta({ id: 'InheritMembers' });
export const Target = z.object({ targetProjectId: z.guid().toLowerCase() }).meta({ id: 'Target' });
