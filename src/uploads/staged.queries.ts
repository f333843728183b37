import { z } from 'zod';
import { type Database, type Reads, sql, type Transaction } from '../db.ts';

const Staged = z.object({
  name: z.string(),
  /** Name in the blob store. Absent until the file is uploaded. */
  blob: z.string().optional(),
  size: z.number().optional(),
  namedAt: z.string().optional(),
  deletedAt: z.string().optional(),
});

export const insertStaged = (
  tx: Transaction,
  names: readonly string[],
  { userId, tenantId, expiresAt }: { userId: string; tenantId?: string | undefined; expiresAt: Date },
) =>
  tx.query(sql.unsafe`
    insert into staged_blobs (name, user_id, tenant_id, expires_at)
    select name, ${userId}, ${tenantId ?? null}::uuid, ${expiresAt.toISOString()}
    from unnest(${sql.array(names, 'text')}) as given (name)`);

/** How long a place to upload to lasts after a block, and at most. Milliseconds. */
export interface PlaceLifetime {
  afterBlockMs: number;
  longestMs: number;
}

const renewed = ({ afterBlockMs, longestMs }: PlaceLifetime) => sql.fragment`
  least(created_at + ${longestMs} * interval '1 millisecond', now() + ${afterBlockMs} * interval '1 millisecond')`;

/** Lets a place last on after a block, by statements an hour apart at least. */
export const keepStaged = (db: Database, name: string, lifetime: PlaceLifetime): Promise<void> =>
  db.transaction(async (tx) => {
    await tx.query(sql.unsafe`
      update staged_blobs set expires_at = ${renewed(lifetime)}
      where name = ${name} and expires_at > now() and expires_at < ${renewed(lifetime)} - interval '1 hour'`);
  });

/** Lets a place last on. Returns until when; null if it has expired or a transfer uses it. */
export const renewStaged = (tx: Transaction, name: string, lifetime: PlaceLifetime) =>
  tx.maybeOneFirst(sql.write(z.object({ expiresAt: z.string() }))`
    update staged_blobs set expires_at = greatest(expires_at, ${renewed(lifetime)})
    where name = ${name} and expires_at > now() and named_at is null and deleted_at is null
    returning expires_at`);

/** A staged upload, for the holder of its address. Includes deleted ones, which must refuse writes. */
export const findStaged = (db: Reads, name: string) =>
  db.maybeOne(sql.type(Staged)`
    select name, blob, size, named_at, deleted_at from staged_blobs where name = ${name} and expires_at > now()`);

/** A staged upload that was issued to this account or to one of these tenants. */
export const findStagedOf = (db: Reads, name: string, userId: string, tenantIds: readonly string[]) =>
  db.maybeOne(sql.prepared('staged of', Staged)`
    select name, blob, size, named_at from staged_blobs
    where name = ${name} and expires_at > now() and deleted_at is null
      and (user_id = ${userId} or tenant_id = any(${sql.array(tenantIds, 'uuid')}))`);

/** `findStagedOf` for many uploads, locked until the transaction ends. */
export const lockStaged = (tx: Transaction, names: readonly string[], userId: string, tenantIds: readonly string[]) =>
  tx.any(sql.write(Staged)`
    select name, blob, size, named_at from staged_blobs
    where name = any(${sql.array(names, 'text')}) and expires_at > now() and deleted_at is null
      and (user_id = ${userId} or tenant_id = any(${sql.array(tenantIds, 'uuid')}))
    order by name for update`);

/** Makes these uploads immutable. They must be locked. */
export const markAllNamed = (tx: Transaction, names: readonly string[]) =>
  tx.query(sql.unsafe`
    update staged_blobs set named_at = coalesce(named_at, now()) where name = any(${sql.array(names, 'text')})`);

/**
 * Names of those among these uploads of a transfer that still have a file, even if deleted or expired. Locked against
 * deletion until the transaction ends.
 */
export const holdStaged = (tx: Transaction, names: readonly string[]) =>
  tx.anyFirst(sql.write(z.object({ name: z.string() }))`
    select name from staged_blobs
    where name = any(${sql.array(names, 'text')}) and blob is not null order by name for share`);

/**
 * Sets the blob of an upload, unless a transfer uses it, or it has a blob despite `onlyNew`, or a blob other than
 * `instead`. Returns the previous blob. Fires `release_blob`, which notes the former blob in `released_blobs`.
 */
export const setStagedBlob = (
  tx: Transaction,
  name: string,
  { blob, size }: { blob: string; size: number },
  { onlyNew, instead }: { onlyNew: boolean; instead?: string | undefined },
) =>
  tx.maybeOne(sql.write(z.object({ before: z.string().optional() }))`
    update staged_blobs set blob = ${blob}, size = ${size}
    where name = ${name} and named_at is null and deleted_at is null and (blob is null or not ${onlyNew})
      and blob is not distinct from coalesce(${instead ?? null}, blob)
    returning old.blob as before`);

/** Makes an upload immutable. Null if it was deleted in the meantime. */
export const markNamed = (tx: Transaction, name: string) =>
  tx.maybeOne(sql.write(Staged.required({ blob: true, size: true }), 'mark named')`
    update staged_blobs set named_at = coalesce(named_at, now())
    where name = ${name} and blob is not null and deleted_at is null
    returning name, blob, size, named_at`);

/**
 * Deletes an upload, or hides it if a transfer uses it. `removable` is the blob to delete, if it is no longer needed.
 * Fires `release_blob`, which notes the former blob in `released_blobs`.
 */
export const emptyStaged = (tx: Transaction, name: string) =>
  tx.maybeOne(sql.write(z.object({ removable: z.string().optional() }))`
    update staged_blobs set
      blob = case when named_at is null then null else blob end,
      size = case when named_at is null then null else size end,
      deleted_at = case when named_at is null then null else now() end
    where name = ${name} and blob is not null and deleted_at is null and expires_at > now()
    returning case when named_at is null then old.blob end as removable`);
