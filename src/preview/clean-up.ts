import { statfs } from 'node:fs/promises';
import type { Config } from '../config.ts';
import type { Database } from '../db.ts';
import type { MaintenanceRun } from '../platform/async/maintenance-run.ts';
import { deleteOldest, deleteUnused } from './previews.queries.ts';

/** Without a setting, stores take at most this share of the disk. */
const SHARE_OF_DISK = 0.1;

/**
 * Deletes stores that nobody has used for `preview.keep`, and the least recently used ones beyond `preview.maxSize`.
 * Their blobs go with the spent ones.
 */
export async function forgetPreviews(
  db: Database,
  settings: Pick<Config, 'data' | 'preview.keep' | 'preview.maxSize'>,
  { attempt }: MaintenanceRun,
): Promise<void> {
  await attempt('unused previews', () => db.transaction((tx) => deleteUnused(tx, settings['preview.keep'])));
  await attempt('previews beyond their size', async () => {
    const most = await mostBytes(settings);
    await db.transaction((tx) => deleteOldest(tx, most));
  });
}

/** Bytes that all stores may have. */
export async function mostBytes(settings: Pick<Config, 'data' | 'preview.maxSize'>): Promise<number> {
  const { data, 'preview.maxSize': chosen } = settings;
  if (chosen !== undefined) return chosen;
  const { blocks, bsize } = await statfs(data);
  return Math.floor(SHARE_OF_DISK * blocks * bsize);
}
