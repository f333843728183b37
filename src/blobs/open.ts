import type { BlobStore } from './blobs.ts';
import { Bucket } from './bucket.ts';
import { parseBucketAddress } from './bucket-address.ts';
import { DiskStore } from './disk.ts';
import { S3Store } from './s3.ts';
import { BucketError, type BucketLimits } from './s3-client.ts';

/** Opens the store of the setting `blobs.url`, else the one in a local folder. */
export async function openBlobStore(url: string | undefined, folder: string): Promise<BlobStore> {
  return url === undefined ? DiskStore.open(folder) : new S3Store(parseAddress(url));
}

/** A possible place of a platform's blobs. */
export interface StorePlace {
  /** Identifies the place. Contains no secret. */
  name: string;
  store: BlobStore;
}

/** Default folder in a bucket, which others may share. */
const DEFAULT_FOLDER = 'platform/';

/**
 * Possible places for these settings; the first one is for new platforms. Without a folder in the setting, that is
 * `DEFAULT_FOLDER`. Earlier versions stored blobs at the top of the bucket, which therefore is the second place.
 */
export async function storePlaces(
  url: string | undefined,
  folder: string,
  limits?: BucketLimits,
): Promise<StorePlace[]> {
  if (url === undefined) return [{ name: folder, store: await DiskStore.open(folder) }];
  const address = parseAddress(url);
  const prefixes = address.prefix === '' ? [DEFAULT_FOLDER, ''] : [address.prefix];
  return prefixes.map((prefix) => ({
    name: `${address.endpoint}/${address.bucket}/${prefix}`,
    store: new S3Store({ ...address, prefix }, { limits }),
  }));
}

/** Permanent configuration errors; retrying cannot help. Excludes keys that may not list and unreachable servers. */
const PERMANENT: Record<string, string> = {
  NoSuchBucket: 'the bucket does not exist',
  InvalidAccessKeyId: 'the access key is unknown',
  SignatureDoesNotMatch: 'the secret does not belong to the access key',
};
const PROBE_MS = 5000;

/**
 * Throws if the setting has a permanent error.
 * @param probeMs after which a server counts as unreachable
 */
export async function checkBlobStore(url: string | undefined, { probeMs = PROBE_MS } = {}): Promise<void> {
  if (url === undefined) return;
  const address = parseAddress(url);
  const result = await new Bucket(address).probe(AbortSignal.timeout(probeMs)).then(
    () => undefined,
    (error: unknown) => error,
  );
  const problem = result instanceof BucketError ? PERMANENT[result.code] : undefined;
  if (problem !== undefined)
    throw new Error(`Wrong setting blobs.url: ${problem} (bucket '${address.bucket}'). Correct it and start again.`);
}

function parseAddress(url: string) {
  const address = parseBucketAddress(url);
  if (!address) throw new Error('blobs.url must be s3://key:secret@host:port/bucket[/folder][?region=…][&tls=false].');
  return address;
}
