import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { BlobStore } from '../blobs/blobs.ts';
import type { Database, Reads } from '../db.ts';
import { AppError, conflict } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import type { Issuers } from '../keys/issuers.ts';
import { grantRefused } from '../uploads/address.ts';
import type { BlobArea, WriteConditions } from '../uploads/blob-area.ts';
import { noBytes } from './access.ts';
import { findBytes, lockBytes, replaceBytes } from './bytes.queries.ts';
import { acceptsGrant, mayUseGrant } from './grants.ts';

const isId = (name: string) => z.guid().safeParse(name).success;

/**
 * The area `dataset`, whose addresses end in a dataset id. A PUT replaces the content atomically once all bytes have
 * arrived; readers that started before continue with the old blob. The orphan sweep deletes blobs that no row
 * references: old ones, and leftovers of a crash.
 */
export function datasetPlace(db: Database, blobs: BlobStore, issuers: Issuers): BlobArea {
  const find = async (db: Reads, id: string) => (isId(id) ? await findBytes(db, id) : undefined) ?? undefined;

  const issuerOf = async ({ grant }: WriteConditions) => grant && issuers.find(grant.issuer);

  async function checkWritable(db: Reads, id: string, conditions: WriteConditions, issuer?: Caller) {
    const { onlyNew, etag, grant } = conditions;
    const found = await find(db, id);
    if (!found) throw new AppError('notFound', `Dataset '${id}' was not found.`, { code: 'BlobNotFound' });
    if (found.blob === undefined) throw noBytes(id);
    // the grant may have been revoked, or the dataset moved away, during the upload
    if (grant && !(await mayUseGrant(db, issuer, id, grant, 'w'))) throw grantRefused();
    if (found.heldBy !== undefined) {
      throw conflict(`Dataset '${id}' is in use by transfer '${found.heldBy}'. Try again when it has ended.`, {
        code: 'DatasetLocked',
      });
    }
    // a dataset that was created by name is empty; a client that writes "only if new" may fill it
    if (onlyNew && found.storageSize > 0) {
      throw conflict(`Dataset '${id}' already has content. Write without If-None-Match to replace it.`, {
        code: 'BlobAlreadyExists',
      });
    }
    if (etag !== undefined && (await blobs.info(found.blob))?.etag !== etag) {
      throw new AppError(
        'preconditionFailed',
        `Dataset '${id}' has an ETag other than ${etag}. Read its current state first.`,
        { code: 'ConditionNotMet' },
      );
    }
  }

  return {
    async find(id) {
      const found = await find(db, id);
      if (found && found.blob === undefined) throw noBytes(id);
      return found?.blob;
    },
    accepts: async (id, grant, permission) => isId(id) && (await acceptsGrant(db, issuers, id, grant, permission)),
    writing: {
      check: async (id, conditions = { onlyNew: false }) =>
        checkWritable(db, id, conditions, await issuerOf(conditions)),
      async write(id, conditions, store) {
        await checkWritable(db, id, conditions, await issuerOf(conditions));
        const blob = `dataset/${randomUUID()}${conditions.mark ?? ''}`;
        const info = await store(blob);
        const issuer = await issuerOf(conditions);
        try {
          await db.transaction(async (tx) => {
            await lockBytes(tx, id);
            await checkWritable(tx, id, conditions, issuer);
            await replaceBytes(tx, id, blob, info.size, issuer?.userId);
          });
        } catch (error) {
          // after an AppError the transaction has certainly rolled back; after others it may have committed
          if (error instanceof AppError) await blobs.remove(blob);
          throw error;
        }
        return info;
      },
    },
  };
}
