import type { Db } from '../db.ts';
import { forbidden, notFound } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { lockTreesOf } from '../projects/tree.ts';
import type { Binned, Wanted } from './item.queries.ts';
import { findBinned } from './item.queries.ts';

/** What is in the bin, if the caller sees it there; else `notFound`, before anything is said of rights. */
export async function binnedItem(db: Db, caller: Caller, wanted: Wanted): Promise<Binned> {
  const found = await findBinned(db, caller, wanted);
  if (!found) throw notFound(`Deleted ${wanted.itemType.toLowerCase()}`, wanted.id);
  return found;
}

/** The same, and nobody else changes its tree, nor that of `besides`, until the transaction ends. */
export async function lockedItem(tx: Db, caller: Caller, wanted: Wanted, ...besides: string[]): Promise<Binned> {
  await lockTreesOf(tx, placeOf(await binnedItem(tx, caller, wanted)), ...besides);
  return binnedItem(tx, caller, wanted);
}

/** The project that it is or lies in: a root project lies nowhere. */
export const placeOf = ({ itemType, id, containerId }: Binned): string =>
  itemType === 'Dataset' && containerId !== undefined ? containerId : id;

/** `DeleteProject` on projects, `DeleteContent` on datasets. */
export const privilegeFor = (itemType: Wanted['itemType']) =>
  itemType === 'Project' ? 'DeleteProject' : 'DeleteContent';

/** The refusal of who sees something in the bin and may not do this with it. */
export const lacking = (item: { itemType: Wanted['itemType']; id: string; name: string }, verb: string) =>
  forbidden(
    `You may not ${verb} ${item.itemType.toLowerCase()} '${item.id}' (${item.name}): that needs ${privilegeFor(item.itemType)}.`,
  );
