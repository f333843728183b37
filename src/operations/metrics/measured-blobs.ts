import type { BlobStore } from '../../blobs/blobs.ts';
import { AppError } from '../../errors.ts';
import type { Metrics } from './metrics.ts';

/** Wraps a blob store and measures its operations. */
export function measuredBlobs(store: BlobStore, metrics: Pick<Metrics, 'blobOperation'>): BlobStore {
  const measured =
    <Given extends unknown[], Result>(operation: string, run: (...given: Given) => Promise<Result>) =>
    async (...given: Given): Promise<Result> => {
      const began = performance.now();
      const observe = (outcome: 'ok' | 'refused' | 'error') =>
        metrics.blobOperation(operation, outcome, (performance.now() - began) / 1000);
      try {
        const result = await run(...given);
        observe('ok');
        return result;
      } catch (error) {
        observe(error instanceof AppError && error.kind !== 'unavailable' ? 'refused' : 'error');
        throw error;
      }
    };
  return {
    put: measured('put', (...given: Parameters<BlobStore['put']>) => store.put(...given)),
    putBlock: measured('put_block', (...given: Parameters<BlobStore['putBlock']>) => store.putBlock(...given)),
    commitBlocks: measured('commit_blocks', (...given: Parameters<BlobStore['commitBlocks']>) =>
      store.commitBlocks(...given),
    ),
    removeBlocks: measured('remove_blocks', (...given: Parameters<BlobStore['removeBlocks']>) =>
      store.removeBlocks(...given),
    ),
    info: measured('info', (name: string) => store.info(name)),
    read: measured('read', (...given: Parameters<BlobStore['read']>) => store.read(...given)),
    readAll: measured('read', (...given: Parameters<BlobStore['readAll']>) => store.readAll(...given)),
    fetch: measured('fetch', (...given: Parameters<BlobStore['fetch']>) => store.fetch(...given)),
    // not measured: opens a file, whose reads are no operations of the store
    ...(store.openFile && { openFile: store.openFile.bind(store) }),
    // not measured: signs an address without a request
    ...(store.address && { address: store.address.bind(store) }),
    copy: measured('copy', (...given: Parameters<BlobStore['copy']>) => store.copy(...given)),
    adopt: measured('adopt', (...given: Parameters<BlobStore['adopt']>) => store.adopt(...given)),
    remove: measured('remove', (name: string) => store.remove(name)),
    marker: store.marker,
    list: (prefix) => store.list(prefix),
    blocks: (name) => store.blocks(name),
    removeLeftovers: measured('remove_leftovers', (...given: Parameters<BlobStore['removeLeftovers']>) =>
      store.removeLeftovers(...given),
    ),
  };
}
