import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { SharedDrawings } from '../tiles/shared-drawings.ts';

/** Bytes of files of one process. */
const MOST_BYTES = 2 * 2 ** 30;
const MOST_FILES = 200;
/** How often a process tells that it uses its folder, and the age of folders of processes that were killed. */
const [TOUCH_MS, LEFT_MS] = [60_000, 10 * 60_000];
/** A file that nobody used for this time is removed. */
const IDLE_MS = 10 * 60_000;

interface Kept {
  readonly path: string;
  /** Absent: it is not made yet. */
  bytes?: number;
  lent: number;
  usedAt: number;
  /** Removed when nobody has it any more. */
  isOld: boolean;
}

/** Writes the file of a content. It ends early when nobody waits for it any more. */
type Make = (path: string, signal: AbortSignal) => Promise<void>;

interface Lending<T> {
  readonly make: Make;
  /** Aborted when the borrower leaves. */
  readonly signal: AbortSignal;
  work(path: string): Promise<T>;
}

/** Local files of contents in a private folder, once each. The least recently used ones are removed. */
export class ScratchFiles {
  readonly #parent: string;
  readonly #kept = new Map<string, Kept>();
  readonly #making = new SharedDrawings<void>();
  #folder: Promise<string> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #files = 0;

  /** @param parent folder that other processes may use, too */
  constructor(parent: string) {
    this.#parent = parent;
  }

  /** The folder of this process. */
  folder(): Promise<string> {
    this.#folder ??= this.#makeFolder().catch((error) => {
      this.#folder = undefined;
      throw error;
    });
    return this.#folder;
  }

  /**
   * Lends the path of the file of a content, which `make` writes if it is not there. A path never gets another content.
   */
  async lend<T>(key: string, { make, signal, work }: Lending<T>): Promise<T> {
    const folder = await this.folder();
    const file = this.#kept.get(key) ?? { path: join(folder, String(++this.#files)), lent: 0, usedAt: 0, isOld: false };
    // the last one is the last used one
    this.#kept.delete(key);
    this.#kept.set(key, file);
    file.lent++;
    file.usedAt = Date.now();
    try {
      if (file.bytes === undefined)
        await this.#making.of(file.path, signal, (all) => this.#make(key, file, { make, signal: all }));
      this.#removeOldest();
      return await work(file.path);
    } finally {
      file.lent--;
      if (file.isOld && file.lent === 0) await rm(file.path, { force: true });
    }
  }

  async #make(key: string, file: Kept, { make, signal }: Pick<Lending<void>, 'make' | 'signal'>): Promise<void> {
    const drop = () => {
      if (this.#kept.get(key) === file) this.#kept.delete(key);
      file.isOld = true;
    };
    // at once: whoever comes while it winds up gets another file
    signal.addEventListener('abort', drop, { once: true });
    try {
      await make(file.path, signal);
      file.bytes = (await stat(file.path)).size;
    } catch (error) {
      drop();
      await rm(file.path, { force: true });
      throw error;
    } finally {
      signal.removeEventListener('abort', drop);
    }
  }

  #removeOldest(): void {
    let bytes = 0;
    for (const file of this.#kept.values()) bytes += file.bytes ?? 0;
    for (const [key, file] of this.#kept) {
      const isIdle = file.lent === 0 && file.usedAt < Date.now() - IDLE_MS;
      if (!isIdle && bytes <= MOST_BYTES && this.#kept.size <= MOST_FILES) return;
      bytes -= file.bytes ?? 0;
      this.#kept.delete(key);
      file.isOld = true;
      if (file.lent === 0) rm(file.path, { force: true }).catch(() => undefined);
    }
  }

  async #makeFolder(): Promise<string> {
    await mkdir(this.#parent, { recursive: true, mode: 0o700 });
    const oldest = Date.now() - LEFT_MS;
    for (const name of await readdir(this.#parent)) {
      const path = join(this.#parent, name);
      // another process may be removing it
      const { mtimeMs = Number.POSITIVE_INFINITY } = (await stat(path).catch(() => undefined)) ?? {};
      if (mtimeMs < oldest) await rm(path, { recursive: true, force: true });
    }
    const folder = join(this.#parent, randomUUID());
    await mkdir(folder, { mode: 0o700 });
    // one that is missing was removed by an operator; the next file fails with its path
    const touch = () => {
      this.#removeOldest();
      utimes(folder, new Date(), new Date()).catch(() => undefined);
    };
    this.#timer = setInterval(touch, TOUCH_MS).unref();
    return folder;
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    const folder = await this.#folder?.catch(() => undefined);
    if (folder !== undefined) await rm(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}
