import { randomUUID } from 'node:crypto';
import type { BlobInfo, BlobStore } from '../blobs/blobs.ts';
import type { Database, Reads, Transaction } from '../db.ts';
import { AppError, conflict, invalidMember, notFound } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import type { Issuers } from '../keys/issuers.ts';
import type { Signer } from '../platform/keys/signing-keys.ts';
import { mayDeleteBlobs } from '../platform/sql/deletion-lock.ts';
import { type Grant, parseOwnAddress, signedAddress } from './address.ts';
import type { BlobArea, WriteConditions } from './blob-area.ts';
import {
  emptyStaged,
  findStaged,
  findStagedOf,
  insertStaged,
  keepStaged,
  lockStaged,
  markAllNamed,
  markNamed,
  renewStaged,
  setStagedBlob,
} from './staged.queries.ts';

/**
 * Uploads belong to no project, so their grants cannot be revoked: they end by expiry, with the account or key, or when
 * a transfer uses the file.
 */
const NO_GENERATION = 0;
/** A place ends a day after its last block, and a week after it was issued. Milliseconds. */
const PLACE = { afterBlockMs: 24 * 3_600_000, longestMs: 7 * 24 * 3_600_000 };

/** Issues signed upload addresses, each for one file and valid for a day. */
export async function issueUploadUrls(
  db: Database,
  signer: Signer,
  { userId, tenantId }: Caller,
  { base, count }: { base: string; count: number },
): Promise<string[]> {
  const names = Array.from({ length: count }, () => randomUUID());
  const expiresAt = new Date(Date.now() + PLACE.afterBlockMs);
  await db.transaction((tx) => insertStaged(tx, names, { userId, tenantId, expiresAt }));
  return Promise.all(names.map((name) => uploadAddress(signer, base, name, { expiresAt, issuer: userId })));
}

const uploadAddress = (signer: Signer, base: string, name: string, grant: Pick<Grant, 'expiresAt' | 'issuer'>) =>
  signedAddress(signer, base, { area: 'staging', name }, { ...grant, permission: 'cw', generation: NO_GENERATION });

/**
 * A new address of an upload that was issued to the caller, valid for another day, so that a long upload can go on.
 * Throws `notFound` for places that are unknown, expired or of others, and `conflict` when a transfer uses the file.
 */
export async function renewUploadUrl(
  db: Database,
  signer: Signer,
  { userId }: Caller,
  { base, uploadUrl }: { base: string; uploadUrl: string },
): Promise<string> {
  const address = parseOwnAddress(uploadUrl);
  if (address?.area !== 'staging') throw invalidMember('uploadUrl', notAnUpload(uploadUrl));
  const { name } = address;
  const expiresAt = await db.transaction(async (tx) => {
    const found = await findStagedOf(tx, name, userId, []);
    if (!found) throw notFound('Upload', name);
    if (found.namedAt !== undefined) throw inUse(name);
    return renewStaged(tx, name, PLACE);
  });
  if (expiresAt === null) throw notFound('Upload', name);
  return uploadAddress(signer, base, name, { expiresAt: new Date(`${expiresAt}Z`), issuer: userId });
}

/** A staged file as the input of a transfer. */
export interface NamedUpload {
  /** Key in `staged_blobs`. */
  name: string;
  /** Size in bytes; the content is immutable from now on. Absent if nothing has been uploaded. */
  size?: number;
}

/**
 * Takes the staged file at `url` (an address of this platform; its query is ignored) as the input of a transfer. Runs
 * in the transaction that starts the transfer: after the commit the file is immutable, and writes in progress fail.
 * Throws `notFound` for uploads that were not issued to the caller or to one of the caller's tenants.
 */
export async function nameStagedBlob(tx: Transaction, caller: Caller, url: string): Promise<NamedUpload> {
  const address = parseOwnAddress(url);
  if (address?.area !== 'staging') throw invalidMember('uploadUrl', notAnUpload(url));
  const tenants = caller.tenants.map((tenant) => tenant.id);
  const found = await findStagedOf(tx, address.name, caller.userId, tenants);
  if (!found) throw notFound('Upload', address.name);
  const { blob, size } = found;
  if (blob === undefined || size === undefined) return { name: address.name };
  if (found.namedAt !== undefined) return { name: address.name, size };
  const named = await markNamed(tx, address.name);
  if (!named) throw notFound('Upload', address.name);
  return { name: named.name, size: named.size };
}

/**
 * `nameStagedBlob` for many uploads, by their names.
 * @throws AppError notFound for one that was not issued to the caller or to one of the caller's tenants
 */
export async function nameStagedBlobs(
  tx: Transaction,
  caller: Caller,
  names: readonly string[],
): Promise<Map<string, NamedUpload>> {
  if (names.length === 0) return new Map();
  const tenants = caller.tenants.map((tenant) => tenant.id);
  const found = await lockStaged(tx, names, caller.userId, tenants);
  const uploads = new Map<string, NamedUpload>();
  for (const { name, size } of found) uploads.set(name, { name, ...(size === undefined ? {} : { size }) });
  const missing = names.find((name) => !uploads.has(name));
  if (missing !== undefined) throw notFound('Upload', missing);
  await markAllNamed(
    tx,
    found.flatMap(({ name, blob }) => (blob === undefined ? [] : [name])),
  );
  return uploads;
}

export const notAnUpload = (url: string) =>
  `'${url.replace(/[?#].*$/s, '')}' is not an upload address of this platform.`;
const blobNotFound = (name: string) =>
  new AppError('notFound', `Blob '${name}' was not found.`, { code: 'BlobNotFound' });
const inUse = (name: string) =>
  conflict(`Upload '${name}' is the input of a transfer and can no longer be changed. Get a new upload address.`, {
    code: 'BlobImmutableDueToPolicy',
  });
const exists = (name: string) =>
  conflict(`Upload '${name}' already has a file. Write without If-None-Match to replace it.`, {
    code: 'BlobAlreadyExists',
  });

/** A staged file taken for an import, or the reason why it cannot be imported. */
export type TakenUpload = { blob: string; size: number } | { message: string };

/**
 * Copies of staged blobs by the name of the original. Each copy is used once. Undefined if the original no longer
 * exists.
 */
export type Copies = Map<string, StoredBlob[] | undefined>;
type StoredBlob = { blob: string; size: number };

/**
 * Thrown by `takeStaged` before any write if it needs more copies. They are made outside of the transaction, to keep it
 * short.
 */
export class CopiesNeeded extends Error {
  override readonly name = 'CopiesNeeded';
  readonly sources: readonly StoredBlob[];

  constructor(sources: readonly StoredBlob[]) {
    super(`${sources.length} copies of staged files are needed.`);
    this.sources = sources;
  }
}

/**
 * Copies these blobs to new names. The orphan sweep deletes copies that no row references in the end, and those that
 * are older than an hour before a row does: so the store copies on its side, in seconds.
 */
export async function copyStaged(blobs: BlobStore, sources: readonly StoredBlob[], copies: Copies): Promise<void> {
  for (const source of sources) {
    try {
      const blob = `dataset/${randomUUID()}`;
      const { size } = await blobs.copy(source.blob, blob);
      copies.set(source.blob, [...(copies.get(source.blob) ?? []), { blob, size }]);
    } catch (error) {
      if (!(error instanceof AppError && error.kind === 'notFound')) throw error;
      copies.set(source.blob, undefined);
    }
  }
}

/**
 * Takes the staged files at these addresses for an import, in its transaction. The first use of a file takes over its
 * blob without a copy; if a transfer or another import uses it already, one of `copies` is taken.
 */
export async function takeStaged(
  tx: Transaction,
  caller: Caller,
  urls: readonly string[],
  copies: Copies,
): Promise<TakenUpload[]> {
  const names = urls.map((url) => {
    const address = parseOwnAddress(url);
    return address?.area === 'staging' ? address.name : undefined;
  });
  const known = names.filter((name) => name !== undefined);
  const tenants = caller.tenants.map((tenant) => tenant.id);
  const found = new Map((await lockStaged(tx, known, caller.userId, tenants)).map((row) => [row.name, row]));
  const taken: TakenUpload[] = [];
  const named = new Set<string>();
  const wanted: StoredBlob[] = [];
  const used = new Map<string, number>();
  for (const [index, name] of names.entries()) {
    const upload = name === undefined ? undefined : found.get(name);
    if (name === undefined) {
      taken.push({ message: notAnUpload(urls[index] ?? '') });
    } else if (!upload || (upload.blob !== undefined && copies.has(upload.blob) && !copies.get(upload.blob))) {
      taken.push({ message: `Upload '${name}' was not found.` });
    } else if (upload.blob === undefined || upload.size === undefined) {
      taken.push({ message: `Upload '${name}' has no file yet. Upload it first.` });
    } else if (upload.namedAt === undefined && !named.has(name)) {
      named.add(name);
      taken.push({ blob: upload.blob, size: upload.size });
    } else {
      const number = used.get(upload.blob) ?? 0;
      used.set(upload.blob, number + 1);
      const copy = copies.get(upload.blob)?.[number];
      if (copy) taken.push(copy);
      else wanted.push({ blob: upload.blob, size: upload.size });
    }
  }
  if (wanted.length > 0) throw new CopiesNeeded(wanted);
  await markAllNamed(tx, [...named]);
  return taken;
}

/** The area `staging`, for uploads. */
export const stagedPlace = (db: Database, blobs: BlobStore, issuers: Issuers): BlobArea => ({
  accepts: async (_name, grant) => grant.folder === undefined && (await issuers.find(grant.issuer)) !== undefined,
  find: (name) => findStagedBlob(db, name),
  writing: {
    check: async (name, conditions) => void (await checkWritable(db, blobs, name, conditions)),
    blockWritten: (name) => keepStaged(db, name, PLACE),
    write: (name, conditions, store) => writeStaged(db, blobs, name, conditions, store),
  },
});

/** Throws unless the upload may be written. Returns its current blob. */
async function checkWritable(
  db: Reads,
  blobs: BlobStore,
  name: string,
  conditions?: WriteConditions,
): Promise<string | undefined> {
  const found = await findStaged(db, name);
  if (!found) throw blobNotFound(name);
  if (found.namedAt !== undefined || found.deletedAt !== undefined) throw inUse(name);
  if (conditions?.onlyNew && found.blob !== undefined) throw exists(name);
  if (conditions?.onlyExisting && found.blob === undefined)
    throw new AppError('preconditionFailed', `Upload '${name}' has no file yet. Write without If-Match.`);
  if (conditions?.etag === undefined) return found.blob;
  const info = found.blob === undefined ? undefined : await blobs.info(found.blob);
  if (info?.etag !== conditions.etag)
    throw new AppError(
      'preconditionFailed',
      `Upload '${name}' has an ETag other than ${conditions.etag}. Read its current state first.`,
    );
  return found.blob;
}

async function writeStaged(
  db: Database,
  blobs: BlobStore,
  name: string,
  conditions: WriteConditions,
  store: (blob: string) => Promise<BlobInfo>,
): Promise<BlobInfo> {
  const before = await checkWritable(db, blobs, name, conditions);
  const blob = `staging/${name}.${randomUUID()}${conditions.mark ?? ''}`;
  const info = await store(blob);
  const replaced = await db.transaction((tx) =>
    setStagedBlob(
      tx,
      name,
      { blob, size: info.size },
      {
        onlyNew: conditions.onlyNew,
        // with If-Match, one of two concurrent writers fails
        ...(conditions.etag === undefined ? {} : { instead: before }),
      },
    ),
  );
  if (!replaced) {
    await blobs.remove(blob);
    await checkWritable(db, blobs, name, conditions);
    throw inUse(name);
  }
  if (replaced.before !== undefined && (await mayDeleteBlobs(db))) await blobs.remove(replaced.before);
  return info;
}

async function findStagedBlob(db: Reads, name: string): Promise<string | undefined> {
  const found = await findStaged(db, name);
  return found?.deletedAt === undefined ? found?.blob : undefined;
}

/** Deletes an upload. If a transfer uses it, it is hidden now and deleted when no transfer needs it. */
export async function deleteStaged(db: Database, blobs: BlobStore, name: string) {
  const emptied = await db.transaction((tx) => emptyStaged(tx, name));
  if (!emptied) throw blobNotFound(name);
  if (emptied.removable !== undefined && (await mayDeleteBlobs(db))) await blobs.remove(emptied.removable);
}
