import { descriptionIn } from '../io/store/description.ts';
import { zarrNaming } from '../io/store/naming.ts';
import type { OpenedStore, StoreContext } from '../io/store/opened.ts';
import { readDescribedArray } from '../io/store/read-array.ts';
import { readDescribedGrid } from '../io/store/read-grid.ts';
import { readDescribedMesh } from '../io/store/read-mesh.ts';
import { readForeign } from './read-foreign.ts';
import type { ZarrStore } from './store.ts';

/** The data of a store, of this platform or of another program; values are read when they are asked for. */
export async function dataOfStore(store: ZarrStore, context: StoreContext): Promise<OpenedStore> {
  const description = descriptionIn(store.attributes);
  if (description === undefined || description.kind === 'series') return readForeign(store, context);
  if (description.kind === 'grid') return readDescribedGrid(description, store);
  return description.kind === 'mesh'
    ? readDescribedMesh(description, store, zarrNaming.mesh)
    : readDescribedArray(description, store);
}
