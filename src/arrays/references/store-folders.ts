import { createHash } from 'node:crypto';
import { StoreFolder, type StoreKey } from 'hydrofiles/references';
import { BlobSources } from '../../blobs/blob-source.ts';
import type { BlobStore } from '../../blobs/blobs.ts';
import { OpenBlobs } from '../../blobs/open-blobs.ts';
import { servedDataset } from '../../datasets/served.ts';
import type { Reads } from '../../db.ts';
import { AppError } from '../../errors.ts';
import { grantRefused, type LinkSigner } from '../../uploads/address.ts';
import type { ReadingLink } from './reading-link.ts';

/** Directories of zips that are kept, and their bytes in memory. */
const MOST_OPEN = 32;
const MOST_BYTES = 1 << 27;
const ENTRY_BYTES = 300;
const CACHE_BYTES = 1 << 24;

/** A key of a store, and the blob that has it. */
export interface FoundKey {
  readonly blob: string;
  /** Version of the content and checksum of the value. */
  readonly etag: string;
  readonly key: StoreKey;
}

/** Serves the keys of Zarr stores below signed addresses. The directory of a zip is read once, and kept. */
export class StoreFolders {
  readonly #db: Reads;
  readonly #signer: LinkSigner;
  readonly #open: OpenBlobs<StoreFolder>;

  constructor({ db, blobs, signer }: { db: Reads; blobs: BlobStore; signer: LinkSigner }) {
    this.#db = db;
    this.#signer = signer;
    const kept = {
      most: MOST_OPEN,
      mostBytes: MOST_BYTES,
      bytesOf: ({ entries }: StoreFolder) => (entries + 1) * ENTRY_BYTES,
      direct: true,
    };
    const sources = new BlobSources(blobs, { cacheBytes: CACHE_BYTES, aheadBytes: 0 });
    this.#open = new OpenBlobs(sources, kept, (source) => StoreFolder.open(source));
  }

  /**
   * Finds the value of a key.
   * @throws AppError `forbidden` for a signature that is not valid, `gone` if the dataset was deleted or its content
   *   replaced: a client takes 404 for a chunk without values
   */
  async find(id: string, signature: string, name: string): Promise<FoundKey | undefined> {
    const { query, version } = parseSignature(signature);
    const { dataset } = await servedDataset({ db: this.#db, signer: this.#signer }, { signature: query }, id).catch(
      (error: unknown) => {
        throw error instanceof AppError && error.kind === 'notFound' ? isGone(id) : error;
      },
    );
    const { blob } = dataset;
    if (blob === undefined || versionOf(blob) !== version) throw isGone(id);
    try {
      const key = (await this.#open.of(id, blob)).key(name);
      return key && { blob, key, etag: `"${version}-${key.crc.toString(16)}-${key.size.toString(16)}"` };
    } catch (error) {
      this.#open.forget(blob);
      // the content was replaced since the dataset was read
      throw error instanceof AppError && error.kind === 'notFound' ? isGone(id) : error;
    }
  }

  close(): Promise<void> {
    return this.#open.close();
  }
}

export const isGone = (id: string) =>
  new AppError('gone', `The content of dataset '${id}' was replaced or deleted. Ask for a new address.`);

const versionOf = (blob: string): string => createHash('sha256').update(blob).digest('hex').slice(0, 12);

/** Path of a store as a folder: the signature and the version of the content stand in it. */
export const folderPath = ({ dataset, blob, query }: ReadingLink): string =>
  `/api/md/dataset/${dataset.id}/zarr/${Buffer.from(query).toString('base64url')}.${versionOf(blob)}/`;

function parseSignature(text: string): { query: URLSearchParams; version: string } {
  const [encoded = '', version = ''] = text.split('.');
  const query = new URLSearchParams(Buffer.from(encoded, 'base64url').toString());
  if (!query.has('sig')) throw grantRefused();
  return { query, version };
}
