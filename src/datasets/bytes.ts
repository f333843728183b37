import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { BlobStore } from '../blobs/blobs.ts';
import type { Db } from '../db.ts';
import { AppError, conflict } from '../errors.ts';
import type { Place, WriteConditions } from '../uploads/place.ts';
import { findBytes, liesBelow, replaceBytes } from './bytes.queries.ts';

const isId = (name: string) => z.uuid().safeParse(name).success;

/**
 * The area `dataset`: addresses that end in a dataset's id. A PUT replaces the bytes in one step when all have arrived; who reads
 * meanwhile goes on with the old ones, which stay until the sweep finds that no row names them. So does what a crash leaves behind.
 */
export function datasetPlace(db: Db, blobs: BlobStore): Place {
  const find = async (id: string) => (isId(id) ? await findBytes(db, id) : undefined) ?? undefined;

  async function writable(id: string, { onlyNew, etag }: WriteConditions) {
    const found = await find(id);
    if (!found) throw new AppError('notFound', `Dataset '${id}' was not found.`, { code: 'BlobNotFound' });
    if (found.lockedBy !== undefined) {
      throw conflict(`Dataset '${id}' is being written by transfer '${found.lockedBy}'.`, { code: 'DatasetLocked' });
    }
    // a file that was made by its name alone has not been put yet: clients that want to make a new blob fill it
    if (onlyNew && found.storageSize > 0) {
      throw conflict(`Dataset '${id}' has bytes already.`, { code: 'BlobAlreadyExists' });
    }
    if (etag !== undefined && (await blobs.info(found.blob))?.etag !== etag) throw changed(id);
    return found;
  }

  return {
    find: async (id) => (await find(id))?.blob,
    liesBelow: async (id, folder) => isId(id) && (await liesBelow(db, id, folder)),
    writing: {
      check: async (id, conditions = { onlyNew: false }) => void (await writable(id, conditions)),
      async write(id, conditions, store) {
        const { blob: before } = await writable(id, conditions);
        const blob = `dataset/${randomUUID()}`;
        const info = await store(blob);
        const replaced = await replaceBytes(db, id, {
          blob,
          size: info.size,
          before: conditions.etag === undefined ? undefined : before,
          onlyEmpty: conditions.onlyNew,
        });
        if (replaced) return info;
        await blobs.remove(blob);
        await writable(id, conditions);
        throw changed(id);
      },
    },
  };
}

const changed = (id: string) =>
  new AppError('preconditionFailed', `Dataset '${id}' has another ETag.`, { code: 'ConditionNotMet' });
