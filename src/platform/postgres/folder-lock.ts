import { closeSync, openSync } from 'node:fs';
import { chown, mkdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

const TIMEOUT_MS = 5 * 60_000;
/** `SQLITE_BUSY` */
const BUSY = 5;

/**
 * Runs `work` with an exclusive lock of the folder among all processes that see it, also in other containers, PID or
 * network namespaces. Waits at most five minutes. The kernel releases the lock when its process dies.
 */
export async function withFolderLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
  // Postgres may run as another user, who needs the search permission of the parent folder
  await mkdir(dirname(folder), { recursive: true, mode: 0o711 });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const deadline = Date.now() + TIMEOUT_MS;
  let release = await lockFile(folder, 'lock', 'exclusive');
  while (release === undefined) {
    if (Date.now() > deadline) throw new Error(`Another process has kept ${folder} locked for five minutes.`);
    await sleep(20 + Math.random() * 20);
    release = await lockFile(folder, 'lock', 'exclusive');
  }
  // connections that do not keep the process alive may be all that `work` waits for
  const alive = setInterval(() => {}, TIMEOUT_MS);
  try {
    return await work();
  } finally {
    clearInterval(alive);
    release();
  }
}

/**
 * Locks a file of the folder, which it creates, and returns a function that releases it; undefined if others hold it.
 * Node has no locks of files: the empty database of SQLite has, by `fcntl` or `LockFileEx`, which hold on shared file
 * systems.
 */
export async function lockFile(
  folder: string,
  name: string,
  kind: 'exclusive' | 'shared',
): Promise<(() => void) | undefined> {
  const path = join(folder, name);
  await ensureFile(folder, path);
  const database = new DatabaseSync(path);
  try {
    database.exec(kind === 'exclusive' ? 'begin exclusive' : 'begin; select count(*) from sqlite_schema');
    return () => database.close();
  } catch (error) {
    database.close();
    if ((error as { errcode?: number }).errcode === BUSY) return undefined;
    throw error;
  }
}

/**
 * Creates the file if it is missing, but opens no file that is there: the kernel drops all locks that a process has on
 * a file as soon as it closes any descriptor of that file. SQLite knows that of its own descriptors alone. The owner of
 * the folder, who may attach later, must be able to open a file that root creates.
 */
async function ensureFile(folder: string, path: string): Promise<void> {
  try {
    // at once: nothing else of this process locks the file before it is closed
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(folder);
  if ((await stat(path)).uid !== uid) await chown(path, uid, gid);
}
