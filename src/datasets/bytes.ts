import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { BlobStore } from '../blobs/blobs.ts';
import type { Db } from '../db.ts';
import { AppError, conflict } from '../errors.ts';
import { grantRefused } from '../uploads/address.ts';
import type { Place, WriteConditions } from '../uploads/place.ts';
import { acceptsGrant, findBytes, lockBytes, replaceBytes } from './bytes.queries.ts';

const isId = (name: string) => z.uuid().safeParse(name).success;

/**
 * The area `dataset`: addresses that end in a dataset's id. A PUT replaces the bytes in one step when all have arrived; who reads
 * meanwhile goes on with the old ones, which stay until the sweep finds that no row names them. So does what a crash leaves behind.
 */
export function datasetPlace(db: Db, blobs: BlobStore): Place {
  const find = async (tx: Db, id: string) => (isId(id) ? await findBytes(tx, id) : undefined) ?? undefined;

  async function checkWritable(tx: Db, id: string, conditions: WriteConditions) {
    const { onlyNew, etag, grant } = conditions;
    const found = await find(tx, id);
    if (!found) throw new AppError('notFound', `Dataset '${id}' was not found.`, { code: 'BlobNotFound' });
    // revoked, or moved away, while its bytes came
    if (grant && !(await acceptsGrant(tx, id, grant))) throw grantRefused();
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
    accepts: async (id, grant) => isId(id) && (await acceptsGrant(db, id, grant)),
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
