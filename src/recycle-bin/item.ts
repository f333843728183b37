import type { Reads, Transaction } from '../db.ts';
import { forbidden, notFound } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { lockProjectTrees } from '../projects/tree.ts';
import { type DeletedItem, findDeletedItem, type ItemAddress } from './item.queries.ts';

/**
 * Returns an item of the recycle bin, or throws `notFound` if the caller does not see it, before any check of rights.
 */
export async function deletedItem(db: Reads, caller: Caller, address: ItemAddress): Promise<DeletedItem> {
  const found = await findDeletedItem(db, caller, address);
  if (!found) throw notFound(`Deleted ${address.itemType.toLowerCase()}`, address.id);
  return found;
}

/** Locks the trees of the item and of the projects `alsoLock` until the transaction ends, then returns the item. */
export async function lockedItem(
  tx: Transaction,
  caller: Caller,
  address: ItemAddress,
  ...alsoLock: string[]
): Promise<DeletedItem> {
  await lockProjectTrees(tx, projectIdOf(await deletedItem(tx, caller, address)), ...alsoLock);
  return deletedItem(tx, caller, address);
}

/** Id of the project itself, or of the project that contains the dataset. */
export const projectIdOf = ({ itemType, id, containerId }: DeletedItem): string =>
  itemType === 'Dataset' && containerId !== undefined ? containerId : id;

/** Name of the privilege: `DeleteProject` for projects, `DeleteContent` for datasets. */
export const privilegeFor = (itemType: ItemAddress['itemType']) =>
  itemType === 'Project' ? 'DeleteProject' : 'DeleteContent';

/** Error for a caller who sees an item but lacks the privilege for the action. */
export const lacking = (item: { itemType: ItemAddress['itemType']; id: string; name: string }, verb: string) =>
  forbidden(
    `You may not ${verb} ${item.itemType.toLowerCase()} '${item.id}' (${item.name}). This requires ${privilegeFor(item.itemType)}.`,
  );
