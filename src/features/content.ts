import { createHash } from 'node:crypto';
import type { Field } from 'hydrofiles/data';
import { FormatError } from 'hydrofiles/errors';
import { type Header, headerCrs, readHeader } from 'hydrofiles/features';
import { LRUCache } from 'lru-cache';
import type { BlobSources, OpenBlob } from '../blobs/blob-source.ts';
import { AppError, invalid } from '../errors.ts';
import type { Location } from './location.ts';
import type { QueryThreads, RunJob } from './query-threads.ts';

/** A dataset as far as queries of features must know it. */
export interface FeatureDataset {
  readonly id: string;
  readonly name: string;
  readonly description?: string | undefined;
  readonly datasetFormat: string;
  readonly blob?: string | undefined;
  readonly storageSize: number;
}

/** One version of the features of a dataset, open for reading. */
export interface Content {
  readonly dataset: FeatureDataset;
  readonly source: OpenBlob;
  readonly header: Header;
  readonly fields: readonly Field[];
  readonly location: Location;
  /** Differs between contents, also of one dataset. */
  readonly version: string;
  readonly run: RunJob;
}

const FORMAT = 'gis';
/** Headers that are kept, and the size up to which they are. */
const maxKept = 256;
const maxKeptColumns = 500;

/** Opens the features of datasets. Headers of versions stay in memory. */
export class Contents {
  readonly #sources: BlobSources;
  readonly #threads: QueryThreads;
  readonly #kept = new LRUCache<string, Pick<Content, 'header' | 'location'>>({ max: maxKept });

  constructor(sources: BlobSources, threads: QueryThreads) {
    this.#sources = sources;
    this.#threads = threads;
  }

  /** Opens the features of a dataset. The caller must close the source. */
  async open(dataset: FeatureDataset): Promise<Content> {
    const { id, datasetFormat, blob } = dataset;
    if (datasetFormat.toLowerCase() !== FORMAT || blob === undefined)
      throw invalid(
        `Dataset '${id}' has the format '${datasetFormat}', so its features cannot be queried. Convert it with GISWriter.`,
        { code: 'NoFeatures' },
      );
    if (dataset.storageSize === 0)
      throw new AppError('unprocessable', `Dataset '${id}' has no content yet. Import features into it.`);
    const source = await this.#sources.openDirect(blob);
    try {
      const run = this.#threads.thread();
      const version = createHash('sha256').update(`${blob} ${source.etag}`).digest('base64url').slice(0, 22);
      const known = this.#kept.get(version) ?? (await this.#read(source, run, version));
      const fields = known.header.columns.flatMap(({ field }) => field ?? []);
      return { dataset, source, ...known, fields, version, run };
    } catch (error) {
      await source.close();
      throw asRefusal(error, id);
    }
  }

  async #read(source: OpenBlob, run: RunJob, version: string): Promise<Pick<Content, 'header' | 'location'>> {
    const header = await readHeader(source);
    const location = await run({ kind: 'location', crs: headerCrs(header), box: header.box });
    if (header.columns.length > maxKeptColumns) return { header, location };
    this.#kept.set(version, { header, location });
    return { header, location };
  }
}

/** A damaged file is a fault of the content, not of the platform. */
export const asRefusal = (error: unknown, id: string): unknown =>
  error instanceof FormatError
    ? new AppError('unprocessable', `The content of dataset '${id}' cannot be read: ${error.message}`, {
        code: 'DamagedContent',
      })
    : error;
