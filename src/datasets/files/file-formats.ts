import { findWriter } from 'hydrofiles';

/** Formats of files that queries are answered in: the word for `f`, the writer and the media type. */
const fileFormats = {
  gpkg: { writer: 'GeoPackageWriter', type: 'application/geopackage+sqlite3' },
  fgb: { writer: 'GISWriter', type: 'application/vnd.flatgeobuf' },
  shp: { writer: 'ShapefileWriter', type: 'application/zip' },
  csv: { writer: 'CsvWriter', type: 'text/csv; charset=utf-8' },
  parquet: { writer: 'GeoParquetWriter', type: 'application/vnd.apache.parquet' },
  netcdf: { writer: 'NetCdfWriter', type: 'application/netcdf' },
} as const;

export type FileFormat = keyof typeof fileFormats;

/** Words for `f` of queries of features, and of values. */
export const FEATURE_FILES = ['gpkg', 'fgb', 'shp', 'csv', 'parquet'] as const satisfies readonly FileFormat[];

export const VALUE_FILES = ['netcdf', 'parquet', 'csv'] as const satisfies readonly FileFormat[];

/** The media type of a format without parameters. */
export const mediaType = (format: FileFormat): string => fileFormats[format].type.split(';')[0]!;

/** `Content-Type` of a file. */
export const contentType = (format: FileFormat): string => fileFormats[format].type;

export const writerOf = (format: FileFormat) => findWriter(fileFormats[format].writer)!;

/** The first of the formats whose media type `Accept` lists. A client that takes anything gets none. */
export function acceptedFormat<Format extends FileFormat>(
  accept: string | undefined,
  formats: readonly Format[],
): Format | undefined {
  const listed = (accept ?? '').split(',').map((one) => one.split(';')[0]!.trim().toLowerCase());
  return formats.find((format) => listed.includes(mediaType(format)));
}

const binary = { schema: { type: 'string', format: 'binary' } };

/** Media types of files in the description of an answer. */
export const fileAnswers = (formats: readonly FileFormat[]) =>
  Object.fromEntries(formats.map((format) => [mediaType(format), binary]));
