import { findWriter } from 'hydrofiles';

/** Formats of files that queries are answered in: the word for `f`, the writer and the media type. */
const fileFormats = {
  gpkg: { writer: 'GeoPackageWriter', type: 'application/geopackage+sqlite3' },
  fgb: { writer: 'GISWriter', type: 'application/vnd.flatgeobuf' },
  shp: { writer: 'ShapefileWriter', type: 'application/zip' },
  csv: { writer: 'CsvWriter', type: 'text/csv; charset=utf-8' },
  parquet: { writer: 'GeoParquetWriter', type: 'application/vnd.apache.parquet' },
} as const;

export type FileFormat = keyof typeof fileFormats;

/** The media type of a format without parameters. */
export const mediaType = (format: FileFormat): string => fileFormats[format].type.split(';')[0]!;

/** `Content-Type` of a file. */
export const contentType = (format: FileFormat): string => fileFormats[format].type;

export const writerOf = (format: FileFormat) => findWriter(fileFormats[format].writer)!;

/** Words for `f`. */
export const FILE_FORMATS = Object.keys(fileFormats) as [FileFormat, ...FileFormat[]];

/**
 * The format of the answer: the one that `f` names, else the first whose media type `Accept` lists. Undefined: the
 * usual one of the route. A client that takes anything gets that, too.
 */
export function wantedFormat(f: string | undefined, accept: string | undefined): FileFormat | undefined {
  if (f !== undefined) return FILE_FORMATS.find((format) => format === f);
  const listed = (accept ?? '').split(',').map((one) => one.split(';')[0]!.trim().toLowerCase());
  return FILE_FORMATS.find((format) => listed.includes(mediaType(format)));
}
