import { join } from 'node:path';
import type { Config } from '../../config.ts';
import { Database } from '../../db.ts';
import { openPresentDatabase } from '../../platform/postgres/database.ts';
import { openOwnStore, storeSettings } from '../../transfers/store/owner.ts';
import { readBlobList } from './blob-list.ts';
import { type Copied, copyBlobs } from './copy-blobs.ts';
import { Lease } from './lease.ts';
import { BLOB_LIST, type BlobEntry, JOBS, type Manifest, manifestName, tableName } from './manifest.ts';
import { DamagedFile, writePacked } from './packed-file.ts';
import { untilNoPrune } from './prune-mark.ts';
import { Snapshot } from './snapshot.queries.ts';
import { type ListedBackup, listBackups, newId, type Target, writeManifest } from './target.ts';

export interface CreateParts {
  config: Config;
  log: Parameters<typeof openOwnStore>[2];
  stop: AbortSignal;
  /** @param share of the blobs that are done */
  progress(share: number): void;
}

export interface Created {
  manifest: Manifest;
  written: Copied['written'];
}

/**
 * Backs up database and blobs while the platform runs. First the tables, all of one snapshot; then the blobs that it
 * names, none of which is deleted meanwhile. What a stopped backup has copied is not written again by the next one.
 */
export async function createBackup(target: Target, { config, log, stop, progress }: CreateParts): Promise<Created> {
  if ((await target.store.marker.read()) !== undefined)
    throw new Error(`${target.name} is the blob store of a platform. Give the backups another folder.`);
  await using open = new AsyncDisposableStack();
  const server = open.adopt(await openPresentDatabase(config), (one) => one.close());
  const snapshot = open.adopt(await Snapshot.open(server.url, stop), (one) => one.close());
  const db = open.adopt(new Database(server.url, 2, 'platform backup'), (one) => one.end());
  const { signal } = snapshot;
  const blobs = await openOwnStore(db, storeSettings(config), log);
  const earlier = await listBackups(target);
  const manifest = await begin(target, snapshot, earlier);
  const lease = open.adopt(await Lease.begin(() => writeManifest(target, manifest)), (one) => one.end());
  await untilNoPrune(target, manifestName(manifest.id), signal);
  const before = await lastBlobs(target, manifest, earlier, signal);
  await copyRows(target, manifest, snapshot, signal);
  const named = await snapshot.listBlobs();
  await snapshot.endRows();
  const { entries, written, missing } = await copyBlobs(named, {
    blobs,
    target: target.store,
    scratch: join(config.data, 'backup-scratch'),
    before,
    signal,
    progress: (done) => progress(done / named.length),
  });
  const lines = entries.map((entry) => Buffer.from(`${JSON.stringify(entry)}\n`));
  const list = await writePacked(target.store, tableName(manifest.id, BLOB_LIST), lines, signal);
  await lease.end();
  lease.check();
  manifest.blobs = list;
  manifest.blobBytes = entries.reduce((sum, { size }) => sum + size, 0);
  manifest.missing = missing;
  manifest.state = missing.length === 0 ? 'complete' : 'incomplete';
  signal.throwIfAborted();
  await writeManifest(target, manifest);
  return { manifest, written };
}

/** Deletes what stopped backups of this database left. Returns the manifest of the new one, which is to be written. */
async function begin(target: Target, snapshot: Snapshot, earlier: readonly ListedBackup[]): Promise<Manifest> {
  const { time, secretKey, migrations, tables, sequences, database } = await snapshot.state();
  if (migrations.length === 0)
    throw new Error('The tables of this database are too old for a backup. Start this version on it first.');
  for (const { id, manifest } of earlier) {
    // while the snapshot is open, no other backup of this database is being made
    if (manifest?.state !== 'unfinished' || manifest.database !== database) continue;
    for await (const { name } of target.store.list(`table/${id}.`)) await target.store.remove(name);
    await target.store.remove(manifestName(id));
  }
  return {
    format: 1,
    id: newId(time),
    time,
    state: 'unfinished',
    database,
    ...(secretKey === undefined ? {} : { secretKey }),
    migrations,
    tables: tables.map((table) => ({ ...table, rows: 0, size: 0, sha256: '' })),
    sequences,
    blobBytes: 0,
    missing: [],
  };
}

/** Blobs of the newest backup of this database whose list can be read, by name. */
async function lastBlobs(
  target: Target,
  { database }: Manifest,
  earlier: readonly ListedBackup[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, BlobEntry>> {
  for (const { manifest } of earlier) {
    if (manifest?.database !== database || manifest.blobs === undefined) continue;
    try {
      const entries = await Array.fromAsync(readBlobList(target, manifest, signal));
      return new Map(entries.map((entry) => [entry.name, entry]));
    } catch (error) {
      if (!(error instanceof DamagedFile)) throw error;
    }
  }
  return new Map();
}

async function copyRows({ store }: Target, manifest: Manifest, snapshot: Snapshot, signal: AbortSignal): Promise<void> {
  for (const table of manifest.tables)
    Object.assign(
      table,
      await writePacked(store, tableName(manifest.id, table.name), snapshot.copyTable(table), signal),
    );
  manifest.jobs = await writePacked(store, tableName(manifest.id, JOBS), snapshot.copyJobs(), signal);
}
