import { FormatError } from '../../errors.ts';
import { readCf } from '../io/cf/read.ts';
import type { OpenedStore, StoreContext } from '../io/store/opened.ts';
import type { ZarrStore } from './store.ts';

/** A store of another program, with attributes of CF or without. */
export async function readForeign(store: ZarrStore, context: StoreContext): Promise<OpenedStore> {
  for (const reason of store.unreadable.values()) context.reportLoss(reason);
  if (store.arrays.size === 0)
    throw new FormatError(
      [...store.unreadable.values()][0] ?? 'The store has no arrays with values besides coordinates.',
    );
  return readCf({ attributes: store.attributes, variables: store.arrays }, context);
}
