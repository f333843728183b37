import { readBlobList } from './blob-list.ts';
import { inLanes } from './copy-blobs.ts';
import type { Lease } from './lease.ts';
import { blobName, type Manifest, manifestName } from './manifest.ts';
import { DamagedFile } from './packed-file.ts';
import { isDead, markPrune } from './prune-mark.ts';
import { type ListedBackup, listBackups, type Target } from './target.ts';

/** Which backups go. With both rules those that both allow to go; without any, none. */
export interface PruneRules {
  /** So many complete backups of each database stay, the newest ones, and all that are newer than the last of them. */
  keep?: number | undefined;
  /** Younger backups stay, and the newest complete one of each database. Milliseconds. */
  olderThan?: number | undefined;
}

export interface PruneOptions extends PruneRules {
  /** Deletes nothing. */
  dryRun: boolean;
  stop: AbortSignal;
  /** @param share of the files that are looked at */
  progress(share: number): void;
}

export interface Pruned {
  deleted: ListedBackup[];
  kept: ListedBackup[];
  /** Blobs that only deleted backups needed, or none. */
  blobs: { count: number; bytes: number };
}

type Known = ListedBackup & { manifest: Manifest };

/** Files that are deleted at once. */
const AT_ONCE = 4;

/**
 * Deletes old backups, and the blobs that no other one needs. Deletes the manifest of a backup first, so that a backup
 * is listed and whole, or not listed; what a stopped prune left, the next one deletes. Prunes may run at once, because
 * each deletes only what none of the backups needs that it keeps, and each keeps those that it does not delete.
 */
export async function pruneBackups(target: Target, options: PruneOptions): Promise<Pruned> {
  if (options.dryRun) return prune(target, options, new Date(), undefined);
  if ((await listBackups(target)).length === 0) throw new Error(`There are no backups in ${target.name}.`);
  await using mark = await markPrune(target);
  return await prune(target, options, mark.now, mark.lease);
}

async function prune(target: Target, options: PruneOptions, now: Date, lease: Lease | undefined): Promise<Pruned> {
  const { store } = target;
  const { dryRun, stop, progress } = options;
  const listed = (await listBackups(target)).map((one) => known(target, one));
  const remains = await findRemains(target, listed, now);
  const deleted = [...remains, ...chooseBackups(listed, options, now)];
  const gone = new Set(deleted.map(({ id }) => id));
  const kept = listed.filter(({ id }) => !gone.has(id));
  const needed = await neededBlobs(target, kept, stop);

  const remove = async (name: string) => {
    stop.throwIfAborted();
    lease?.check();
    if (!dryRun) await store.remove(name);
  };
  for (const { id } of deleted) await remove(manifestName(id));
  const ids = new Set(kept.map(({ id }) => id));
  const blobs = { count: 0, bytes: 0 };
  const tables = await Array.fromAsync(store.list('table/'));
  const spent = (await Array.fromAsync(store.list('blob/'))).filter(({ name }) => !needed.has(name));
  const ownerless = tables.filter(({ name }) => !ids.has(name.slice('table/'.length).split('.', 1)[0]!));
  let done = 0;
  const count = () => progress(++done / (ownerless.length + spent.length));
  await inLanes(ownerless, AT_ONCE, ({ name }) => remove(name).then(count));
  await inLanes(spent, AT_ONCE, async ({ name, size }) => {
    await remove(name);
    blobs.count++;
    blobs.bytes += size;
    count();
  });
  return { deleted, kept, blobs };
}

function known({ name }: Target, { id, manifest, ...one }: ListedBackup): Known {
  if (manifest !== undefined) return { ...one, id, manifest };
  throw new Error(
    `The manifest ${manifestName(id)} in ${name} is damaged, or a newer version of the platform wrote it. Which blobs it needs is not known, so nothing is deleted. Delete this file if the backup is worth nothing.`,
  );
}

/** Backups that were stopped. Throws for one that is being made. */
async function findRemains({ name, store }: Target, listed: readonly Known[], now: Date): Promise<Known[]> {
  const unfinished = listed.filter(({ manifest }) => manifest.state === 'unfinished');
  for (const { id } of unfinished) {
    const found = await store.info(manifestName(id));
    if (found !== undefined && !isDead(found.lastModified, now))
      throw new Error(
        `The backup ${id} is being made in ${name}, or was stopped a few minutes ago. Prune when it has ended.`,
      );
  }
  return unfinished;
}

function chooseBackups(listed: readonly Known[], { keep, olderThan }: PruneRules, now: Date): Known[] {
  if (keep === undefined && olderThan === undefined) return [];
  const finished = listed.filter(({ manifest }) => manifest.state !== 'unfinished');
  const byDatabase = Map.groupBy(finished, ({ manifest }) => manifest.database);
  return [...byDatabase.values()].flatMap((backups) => {
    const complete = backups.filter(({ manifest }) => manifest.state === 'complete');
    const last = complete[(keep ?? 1) - 1];
    return backups.filter(
      ({ time }) =>
        last !== undefined &&
        time < last.time &&
        (olderThan === undefined || now.getTime() - new Date(time).getTime() > olderThan),
    );
  });
}

/** Names of the blobs of these backups. Throws if one of their lists cannot be read. */
async function neededBlobs(target: Target, kept: readonly Known[], signal: AbortSignal): Promise<Set<string>> {
  const needed = new Set<string>();
  for (const { id, manifest } of kept) {
    try {
      for await (const { sha256 } of readBlobList(target, manifest, signal)) needed.add(blobName(sha256));
    } catch (error) {
      if (!(error instanceof DamagedFile)) throw error;
      // another prune has deleted it meanwhile
      if ((await target.store.info(manifestName(id))) === undefined) continue;
      throw new Error(
        `${error.message} Which blobs it needs is not known, so nothing is deleted. Delete ${manifestName(id)} in ${target.name} if the backup is worth nothing.`,
      );
    }
  }
  return needed;
}
