import { constants } from 'node:fs';
import {
  copyFile,
  type FileHandle,
  link,
  mkdir,
  open,
  readFile,
  rm,
  rmdir,
  stat,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { notFound } from '../errors.ts';
import {
  areasOf,
  type BlobInfo,
  type BlobStore,
  type ByteRange,
  type Commit,
  checkBlockId,
  checkBlocks,
  checkName,
  hasChanged,
  MissingBlock,
  type NamedBlock,
  type StoredBlob,
  type StoredBlock,
  seen,
  tooLarge,
} from './blobs.ts';
import {
  absent,
  DurableFiles,
  entries,
  errorCode,
  explained,
  flush,
  removeOldFiles,
  setPreciseTime,
  toBlobInfo,
} from './durable-files.ts';
import { joinBlocks } from './join-blocks.ts';
import { FolderMarker, type StoreMarker } from './marker.ts';

/** Folder of unfinished writes. Old files are deleted. */
const TEMPORARY = '.temporary';
/** Uncommitted blocks: `.blocks/<area>/<name>/<hex of the block id>`. */
const BLOCKS = '.blocks';
/** Blocks that are looked for at once. */
const LOOKS = 8;

/**
 * A blob store in a folder: `<folder>/<area>/<name>`. Several processes may use it at once. When a method returns, its
 * changes are on disk.
 */
export class DiskStore implements BlobStore {
  readonly #folder: string;
  readonly #files: DurableFiles;
  readonly marker: StoreMarker;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#files = new DurableFiles(join(folder, TEMPORARY));
    this.marker = new FolderMarker(folder);
  }

  /** Creates the folder if necessary, with permissions for its owner only. */
  static async open(folder: string): Promise<DiskStore> {
    await mkdir(join(folder, TEMPORARY), { recursive: true, mode: 0o700 });
    return new DiskStore(folder);
  }

  #pathOf(name: string): string {
    checkName(name);
    return join(this.#folder, name);
  }

  #blocksOf(name: string): string {
    checkName(name);
    return join(this.#folder, BLOCKS, name);
  }

  async put(name: string, body: AsyncIterable<Uint8Array>, limit: number, signal?: AbortSignal): Promise<BlobInfo> {
    return this.#files.write(this.#pathOf(name), (file) => writeFile(file, stoppable(limited(body, limit), signal)));
  }

  async putBlock(name: string, blockId: string, body: AsyncIterable<Uint8Array>, limit: number): Promise<void> {
    checkBlockId(blockId);
    const target = join(this.#blocksOf(name), Buffer.from(blockId).toString('hex'));
    await this.#files.write(target, (file) => writeFile(file, limited(body, limit)));
  }

  async commitBlocks(
    name: string,
    blockIds: readonly string[],
    limit: number,
    { target = name, each, signal }: Commit = {},
  ): Promise<BlobInfo> {
    const blocks = this.#blocksOf(name);
    const blockPath = (id: string) => join(blocks, Buffer.from(id).toString('hex'));
    const stored = new Map<string, StoredBlock>();
    const wanted = new Set(blockIds);
    for (const id of wanted) checkBlockId(id);
    const left = wanted.values();
    const look = async () => {
      for (const id of left) {
        signal?.throwIfAborted();
        const found = await stat(blockPath(id), { bigint: true }).catch(absent);
        if (found) stored.set(id, { size: Number(found.size), written: Number(found.mtimeMs) });
      }
    };
    await Promise.all(Array.from({ length: LOOKS }, look));
    checkBlocks(blockIds, stored, limit);
    const missing = (id: string) => (error: unknown) => {
      throw errorCode(error) === 'ENOENT' ? new MissingBlock(id, blockIds, stored) : error;
    };
    const joined = joinBlocks(blockIds, stored, {
      readAll: (id) => readFile(blockPath(id)).catch(missing(id)),
      open: async (id) =>
        (await open(blockPath(id), 'r').catch(missing(id))).createReadStream({ highWaterMark: 1 << 20 }),
    });
    const body = stoppable(limited(joined, limit), signal);
    return this.#files.write(this.#pathOf(target), (file) => writeFile(file, each ? seen(body, each) : body));
  }

  async *blocks(name: string): AsyncGenerator<NamedBlock> {
    const folder = this.#blocksOf(name);
    for await (const entry of entries(folder)) {
      // another request may commit and delete the blocks meanwhile
      const found = await stat(join(folder, entry)).catch(absent);
      if (found) yield { id: Buffer.from(entry, 'hex').toString(), size: found.size, written: found.mtimeMs };
    }
  }

  async removeBlocks(name: string, before?: Date): Promise<void> {
    if (before === undefined) return rm(this.#blocksOf(name), { recursive: true, force: true });
    await removeOldFiles(this.#blocksOf(name), before.getTime());
    // fails if the folder is not empty
    await rmdir(this.#blocksOf(name)).catch(() => {});
  }

  async info(name: string): Promise<BlobInfo | undefined> {
    const found = await stat(this.#pathOf(name), { bigint: true }).catch(absent);
    return found && toBlobInfo(found);
  }

  async read(name: string, range?: ByteRange, etag?: string, signal?: AbortSignal): Promise<Readable> {
    signal?.throwIfAborted();
    const file = await this.openFile(name);
    if (etag !== undefined && toBlobInfo(await file.stat({ bigint: true })).etag !== etag) {
      await file.close();
      throw hasChanged(name);
    }
    const bytes = file.createReadStream({ highWaterMark: 256 * 1024, ...range });
    return signal ? addAbortSignal(signal, bytes) : bytes;
  }

  /** A stream of a small file costs several times as much as the reading. */
  async readAll(name: string, size: number, signal?: AbortSignal): Promise<Buffer> {
    await using file = await this.openFile(name);
    const bytes = Buffer.allocUnsafe(size);
    for (let read = 0; read < size; ) {
      signal?.throwIfAborted();
      const { bytesRead } = await file.read(bytes, read, size - read, read);
      // the file has been truncated: returns what was read
      if (bytesRead === 0) return bytes.subarray(0, read);
      read += bytesRead;
    }
    return bytes;
  }

  async openFile(name: string): Promise<FileHandle> {
    try {
      return await open(this.#pathOf(name), 'r');
    } catch (error) {
      throw errorCode(error) === 'ENOENT' ? notFound('Blob', name) : explained(error);
    }
  }

  async fetch(name: string, path: string, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    try {
      await link(this.#pathOf(name), path);
    } catch (error) {
      if (errorCode(error) === 'ENOENT' && !(await this.info(name))) throw notFound('Blob', name);
      if (!['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP'].includes(errorCode(error))) throw explained(error);
      await this.#copyOut(name, path, signal);
    }
  }

  async copy(from: string, to: string, signal?: AbortSignal): Promise<BlobInfo> {
    signal?.throwIfAborted();
    const clone = this.#files.temporaryPath();
    try {
      if (await tryClone(this.#pathOf(from), clone)) return await this.adopt(clone, to);
    } catch (error) {
      await rm(clone, { force: true });
      throw error;
    }
    return this.#files.write(this.#pathOf(to), (file) => this.#copyInto(file, from, signal));
  }

  async adopt(path: string, name: string, signal?: AbortSignal): Promise<BlobInfo> {
    signal?.throwIfAborted();
    const target = this.#pathOf(name);
    await using source = await open(path, 'r+');
    await source.chmod(0o600);
    // a file with a second hard link is a blob already and keeps its time, and so its ETag
    if ((await source.stat()).nlink === 1) await setPreciseTime(source);
    const info = await flush(source);
    try {
      await this.#files.moveInto(path, target);
      return info;
    } catch (error) {
      if (errorCode(error) !== 'EXDEV') throw error;
    }
    const body = source.createReadStream({ autoClose: false, highWaterMark: 1 << 20 });
    const copied = await this.#files.write(target, (file) => writeFile(file, stoppable(body, signal)));
    await unlink(path);
    return copied;
  }

  async remove(name: string): Promise<void> {
    await unlink(this.#pathOf(name)).catch(absent);
    await rm(this.#blocksOf(name), { recursive: true, force: true });
  }

  async *list(prefix: string): AsyncGenerator<StoredBlob> {
    for (const area of areasOf(prefix)) {
      for await (const entry of entries(join(this.#folder, area))) {
        const name = `${area}/${entry}`;
        if (!name.startsWith(prefix)) continue;
        const found = await stat(join(this.#folder, name)).catch(absent);
        if (found?.isFile()) yield { name, size: found.size, lastModified: found.mtime };
      }
    }
  }

  async removeLeftovers(olderThanMs: number, blocksOlderThanMs = olderThanMs): Promise<number> {
    const now = Date.now();
    let removed = await removeOldFiles(join(this.#folder, TEMPORARY), now - olderThanMs);
    for await (const area of entries(join(this.#folder, BLOCKS))) {
      for await (const name of entries(join(this.#folder, BLOCKS, area))) {
        const blocks = join(this.#folder, BLOCKS, area, name);
        removed += await removeOldFiles(blocks, now - blocksOlderThanMs);
        // fails if the folder is not empty
        await rmdir(blocks).catch(() => {});
      }
    }
    return removed;
  }

  /** Copies in chunks: a copy in the kernel cannot be aborted and delays the end of the process. */
  async #copyInto(file: FileHandle, name: string, signal: AbortSignal | undefined) {
    const source = (await this.openFile(name)).createReadStream({ highWaterMark: 1 << 20 });
    await writeFile(file, stoppable(source, signal));
  }

  /** Copies a blob to another file system. */
  async #copyOut(name: string, path: string, signal: AbortSignal | undefined) {
    await using file = await open(path, 'wx', 0o600);
    try {
      await this.#copyInto(file, name, signal);
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
  }
}

/** Throws `tooLarge` when the stream exceeds the limit. */
async function* limited(body: AsyncIterable<Uint8Array>, limit: number) {
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limit) throw tooLarge(limit);
    yield chunk;
  }
}

/**
 * Copies a file by reference (reflink). Returns false for every error: a normal copy then succeeds or reports the
 * error.
 */
const tryClone = (from: string, to: string): Promise<boolean> =>
  copyFile(from, to, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE_FORCE).then(
    () => true,
    () => false,
  );

async function* stoppable(body: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined) {
  for await (const chunk of body) {
    signal?.throwIfAborted();
    yield chunk;
  }
}
