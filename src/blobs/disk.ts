import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import {
  copyFile,
  type FileHandle,
  link,
  mkdir,
  open,
  opendir,
  readFile,
  rename,
  rm,
  rmdir,
  stat,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { AppError, notFound } from '../errors.ts';
import {
  areasOf,
  type BlobInfo,
  type BlobStore,
  type ByteRange,
  checkBlockId,
  checkBlocks,
  checkName,
  hasChanged,
  MissingBlock,
  type StoredBlob,
  type StoredBlock,
  seen,
  tooLarge,
} from './blobs.ts';
import { groupedSync } from './folder-sync.ts';
import { joinBlocks } from './join-blocks.ts';
import { folderMarker } from './marker.ts';

/** Folder of unfinished writes. Old files are deleted. */
const TEMPORARY = '.temporary';
/** Uncommitted blocks: `.blocks/<area>/<name>/<hex of the block id>`. */
const BLOCKS = '.blocks';
/** Blocks that are looked for at once. */
const LOOKS = 8;

/**
 * A blob store in a folder: `<folder>/<area>/<name>`. Creates the folder if necessary, with permissions for its owner
 * only. Several processes may use it at once. When a method returns, its changes are on disk (fsync of file and
 * directory).
 */
export async function openDiskStore(folder: string): Promise<BlobStore> {
  const place = (name: string) => join(folder, checked(name));
  const blocksOf = (name: string) => join(folder, BLOCKS, checked(name));
  const syncFolder = groupedSync();
  await mkdir(join(folder, TEMPORARY), { recursive: true, mode: 0o700 });

  /** Runs `fill` on a new temporary file, flushes the file and renames it to `target`. */
  async function write(target: string, fill: (file: FileHandle) => Promise<unknown>): Promise<BlobInfo> {
    const temporary = join(folder, TEMPORARY, randomUUID());
    try {
      const file = await open(temporary, 'wx', 0o600);
      let info: BlobInfo;
      try {
        await fill(file);
        await setPreciseTime(file);
        info = await flush(file);
      } finally {
        await file.close();
      }
      await moveInto(temporary, target);
      return info;
    } catch (error) {
      await rm(temporary, { force: true });
      throw explained(error);
    }
  }

  async function moveInto(source: string, target: string) {
    const parent = join(target, '..');
    for (let tries = 1; ; tries++) {
      try {
        await rename(source, target);
        break;
      } catch (error) {
        // first blob of its area, or the folder of blocks was just removed; or the source is gone, with its transfer
        if (codeOf(error) !== 'ENOENT' || tries > 3 || !(await stat(source).catch(absent))) throw error;
        await mkdir(parent, { recursive: true, mode: 0o700 });
        await syncFolder(join(parent, '..'));
      }
    }
    await syncFolder(parent);
  }

  async function openBlob(name: string): Promise<FileHandle> {
    try {
      return await open(place(name), 'r');
    } catch (error) {
      throw codeOf(error) === 'ENOENT' ? notFound('Blob', name) : explained(error);
    }
  }

  /** Copies in chunks: a copy in the kernel cannot be aborted and delays the end of the process. */
  async function copyInto(file: FileHandle, name: string, signal: AbortSignal | undefined) {
    const source = (await openBlob(name)).createReadStream({ highWaterMark: 1 << 20 });
    await writeFile(file, stoppable(source, signal));
  }

  /** Copies a blob to another file system. */
  async function copyOut(name: string, path: string, signal: AbortSignal | undefined) {
    const file = await open(path, 'wx', 0o600);
    try {
      await copyInto(file, name, signal);
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    } finally {
      await file.close();
    }
  }

  const store: BlobStore = {
    async put(name, body, limit, signal) {
      return write(place(name), (file) => writeFile(file, stoppable(limited(body, limit), signal)));
    },

    async putBlock(name, blockId, body, limit) {
      checkBlockId(blockId);
      const target = join(blocksOf(name), Buffer.from(blockId).toString('hex'));
      await write(target, (file) => writeFile(file, limited(body, limit)));
    },

    async commitBlocks(name, blockIds, limit, { target = name, each, signal } = {}) {
      const blocks = blocksOf(name);
      const pathOf = (id: string) => join(blocks, Buffer.from(id).toString('hex'));
      const stored = new Map<string, StoredBlock>();
      const wanted = new Set(blockIds);
      for (const id of wanted) checkBlockId(id);
      const left = wanted.values();
      const look = async () => {
        for (const id of left) {
          signal?.throwIfAborted();
          const found = await stat(pathOf(id), { bigint: true }).catch(absent);
          if (found) stored.set(id, { size: Number(found.size), written: Number(found.mtimeMs) });
        }
      };
      await Promise.all(Array.from({ length: LOOKS }, look));
      checkBlocks(blockIds, stored, limit);
      const missing = (id: string) => (error: unknown) => {
        throw codeOf(error) === 'ENOENT' ? new MissingBlock(id, blockIds, stored) : error;
      };
      const joined = joinBlocks(blockIds, stored, {
        readAll: (id) => readFile(pathOf(id)).catch(missing(id)),
        open: async (id) =>
          (await open(pathOf(id), 'r').catch(missing(id))).createReadStream({ highWaterMark: 1 << 20 }),
      });
      const body = stoppable(limited(joined, limit), signal);
      return write(place(target), (file) => writeFile(file, each ? seen(body, each) : body));
    },

    async removeBlocks(name, before) {
      if (before === undefined) return rm(blocksOf(name), { recursive: true, force: true });
      await removeOldFiles(blocksOf(name), before.getTime());
      // fails if the folder is not empty
      await rmdir(blocksOf(name)).catch(() => {});
    },

    async info(name) {
      const found = await stat(place(name), { bigint: true }).catch(absent);
      return found && infoOf(found);
    },

    async read(name, range?: ByteRange, etag?: string, signal?: AbortSignal): Promise<Readable> {
      signal?.throwIfAborted();
      const file = await openBlob(name);
      if (etag !== undefined && infoOf(await file.stat({ bigint: true })).etag !== etag) {
        await file.close();
        throw hasChanged(name);
      }
      const bytes = file.createReadStream({ highWaterMark: 256 * 1024, ...range });
      return signal ? addAbortSignal(signal, bytes) : bytes;
    },

    /** A stream of a small file costs several times as much as the reading. */
    async readAll(name, size, signal) {
      const file = await openBlob(name);
      try {
        const bytes = Buffer.allocUnsafe(size);
        for (let read = 0; read < size; ) {
          signal?.throwIfAborted();
          const { bytesRead } = await file.read(bytes, read, size - read, read);
          // shorter than it was: the rest is not there
          if (bytesRead === 0) return bytes.subarray(0, read);
          read += bytesRead;
        }
        return bytes;
      } finally {
        await file.close();
      }
    },

    openFile: openBlob,

    async fetch(name, path, signal) {
      signal?.throwIfAborted();
      try {
        await link(place(name), path);
      } catch (error) {
        if (codeOf(error) === 'ENOENT' && !(await store.info(name))) throw notFound('Blob', name);
        if (!['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP'].includes(codeOf(error))) throw explained(error);
        await copyOut(name, path, signal);
      }
    },

    async copy(from, to, signal) {
      signal?.throwIfAborted();
      const clone = join(folder, TEMPORARY, randomUUID());
      try {
        if (await tryClone(place(from), clone)) return await store.adopt(clone, to);
      } catch (error) {
        await rm(clone, { force: true });
        throw error;
      }
      return write(place(to), (file) => copyInto(file, from, signal));
    },

    async adopt(path, name, signal) {
      signal?.throwIfAborted();
      const target = place(name);
      const source = await open(path, 'r+');
      try {
        await source.chmod(0o600);
        // a file with a second hard link is a blob already and keeps its time, and so its ETag
        if ((await source.stat()).nlink === 1) await setPreciseTime(source);
        const info = await flush(source);
        try {
          await moveInto(path, target);
          return info;
        } catch (error) {
          if (codeOf(error) !== 'EXDEV') throw error;
        }
        const body = source.createReadStream({ autoClose: false, highWaterMark: 1 << 20 });
        const copied = await write(target, (file) => writeFile(file, stoppable(body, signal)));
        await unlink(path);
        return copied;
      } finally {
        await source.close();
      }
    },

    async remove(name) {
      await unlink(place(name)).catch(absent);
      await rm(blocksOf(name), { recursive: true, force: true });
    },

    async *list(prefix): AsyncGenerator<StoredBlob> {
      for (const area of areasOf(prefix)) {
        for await (const entry of entries(join(folder, area))) {
          const name = `${area}/${entry}`;
          if (!name.startsWith(prefix)) continue;
          const found = await stat(join(folder, name)).catch(absent);
          if (found?.isFile()) yield { name, size: found.size, lastModified: found.mtime };
        }
      }
    },

    async removeLeftovers(olderThanMs) {
      const before = Date.now() - olderThanMs;
      let removed = await removeOldFiles(join(folder, TEMPORARY), before);
      for await (const area of entries(join(folder, BLOCKS))) {
        for await (const name of entries(join(folder, BLOCKS, area))) {
          const blocks = join(folder, BLOCKS, area, name);
          removed += await removeOldFiles(blocks, before);
          // fails if the folder is not empty
          await rmdir(blocks).catch(() => {});
        }
      }
      return removed;
    },

    marker: folderMarker(folder),
  };
  return store;
}

function checked(name: string) {
  checkName(name);
  return name;
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

/**
 * Sets the modification time in microseconds, because the ETag contains it and the clock of file systems has ticks of
 * milliseconds.
 */
function setPreciseTime(file: FileHandle): Promise<void> {
  const now = (performance.timeOrigin + performance.now()) / 1000;
  return file.utimes(now, now);
}

async function flush(file: FileHandle): Promise<BlobInfo> {
  const [found] = await Promise.all([file.stat({ bigint: true }), file.sync()]);
  return infoOf(found);
}

const infoOf = (found: { size: bigint; mtimeNs: bigint; mtime: Date; ino: bigint }): BlobInfo => ({
  size: Number(found.size),
  etag: `"${found.ino.toString(36)}-${found.size.toString(36)}-${found.mtimeNs.toString(36)}"`,
  lastModified: found.mtime,
});

async function* entries(folder: string): AsyncGenerator<string> {
  const directory = await opendir(folder, { bufferSize: 256 }).catch(absent);
  if (directory) for await (const entry of directory) yield entry.name;
}

async function removeOldFiles(folder: string, before: number): Promise<number> {
  let removed = 0;
  for await (const entry of entries(folder)) {
    const path = join(folder, entry);
    const found = await stat(path).catch(absent);
    if (!found || found.mtimeMs >= before) continue;
    await unlink(path).catch(absent);
    removed++;
  }
  return removed;
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException)?.code ?? '';

function absent(error: unknown): undefined {
  if (!['ENOENT', 'ENOTDIR'].includes(codeOf(error))) throw error;
}

function explained(error: unknown): unknown {
  if (!['ENOSPC', 'EDQUOT'].includes(codeOf(error))) return error;
  return new AppError('unavailable', 'The blob store is full. Try again later.', { retryAfter: 60 });
}
