import type { BlobStore } from './blobs.ts';
import { BucketError, openBucket, parseBucketAddress } from './bucket.ts';
import { openDiskStore } from './disk.ts';
import { openS3Store } from './s3.ts';

/** The store of the setting `blobs.url`, else a folder of this machine. */
export async function openBlobStore(url: string | undefined, folder: string): Promise<BlobStore> {
  return url === undefined ? openDiskStore(folder) : openS3Store(addressOf(url));
}

/** Where the blobs of a platform may lie. */
export interface StorePlace {
  /** For people, and to find the place again; holds no secret. */
  name: string;
  store: BlobStore;
}

/** Of buckets that may be shared with others: where the setting names no folder. */
const OWN_FOLDER = 'platform/';

/**
 * The places that these settings mean, the one for a new platform first. In a bucket without a folder that is a folder of the platform's
 * own; earlier versions put their blobs to the top of the bucket, where they stay.
 */
export async function storePlaces(url: string | undefined, folder: string): Promise<StorePlace[]> {
  if (url === undefined) return [{ name: folder, store: await openDiskStore(folder) }];
  const address = addressOf(url);
  const prefixes = address.prefix === '' ? [OWN_FOLDER, ''] : [address.prefix];
  return prefixes.map((prefix) => ({
    name: `${address.endpoint}/${address.bucket}/${prefix}`,
    store: openS3Store({ ...address, prefix }),
  }));
}

/** What no waiting mends. A key that may not list, and a server that is away, are none of these. */
const HOPELESS: Record<string, string> = {
  NoSuchBucket: 'the server has no such bucket',
  InvalidAccessKeyId: 'the server does not know the key',
  SignatureDoesNotMatch: 'the secret is not that of the key',
};
const LOOK_MS = 5000;

/** @throws when a process that started with this setting could never store a blob */
export async function checkBlobStore(url: string | undefined): Promise<void> {
  if (url === undefined) return;
  const address = addressOf(url);
  const trouble = await openBucket(address)
    .look(AbortSignal.timeout(LOOK_MS))
    .then(
      () => undefined,
      (error: unknown) => error,
    );
  const why = trouble instanceof BucketError ? HOPELESS[trouble.code] : undefined;
  if (why !== undefined) throw new Error(`The setting blobs.url is of no use: ${why} (bucket '${address.bucket}').`);
}

function addressOf(url: string) {
  const address = parseBucketAddress(url);
  if (!address) throw new Error('blobs.url must be s3://key:secret@host:port/bucket[/folder][?region=…][&tls=false].');
  return address;
}
