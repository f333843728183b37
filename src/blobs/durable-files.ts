import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, opendir, rename, rm, stat, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError } from '../errors.ts';
import type { BlobInfo } from './blobs.ts';
import { groupedSync } from './folder-sync.ts';

/**
 * Writes files atomically. When a method returns, its changes are on disk (fsync of file and directory).
 */
export class DurableFiles {
  readonly #temporary: string;
  readonly #syncFolder = groupedSync();

  /** @param temporary folder of unfinished writes */
  constructor(temporary: string) {
    this.#temporary = temporary;
  }

  temporaryPath(): string {
    return join(this.#temporary, randomUUID());
  }

  /** Runs `fill` on a new temporary file, flushes the file and renames it to `target`. */
  async write(target: string, fill: (file: FileHandle) => Promise<unknown>): Promise<BlobInfo> {
    const temporary = this.temporaryPath();
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
      await this.moveInto(temporary, target);
      return info;
    } catch (error) {
      await rm(temporary, { force: true });
      throw explained(error);
    }
  }

  /** Renames a flushed file. Creates the folder of `target` if necessary. */
  async moveInto(source: string, target: string): Promise<void> {
    const parent = join(target, '..');
    for (let tries = 1; ; tries++) {
      try {
        await rename(source, target);
        break;
      } catch (error) {
        // first blob of its area, or the folder of blocks was just removed; or the source is gone, with its transfer
        if (errorCode(error) !== 'ENOENT' || tries > 3 || !(await stat(source).catch(absent))) throw error;
        await mkdir(parent, { recursive: true, mode: 0o700 });
        await this.#syncFolder(join(parent, '..'));
      }
    }
    await this.#syncFolder(parent);
  }
}

/**
 * Sets the modification time in microseconds, because the ETag contains it and the clock of file systems has ticks of
 * milliseconds.
 */
export function setPreciseTime(file: FileHandle): Promise<void> {
  const now = (performance.timeOrigin + performance.now()) / 1000;
  return file.utimes(now, now);
}

export async function flush(file: FileHandle): Promise<BlobInfo> {
  const [found] = await Promise.all([file.stat({ bigint: true }), file.sync()]);
  return toBlobInfo(found);
}

export const toBlobInfo = (found: { size: bigint; mtimeNs: bigint; mtime: Date; ino: bigint }): BlobInfo => ({
  size: Number(found.size),
  etag: `"${found.ino.toString(36)}-${found.size.toString(36)}-${found.mtimeNs.toString(36)}"`,
  lastModified: found.mtime,
});

export async function* entries(folder: string): AsyncGenerator<string> {
  const directory = await opendir(folder, { bufferSize: 256 }).catch(absent);
  if (directory) for await (const entry of directory) yield entry.name;
}

/** Deletes files that were not changed since `before`, in milliseconds since 1970. Returns their number. */
export async function removeOldFiles(folder: string, before: number): Promise<number> {
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

export const errorCode = (error: unknown): string => (error as NodeJS.ErrnoException)?.code ?? '';

/** Undefined if the error is that a file does not exist; throws other errors. */
export function absent(error: unknown): undefined {
  if (!['ENOENT', 'ENOTDIR'].includes(errorCode(error))) throw error;
}

/** The error of a write: `unavailable` if the disk is full. */
export function explained(error: unknown): unknown {
  if (!['ENOSPC', 'EDQUOT'].includes(errorCode(error))) return error;
  return new AppError('unavailable', 'The blob store is full. Try again later.', { retryAfter: 60 });
}
