import { readers } from 'hydrofiles';
import { SERIES_FORMAT } from 'hydrofiles/series';
import type { BlobStore } from '../../blobs/blobs.ts';
import { visibleDataset } from '../../datasets/access.ts';
import { downloadName } from '../../datasets/download-name.ts';
import type { Database } from '../../db.ts';
import { AppError, invalid, invalidMember, notFound } from '../../errors.ts';
import type { Caller } from '../../http/caller.ts';
import { writeSeriesFile } from '../../series/to-file.ts';
import { findUpload } from '../../uploads/find-upload.ts';
import { fetchRemote, type RemoteLimits } from '../sources/remote.ts';
import { checkAddress, type Sources } from '../sources/sources.ts';
import type { FetchFile } from './inspector.ts';

export interface InputParts {
  readonly db: Database;
  readonly blobs: BlobStore;
  readonly sources: Pick<Sources, 'outbound'>;
  readonly remote: Omit<RemoteLimits, 'outbound'>;
}

/** A file that a caller may read. */
export interface InspectInput {
  /** Its name, if it is known. */
  readonly name?: string;
  /** Bytes of an upload. */
  readonly size?: number;
  /** Of a dataset. */
  readonly format?: string;
  /** The reader of a format that only one reads; the content decides about all others. */
  readonly reader?: string;
  readonly fetch: FetchFile;
}

/** The content of a dataset. @throws AppError notFound if the caller may not read it */
export async function datasetInput(
  { db, blobs }: InputParts,
  caller: Caller,
  id: string,
  { statistics }: { statistics: boolean },
): Promise<InspectInput> {
  const dataset = await visibleDataset(db, caller, id);
  const { blob, storageSize, datasetFormat } = dataset;
  const [reader, another] = readers.filter(({ format, produces }) => format === datasetFormat && produces !== 'bytes');
  const known = {
    name: downloadName(dataset),
    format: datasetFormat,
    ...(reader === undefined || another !== undefined ? {} : { reader: reader.name }),
  };
  if (datasetFormat === SERIES_FORMAT)
    return {
      ...known,
      async fetch(path, { signal }) {
        if (!(await writeSeriesFile(db, id, path, { values: statistics, signal }))) throw notFound('Dataset', id);
      },
    };
  if (blob === undefined || storageSize === 0) throw invalid(`Dataset '${id}' has no content yet.`);
  return { ...known, fetch: fetchBlob(blobs, blob, storageSize) };
}

/** An uploaded file. @throws AppError notFound if it was not issued to the caller or to one of the caller's tenants */
export async function uploadInput({ db, blobs }: InputParts, caller: Caller, url: string): Promise<InspectInput> {
  const { name, blob, size } = await findUpload(db, caller, url);
  if (blob === undefined || size === undefined)
    throw invalidMember('uploadUrl', `Nothing was uploaded to '${name}' yet.`);
  return { size, fetch: fetchBlob(blobs, blob, size) };
}

/** A file on another server, whose address passes the filter of imports. */
export function remoteInput({ sources: { outbound }, remote }: InputParts, url: string): InspectInput {
  const address = checkAddress(outbound, url, 'url');
  return {
    name: decodedName(address),
    fetch: (path, { signal, room }) =>
      fetchRemote(address, path, { ...remote, outbound }, { progress() {}, log() {}, signal, room }),
  };
}

const fetchBlob =
  (blobs: BlobStore, blob: string, size: number): FetchFile =>
  async (path, { signal, room }) => {
    if (size > room.bytes) throw room.exceeded();
    await blobs.fetch(blob, path, signal).catch((error: unknown) => {
      // replaced or deleted meanwhile
      if (error instanceof AppError && error.kind === 'notFound')
        throw new AppError('conflict', 'The content was replaced or deleted meanwhile. Try again.');
      throw error;
    });
  };

function decodedName({ pathname }: URL): string {
  const segment = pathname.slice(pathname.lastIndexOf('/') + 1);
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
