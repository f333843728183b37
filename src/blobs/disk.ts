import { randomUUID } from 'node:crypto';
import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { copyFile, link, mkdir, open, opendir, rename, rm, rmdir, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { addAbortSignal } from 'node:stream';
import { AppError, notFound } from '../errors.ts';
import type { BlobInfo, BlobStore, ByteRange, StoredBlob } from './blobs.ts';
import { areasOf, checkBlockId, checkBlocks, checkName, hasChanged, noSuchBlock } from './blobs.ts';
import { groupedSync } from './folder-sync.ts';
import { folderMarker } from './marker.ts';

/** Writes under way; a file that nobody writes any more is swept. */
const TEMPORARY = '.temporary';
/** `.blocks/<area>/<name>/<hex of the block id>`, until they are committed. */
const BLOCKS = '.blocks';

/**
 * A blob store in a folder, made if absent and open to its owner alone: `<folder>/<area>/<name>`. Several processes may use it at once.
 * What a method promised is on the disk when it returns, the directory's entry included.
 */
export async function openDiskStore(folder: string): Promise<BlobStore> {
  const place = (name: string) => join(folder, checked(name));
  const blocksOf = (name: string) => join(folder, BLOCKS, checked(name));
  const syncFolder = groupedSync();
  await mkdir(join(folder, TEMPORARY), { recursive: true, mode: 0o700 });

  /** Runs `fill` on a new temporary file, flushes it and gives it its name. */
  async function write(target: string, fill: (file: FileHandle) => Promise<unknown>): Promise<BlobInfo> {
    const temporary = join(folder, TEMPORARY, randomUUID());
    try {
      const file = await open(temporary, 'wx', 0o600);
      let info: BlobInfo;
      try {
        await fill(file);
        await stamp(file);
        info = await seal(file);
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
        // the first blob of its area, or a folder of blocks that was removed in this moment
        if (codeOf(error) !== 'ENOENT' || tries > 3) throw error;
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

  /** Piece by piece: copying in the kernel cannot be stopped, and keeps the process from ending. */
  async function copyInto(file: FileHandle, name: string, signal: AbortSignal | undefined) {
    const source = (await openBlob(name)).createReadStream({ highWaterMark: 1 << 20 });
    await writeFile(file, stoppable(source, signal));
  }

  /** To another file system. */
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

    async commitBlocks(name, blockIds, limit, { target = name, signal } = {}) {
      const blocks = blocksOf(name);
      const pathOf = (id: string) => join(blocks, Buffer.from(id).toString('hex'));
      const sizes = new Map<string, number>();
      for (const id of new Set(blockIds)) {
        checkBlockId(id);
        signal?.throwIfAborted();
        const found = await stat(pathOf(id)).catch(absent);
        if (found) sizes.set(id, found.size);
      }
      checkBlocks(blockIds, sizes, limit);
      async function* joined() {
        for (const id of blockIds) {
          const block = await open(pathOf(id), 'r').catch((error) => {
            throw codeOf(error) === 'ENOENT' ? noSuchBlock(id) : error;
          });
          yield* block.createReadStream({ highWaterMark: 1 << 20 });
        }
      }
      const info = await write(place(target), (file) => writeFile(file, stoppable(limited(joined(), limit), signal)));
      await rm(blocks, { recursive: true, force: true });
      return info;
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
        if (await cloned(place(from), clone)) return await store.adopt(clone, to);
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
        // a file with a second name is a blob already and keeps its time, and so its ETag
        if ((await source.stat()).nlink === 1) await stamp(source);
        const info = await seal(source);
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
          // stays when something is in it
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

/** Passes a stream on until it holds more than it may. */
async function* limited(body: AsyncIterable<Uint8Array>, limit: number) {
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > limit) throw new AppError('tooLarge', `At most ${limit} bytes are taken.`);
    yield chunk;
  }
}

/** Makes a file that shares the blocks of another one. False: it cannot be; why shows when it is copied the other way. */
const cloned = (from: string, to: string): Promise<boolean> =>
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

/** Sets a file's time to the microsecond, because file systems stamp by the tick of a few milliseconds and the ETag is made of it. */
function stamp(file: FileHandle): Promise<void> {
  const now = (performance.timeOrigin + performance.now()) / 1000;
  return file.utimes(now, now);
}

/** Flushes a file that is about to get its name. */
async function seal(file: FileHandle): Promise<BlobInfo> {
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
  return new AppError('unavailable', 'The store is full.', { retryAfter: 60 });
}
