import { createHash } from 'node:crypto';
import type { BlobStore } from '../../blobs/blobs.ts';
import { type StorePlace, storePlaces } from '../../blobs/open.ts';
import { readWhole } from '../../blobs/steady-read.ts';
import type { Config } from '../../config.ts';
import { Database } from '../../db.ts';
import { AppError } from '../../errors.ts';
import { SecretKeys } from '../../platform/keys/secret-key.ts';
import { openPresentDatabase } from '../../platform/postgres/database.ts';
import { migrate } from '../../platform/postgres/migrate.ts';
import { unknownMigrations } from '../../platform/postgres/pending-update.ts';
import { holdsBlobs, openOwnStore, storeSettings } from '../../transfers/store/owner.ts';
import { readBlobList } from './blob-list.ts';
import { inLanes } from './copy-blobs.ts';
import type { CreateParts } from './create.ts';
import { RestoredDatabase } from './load.queries.ts';
import { type BlobEntry, blobName, JOBS, type Manifest, tableName } from './manifest.ts';
import { DamagedFile, readPacked } from './packed-file.ts';
import { chooseBackup, type Target } from './target.ts';

/** Blobs that are copied at once. */
const AT_ONCE = 4;
const AREA = /^[^/]+\//;

export interface Restored {
  manifest: Manifest;
  /** Blobs that the backup lacks or has damaged, and why. */
  missing: Manifest['missing'];
}

/**
 * Restores a backup into the database and the blob store of the settings, which must be empty: the tables of its
 * version, their rows, the blobs, the changes of tables since, and at last the jobs. Until its end the platform does
 * not start there. The same restore again goes on after one that was stopped.
 * @param id default: the one whose restore was begun, else the newest complete one
 */
export async function restoreBackup(
  target: Target,
  id: string | undefined,
  { config, log, stop, progress }: CreateParts,
): Promise<Restored> {
  await using open = new AsyncDisposableStack();
  const server = open.adopt(await openPresentDatabase(config), (one) => one.close());
  const { url, ownerUrl, runtimeUrl } = server;
  const database = open.adopt(await RestoredDatabase.open(ownerUrl, stop), (one) => one.close());
  const { begun } = database;
  const manifest = await chooseBackup(target, id ?? begun?.backup);
  if (begun !== undefined && begun.backup !== manifest.id)
    throw new Error(
      `A restore of the backup ${begun.backup} was begun in this place. Restore that one, or give another PLATFORM_DATA or DATABASE_URL.`,
    );
  await checkRestorable(manifest, config);
  const settings = storeSettings(config);
  const places = await storePlaces(settings.url, settings.folder, settings.limits);
  if (begun === undefined) await refuseBlobs(places);
  await database.mark(manifest.id);
  const read = (table: string, expected: Manifest['tables'][number] | Manifest['jobs']) =>
    readPacked(
      target.store,
      tableName(manifest.id, table),
      { what: `The file of '${table}' of the backup ${manifest.id}`, expected: expected! },
      stop,
    );
  if (!begun?.loaded) {
    await migrate(ownerUrl, { only: manifest.migrations, restoring: true, stop });
    const strange = await database.load(manifest, (table) => read(table.name, table));
    for (const name of strange)
      log.warn({}, `The table '${name}' is none of the platform's tables. Its rows are not restored.`);
  }
  const { store } = places[0]!;
  const missing = [...manifest.missing, ...(await restoreBlobs(target, manifest, store, stop, progress))];
  await migrate(ownerUrl, { runtimeUrl, restoring: true, stop });
  const db = open.adopt(new Database(url, 2, 'platform restore'), (one) => one.end());
  await openOwnStore(db, settings, log);
  await database.end(read(JOBS, manifest.jobs));
  return { manifest, missing };
}

/** Throws, before anything is written, if this version with these settings cannot restore the backup. */
async function checkRestorable({ id, state, migrations, secretKey }: Manifest, config: Config): Promise<void> {
  if (state === 'unfinished')
    throw new Error(`The backup ${id} was never finished: it cannot be restored. 'platform backup list' shows others.`);
  const unknown = await unknownMigrations(migrations);
  if (unknown.length > 0)
    throw new Error(
      `The backup ${id} was made by another version of the platform: this one does not know the migration ${unknown.at(-1)}. Restore it with that version or a newer one.`,
    );
  if (secretKey !== undefined && new SecretKeys(config).find(secretKey) === undefined)
    throw new Error(
      `The keys in the backup ${id} are encrypted with the secret key ${secretKey}, which is no part of it. Set PLATFORM_SECRET_KEY or PLATFORM_SECRET_KEY_FILE to it.`,
    );
}

async function refuseBlobs(places: readonly StorePlace[]): Promise<void> {
  for (const { name, store } of places)
    if ((await store.marker.read()) !== undefined || (await holdsBlobs(store)))
      throw new Error(
        `The blob store ${name} is not empty. A backup is restored into an empty place: give another PLATFORM_DATA or PLATFORM_BLOBS_URL.`,
      );
}

/** Copies the blobs that the store does not have yet. Returns those that the target lacks or has damaged. */
async function restoreBlobs(
  target: Target,
  manifest: Manifest,
  store: BlobStore,
  signal: AbortSignal,
  progress: (share: number) => void,
): Promise<Manifest['missing']> {
  const missing: Manifest['missing'] = [];
  const present = new Map<string, number>();
  const entries = await Array.fromAsync(readBlobList(target, manifest, signal));
  for (const area of new Set(entries.map(({ name }) => AREA.exec(name)![0])))
    for await (const { name, size } of store.list(area)) present.set(name, size);
  let done = 0;
  await inLanes(entries, AT_ONCE, async (entry) => {
    signal.throwIfAborted();
    try {
      if (present.get(entry.name) !== entry.size)
        await store.put(entry.name, readBackedUp(target.store, entry, signal), Number.POSITIVE_INFINITY, signal);
    } catch (error) {
      if (!(error instanceof DamagedFile)) throw error;
      missing.push({ name: entry.name, reason: error.message });
    }
    progress(++done / entries.length);
  });
  return missing;
}

/** The bytes of a blob in a backup. Throws `DamagedFile` at their end, so that a store does not keep wrong ones. */
export async function* readBackedUp(
  store: BlobStore,
  { name, size, sha256 }: BlobEntry,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const found = createHash('sha256');
  try {
    for await (const chunk of readWhole(store, blobName(sha256), signal)) {
      found.update(chunk);
      yield chunk;
    }
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== 'notFound') throw error;
    throw new DamagedFile(`The blob ${name} (${blobName(sha256)}) is missing in the backup.`);
  }
  if (found.digest('hex') !== sha256)
    throw new DamagedFile(
      `The blob ${name} (${blobName(sha256)}, ${size} bytes) is damaged in the backup: its bytes are not those that were written.`,
    );
}
