import { randomBytes, randomUUID } from 'node:crypto';
import { buffer } from 'node:stream/consumers';
import type { BlobStore } from '../../../blobs/blobs.ts';
import { checkBlobStore } from '../../../blobs/open.ts';
import type { Config } from '../../../config.ts';
import type { Database } from '../../../db.ts';
import { openKnownStore } from '../../../transfers/store/known-store.ts';
import { checkOwner, storeSettings } from '../../../transfers/store/owner.ts';
import { type Check, ill, ms, type Result, runCheck, timed, well } from '../check.ts';

const SIZE = 256 * 1024;
const SLOW_MS = 2000;
const MEND = 'Correct blobs.url or PLATFORM_DATA, the rights of the key or the folder, and the network to the store.';
const ADOPT = "Restore the database that belongs to the store, or take it over with 'platform blobs adopt'.";

/** Writes, reads and deletes a blob of its own. */
export async function checkBlobs(config: Config, db: Database): Promise<Check[]> {
  let store: BlobStore | undefined;
  const use = await runCheck('blobs', MEND, async () => {
    await checkBlobStore(config['blobs.url']);
    store = await openKnownStore(db, storeSettings(config));
    return useStore(store);
  });
  if (!use.ok || store === undefined) return [use];
  const own = store;
  return [use, await runCheck('blobOwner', ADOPT, () => checkMarker(db, own))];
}

async function useStore(store: BlobStore): Promise<Result> {
  const name = `staging/doctor-${randomUUID()}`;
  const content = randomBytes(SIZE);
  const durations: Record<string, number> = {};
  try {
    durations.write = await timed(() => store.put(name, chunks(content), SIZE));
    let whole: Buffer | undefined;
    durations.read = await timed(async () => {
      whole = await store.readAll(name, SIZE);
    });
    let part: Buffer | undefined;
    durations.range = await timed(async () => {
      part = await buffer(await store.read(name, { start: 1000, end: 1999 }));
    });
    if (!whole?.equals(content) || !part?.equals(content.subarray(1000, 2000)))
      return ill('The store returned other bytes than were written.', 'Look at proxies and caches before the store.');
  } finally {
    durations.delete = await timed(() => store.remove(name));
  }
  const message = `256 KiB: ${Object.entries(durations)
    .map(([what, duration]) => `${what} ${ms(duration)}`)
    .join(', ')}.`;
  return Math.max(...Object.values(durations)) > SLOW_MS
    ? ill(message, 'The store is slow: look at its load, its disk and the network to it.')
    : well(message);
}

async function* chunks(content: Buffer) {
  yield content;
}

async function checkMarker(db: Database, store: BlobStore): Promise<Result> {
  const owner = await store.marker.read();
  if (owner === undefined) return well('The store has no owner yet: the first start of the platform writes it.');
  await checkOwner(db, store);
  return well(`The store belongs to this database since ${owner.since.slice(0, 10)}.`);
}
