import type { Db } from '../db.ts';
import { conflict, notFound } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import type { Capability } from '../projects/access.ts';
import { demand } from '../projects/access.ts';
import type { VisibleDataset } from './queries.ts';
import { findVisible, lockVisible } from './queries.ts';

/** The dataset, if the caller sees it; else `notFound`, before anything is said of rights. */
export async function visibleDataset(db: Db, caller: Caller, id: string): Promise<VisibleDataset> {
  const found = await findVisible(db, caller, id);
  if (!found) throw notFound('Dataset', id);
  return found;
}

/** A dataset that the caller may change now: locked for this transaction, and no transfer writes it. */
export async function lockedDataset(
  tx: Db,
  caller: Caller,
  wanted: { id: string; projectId?: string | undefined },
  capability: Capability,
): Promise<VisibleDataset> {
  const found = await lockVisible(tx, caller, wanted.id);
  if (!found || (wanted.projectId !== undefined && found.projectId !== wanted.projectId.toLowerCase())) {
    throw notFound('Dataset', wanted.id);
  }
  demand({ ...found, id: found.projectId }, capability);
  if (found.lockedBy !== undefined) {
    throw conflict(`Dataset '${found.id}' is being written by transfer '${found.lockedBy}'.`, {
      code: 'DatasetLocked',
    });
  }
  return found;
}
