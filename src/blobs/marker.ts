import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Bucket } from './bucket.ts';
import { BucketError } from './s3-client.ts';

/** The database that owns a store. */
export interface StoreOwner {
  /** Identity of the database, compared exactly. */
  id: string;
  /** Name of the database, for messages. */
  database: string;
  /** ISO 8601. */
  since: string;
  /** Of the database when it last wrote the marker; see `raiseCounter`. 0 in markers of earlier versions. */
  counter: number;
}

/** An object in a store that names its owner. */
export interface StoreMarker {
  /** Undefined if there is no marker. Throws if it is damaged or the store is unreachable. */
  read(): Promise<StoreOwner | undefined>;
  /**
   * Returns false if there is a marker. Concurrent calls: one returns true, if the store supports conditional writes.
   */
  create(owner: StoreOwner): Promise<boolean>;
  replace(owner: StoreOwner): Promise<void>;
}

export class DamagedMarker extends Error {
  override readonly name = 'DamagedMarker';
}

/** Name of the marker. Not a valid blob name, so that no blob replaces it. */
const NAME = '.platform-store.json';
const READ_MS = 10_000;

export class FolderMarker implements StoreMarker {
  readonly #folder: string;
  readonly #path: string;

  constructor(folder: string) {
    this.#folder = folder;
    this.#path = join(folder, NAME);
  }

  async read(): Promise<StoreOwner | undefined> {
    const found = await readFile(this.#path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    return found === undefined ? undefined : parseOwner(found, this.#path);
  }

  async create(owner: StoreOwner): Promise<boolean> {
    const temporary = await this.#writeTemporary(owner);
    try {
      await link(temporary, this.#path);
      await this.#sync();
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      return false;
    } finally {
      await rm(temporary, { force: true });
    }
  }

  async replace(owner: StoreOwner): Promise<void> {
    await rename(await this.#writeTemporary(owner), this.#path);
    await this.#sync();
  }

  async #writeTemporary(owner: StoreOwner): Promise<string> {
    const temporary = join(this.#folder, `${NAME}.${randomUUID()}`);
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await writeFile(temporary, JSON.stringify(owner), { flag: 'wx', mode: 0o600, flush: true });
    return temporary;
  }

  async #sync(): Promise<void> {
    const handle = await open(this.#folder, 'r');
    await handle.sync().finally(() => handle.close());
  }
}

/** Without conditional PUT, the last of two concurrent writers wins: read the marker again after `create`. */
export class BucketMarker implements StoreMarker {
  readonly #bucket: Bucket;

  constructor(bucket: Bucket) {
    this.#bucket = bucket;
  }

  async read(): Promise<StoreOwner | undefined> {
    const answer = await this.#bucket.get(NAME, {}, AbortSignal.timeout(READ_MS)).catch((error: unknown) => {
      // S3 answers 403 and not 404 if the key may not list the bucket
      if (!(error instanceof BucketError && error.status === 403)) throw error;
    });
    if (answer?.status !== 200) return undefined;
    return parseOwner(await answer.text(), NAME);
  }

  create(owner: StoreOwner): Promise<boolean> {
    return this.#bucket.create(NAME, encodeOwner(owner));
  }

  async replace(owner: StoreOwner): Promise<void> {
    await this.#bucket.put(NAME, encodeOwner(owner));
  }
}

const encodeOwner = (owner: StoreOwner) => Buffer.from(JSON.stringify(owner));

function parseOwner(json: string, where: string): StoreOwner {
  try {
    const { id, database, since, counter = 0 } = JSON.parse(json) as Record<string, unknown>;
    if (typeof id === 'string' && Number.isSafeInteger(counter))
      return { id, database: String(database), since: String(since), counter: Number(counter) };
  } catch {
    // reported below
  }
  throw new DamagedMarker(
    `The marker ${where} of the blob store is damaged. Write it again with 'platform blobs adopt'.`,
  );
}
