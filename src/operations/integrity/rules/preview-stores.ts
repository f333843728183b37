import type { Rule, Violation } from '../rule.ts';
import { eachOf } from './each-of.ts';
import { forgetStores, listPreviewStores } from './preview-stores.queries.ts';

const PAGE = 500;
const LOOKUPS = 16;

/** The stores and overviews of previews are there, and have their sizes. */
export const previewStores: Rule = {
  name: 'preview-store',
  async find({ db, store: blobs, signal }) {
    const found = new Map<string, Violation>();
    for (let after: string | undefined = ''; after !== undefined; ) {
      signal?.throwIfAborted();
      const page = await listPreviewStores(db, after, PAGE);
      await eachOf(page, LOOKUPS, async ({ store, storeSize }) => {
        const size = (await blobs.info(store))?.size;
        if (size === storeSize) return;
        const instead = size === undefined ? 'is not in the blob store' : `has ${size} bytes instead of ${storeSize}`;
        found.set(store, { id: store, message: `The store ${store} of a preview ${instead}.` });
      });
      after = page.length < PAGE ? undefined : page.at(-1)?.store;
    }
    return [...found.values()];
  },
  repair: forgetStores,
};
