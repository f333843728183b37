import type { BlobStore } from './blobs.ts';
import { parseBucketAddress } from './bucket.ts';
import { openDiskStore } from './disk.ts';
import { openS3Store } from './s3.ts';

/** The store of the setting `blobs.url`, else a folder of this machine. */
export async function openBlobStore(url: string | undefined, folder: string): Promise<BlobStore> {
  if (url === undefined) return openDiskStore(folder);
  const address = parseBucketAddress(url);
  if (!address) throw new Error('blobs.url must be s3://key:secret@host:port/bucket[/folder][?region=…][&tls=false].');
  return openS3Store(address);
}
