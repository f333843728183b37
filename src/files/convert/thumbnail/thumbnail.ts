import { detect } from '../../formats/detect.ts';
import { geoTiffReader } from '../../formats/geotiff/format.ts';
import { FileSource } from '../../formats/io/bytes.ts';
import { findReader, readers } from '../../formats/registry.ts';
import { tilingWriter } from '../../tiles/dataset/format.ts';
import { openWith } from '../open-file.ts';
import { scaledPngs } from './scaled-png.ts';

/** Longer sides of the pictures of a thumbnail, in pixels. */
export const THUMBNAIL_SIDES = [512, 256, 128, 64] as const;

/** A PNG for each of `THUMBNAIL_SIDES`, which has at most so many pixels. */
export type ThumbnailPictures = readonly Uint8Array[];

export interface ThumbnailOptions {
  path: string;
  /** `datasetFormat` of the content. */
  format: string;
  /** Folder for temporary files. */
  scratch: string;
  /** Reader and parameters. Default: the reader of the format, or the one that the content asks for. */
  reader?: { name: string; parameters?: Record<string, unknown> };
  signal: AbortSignal;
}

/**
 * Draws the content of a file. Undefined: it cannot be drawn, since no reader knows it or it has no values.
 * @throws FormatError or ConversionError for a malformed file
 */
export async function drawThumbnail(options: ThumbnailOptions): Promise<ThumbnailPictures | undefined> {
  const { path, format, scratch, signal, reader: named } = options;
  if (format === tilingWriter.format) {
    const { topTile } = await import('./top-tile.ts');
    return scaled(await topTile(path));
  }
  const reader = named === undefined ? await readerOf(path, format) : findReader(named.name);
  if (reader === undefined || reader.produces === 'bytes') return undefined;
  await using open = await openWith(path, reader, { scratch, signal, parameters: named?.parameters ?? {} });
  const { drawData } = await import('./draw-data.ts');
  const [side] = THUMBNAIL_SIDES;
  const { data } = open;
  if (reader.name !== geoTiffReader.name || data.kind !== 'grid' || Math.max(data.width, data.height) < 4 * side)
    return scaled(await drawData(data, { side, signal }));
  const { readOverviews } = await import('../../formats/geotiff/read-overviews.ts');
  await using source = await FileSource.open(path, { checksum: false });
  const overviews = await readOverviews(source, data, undefined);
  const coarsest = overviews.findLast(({ width, height }) => Math.max(width, height) >= side);
  return scaled(await drawData(coarsest ?? data, { side, signal }));
}

const scaled = (png: Uint8Array | undefined) => png && scaledPngs(png, THUMBNAIL_SIDES);

async function readerOf(path: string, format: string) {
  const own = readers.find((one) => one.format === format && one.produces !== 'bytes');
  if (own !== undefined) return own;
  await using source = await FileSource.open(path, { checksum: false });
  const found = await detect(source);
  return readers.find((one) => one.format === found?.format && !one.rows);
}
