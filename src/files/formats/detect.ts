import type { ByteSource } from '../data/bytes.ts';
import { FormatError } from '../errors.ts';
import { asciiGridFormat } from './ascii-grid/signature.ts';
import { csvFormat } from './csv/signature.ts';
import { dxfFormat } from './dxf/signature.ts';
import { type Detected, type FileFormat, HEAD_LENGTH, starts } from './file-format.ts';
import { gisFormat } from './flatgeobuf/signature.ts';
import { geoJsonFormat } from './geojson/signature.ts';
import { geoPackageFormat } from './geopackage/signature.ts';
import { geoParquetFormat } from './geoparquet/signature.ts';
import { geoTiffFormat } from './geotiff/signature.ts';
import { gmlFormat } from './gml/signature.ts';
import { gpxFormat } from './gpx/signature.ts';
import { gribFormat } from './grib/signature.ts';
import { hecRasFormat } from './hecras/signature.ts';
import { readBuffer } from './io/buffers.ts';
import { dfsFormats } from './io/dfs/signature.ts';
import { detectHdf5, HDF5 } from './io/hdf5/signature.ts';
import { zipEntries } from './io/zip.ts';
import { kmlFormat } from './kml/signature.ts';
import { mapInfoFormat } from './mapinfo/signature.ts';
import { meshFormat } from './mesh-file/signature.ts';
import { netCdfFormat } from './netcdf/signature.ts';
import { selafinFormat } from './selafin/signature.ts';
import { dbaseTable, shapefileFormat } from './shapefile/signature.ts';
import { vtuFormat } from './vtu/signature.ts';
import { xlsxFormat } from './xlsx/signature.ts';
import { xyzFormat } from './xyz/signature.ts';
import { mdFormat } from './zarr/signature.ts';

/** Formats that are recognised by their first bytes. */
const BINARY: readonly FileFormat[] = [
  geoTiffFormat,
  gisFormat,
  geoPackageFormat,
  geoParquetFormat,
  mdFormat,
  shapefileFormat,
  selafinFormat,
  netCdfFormat,
  gribFormat,
  hecRasFormat,
  xlsxFormat,
  ...dfsFormats,
];
/** Formats that are recognised by their first lines. */
const TEXT: readonly FileFormat[] = [
  asciiGridFormat,
  geoJsonFormat,
  kmlFormat,
  gpxFormat,
  gmlFormat,
  vtuFormat,
  mapInfoFormat,
  dxfFormat,
  meshFormat,
  xyzFormat,
  csvFormat,
];
/** A zip is of the first format that finds its files in it. */
const ZIPPED: readonly FileFormat[] = [
  xlsxFormat,
  mdFormat,
  shapefileFormat,
  mapInfoFormat,
  kmlFormat,
  vtuFormat,
  geoTiffFormat,
  asciiGridFormat,
];

/** Files that no reader takes, by their first bytes. */
const FOREIGN: readonly [name: string, ...signatures: string[]][] = [
  ['an SQLite database', 'SQLite format 3\0'],
  ['a PNG picture', '\x89PNG\r\n'],
  ['a JPEG picture', '\xff\xd8\xff'],
  ['a PDF document', '%PDF-'],
  ['a gzip file', '\x1f\x8b'],
  ['a Surfer grid', 'DSAA', 'DSBB', 'DSRB'],
];

/** The format that files with this extension have. A zip may be of several. */
export function formatOfName(file: string): string | undefined {
  const name = file.toLowerCase();
  return [...BINARY, ...TEXT].find(({ extensions }) => extensions.some((one) => name.endsWith(one)))?.format;
}

/** The format that an output with this extension gets. */
export function formatOfOutput(file: string): string | undefined {
  const name = file.toLowerCase();
  const isNamed = ({ outputExtensions = [] }: FileFormat) => outputExtensions.some((one) => name.endsWith(one));
  return formatOfName(file) ?? [...BINARY, ...TEXT].find(isNamed)?.format;
}

/**
 * Detects the format of a file by its first bytes or, for a zip or a DFS file, its directory or header; undefined for
 * an unknown format.
 * @param maxDirectory maximum size in bytes of the directory of a zip or the header of a DFS file; a zip with a larger
 * one is just "a zip"
 */
export async function detect(source: ByteSource, maxDirectory?: number): Promise<Detected | undefined> {
  const head = await readBuffer(source, 0, HEAD_LENGTH);
  if (starts(head, 'PK\x03\x04', 'PK\x05\x06')) return zip(source, maxDirectory);
  if (starts(head, 'DHI_')) return dfs(source, maxDirectory);
  if (starts(head, HDF5)) return detectHdf5(source);
  return recognised(BINARY, head) ?? foreign(head) ?? dbaseTable(head) ?? recognised(TEXT, head);
}

function recognised(formats: readonly FileFormat[], head: Buffer): Detected | undefined {
  for (const { recognise } of formats) {
    const found = recognise?.(head);
    if (found !== undefined) return found;
  }
  return undefined;
}

function foreign(head: Buffer): Detected | undefined {
  const [name] = FOREIGN.find(([, ...signatures]) => starts(head, ...signatures)) ?? [];
  return name === undefined ? undefined : { name };
}

/** Adds the detected format to the error of a reader if the file is not of the reader's `format`. */
export async function withDetectedFormat(error: unknown, source: ByteSource, format: string): Promise<unknown> {
  if (!(error instanceof FormatError)) return error;
  if (source.size === 0) return new FormatError('The file is empty.', 0);
  const found = await detect(source);
  if (found === undefined || found.format === format) return error;
  // The error of the shapefile reader is more specific than "a zip".
  if (found.name === anyZip.name && format === 'shapefile') return error;
  const message = error.message.replace(/ \(at byte \d+\)$/, '');
  return new FormatError(`${message} It looks like ${found.name}.`, error.offset);
}

async function zip(source: ByteSource, maxDirectory: number | undefined): Promise<Detected> {
  let names: string[];
  try {
    names = (await zipEntries(source, maxDirectory, { lastCounts: true })).map(({ name }) => name.toLowerCase());
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return { ...anyZip, fault: error };
  }
  for (const { recogniseZip } of ZIPPED) {
    const found = recogniseZip?.(names);
    if (found !== undefined) return found;
  }
  return anyZip;
}

async function dfs(source: ByteSource, budget: number | undefined): Promise<Detected | undefined> {
  const { detectDfs } = await import('./io/dfs/kind.ts');
  const format = await detectDfs(source, budget);
  if (format instanceof FormatError) return { name: 'a DFS file', fault: format };
  return format === undefined ? undefined : { format, name: `a ${format.toUpperCase()} file` };
}

const anyZip: Detected = { name: 'a zip', maybe: 'shapefile' };
