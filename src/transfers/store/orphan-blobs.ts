import type { BlobStore } from '../../blobs/blobs.ts';
import { AREAS } from '../../blobs/blobs.ts';
import type { Db } from '../../db.ts';
import type { Chore } from '../../platform/async/chore.ts';
import { UNGUARDED } from '../../platform/async/chore.ts';
import { clearExpired } from './expiry.ts';
import { forgetReleased, listUnnamed } from './orphan-blobs.queries.ts';
import { checkOwner, ForeignStore } from './owner.ts';
import type { Counted } from './sweep-state.queries.ts';
import { getAllowance, setStopped, setSwept } from './sweep-state.queries.ts';

/** Rows or names that one statement deals with. */
const BATCH = 500;
const LEFTOVERS_MS = 24 * 3_600_000;
/** Names of unknown blobs that one pass keeps in memory. */
const KEPT = 50_000;
/** So many unknown blobs may go unasked, and this share of all blobs. */
const UNASKED = 100;
const UNASKED_SHARE = 0.1;

export interface OrphanSweep {
  /** Bytes younger than this may be about to get their row. */
  olderThanMs: number;
  chore?: Chore;
}

export interface Swept {
  removed: number;
  leftovers: number;
  /** Why unknown blobs were left alone, if they were. */
  stopped?: string;
}

interface Found extends Counted {
  /** Of unknown blobs, as many as one pass keeps. */
  names: string[];
  /** Blobs that were known and are removed. */
  removed: number;
}

/**
 * Clears references to expired blobs, then deletes blobs without references: a crash in between is made up for by the next sweep. Blobs
 * that this database let go of, or made, are deleted at once. Others are deleted only if they are few: many of them mean that the store
 * is another one's, or the database an old one, and wait until somebody confirms the sweep. Any number may run at once.
 * @throws when the store belongs to another database
 */
export async function removeOrphanBlobs(db: Db, blobs: BlobStore, sweep: OrphanSweep): Promise<Swept> {
  const { olderThanMs, chore = UNGUARDED } = sweep;
  try {
    await checkOwner(db, blobs);
  } catch (error) {
    if (error instanceof ForeignStore) await setStopped(db, error.message, { all: 0, unknown: 0, unknownBytes: 0 });
    throw error;
  }
  await clearExpired(db, chore);
  const before = Date.now() - olderThanMs;
  let found = await removeKnown(db, blobs, before, chore);
  const stopped = refusal(found, await getAllowance(db));
  let removed = found.removed;
  if (stopped === undefined) {
    for (;;) {
      await checkOwner(db, blobs);
      const gone = await removeUnknown(db, blobs, found.names, chore);
      removed += gone;
      if (found.names.length < KEPT || gone === 0) {
        await setSwept(db, found.all - found.removed - gone);
        break;
      }
      found = await removeKnown(db, blobs, before, chore);
      removed += found.removed;
    }
  } else {
    await setStopped(db, stopped, found);
  }
  const leftovers = await blobs.removeLeftovers(Math.max(LEFTOVERS_MS, olderThanMs));
  return { removed, leftovers, ...(stopped === undefined ? {} : { stopped }) };
}

/** Why these unknown blobs must not be removed unasked; undefined: they may. */
function refusal(
  { all, unknown, unknownBytes }: Counted,
  allowed: { confirmAll: boolean; confirmed?: number | undefined },
) {
  const few = !allowed.confirmAll && (unknown <= UNASKED || unknown <= all * UNASKED_SHARE);
  if (unknown === 0 || few || unknown <= (allowed.confirmed ?? 0)) return undefined;
  const number = (value: number) => value.toLocaleString('en');
  return (
    `${number(unknown)} of ${number(all)} blobs (${number(unknownBytes)} bytes) were never named by this database; ` +
    `they were left alone. 'platform blobs sweep --confirm' removes them for ever.`
  );
}

/** Looks at all blobs and removes those that nothing names any more and that are known. */
async function removeKnown(db: Db, blobs: BlobStore, before: number, chore: Chore): Promise<Found> {
  const found: Found = { all: 0, unknown: 0, unknownBytes: 0, names: [], removed: 0 };
  let batch = new Map<string, number>();
  const sort = async () => {
    chore.signal?.throwIfAborted();
    const known: string[] = [];
    for (const one of await listUnnamed(db, [...batch.keys()])) {
      if (one.known) {
        known.push(one.name);
        continue;
      }
      found.unknown++;
      found.unknownBytes += batch.get(one.name) ?? 0;
      if (found.names.length < KEPT) found.names.push(one.name);
    }
    found.removed += await removeAll(db, blobs, known, chore);
    batch = new Map();
  };
  for (const area of AREAS) {
    for await (const { name, size, lastModified } of blobs.list(`${area}/`)) {
      found.all++;
      if (lastModified.getTime() >= before) continue;
      batch.set(name, size);
      if (batch.size === BATCH) await sort();
    }
  }
  await sort();
  return found;
}

async function removeUnknown(db: Db, blobs: BlobStore, names: readonly string[], chore: Chore): Promise<number> {
  let removed = 0;
  for (let at = 0; at < names.length; at += BATCH) {
    chore.signal?.throwIfAborted();
    const unnamed = await listUnnamed(db, names.slice(at, at + BATCH));
    const unnamedNames = unnamed.map(({ name }) => name);
    removed += await removeAll(db, blobs, unnamedNames, chore);
  }
  return removed;
}

/** One that cannot be removed keeps no other from it. Says how many are gone. */
async function removeAll(db: Db, blobs: BlobStore, names: readonly string[], { attempt }: Chore): Promise<number> {
  const gone: string[] = [];
  for (const name of names) if (await attempt('blobs without a row', () => blobs.remove(name), name)) gone.push(name);
  await forgetReleased(db, gone);
  return gone.length;
}
