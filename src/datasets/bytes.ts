import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { BlobStore } from '../blobs/blobs.ts';
import type { Db } from '../db.ts';
import { AppError, conflict } from '../errors.ts';
import { grantRefused } from '../uploads/address.ts';
import type { Place, WriteConditions } from '../uploads/place.ts';
import { findBytes, findGrantsFrom, liesBelow, lockBytes, replaceBytes } from './bytes.queries.ts';

const timeOf = (text: string | null | undefined) => (typeof text === 'string' ? new Date(`${text}Z`) : undefined);
const isId = (name: string) => z.uuid().safeParse(name).success;

/**
 * The area `dataset`: addresses that end in a dataset's id. A PUT replaces the bytes in one step when all have arrived; who reads
 * meanwhile goes on with the old ones, which stay until the sweep finds that no row names them. So does what a crash leaves behind.
 */
export function datasetPlace(db: Db, blobs: BlobStore): Place {
  const find = async (tx: Db, id: string) => (isId(id) ? await findBytes(tx, id) : undefined) ?? undefined;

  async function checkWritable(tx: Db, id: string, conditions: WriteConditions) {
    const { onlyNew, etag } = conditions;
    const found = await find(tx, id);
    if (!found) throw new AppError('notFound', `Dataset '${id}' was not found.`, { code: 'BlobNotFound' });
    // it was moved into another tenant while its bytes came
    if ('grantsFrom' in conditions && timeOf(found.grantsFrom)?.getTime() !== conditions.grantsFrom?.getTime())
      throw grantRefused();
    if (found.heldBy !== undefined) {
      throw conflict(`Dataset '${id}' is in use by transfer '${found.heldBy}'.`, { code: 'DatasetLocked' });
    }
    // a file that was made by its name alone has not been put yet: clients that want to make a new blob fill it
    if (onlyNew && found.storageSize > 0) {
      throw conflict(`Dataset '${id}' has bytes already.`, { code: 'BlobAlreadyExists' });
    }
    if (etag !== undefined && (await blobs.info(found.blob))?.etag !== etag) {
      throw new AppError('preconditionFailed', `Dataset '${id}' has another ETag.`, { code: 'ConditionNotMet' });
    }
  }

  return {
    find: async (id) => (await find(db, id))?.blob,
    async grantsFrom(id) {
      return timeOf(isId(id) ? await findGrantsFrom(db, id) : undefined);
    },
    liesBelow: async (id, folder) => isId(id) && (await liesBelow(db, id, folder)),
    writing: {
      check: (id, conditions = { onlyNew: false }) => checkWritable(db, id, conditions),
      async write(id, conditions, store) {
        await checkWritable(db, id, conditions);
        const blob = `dataset/${randomUUID()}`;
        const info = await store(blob);
        try {
          await db.transaction(async (tx) => {
            await lockBytes(tx, id);
            await checkWritable(tx, id, conditions);
            await replaceBytes(tx, id, blob, info.size);
          });
        } catch (error) {
          // only a refusal says for sure that no row names the new bytes
          if (error instanceof AppError) await blobs.remove(blob);
          throw error;
        }
        return info;
      },
    },
  };
}
