import type { Reads, Transaction } from '../db.ts';
import { conflict, invalid, notFound } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { type Capability, requireCapability } from '../projects/access.ts';
import { findReader } from './locks.queries.ts';
import { findVisible, lockVisible, shareVisible, type VisibleDataset } from './queries.ts';

/**
 * Returns the dataset, or throws `notFound` if the caller does not see it, before any check of rights. A caller sees a
 * dataset with the right `canReadContent`: by the role in its project (`projects/access.ts`), changed by permissions of
 * the project (`projects/visibility.queries.ts`) and of the dataset (`queries.ts`).
 */
export async function visibleDataset(db: Reads, caller: Caller, id: string): Promise<VisibleDataset> {
  const found = await findVisible(db, caller, id);
  if (!found) throw notFound('Dataset', id);
  return found;
}

/** A dataset of time series has no bytes that could be downloaded, copied or replaced. */
export const noBytes = (id: string) =>
  invalid(
    `Dataset '${id}' holds time series, which have no bytes. Read them with TSReader or under /api/ts/dataset/${id}.`,
    { code: 'NoBytes' },
  );

/**
 * Locks a dataset wherever it is. A statement that waits for its row while another transaction moves it finds nothing,
 * because it joins the project of before; a new statement sees where it is now.
 */
async function lockedWherever(lock: typeof lockVisible, tx: Transaction, caller: Caller, id: string) {
  for (;;) {
    const found = await lock(tx, caller, id);
    if (found || !(await findVisible(tx, caller, id))) return found;
  }
}

/**
 * Locks a dataset for this transaction and checks that the caller has the capability. Whether a transfer uses it is
 * checked later, by `refuseWritten` or `refuseUsed`, where a refusal of another object must come first.
 */
export async function takenDataset(
  tx: Transaction,
  caller: Caller,
  address: { id: string; projectId?: string | undefined },
  capability: Capability,
): Promise<VisibleDataset> {
  const found = await lockedWherever(lockVisible, tx, caller, address.id);
  if (!found || (address.projectId !== undefined && found.projectId !== address.projectId.toLowerCase())) {
    throw notFound('Dataset', address.id);
  }
  requireCapability({ ...found, id: found.projectId }, capability);
  return found;
}

/**
 * Takes a shared lock on a dataset, so that no write begins before the transaction ends, and checks that the caller may
 * read it.
 */
export async function sharedDataset(tx: Transaction, caller: Caller, id: string): Promise<VisibleDataset> {
  const found = await lockedWherever(shareVisible, tx, caller, id);
  if (!found) throw notFound('Dataset', id);
  requireCapability({ ...found, id: found.projectId }, 'canReadContent');
  return found;
}

/** Checks that no transfer writes a dataset that this transaction has locked. */
export function refuseWritten({ id, lockedBy }: VisibleDataset) {
  if (lockedBy === undefined) return;
  throw conflict(`Dataset '${id}' is being written by transfer '${lockedBy}'. Try again when it has ended.`, {
    code: 'DatasetLocked',
  });
}

/** Checks that no transfer writes or reads a dataset that this transaction has locked. */
export async function refuseUsed(tx: Transaction, dataset: VisibleDataset) {
  refuseWritten(dataset);
  const reader = await findReader(tx, dataset.id);
  if (reader === null) return;
  throw conflict(`Dataset '${dataset.id}' is being read by transfer '${reader}'. Try again when it has ended.`, {
    code: 'DatasetLocked',
  });
}

/** `takenDataset` that no transfer writes. */
export async function lockedDataset(...parameters: Parameters<typeof takenDataset>): Promise<VisibleDataset> {
  const found = await takenDataset(...parameters);
  refuseWritten(found);
  return found;
}

/** `lockedDataset` that no transfer reads either, so that it can be written, moved or deleted. */
export async function idleDataset(...parameters: Parameters<typeof takenDataset>): Promise<VisibleDataset> {
  const found = await takenDataset(...parameters);
  await refuseUsed(parameters[0], found);
  return found;
}

/** `sharedDataset` that no transfer writes. */
export async function readableDataset(tx: Transaction, caller: Caller, id: string): Promise<VisibleDataset> {
  const found = await sharedDataset(tx, caller, id);
  refuseWritten(found);
  return found;
}
