import { join } from 'node:path';
import { checkBlobStore } from '../../src/blobs/open.ts';
import { loadConfig } from '../../src/config.ts';
import { withDatabase } from '../../src/platform/postgres/with-database.ts';
import { adoptStore } from '../../src/transfers/store/owner.ts';
import type { Io } from '../io.ts';

/**
 * Makes the database of the settings the owner of the blob store of the settings, without which the platform does not
 * start. Needs no login: whoever can read the data folder or the address of the database may run it.
 */
export async function adoptBlobs(
  io: Pick<Io, 'env' | 'json' | 'out'>,
  reason: string | undefined,
  stop: AbortSignal,
): Promise<void> {
  const config = loadConfig(io.env);
  const url = config['blobs.url'];
  await checkBlobStore(url);
  await withDatabase(config, { name: 'platform blobs', stop }, async (db) => {
    const adopted = await adoptStore(db, { url, folder: join(config.data, 'blobs') }, reason);
    io.out(io.json ? JSON.stringify(adopted) : sentence(adopted));
  });
}

function sentence({ store, adopted, newer, beforeDatabase }: Awaited<ReturnType<typeof adoptStore>>): string {
  if (!adopted) return `The blob store ${store} belongs to this database already.`;
  const kept = `Unreferenced blobs are kept until you run 'platform blobs sweep --confirm'.`;
  if (newer)
    return (
      `The blob store ${store} belongs to this database. It was newer than this database, and counts with it again. ${kept} ` +
      `Run 'platform blobs verify' to find content that the store does not have any more.`
    );
  const before = beforeDatabase === undefined ? 'no database' : `the database '${beforeDatabase}'`;
  return `The blob store ${store} belongs to this database now; it belonged to ${before}. ${kept}`;
}
