import type { BlobStore } from '../../src/blobs/blobs.ts';

/** The store with other methods in place of some of its own. */
export const override = (store: BlobStore, others: Partial<BlobStore>): BlobStore =>
  new Proxy(store, {
    get(target, name) {
      const member = Reflect.get(name in others ? others : target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
