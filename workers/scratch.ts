import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Makes `<data>/scratch/<pool>`, on the file system of the blobs, so that files become blobs without a copy. */
export async function makeScratch(data: string, pool: string): Promise<string> {
  const folder = join(data, 'scratch', pool);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

export const removeScratch = (data: string, pool: string) =>
  rm(join(data, 'scratch', pool), { recursive: true, force: true, maxRetries: 3 });

/**
 * Removes folders of dead workers. Lists the folders before the live pools, so that a new worker's folder is never
 * removed.
 */
export async function removeOrphanedScratch(data: string, listPools: () => Promise<readonly string[]>): Promise<void> {
  const found = await readdir(join(data, 'scratch'));
  if (found.length < 2) return;
  const alive = new Set(await listPools());
  for (const pool of found) if (!alive.has(pool)) await removeScratch(data, pool);
}
