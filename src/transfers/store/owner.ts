import { join } from 'node:path';
import { audit } from '../../audit.ts';
import { AREAS, type BlobStore } from '../../blobs/blobs.ts';
import { DamagedMarker, type StoreOwner } from '../../blobs/marker.ts';
import { type StorePlace, storePlaces } from '../../blobs/open.ts';
import type { BucketLimits } from '../../blobs/s3-client.ts';
import type { Config } from '../../config.ts';
import type { Database, Reads } from '../../db.ts';
import { CheckedBlobs } from './checked-blobs.ts';
import { Counter } from './counter.ts';
import { getIdentity, insertIdentity, raiseCounter, sampleReferenced, setAdopted, setPlace } from './owner.queries.ts';

/** The store at `url` (setting `blobs.url`), else in `folder`. */
export interface StoreSettings {
  url: string | undefined;
  folder: string;
  limits?: BucketLimits;
}

export const storeSettings = (config: Config): StoreSettings => ({
  url: config['blobs.url'],
  folder: join(config.data, 'blobs'),
  limits: {
    connect: config['blobs.connectTimeout'],
    firstByte: config['blobs.firstByteTimeout'],
    progress: config['blobs.progressTimeout'],
  },
});

/** The store belongs to another database, or its owner is unknown. */
export class ForeignStore extends Error {
  override readonly name = 'ForeignStore';
}

interface Log {
  warn(details: object, message: string): void;
  error(details: object, message: string): void;
}

/** Number of blobs of each kind that are looked up in a store without a marker. */
const SAMPLE_SIZE = 20;
/** Processes that raise the counter at the same time, and are stopped in between, leave the marker behind by a few. */
const FAR = 100;
const USE_ANOTHER =
  'Set blobs.url to another store (a folder of a bucket is enough: s3://…/bucket/folder), or PLATFORM_DATA to another folder';
const ADOPT = "or take it over with 'platform blobs adopt'";

/**
 * Opens the blob store of these settings. A store without an owner belongs to this database from now on.
 * @throws if it belongs to another database, or has no owner but blobs that this database does not reference
 */
export async function openOwnStore(db: Database, settings: StoreSettings, log: Log): Promise<CheckedBlobs> {
  const store = await findOwnStore(db, settings, log);
  const counter = new Counter(() => shareCounter(db, store, log));
  return new CheckedBlobs(store, { db, log, counter });
}

async function findOwnStore(db: Database, settings: StoreSettings, log: Log): Promise<BlobStore> {
  const places = await storePlaces(settings.url, settings.folder, settings.limits);
  await db.transaction((tx) => insertIdentity(tx));
  let owners: (StoreOwner | undefined)[];
  try {
    owners = await Promise.all(places.map(({ store }) => store.marker.read()));
  } catch (error) {
    if (settings.url === undefined || error instanceof DamagedMarker) throw error;
    const { place } = await getIdentity(db);
    const known = places.find(({ name }) => name === place);
    if (known === undefined) {
      const why = error instanceof Error ? error.message : String(error);
      throw new Error(
        `The blob store ${places[0]?.name} cannot be reached (${why}). The first start of the platform records its owner there.`,
        {
          cause: error,
        },
      );
    }
    log.warn({ err: error }, 'the blob store cannot be reached: its owner will be checked later');
    return known.store;
  }
  // after the markers: other processes raise the counter in the database first
  const self = await getIdentity(db);
  const own = owners.findIndex((owner) => owner?.id === self.id);
  const place = places[own] ?? (await claim(db, self, places, owners));
  const marker = owners[own];
  if (marker !== undefined) {
    if (isBehind(self, marker)) throw new ForeignStore(behind(place.name, self, marker));
    if (self.counter > marker.counter + FAR) log.warn({ ...counters(self, marker) }, STORE_IS_OLD);
  }
  await shareCounter(db, place.store, log);
  await db.transaction((tx) => setPlace(tx, place.name));
  return place.store;
}

/**
 * Raises the counter of the database, and then the one in the marker of its store. A database with a lower one than the
 * marker is older than the store: it was restored from a backup. Failures are logged: the next time will do.
 */
async function shareCounter(db: Database, store: BlobStore, log: Log): Promise<void> {
  try {
    const marker = await store.marker.read();
    const self = await getIdentity(db);
    if (marker?.id !== self.id || isBehind(self, marker)) {
      const why =
        marker?.id === self.id ? behind(undefined, self, marker) : belongsToAnother(undefined, marker).message;
      log.error({}, why);
      return;
    }
    const counter = await db.transaction((tx) => raiseCounter(tx, marker.counter));
    await store.marker.replace({ ...marker, counter });
  } catch (error) {
    log.warn({ err: error }, 'the counter of the blob store could not be raised; it will be tried again');
  }
}

const isBehind = (self: Self, marker: StoreOwner) => self.counter < marker.counter;
const counters = (self: Self, marker: StoreOwner) => ({ database: self.counter, store: marker.counter });

const behind = (name: string | undefined, self: Self, marker: StoreOwner) =>
  `The database '${self.database}' is older than its blob store${name === undefined ? '' : ` ${name}`} (counter ${self.counter}, ` +
  `store ${marker.counter}): it was restored from a backup. Restore the newest database, or go on with this one after ` +
  `'platform blobs adopt'; then run 'platform blobs verify', which lists the content that the store does not have any more.`;
const STORE_IS_OLD =
  "The blob store is older than its database: it may have been restored from a backup. Run 'platform blobs verify'.";

async function claim(
  db: Reads,
  self: Self,
  places: readonly StorePlace[],
  owners: readonly (StoreOwner | undefined)[],
): Promise<StorePlace> {
  const ownedIndex = owners.findIndex((owner) => owner !== undefined);
  if (ownedIndex >= 0) throw belongsToAnother(places[ownedIndex], owners[ownedIndex]);
  const place = await unclaimedPlace(db, places);
  await place.store.marker.create(ownerFrom(self));
  const owner = await place.store.marker.read();
  if (owner?.id !== self.id) throw belongsToAnother(place, owner);
  return place;
}

/** The place that has blobs of this database, else the first one, which then must be empty. */
async function unclaimedPlace(db: Reads, places: readonly StorePlace[]): Promise<StorePlace> {
  const named = await sampleReferenced(db, SAMPLE_SIZE);
  for (const place of places) {
    for (const name of named) if (await place.store.info(name)) return place;
  }
  const [first] = places;
  if (first === undefined) throw new Error('No blob store is configured.');
  if (named.length > 0) {
    throw new ForeignStore(
      `The blob store ${first.name} has no marker, and none of the blobs that this database references (looked for ${named.length}): ` +
        `it was emptied, or it is another one. Restore it from its backup, or correct blobs.url or PLATFORM_DATA. To go on without ` +
        `the content that is lost, run 'platform blobs adopt', and then 'platform blobs verify' to list it.`,
    );
  }
  if (await holdsBlobs(first.store)) {
    throw new ForeignStore(
      `The blob store ${first.name} has blobs that this database does not reference, and no marker of its owner. ` +
        `${USE_ANOTHER}, ${ADOPT}.`,
    );
  }
  return first;
}

/** Whether the store has a blob in any area. */
export async function holdsBlobs(store: BlobStore): Promise<boolean> {
  for (const area of AREAS) for await (const _ of store.list(`${area}/`)) return true;
  return false;
}

/** Throws unless the store still belongs to this database. Call it before deleting unreferenced blobs. */
export async function checkOwner(db: Database, store: BlobStore): Promise<void> {
  await db.transaction((tx) => insertIdentity(tx));
  const owner = await store.marker.read();
  const self = await getIdentity(db);
  if (owner?.id !== self.id) throw belongsToAnother(undefined, owner);
  if (isBehind(self, owner)) throw new ForeignStore(behind(undefined, self, owner));
}

export interface Adopted {
  store: string;
  /** Identity and name of the previous owner. */
  before?: string;
  beforeDatabase?: string;
  /** False: it belonged to this database already. */
  adopted: boolean;
  /** It belonged to this database, which is older: restored from a backup. */
  newer?: true;
}

/**
 * Makes this database the owner of the store of these settings. Afterwards the sweep deletes no unreferenced blob
 * without confirmation.
 */
export async function adoptStore(db: Database, settings: StoreSettings, reason?: string): Promise<Adopted> {
  const places = await storePlaces(settings.url, settings.folder, settings.limits);
  const self = await identify(db);
  const owners = await Promise.all(places.map(({ store }) => store.marker.read().catch(damaged)));
  const place = places[await placeToAdopt(self, places, owners)];
  if (place === undefined) throw new Error('No blob store is configured.');
  const before = owners[places.indexOf(place)];
  const was = {
    store: place.name,
    ...(before === undefined ? {} : { before: before.id, beforeDatabase: before.database }),
  };
  if (before?.id === self.id && !isBehind(self, before)) return { ...was, adopted: false };
  const counter = Math.max(self.counter, before?.counter ?? 0) + 1;
  // the row first: after a crash with the marker alone, the sweep would not ask for confirmation
  await db.transaction(async (tx) => {
    await setAdopted(tx, place.name, counter);
    await audit(tx, { action: 'blobs.adopt', subject: place.name, reason, details: was });
  });
  await place.store.marker.replace(ownerFrom({ ...self, counter }));
  return { ...was, adopted: true, ...(before?.id === self.id ? { newer: true } : {}) };
}

async function placeToAdopt(
  self: Self,
  places: readonly StorePlace[],
  owners: readonly (StoreOwner | undefined)[],
): Promise<number> {
  for (const wanted of [(owner?: StoreOwner) => owner?.id === self.id, (owner?: StoreOwner) => owner !== undefined]) {
    const at = owners.findIndex(wanted);
    if (at >= 0) return at;
  }
  for (const [at, { store }] of places.entries()) if (await holdsBlobs(store)) return at;
  return 0;
}

/** A damaged marker is replaced; one that cannot be reached is an error. */
function damaged(error: unknown): StoreOwner {
  if (!(error instanceof DamagedMarker)) throw error;
  return { id: '', database: 'unknown', since: '', counter: 0 };
}

interface Self {
  id: string;
  database: string;
  place?: string | undefined;
  counter: number;
}

async function identify(db: Database): Promise<Self> {
  await db.transaction((tx) => insertIdentity(tx));
  return getIdentity(db);
}

const ownerFrom = ({ id, database, counter }: Self): StoreOwner => ({
  id,
  database,
  since: new Date().toISOString(),
  counter,
});

function belongsToAnother(place: StorePlace | undefined, owner: StoreOwner | undefined): ForeignStore {
  const where = place === undefined ? '' : ` ${place.name}`;
  if (owner === undefined) return new ForeignStore(`The blob store${where} has lost its marker. Restart the platform.`);
  return new ForeignStore(
    `The blob store${where} belongs to another database ('${owner.database}', since ${owner.since.slice(0, 10)}; ` +
      `a copy and a restored dump are other databases). ${USE_ANOTHER}, ${ADOPT}.`,
  );
}
