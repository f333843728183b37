import type { Db } from '../db.ts';
import { conflict, notFound } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import type { Capability } from '../projects/access.ts';
import { demand } from '../projects/access.ts';
import { findReader } from './locks.queries.ts';
import type { VisibleDataset } from './queries.ts';
import { findVisible, lockVisible, shareVisible } from './queries.ts';

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
  refuseWritten(found);
  return found;
}

/** The same, and no transfer reads it either: it may be written, moved and deleted. */
export async function idleDataset(...wanted: Parameters<typeof lockedDataset>): Promise<VisibleDataset> {
  const found = await lockedDataset(...wanted);
  const reader = await findReader(wanted[0], found.id);
  if (reader === null) return found;
  throw conflict(`Dataset '${found.id}' is being read by transfer '${reader}'.`, { code: 'DatasetLocked' });
}

/** A dataset that the caller may read now, and that nobody begins to write before the transaction ends. */
export async function readableDataset(tx: Db, caller: Caller, id: string): Promise<VisibleDataset> {
  const found = await shareVisible(tx, caller, id);
  if (!found) throw notFound('Dataset', id);
  demand({ ...found, id: found.projectId }, 'canReadContent');
  refuseWritten(found);
  return found;
}

function refuseWritten({ id, lockedBy }: VisibleDataset) {
  if (lockedBy === undefined) return;
  throw conflict(`Dataset '${id}' is being written by transfer '${lockedBy}'.`, { code: 'DatasetLocked' });
}
