import type { BlobStore } from '../../blobs/blobs.ts';
import { storePlaces } from '../../blobs/open.ts';
import type { Reads } from '../../db.ts';
import type { StoreSettings } from './owner.ts';
import { findSweepState } from './sweep-state.queries.ts';

/**
 * The store of these settings, at the place in which the platform opened it last. Unlike `openOwnStore` it writes
 * nothing, and does not ask whose it is.
 */
export async function openKnownStore(db: Reads, settings: StoreSettings): Promise<BlobStore> {
  const places = await storePlaces(settings.url, settings.folder, settings.limits);
  const place = (await findSweepState(db))?.place;
  const known = places.find(({ name }) => name === place) ?? places[0];
  if (known === undefined) throw new Error('No blob store is configured.');
  return known.store;
}
