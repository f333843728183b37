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
/** Nobody asks whether a grant is still right, so it does not live longer. */
export const LONGEST_GRANT_MS = 365 * 24 * HOUR_MS;

/** For somebody who only reads, from now on. `generation`: of before what is read was found to be visible. */
export const readGrant = (generation: number) =>
  ({ permission: 'r', expiresAt: new Date(Date.now() + HOUR_MS), generation }) as const;

/** A query to put behind an address: reads what its holder sees, and writes where he may change what is there. */
export const contentGrant = (
  signer: Signer,
  { rights, ...scope }: (BlobAddress | FolderScope) & { rights: number },
  time: Pick<Grant, 'expiresAt' | 'generation'>,
) => grantQuery(signer, scope, { permission: may({ rights }, 'canUpdateContent') ? 'rcw' : 'r', ...time });

/** The query for a project, for a folder of its tree, or for one dataset in it. */
export async function grantFor(
  { db, signer }: { db: Db; signer: Signer },
  caller: Caller,
  { projectId, resourceId = projectId }: { projectId: string; resourceId?: string | undefined },
  expiresAt: Date,
): Promise<string> {
  const time = { expiresAt, generation: await currentGeneration(db) };
  const project = await visibleProject(db, caller, projectId);
  const dataset = resourceId === project.id ? undefined : await findVisible(db, caller, resourceId);
  if (dataset) {
    if (dataset.projectId !== project.id) throw notFound('Dataset', resourceId);
    return contentGrant(signer, { area: 'dataset', name: dataset.id, rights: dataset.rights }, time);
  }
  const folder = resourceId === project.id ? project : await visibleProject(db, caller, resourceId);
  if (folder.rootId !== project.rootId) throw notFound('Project', resourceId);
  return contentGrant(signer, { folder: folder.id, rights: folder.rights }, time);
}
