import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import type { Bucket } from './bucket.ts';
import { BucketError } from './bucket.ts';

/** The database whose blobs lie in a store. */
export interface StoreOwner {
  /** Identity of the database, compared exactly. */
  id: string;
  /** Its name, for people. */
  database: string;
  /** ISO 8601. */
  since: string;
}

/** An object of the store that tells to which database the store belongs. */
export interface StoreMarker {
  /** Throws when it is there and is not readable, and when the store is away. */
  read(): Promise<StoreOwner | undefined>;
  /** False: somebody was faster. Of two at once one is told so, where the store can tell. */
  create(owner: StoreOwner): Promise<boolean>;
  replace(owner: StoreOwner): Promise<void>;
}

/** A marker that is there and tells nothing. */
export class DamagedMarker extends Error {
  override readonly name = 'DamagedMarker';
}

/** No blob and no area is called so. */
const NAME = '.platform-store.json';
const READ_MS = 10_000;

export function folderMarker(folder: string): StoreMarker {
  const path = join(folder, NAME);
  async function writeAside(owner: StoreOwner): Promise<string> {
    const aside = join(folder, `${NAME}.${randomUUID()}`);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const file = await open(aside, 'wx', 0o600);
    try {
      await file.writeFile(JSON.stringify(owner));
      await file.sync();
    } finally {
      await file.close();
    }
    return aside;
  }
  const sync = async () => {
    const handle = await open(folder, 'r');
    await handle.sync().finally(() => handle.close());
  };
  return {
    async read() {
      const found = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
      });
      return found === undefined ? undefined : parseOwner(found, path);
    },
    async create(owner) {
      const aside = await writeAside(owner);
      try {
        await link(aside, path);
        await sync();
        return true;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
        return false;
      } finally {
        await rm(aside, { force: true });
      }
    },
    async replace(owner) {
      await rename(await writeAside(owner), path);
      await sync();
    },
  };
}

/** A server that knows no conditional PUT takes the last of two writers, so whoever wrote reads again. */
export function bucketMarker(bucket: Bucket): StoreMarker {
  const bodyOf = (owner: StoreOwner) => Buffer.from(JSON.stringify(owner));
  return {
    async read() {
      const answer = await bucket.get(NAME, {}, AbortSignal.timeout(READ_MS)).catch((error: unknown) => {
        // S3 refuses a key that may not list instead of saying that there is no such object
        if (!(error instanceof BucketError && error.status === 403)) throw error;
      });
      if (answer?.status !== 200 || answer.body === null) return undefined;
      return parseOwner(await text(answer.body), NAME);
    },
    create: (owner) => bucket.create(NAME, bodyOf(owner)),
    async replace(owner) {
      await bucket.put(NAME, bodyOf(owner));
    },
  };
}

function parseOwner(json: string, where: string): StoreOwner {
  try {
    const { id, database, since } = JSON.parse(json) as Record<string, unknown>;
    if (typeof id === 'string') return { id, database: String(database), since: String(since) };
  } catch {
    // said below
  }
  throw new DamagedMarker(`The marker ${where} of the blob store is damaged: 'platform blobs adopt' writes it anew.`);
}
