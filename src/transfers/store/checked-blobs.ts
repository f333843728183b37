import { AsyncLocalStorage } from 'node:async_hooks';
import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { BlobInfo, BlobStore, ByteRange } from '../../blobs/blobs.ts';
import { Digest, digestOfFile, type KnownDigest } from '../../blobs/digest.ts';
import { readSteadily } from '../../blobs/steady-read.ts';
import type { Database } from '../../db.ts';
import { AppError, notFound } from '../../errors.ts';
import {
  type BlobProblem,
  findDigest,
  findNamed,
  listProblems,
  type NamedBlob,
  putDigest,
  putProblem,
  removeProblem,
} from './digests.queries.ts';

export interface CheckedBlobsParts {
  db: Database;
  log: { error(details: object, message: string): void };
  /** Called after each write. */
  written(): void;
}

/** How long this process uses the list of damaged blobs before it reads the list again. */
const LIST_MS = 5000;
const MAX_LISTED = 10_000;
/**
 * The first bytes of a whole read are held back up to this number, so that a damaged short blob is an error and
 * no broken answer.
 */
const KEPT_BACK = 1 << 20;

/**
 * A blob with references is damaged or missing. Permanent until an operator restores it or a new upload replaces it.
 */
export class ContentDamaged extends AppError {
  constructor(named: NamedBlob, problem: BlobProblem) {
    super('damaged', describeProblem(named, problem), { code: 'ContentDamaged' });
  }
}

function describeProblem({ kind, id, title }: NamedBlob, problem: BlobProblem): string {
  const what = {
    dataset: `The content of dataset '${title}' (${id})`,
    upload: `The uploaded file '${id}'`,
    transfer: `The ${title} of transfer '${id}'`,
  }[kind];
  const how = {
    damaged: 'is damaged: its bytes are not those that were written.',
    missing: 'is missing: the blob store does not have its bytes.',
  }[problem];
  const mended = kind === 'dataset' ? 'Restore it from a backup, or replace it.' : 'Make it again.';
  return `${what} ${how} ${mended}`;
}

const isNotFound = (error: unknown) => error instanceof AppError && error.kind === 'notFound';

/** A store that has this in addition; see `checkedBlobs`. */
export interface CheckedBlobs extends BlobStore {
  /**
   * Reads a whole blob and compares it with its digest; a blob without digest gets one. Undefined: no row refers to it.
   * Adds a damaged blob to the list of problems, removes a sound one. Returns the problem, if any, and the number of
   * bytes.
   */
  verify(name: string, signal?: AbortSignal): Promise<{ problem?: BlobProblem; bytes: number } | undefined>;
}

/**
 * A store that knows what each blob must contain. Records a digest of each blob that is written, and compares it
 * whenever a blob is read whole: to a local file, into memory, as a stream, and by a copy. A blob that is damaged, or
 * that is missing although a row refers to it, is the error `ContentDamaged`, is logged once, and is listed in the
 * database until it is found to be right.
 */
export function checkedBlobs(store: BlobStore, { db, log, written }: CheckedBlobsParts): CheckedBlobs {
  /**
   * Not in the transaction of the request or of the caller: what is in the store stays there when that is rolled back.
   */
  const outside = AsyncLocalStorage.snapshot();
  const apart = <T>(work: () => Promise<T>): Promise<T> => outside(work);
  let listed = new Map<string, { problem: BlobProblem; etag?: string | undefined }>();
  let listedUntil = 0;

  const known = (name: string): Promise<KnownDigest | null> => apart(() => findDigest(db, name));

  async function problems() {
    if (performance.now() < listedUntil) return listed;
    listedUntil = performance.now() + LIST_MS;
    const rows = await apart(() => listProblems(db, MAX_LISTED));
    listed = new Map(rows.map((row) => [row.name, row]));
    return listed;
  }

  async function keepDigest(name: string, digest: Digest): Promise<void> {
    await apart(() => db.transaction((tx) => putDigest(tx, name, digest)));
    written();
  }

  /** Adds a blob to the list of problems and returns the error. Undefined if no row refers to the blob. */
  async function found(name: string, problem: BlobProblem): Promise<ContentDamaged | undefined> {
    const named = await apart(() => findNamed(db, name));
    if (named === null) return undefined;
    const etag = problem === 'damaged' ? (await store.info(name))?.etag : undefined;
    const error = new ContentDamaged(named, problem);
    listed.set(name, { problem, etag });
    if (await apart(() => db.transaction((tx) => putProblem(tx, name, problem, etag))))
      log.error({ blob: name, [named.kind]: named.id }, error.message);
    return error;
  }

  /** For a damaged blob without references: a reader that is still open must not get its bytes. */
  const damaged = async (name: string): Promise<Error> =>
    (await found(name, 'damaged')) ?? new AppError('gone', `Blob '${name}' was replaced or deleted. Try again.`);

  async function isRight(name: string): Promise<void> {
    listed.delete(name);
    await apart(() => db.transaction((tx) => removeProblem(tx, name)));
  }

  /** Runs a read; a missing blob that a row refers to is `ContentDamaged`. */
  async function present<T>(name: string, read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      throw (isNotFound(error) ? await found(name, 'missing') : undefined) ?? error;
    }
  }

  /** Throws unless these are the bytes of the blob. */
  async function compare(name: string, digest: Digest, expected: KnownDigest | null): Promise<void> {
    if (expected !== null && !digest.equals(expected)) throw await damaged(name);
    if (expected !== null && listed.has(name)) await isRight(name);
  }

  /** The bytes of a whole blob. Throws at the end, before the last bytes are passed on, if they are not right. */
  async function* checked(name: string, body: AsyncIterable<Buffer>, expected: KnownDigest) {
    const digest = new Digest();
    let kept: Buffer[] = [];
    for await (const chunk of body) {
      if (digest.size + chunk.length > KEPT_BACK) {
        yield* kept;
        kept = [];
      }
      kept.push(chunk);
      digest.update(chunk);
    }
    await compare(name, digest, expected);
    yield* kept;
  }

  const openFile = store.openFile?.bind(store);
  return {
    async put(name, body, limit, signal) {
      const digest = new Digest();
      const info = await store.put(name, digest.through(body), limit, signal);
      await keepDigest(name, digest);
      return info;
    },

    putBlock: (name, blockId, body, limit) => store.putBlock(name, blockId, body, limit),

    async commitBlocks(name, blockIds, limit, options = {}) {
      const digest = new Digest();
      const info = await store.commitBlocks(name, blockIds, limit, {
        ...options,
        each: (chunk) => digest.update(chunk),
      });
      await keepDigest(options.target ?? name, digest);
      return info;
    },

    removeBlocks: (name, before) => store.removeBlocks(name, before),

    async info(name): Promise<BlobInfo | undefined> {
      const [info, list] = await Promise.all([store.info(name), problems()]);
      const problem = list.get(name);
      if (info === undefined) {
        const error = await found(name, 'missing');
        if (error) throw error;
      } else if (problem?.problem === 'damaged' && problem.etag === info.etag) {
        throw await damaged(name);
      } else if (problem?.problem === 'missing') {
        await isRight(name);
      }
      return info;
    },

    async read(name, range, etag, signal) {
      const expected = range === undefined || range.start === 0 ? await known(name) : null;
      const body = await present(name, () => store.read(name, range, etag, signal));
      if (expected === null || (range !== undefined && range.end !== expected.size - 1)) return body;
      return Readable.from(checked(name, body, expected), { objectMode: false });
    },

    async readAll(name, size, signal) {
      const [bytes, expected] = await Promise.all([
        present(name, () => store.readAll(name, size, signal)),
        known(name),
      ]);
      const digest = new Digest();
      digest.update(bytes);
      await compare(name, digest, expected);
      if (bytes.length !== size) throw await damaged(name);
      return bytes;
    },

    async fetch(name, path, signal) {
      const [expected] = await Promise.all([known(name), present(name, () => store.fetch(name, path, signal))]);
      if (expected === null) return;
      try {
        await compare(name, await digestOfFile(path, signal), expected);
      } catch (error) {
        await rm(path, { force: true });
        throw error;
      }
    },

    ...(openFile ? { openFile: (name: string) => present(name, () => openFile(name)) } : {}),
    ...(store.address && { address: store.address.bind(store) }),

    async copy(from, to, signal) {
      const [expected, info] = await Promise.all([known(from), present(from, () => store.copy(from, to, signal))]);
      // read back, because the bytes may not have passed through this process
      const digest = await computeDigest(store, to, signal);
      if (expected !== null && !digest.equals(expected)) {
        await store.remove(to);
        const source = await computeDigest(store, from, signal);
        if (!source.equals(expected)) throw await damaged(from);
        throw new AppError('unavailable', `The copy of blob '${from}' differs from it. Try again.`);
      }
      await keepDigest(to, digest);
      return info;
    },

    async adopt(path, name, signal) {
      const digest = await digestOfFile(path, signal);
      const info = await store.adopt(path, name, signal);
      await keepDigest(name, digest);
      return info;
    },

    remove: (name) => store.remove(name),
    list: (prefix) => store.list(prefix),
    removeLeftovers: (olderThanMs) => store.removeLeftovers(olderThanMs),
    marker: store.marker,

    async verify(name, signal) {
      const expected = await known(name);
      let digest: Digest;
      try {
        digest = await computeDigest(store, name, signal);
      } catch (error) {
        if (!isNotFound(error)) throw error;
        return (await found(name, 'missing')) && { problem: 'missing', bytes: 0 };
      }
      // of a blob without digest only the size is known
      const size = expected === null ? (await apart(() => findNamed(db, name)))?.size : undefined;
      if (expected !== null ? !digest.equals(expected) : size !== undefined && size !== digest.size)
        return (await found(name, 'damaged')) && { problem: 'damaged', bytes: digest.size };
      await apart(() => db.transaction((tx) => putDigest(tx, name, digest)));
      if ((await problems()).has(name)) await isRight(name);
      return { bytes: digest.size };
    },
  };
}

/** Continues where a connection breaks. */
async function computeDigest(store: BlobStore, name: string, signal?: AbortSignal): Promise<Digest> {
  const digest = new Digest();
  const info = await store.info(name);
  if (info === undefined) throw notFound('Blob', name);
  const { size, etag } = info;
  const open = (range: ByteRange, stop: AbortSignal) => store.read(name, range, etag, stop);
  for await (const chunk of readSteadily({ name, range: { start: 0, end: size - 1 }, open, signal }))
    digest.update(chunk);
  return digest;
}
