import { createHash } from 'node:crypto';
import { readFileSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = '/dev/shm';
const ROOM_BYTES = 8 * 2 ** 30;

/**
 * The file system in memory, for files of tests: each test database has 750 files, of which ext4 takes 0.6 s of CPU
 * time to create. Undefined without one, if it has too little room, and if it runs no programs, as in many containers.
 */
export function memoryFolder(): string | undefined {
  try {
    const { bavail, bsize } = statfsSync(FOLDER);
    if (Math.min(bavail * bsize, process.availableMemory()) < ROOM_BYTES) return undefined;
    const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
    const [, , , options = ''] = mounts.find((line) => line.split(' ')[1] === FOLDER)?.split(' ') ?? [];
    return options.split(',').includes('noexec') ? undefined : FOLDER;
  } catch {
    return undefined;
  }
}

/**
 * Folder of the cluster of this clone: in memory, or in `node_modules`. Its last part is the version of Postgres,
 * because a server does not start with the files of another one.
 */
export function clusterFolder(memory: string | undefined): string {
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const clone = createHash('sha256').update(root).digest('hex').slice(0, 16);
  return memory === undefined
    ? join(root, 'node_modules/.cache/postgres-18')
    : join(memory, `data-platform-tests-${clone}/postgres-18`);
}

/** Frees the memory. Without it, the next run finds its template database again. */
export function removeCluster(): void {
  const memory = memoryFolder();
  if (memory !== undefined) rmSync(join(clusterFolder(memory), '..'), { recursive: true, force: true });
}
