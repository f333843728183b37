/* Random access to a Zarr store in a zip: its arrays, and the data that they describe by CF or by this library. */

import type { OpenedStore, StoreContext } from './formats/io/store/opened.ts';
import type { ZarrStore } from './formats/zarr/store.ts';

export { standardName } from './formats/io/cf/standard-names.ts';
export { ChunkCache } from './formats/io/store/chunk-cache.ts';
export { CRS } from './formats/io/store/crs.ts';
export { descriptionIn } from './formats/io/store/description.ts';
export type { OpenedStore } from './formats/io/store/opened.ts';
export { ChunkThreads } from './formats/zarr/chunk-threads.ts';
export { ZarrStore } from './formats/zarr/store.ts';

/** The data of a store, of this library or of another program; values are read when they are asked for. */
export async function dataOfStore(store: ZarrStore, context: StoreContext): Promise<OpenedStore> {
  return (await import('./formats/zarr/open.ts')).dataOfStore(store, context);
}
