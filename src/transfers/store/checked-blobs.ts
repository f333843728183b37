import { AsyncLocalStorage } from 'node:async_hooks';
import { rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import type { BlobInfo, BlobStore, ByteRange, Commit, NamedBlock, StoredBlob } from '../../blobs/blobs.ts';
import { Digest, digestOfFile, type KnownDigest } from '../../blobs/digest.ts';
import { readWhole } from '../../blobs/steady-read.ts';
import type { Database } from '../../db.ts';
import { AppError } from '../../errors.ts';
import { ContentDamaged } from './content-damaged.ts';
import type { Counter } from './counter.ts';
import {
  type BlobProblem,
  findDigest,
  findNamed,
  listProblems,
  putDigest,
  putProblem,
  removeProblem,
} from './digests.queries.ts';

export interface CheckedBlobsParts {
  readonly db: Database;
  readonly log: { error(details: object, message: string): void };
  /** Told of each write. */
  readonly counter: Counter;
}

/** How long this process uses the list of damaged blobs before it reads the list again. */
const LIST_MS = 5000;
const MAX_LISTED = 10_000;
/**
 * The first bytes of a whole read are held back up to this number, so that a damaged short blob is an error and
 * no broken answer.
 */
const KEPT_BACK = 1 << 20;

const isNotFound = (error: unknown) => error instanceof AppError && error.kind === 'notFound';

/**
 * A store that knows what each blob must contain. Records a digest of each blob that is written, and compares it
 * whenever a blob is read whole: to a local file, into memory, as a stream, and by a copy. A blob that is damaged, or
 * that is missing although a row refers to it, is the error `ContentDamaged`, is logged once, and is listed in the
 * database until it is found to be right.
 */
export class CheckedBlobs implements BlobStore {
  readonly #store: BlobStore;
  readonly #parts: CheckedBlobsParts;
  /**
   * Not in the transaction of the request or of the caller: what is in the store stays there when that is rolled back.
   */
  readonly #outside = AsyncLocalStorage.snapshot();
  #listed = new Map<string, { problem: BlobProblem; etag?: string | undefined }>();
  #listedUntil = 0;
  readonly marker: BlobStore['marker'];
  readonly openFile?: NonNullable<BlobStore['openFile']>;
  readonly address?: NonNullable<BlobStore['address']>;

  constructor(store: BlobStore, parts: CheckedBlobsParts) {
    this.#store = store;
    this.#parts = parts;
    this.marker = store.marker;
    const openFile = store.openFile?.bind(store);
    if (openFile) this.openFile = (name) => this.#present(name, () => openFile(name));
    if (store.address) this.address = store.address.bind(store);
  }

  async put(name: string, body: AsyncIterable<Uint8Array>, limit: number, signal?: AbortSignal): Promise<BlobInfo> {
    const digest = new Digest();
    const info = await this.#store.put(name, digest.through(body), limit, signal);
    await this.#keepDigest(name, digest);
    return info;
  }

  putBlock(name: string, blockId: string, body: AsyncIterable<Uint8Array>, limit: number): Promise<void> {
    return this.#store.putBlock(name, blockId, body, limit);
  }

  async commitBlocks(
    name: string,
    blockIds: readonly string[],
    limit: number,
    options: Commit = {},
  ): Promise<BlobInfo> {
    const digest = new Digest();
    const info = await this.#store.commitBlocks(name, blockIds, limit, {
      ...options,
      each: (chunk) => digest.update(chunk),
    });
    await this.#keepDigest(options.target ?? name, digest);
    return info;
  }

  removeBlocks(name: string, before?: Date): Promise<void> {
    return this.#store.removeBlocks(name, before);
  }

  async info(name: string): Promise<BlobInfo | undefined> {
    const [info, list] = await Promise.all([this.#store.info(name), this.#problems()]);
    const problem = list.get(name);
    if (info === undefined) {
      const error = await this.#found(name, 'missing');
      if (error) throw error;
    } else if (problem?.problem === 'damaged' && problem.etag === info.etag) {
      throw await this.#damaged(name);
    } else if (problem?.problem === 'missing') {
      await this.#isRight(name);
    }
    return info;
  }

  async read(name: string, range?: ByteRange, etag?: string, signal?: AbortSignal): Promise<Readable> {
    const expected = range === undefined || range.start === 0 ? await this.#known(name) : null;
    const body = await this.#present(name, () => this.#store.read(name, range, etag, signal));
    if (expected === null || (range !== undefined && range.end !== expected.size - 1)) return body;
    return Readable.from(this.#checked(name, body, expected), { objectMode: false });
  }

  async readAll(name: string, size: number, signal?: AbortSignal): Promise<Buffer> {
    const [bytes, expected] = await Promise.all([
      this.#present(name, () => this.#store.readAll(name, size, signal)),
      this.#known(name),
    ]);
    const digest = new Digest();
    digest.update(bytes);
    await this.#compare(name, digest, expected);
    if (bytes.length !== size) throw await this.#damaged(name);
    return bytes;
  }

  async fetch(name: string, path: string, signal?: AbortSignal): Promise<void> {
    const [expected] = await Promise.all([
      this.#known(name),
      this.#present(name, () => this.#store.fetch(name, path, signal)),
    ]);
    if (expected === null) return;
    try {
      await this.#compare(name, await digestOfFile(path, signal), expected);
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
  }

  async copy(from: string, to: string, signal?: AbortSignal): Promise<BlobInfo> {
    const [expected, info] = await Promise.all([
      this.#known(from),
      this.#present(from, () => this.#store.copy(from, to, signal)),
    ]);
    // read back, because the bytes may not have passed through this process
    const digest = await computeDigest(this.#store, to, signal);
    if (expected !== null && !digest.equals(expected)) {
      await this.#store.remove(to);
      const source = await computeDigest(this.#store, from, signal);
      if (!source.equals(expected)) throw await this.#damaged(from);
      throw new AppError('unavailable', `The copy of blob '${from}' differs from it. Try again.`);
    }
    await this.#keepDigest(to, digest);
    return info;
  }

  async adopt(path: string, name: string, signal?: AbortSignal): Promise<BlobInfo> {
    const digest = await digestOfFile(path, signal);
    const info = await this.#store.adopt(path, name, signal);
    await this.#keepDigest(name, digest);
    return info;
  }

  remove(name: string): Promise<void> {
    return this.#store.remove(name);
  }

  list(prefix: string): AsyncIterable<StoredBlob> {
    return this.#store.list(prefix);
  }

  blocks(name: string): AsyncIterable<NamedBlock> {
    return this.#store.blocks(name);
  }

  removeLeftovers(olderThanMs: number, blocksOlderThanMs?: number): Promise<number> {
    return this.#store.removeLeftovers(olderThanMs, blocksOlderThanMs);
  }

  /**
   * Reads a whole blob and compares it with its digest; a blob without digest gets one. Undefined: no row refers to it.
   * Adds a damaged blob to the list of problems, removes a sound one. Returns the problem, if any, and the number of
   * bytes.
   */
  async verify(name: string, signal?: AbortSignal): Promise<{ problem?: BlobProblem; bytes: number } | undefined> {
    const expected = await this.#known(name);
    let digest: Digest;
    try {
      digest = await computeDigest(this.#store, name, signal);
    } catch (error) {
      if (!isNotFound(error)) throw error;
      return (await this.#found(name, 'missing')) && { problem: 'missing', bytes: 0 };
    }
    const { db } = this.#parts;
    // of a blob without digest only the size is known
    const size = expected === null ? (await this.#outside(() => findNamed(db, name)))?.size : undefined;
    if (expected !== null ? !digest.equals(expected) : size !== undefined && size !== digest.size)
      return (await this.#found(name, 'damaged')) && { problem: 'damaged', bytes: digest.size };
    await this.#outside(() => db.transaction((tx) => putDigest(tx, name, digest)));
    if ((await this.#problems()).has(name)) await this.#isRight(name);
    return { bytes: digest.size };
  }

  #known(name: string): Promise<KnownDigest | null> {
    return this.#outside(() => findDigest(this.#parts.db, name));
  }

  async #problems() {
    if (performance.now() < this.#listedUntil) return this.#listed;
    this.#listedUntil = performance.now() + LIST_MS;
    const rows = await this.#outside(() => listProblems(this.#parts.db, MAX_LISTED));
    this.#listed = new Map(rows.map((row) => [row.name, row]));
    return this.#listed;
  }

  async #keepDigest(name: string, digest: Digest): Promise<void> {
    const { db, counter } = this.#parts;
    await this.#outside(() => db.transaction((tx) => putDigest(tx, name, digest)));
    counter.blobsWritten();
  }

  /** Adds a blob to the list of problems and returns the error. Undefined if no row refers to the blob. */
  async #found(name: string, problem: BlobProblem): Promise<ContentDamaged | undefined> {
    const { db, log } = this.#parts;
    const named = await this.#outside(() => findNamed(db, name));
    if (named === null) return undefined;
    const etag = problem === 'damaged' ? (await this.#store.info(name))?.etag : undefined;
    const error = new ContentDamaged(named, problem);
    this.#listed.set(name, { problem, etag });
    if (await this.#outside(() => db.transaction((tx) => putProblem(tx, name, problem, etag))))
      log.error({ blob: name, [named.kind]: named.id }, error.message);
    return error;
  }

  /** For a damaged blob without references: a reader that is still open must not get its bytes. */
  async #damaged(name: string): Promise<Error> {
    const error = await this.#found(name, 'damaged');
    return error ?? new AppError('gone', `Blob '${name}' was replaced or deleted. Try again.`);
  }

  async #isRight(name: string): Promise<void> {
    this.#listed.delete(name);
    await this.#outside(() => this.#parts.db.transaction((tx) => removeProblem(tx, name)));
  }

  /** Runs a read; a missing blob that a row refers to is `ContentDamaged`. */
  async #present<T>(name: string, read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      throw (isNotFound(error) ? await this.#found(name, 'missing') : undefined) ?? error;
    }
  }

  /** Throws unless these are the bytes of the blob. */
  async #compare(name: string, digest: Digest, expected: KnownDigest | null): Promise<void> {
    if (expected !== null && !digest.equals(expected)) throw await this.#damaged(name);
    if (expected !== null && this.#listed.has(name)) await this.#isRight(name);
  }

  /** The bytes of a whole blob. Throws at the end, before the last bytes are passed on, if they are not right. */
  async *#checked(name: string, body: AsyncIterable<Buffer>, expected: KnownDigest) {
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
    await this.#compare(name, digest, expected);
    yield* kept;
  }
}

export async function computeDigest(store: BlobStore, name: string, signal?: AbortSignal): Promise<Digest> {
  const digest = new Digest();
  for await (const chunk of readWhole(store, name, signal)) digest.update(chunk);
  return digest;
}
