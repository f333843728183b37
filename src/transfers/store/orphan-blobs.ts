import { AREAS, type BlobStore } from '../../blobs/blobs.ts';
import type { Database } from '../../db.ts';
import { FAIL_FAST, type MaintenanceRun } from '../../platform/async/maintenance-run.ts';
import { mayDeleteBlobs } from '../../platform/sql/deletion-lock.ts';
import { clearExpired } from './expiry.ts';
import { deleteReleased, listUnreferenced } from './orphan-blobs.queries.ts';
import { checkOwner, ForeignStore } from './owner.ts';
import { type Counted, getAllowance, setStopped, setSwept } from './sweep-state.queries.ts';

/** Names per statement. */
const BATCH = 500;
const YOUNG_MS = 3_600_000;
const LEFTOVERS_MS = 24 * 3_600_000;
/** An upload may pause for a day between two blocks, and lasts a week at most. */
const BLOCKS_MS = 8 * 24 * 3_600_000;
/** Maximum number of names of unknown blobs that one pass holds in memory. */
const MAX_NAMES = 50_000;
/** Unknown blobs are deleted without confirmation up to this number, or up to this share of all blobs. */
const MAX_UNCONFIRMED = 100;
const MAX_UNCONFIRMED_SHARE = 0.1;

export interface OrphanSweep {
  /** Younger blobs are kept: a transaction may be about to reference them. Default: an hour. */
  olderThanMs?: number;
  run?: MaintenanceRun;
}

export interface Swept {
  removed: number;
  leftovers: number;
  /** Why unknown blobs were kept, if they were. */
  keptBecause?: string;
}

interface Found extends Counted {
  /** Names of unknown blobs, at most `MAX_NAMES`. */
  names: string[];
  /** Number of known blobs that were deleted. */
  removed: number;
}

/**
 * Clears references to expired blobs, then deletes blobs without references. After a crash the next sweep continues.
 * Known blobs, of which this database has or had a row (also results of a worker that died before its commit), are
 * deleted at once. Unknown blobs are deleted only if they are few: many of them mean that the store belongs to another
 * database, or that the database is an old backup, and an operator must confirm the sweep. Sweeps may run concurrently.
 * @throws when the store belongs to another database
 */
export async function removeOrphanBlobs(db: Database, blobs: BlobStore, sweep: OrphanSweep): Promise<Swept> {
  const { olderThanMs = YOUNG_MS, run = FAIL_FAST } = sweep;
  try {
    await checkOwner(db, blobs);
  } catch (error) {
    if (error instanceof ForeignStore)
      await db.transaction((tx) => setStopped(tx, error.message, { all: 0, allBytes: 0, unknown: 0, unknownBytes: 0 }));
    throw error;
  }
  await clearExpired(db, run);
  const before = Date.now() - olderThanMs;
  let found = await removeKnown(db, blobs, before, run);
  const keptBecause = refusal(found, await getAllowance(db));
  let removed = found.removed;
  if (keptBecause === undefined) {
    for (;;) {
      await checkOwner(db, blobs);
      const deleted = await removeUnknown(db, blobs, found.names, run);
      removed += deleted;
      if (found.names.length < MAX_NAMES || deleted === 0) {
        await db.transaction((tx) => setSwept(tx, found.all - found.removed - deleted, found.allBytes));
        break;
      }
      found = await removeKnown(db, blobs, before, run);
      removed += found.removed;
    }
  } else {
    await db.transaction((tx) => setStopped(tx, keptBecause, found));
  }
  const leftovers = await blobs.removeLeftovers(Math.max(LEFTOVERS_MS, olderThanMs), Math.max(BLOCKS_MS, olderThanMs));
  return { removed, leftovers, ...(keptBecause === undefined ? {} : { keptBecause }) };
}

/** Why these unknown blobs must not be deleted without confirmation. Undefined: they may be deleted. */
function refusal(
  { all, unknown, unknownBytes }: Counted,
  allowed: { confirmAll: boolean; confirmed?: number | undefined },
) {
  const few = !allowed.confirmAll && (unknown <= MAX_UNCONFIRMED || unknown <= all * MAX_UNCONFIRMED_SHARE);
  if (unknown === 0 || few || unknown <= (allowed.confirmed ?? 0)) return undefined;
  const number = (value: number) => value.toLocaleString('en');
  return (
    `${number(unknown)} of ${number(all)} blobs (${number(unknownBytes)} bytes) were never referenced by this database ` +
    `and are kept. To delete them for ever, run 'platform blobs sweep --confirm'.`
  );
}

/** Lists all blobs, deletes known ones without references, and collects unknown ones. */
async function removeKnown(db: Database, blobs: BlobStore, before: number, run: MaintenanceRun): Promise<Found> {
  const found: Found = { all: 0, allBytes: 0, unknown: 0, unknownBytes: 0, names: [], removed: 0 };
  let batch = new Map<string, number>();
  const flush = async () => {
    run.signal?.throwIfAborted();
    const known: string[] = [];
    for (const one of await listUnreferenced(db, [...batch.keys()])) {
      if (one.known) {
        known.push(one.name);
        continue;
      }
      found.unknown++;
      found.unknownBytes += batch.get(one.name) ?? 0;
      if (found.names.length < MAX_NAMES) found.names.push(one.name);
    }
    found.removed += await removeAll(db, blobs, known, run);
    batch = new Map();
  };
  for (const area of AREAS) {
    for await (const { name, size, lastModified } of blobs.list(`${area}/`)) {
      found.all++;
      found.allBytes += size;
      if (lastModified.getTime() >= before) continue;
      batch.set(name, size);
      if (batch.size === BATCH) await flush();
    }
  }
  await flush();
  return found;
}

async function removeUnknown(
  db: Database,
  blobs: BlobStore,
  names: readonly string[],
  run: MaintenanceRun,
): Promise<number> {
  let removed = 0;
  for (let at = 0; at < names.length; at += BATCH) {
    run.signal?.throwIfAborted();
    const unreferenced = await listUnreferenced(db, names.slice(at, at + BATCH));
    const unreferencedNames = unreferenced.map(({ name }) => name);
    removed += await removeAll(db, blobs, unreferencedNames, run);
  }
  return removed;
}

/** Deletes blobs, those after a failed one as well; none during a backup. Returns the number of deleted ones. */
async function removeAll(
  db: Database,
  blobs: BlobStore,
  names: readonly string[],
  { attempt }: MaintenanceRun,
): Promise<number> {
  const deleted: string[] = [];
  if (!(await mayDeleteBlobs(db))) return 0;
  for (const name of names)
    if (await attempt('blobs without a row', () => blobs.remove(name), name)) deleted.push(name);
  await db.transaction((tx) => deleteReleased(tx, deleted));
  return deleted.length;
}
