import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BlobStore } from '../../blobs/blobs.ts';
import { AppError } from '../../errors.ts';
import { ContentDamaged } from '../../transfers/store/content-damaged.ts';
import { type BlobEntry, blobName } from './manifest.ts';
import type { NamedBlob } from './snapshot.queries.ts';

/** Blobs that are copied at once. */
const AT_ONCE = 4;
const CHUNK = 1 << 20;

export interface CopyParts {
  /** The platform's store. It verifies what it reads. */
  blobs: BlobStore;
  target: BlobStore;
  /** A folder of this process alone, on the disk of a local store, which then copies nothing into it. */
  scratch: string;
  /** Blobs of the last backup, by name. */
  before: ReadonlyMap<string, BlobEntry>;
  signal: AbortSignal;
  progress(done: number): void;
}

export interface Copied {
  entries: BlobEntry[];
  /** Number and bytes of blobs that the target did not have. */
  written: { count: number; bytes: number };
  missing: { name: string; reason: string }[];
}

/**
 * Copies blobs to the target, each under the SHA-256 of its bytes, and those alone that it does not have. What the last
 * backup copied is not even read.
 */
export async function copyBlobs(named: readonly NamedBlob[], parts: CopyParts): Promise<Copied> {
  const present = new Map<string, number>();
  for await (const { name, size } of parts.target.list('blob/')) present.set(name, size);
  const copied: Copied = { entries: [], written: { count: 0, bytes: 0 }, missing: [] };
  await mkdir(parts.scratch, { recursive: true, mode: 0o700 });
  let done = 0;
  await inLanes(named, AT_ONCE, async (blob) => {
    parts.signal.throwIfAborted();
    const known = parts.before.get(blob.name);
    if (known !== undefined && isSame(known, blob) && present.get(blobName(known.sha256)) === known.size)
      copied.entries.push(known);
    else await copyOne(blob, parts, present, copied);
    parts.progress(++done);
  }).finally(() => rm(parts.scratch, { recursive: true, force: true }));
  copied.entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  return copied;
}

/** Blobs never change, so a name with the same digest has the same bytes. */
const isSame = (known: BlobEntry, { size, digest }: NamedBlob) =>
  digest !== null && known.digest === digest && known.size === size;

async function copyOne(
  { name, digest }: NamedBlob,
  { blobs, target, scratch, signal }: CopyParts,
  present: Map<string, number>,
  { entries, written, missing }: Copied,
): Promise<void> {
  const path = join(scratch, randomUUID());
  try {
    await blobs.fetch(name, path, signal);
  } catch (error) {
    const isGone = error instanceof ContentDamaged || (error instanceof AppError && error.kind === 'notFound');
    if (!isGone) throw error;
    missing.push({ name, reason: error.message });
    return;
  }
  try {
    const { sha256, size } = await hashFile(path, signal);
    const file = blobName(sha256);
    if (present.get(file) !== size) {
      await target.put(file, createReadStream(path, { highWaterMark: CHUNK }), size, signal);
      present.set(file, size);
      written.count++;
      written.bytes += size;
    }
    entries.push({ name, size, ...(digest === null ? {} : { digest }), sha256 });
  } finally {
    await rm(path, { force: true });
  }
}

async function hashFile(path: string, signal: AbortSignal): Promise<{ sha256: string; size: number }> {
  const sha256 = createHash('sha256');
  let size = 0;
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK, signal })) {
    sha256.update(chunk);
    size += chunk.length;
  }
  return { sha256: sha256.digest('hex'), size };
}

/** Works on all items, some at once. Throws the first error when none is worked on any more. */
export async function inLanes<T>(items: Iterable<T>, lanes: number, work: (item: T) => Promise<void>): Promise<void> {
  const left = items[Symbol.iterator]() as IterableIterator<T>;
  const lane = async () => {
    for (const item of { [Symbol.iterator]: () => ({ next: () => left.next() }) }) await work(item);
  };
  const ended = await Promise.allSettled(Array.from({ length: lanes }, lane));
  for (const one of ended) if (one.status === 'rejected') throw one.reason;
}
