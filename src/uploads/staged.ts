import { randomUUID } from 'node:crypto';
import type { BlobInfo, BlobStore } from '../blobs/blobs.ts';
import { bytesOf } from '../blobs/blobs.ts';
import type { Db } from '../db.ts';
import { AppError, conflict, invalidMember, notFound } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import type { Signer } from '../platform/keys/signing-keys.ts';
import { parseOwnAddress, signedAddress } from './address.ts';
import type { Place, WriteConditions } from './blob-area.ts';
import {
  emptyStaged,
  findStaged,
  findStagedOf,
  insertStaged,
  lockStagedOf,
  markAllNamed,
  markNamed,
  setStagedBlob,
} from './staged.queries.ts';

/** Upload places lie in no project: their grants end by expiry, and when a transfer names the file. */
const NEVER_VOID = 0;
const LIFETIME_MS = 24 * 3_600_000;

/** Hands out places, each for one file: addresses that may be put to for a day. */
export async function issueUploadUrls(
  db: Db,
  signer: Signer,
  { userId, tenantId }: Caller,
  { base, count }: { base: string; count: number },
): Promise<string[]> {
  const names = Array.from({ length: count }, () => randomUUID());
  const expiresAt = new Date(Date.now() + LIFETIME_MS);
  await insertStaged(db, names, { userId, tenantId, expiresAt });
  return Promise.all(
    names.map((name) =>
      signedAddress(signer, base, { area: 'staging', name }, { permission: 'cw', expiresAt, generation: NEVER_VOID }),
    ),
  );
}

/** A staged file as a transfer takes it. */
export interface NamedUpload {
  /** Key of `staged_blobs`, for the transfer's row. */
  name: string;
  /** Of its bytes, which stay as they are from now on. Absent: nothing was uploaded yet. */
  size?: number;
}

/**
 * Takes the staged file at `url` (an address of ours, its query is ignored) as the input of a transfer, in the transaction that starts
 * it: from its commit on nobody writes the file, and a writer under way is refused. What was not handed out to the caller or to a tenant
 * of the caller does not exist.
 */
export async function nameStagedBlob(tx: Db, caller: Caller, url: string): Promise<NamedUpload> {
  const address = parseOwnAddress(url);
  if (address?.area !== 'staging')
    throw invalidMember('uploadUrl', `'${url.replace(/[?#].*$/s, '')}' is no upload address of this platform.`);
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

const blobNotFound = (name: string) =>
  new AppError('notFound', `Blob '${name}' was not found.`, { code: 'BlobNotFound' });
const inUse = (name: string) =>
  conflict(`'${name}' is the input of a transfer and can no longer be changed.`, { code: 'BlobImmutableDueToPolicy' });
const exists = (name: string) => conflict(`'${name}' holds a file already.`, { code: 'BlobAlreadyExists' });

/** A staged file that was taken, or why it cannot be. */
export type Taken = { blob: string; size: number } | { message: string };

/** Copies that were made of staged bytes, by the name of those: each is given away once. None: the bytes are gone. */
export type Copies = Map<string, NamedBytes[] | undefined>;
type NamedBytes = { blob: string; size: number };

/** Thrown by `takeStaged` before it writes: it needs more copies of these bytes, which nobody should wait for in a transaction. */
export class CopiesWanted extends Error {
  override readonly name = 'CopiesWanted';
  readonly sources: readonly NamedBytes[];

  constructor(sources: readonly NamedBytes[]) {
    super(`${sources.length} copies of staged files are wanted.`);
    this.sources = sources;
  }
}

/** Copies these bytes to fresh names, which no row has yet: if none ever does, the sweep of orphans removes them. */
export async function copyStaged(blobs: BlobStore, sources: readonly NamedBytes[], copies: Copies): Promise<void> {
  for (const source of sources) {
    try {
      const blob = `dataset/${randomUUID()}`;
      const { size } = await blobs.put(blob, bytesOf(blobs, source.blob), source.size);
      copies.set(source.blob, [...(copies.get(source.blob) ?? []), { blob, size }]);
    } catch (error) {
      if (!(error instanceof AppError && error.kind === 'notFound')) throw error;
      copies.set(source.blob, undefined);
    }
  }
}

/**
 * Takes staged files, whose addresses these are, for good: what nobody had named gives its bytes, so that none are copied; of others one
 * of `copies` is used, which stay as they are. In the transaction that makes something of them; a crash leaves all as it was.
 */
export async function takeStaged(tx: Db, caller: Caller, urls: readonly string[], copies: Copies): Promise<Taken[]> {
  const names = urls.map((url) => {
    const address = parseOwnAddress(url);
    return address?.area === 'staging' ? address.name : undefined;
  });
  const known = names.filter((name) => name !== undefined);
  const tenants = caller.tenants.map((tenant) => tenant.id);
  const found = new Map((await lockStagedOf(tx, known, caller.userId, tenants)).map((row) => [row.name, row]));
  const taken: Taken[] = [];
  const named = new Set<string>();
  const wanted: NamedBytes[] = [];
  const used = new Map<string, number>();
  for (const [index, name] of names.entries()) {
    const place = name === undefined ? undefined : found.get(name);
    if (name === undefined) {
      taken.push({ message: `'${urls[index]?.replace(/[?#].*$/s, '')}' is no upload address of this platform.` });
    } else if (!place || (place.blob !== undefined && copies.has(place.blob) && !copies.get(place.blob))) {
      taken.push({ message: `Upload '${name}' was not found.` });
    } else if (place.blob === undefined || place.size === undefined) {
      taken.push({ message: `Nothing was uploaded to '${name}' yet.` });
    } else if (place.namedAt === undefined && !named.has(name)) {
      named.add(name);
      taken.push({ blob: place.blob, size: place.size });
    } else {
      const number = used.get(place.blob) ?? 0;
      used.set(place.blob, number + 1);
      const copy = copies.get(place.blob)?.[number];
      if (copy) taken.push(copy);
      else wanted.push({ blob: place.blob, size: place.size });
    }
  }
  if (wanted.length > 0) throw new CopiesWanted(wanted);
  await markAllNamed(tx, [...named]);
  return taken;
}

/** The area `staging`. */
export const stagedPlace = (db: Db, blobs: BlobStore): Place => ({
  find: (name) => stagedBytes(db, name),
  writing: {
    check: async (name, conditions) => void (await checkWritable(db, blobs, name, conditions)),
    write: (name, conditions, store) => writeStaged(db, blobs, name, conditions, store),
  },
});

/** The bytes that are there now. */
async function checkWritable(
  db: Db,
  blobs: BlobStore,
  name: string,
  conditions?: WriteConditions,
): Promise<string | undefined> {
  const found = await findStaged(db, name);
  if (!found) throw blobNotFound(name);
  if (found.namedAt !== undefined || found.deletedAt !== undefined) throw inUse(name);
  if (conditions?.onlyNew && found.blob !== undefined) throw exists(name);
  if (conditions?.onlyThere && found.blob === undefined)
    throw new AppError('preconditionFailed', `'${name}' holds no file yet.`);
  if (conditions?.etag === undefined) return found.blob;
  const info = found.blob === undefined ? undefined : await blobs.info(found.blob);
  if (info?.etag !== conditions.etag) throw new AppError('preconditionFailed', `'${name}' has another ETag.`);
  return found.blob;
}

async function writeStaged(
  db: Db,
  blobs: BlobStore,
  name: string,
  conditions: WriteConditions,
  store: (blob: string) => Promise<BlobInfo>,
): Promise<BlobInfo> {
  const before = await checkWritable(db, blobs, name, conditions);
  const blob = `staging/${name}.${randomUUID()}`;
  const info = await store(blob);
  const replaced = await setStagedBlob(
    db,
    name,
    { blob, size: info.size },
    {
      onlyNew: conditions.onlyNew,
      // of two writers that know the same state, one is refused
      ...(conditions.etag === undefined ? {} : { instead: before }),
    },
  );
  if (!replaced) {
    await blobs.remove(blob);
    await checkWritable(db, blobs, name, conditions);
    throw inUse(name);
  }
  if (replaced.before !== undefined) await blobs.remove(replaced.before);
  return info;
}

async function stagedBytes(db: Db, name: string): Promise<string | undefined> {
  const found = await findStaged(db, name);
  return found?.deletedAt === undefined ? found?.blob : undefined;
}

/** Removes the file; one that a transfer has named is hidden now and goes when no transfer needs it any more. */
export async function deleteStaged(db: Db, blobs: BlobStore, name: string) {
  const emptied = await emptyStaged(db, name);
  if (!emptied) throw blobNotFound(name);
  if (emptied.removable !== undefined) await blobs.remove(emptied.removable);
}
