import { readers } from 'hydrofiles';
import type { Reading } from 'hydrofiles/preview';
import { SERIES_FORMAT } from 'hydrofiles/series';
import { downloadName } from '../datasets/download-name.ts';
import type { ServedDataset } from '../datasets/served.queries.ts';

/** Formats of datasets that are stores themselves. */
const STORES: ReadonlySet<string> = new Set(['md', 'gis']);

/** Contents of up to so many bytes are read as they are, before anything is known of them. */
const SMALL_BYTES = 1 << 20;
/** Seconds in which a content must be read that is read as it is. */
const MOST_SECONDS = 1;

/** What a dataset has to be drawn. */
export interface PreviewContent {
  /** Names one version of the content. */
  readonly key: string;
  /** Name for the file, with its extension. */
  readonly name: string;
  /** The reader of its format. Absent: several read it, or none; the content decides. */
  readonly reader?: string;
  /** Code of the coordinate system in the record, for content that has none of its own. */
  readonly srid?: number;
  /**
   * `whole`: the blob is fetched. `ranges`: parts of the blob are read. `series`: rows of the database. `tiles`: the
   * archive of a tiles dataset. `store`: a store that is made of it. Absent: the content decides (`accessOf`).
   */
  readonly access?: Access;
  readonly kind: 'file' | 'store';
}

export type Access = 'whole' | 'ranges' | 'series' | 'tiles' | 'store';

/**
 * Undefined for a dataset without content.
 * @param directBytes bytes up to which a content is read as it is
 */
export function contentOf(dataset: ServedDataset, directBytes: number): PreviewContent | undefined {
  const { id, datasetFormat, blob, storageSize, rowVersion, srid } = dataset;
  const name = downloadName(dataset);
  if (datasetFormat === SERIES_FORMAT)
    return { key: `${id} ${rowVersion}`, name, reader: 'TSReader', access: 'series', kind: 'store' };
  if (blob === undefined || storageSize === 0) return undefined;
  if (datasetFormat === 'tiles') return { key: blob, name, access: 'tiles', kind: 'store' };
  const reader = readerOf(datasetFormat);
  const isCode = typeof srid === 'number' && Number.isSafeInteger(srid) && srid > 0;
  const content = {
    key: isCode ? `${blob} ${srid}` : blob,
    name,
    ...(reader === undefined ? {} : { reader }),
    ...(isCode ? { srid } : {}),
  };
  if (STORES.has(datasetFormat)) return { ...content, access: 'ranges', kind: 'store' };
  const isSmall = storageSize <= Math.min(directBytes, SMALL_BYTES);
  return { ...content, ...(isSmall && { access: 'whole' }), kind: 'file' };
}

/** How a content is read that was looked at. @param directBytes as above */
export function accessOf(
  { storageSize }: Pick<ServedDataset, 'storageSize'>,
  { parts, seconds = 0 }: Reading,
  directBytes: number,
): Access {
  if (storageSize <= directBytes && seconds <= MOST_SECONDS) return 'whole';
  return parts ? 'ranges' : 'store';
}

/** The reader of a format that only one reads. */
export function readerOf(datasetFormat: string): string | undefined {
  const [reader, another] = readers.filter(({ format, produces }) => format === datasetFormat && produces !== 'bytes');
  return another === undefined ? reader?.name : undefined;
}
