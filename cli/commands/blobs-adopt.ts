import { join } from 'node:path';
import { checkBlobStore } from '../../src/blobs/open.ts';
import { loadConfig } from '../../src/config.ts';
import { connect } from '../../src/db.ts';
import { openDatabase } from '../../src/platform/postgres/database.ts';
import { adoptStore } from '../../src/transfers/store/owner.ts';
import type { Io } from '../io.ts';

/**
 * Makes the blob store of the settings belong to the database of the settings. Knows no login, so it is for whoever may read the data
 * folder or the database's address; the platform of this database cannot start before.
 */
export async function adoptBlobs(io: Pick<Io, 'env' | 'json' | 'out'>, reason: string | undefined): Promise<void> {
  const config = loadConfig(io.env);
  const url = config['blobs.url'];
  await checkBlobStore(url);
  const database = await openDatabase(config);
  try {
    const db = await connect(database.url, 2, 'platform blobs');
    try {
      const adopted = await adoptStore(db, { url, folder: join(config.data, 'blobs') }, reason);
      io.out(io.json ? JSON.stringify(adopted) : sentence(adopted));
    } finally {
      await db.end();
    }
  } finally {
    await database.close();
  }
}

function sentence({ store, adopted, beforeDatabase }: Awaited<ReturnType<typeof adoptStore>>): string {
  if (!adopted) return `The blob store ${store} belongs to this database already.`;
  const before = beforeDatabase === undefined ? 'nobody' : `the database '${beforeDatabase}'`;
  return (
    `The blob store ${store} belongs to this database now; it belonged to ${before}. ` +
    `Blobs that this database does not name stay until 'platform blobs sweep --confirm'.`
  );
}
