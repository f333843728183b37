import type { BlobStore } from './blobs.ts';
import { BucketError, openBucket, parseBucketAddress } from './bucket.ts';
import { openDiskStore } from './disk.ts';
import { openS3Store } from './s3.ts';

/** The store of the setting `blobs.url`, else a folder of this machine. */
export async function openBlobStore(url: string | undefined, folder: string): Promise<BlobStore> {
  return url === undefined ? openDiskStore(folder) : openS3Store(addressOf(url));
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
