import type { Db } from '../db.ts';
import { notFound } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import type { Signer } from '../platform/keys/signing-keys.ts';
import { may } from '../projects/access.ts';
import { currentGeneration } from '../projects/grant-generations.queries.ts';
import { visibleProject } from '../projects/visibility.queries.ts';
import type { BlobAddress, FolderScope, Grant } from '../uploads/address.ts';
import { grantQuery } from '../uploads/address.ts';
import { findVisible } from './queries.ts';

export const HOUR_MS = 3_600_000;
/** Maximum lifetime: rights are not checked again when a grant is used. */
export const MAX_GRANT_MS = 365 * 24 * HOUR_MS;

/** Grants reading for an hour. Read `generation` before the check that the data is visible. */
export const readGrant = (generation: number) =>
  ({ permission: 'r', expiresAt: new Date(Date.now() + HOUR_MS), generation }) as const;

/** Query string to append to an address. Grants reading, and also writing if the caller has canUpdateContent. */
export const contentGrant = (
  signer: Signer,
  { rights, ...scope }: (BlobAddress | FolderScope) & { rights: number },
  time: Pick<Grant, 'expiresAt' | 'generation'>,
) => grantQuery(signer, scope, { permission: may({ rights }, 'canUpdateContent') ? 'rcw' : 'r', ...time });

/** Query string that grants access to a project, to a folder of its tree, or to one dataset in it. */
export async function grantFor(
  { db, signer }: { db: Db; signer: Signer },
  caller: Caller,
  { projectId, resourceId = projectId }: { projectId: string; resourceId?: string | undefined },
  { expiresAt, readOnly }: { expiresAt: Date; readOnly: boolean },
): Promise<string> {
  const time = { expiresAt, generation: await currentGeneration(db) };
  const grant = (scope: BlobAddress | FolderScope, rights: number) =>
    readOnly
      ? grantQuery(signer, scope, { permission: 'r', ...time })
      : contentGrant(signer, { ...scope, rights }, time);
  const project = await visibleProject(db, caller, projectId);
  const dataset = resourceId === project.id ? undefined : await findVisible(db, caller, resourceId);
  if (dataset) {
    if (dataset.projectId !== project.id) throw notFound('Dataset', resourceId);
    return grant({ area: 'dataset', name: dataset.id }, dataset.rights);
  }
  const folder = resourceId === project.id ? project : await visibleProject(db, caller, resourceId);
  if (folder.rootId !== project.rootId) throw notFound('Project', resourceId);
  return grant({ folder: folder.id }, folder.rights);
}
