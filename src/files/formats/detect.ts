import type { ByteSource } from '../data/bytes.ts';
import { FormatError } from '../errors.ts';
import { zipEntries } from './io/zip.ts';
import { adviceOn, textTable } from './text-table.ts';

/** A format detected from the content of a file: one with a reader here, or another that users confuse with one. */
export interface Detected {
  /** `datasetFormat`; absent if there is no reader for it. */
  format?: string;
  /** With its article, for use in a sentence. */
  name: string;
  /** A format that the file may still have, if its characteristic part comes after the first bytes. */
  maybe?: string;
  /** Advice for a file that no reader accepts unchanged. */
  advice?: string;
  /** Why the header or directory of the file cannot be read. */
  fault?: FormatError;
}

type Recognise = (head: Buffer, source: ByteSource) => Detected | undefined;

const starts = (head: Buffer, ...signatures: string[]): boolean =>
  signatures.some((one) => head.subarray(0, one.length).toString('latin1') === one);

const known = (format: string, name: string): Detected => ({ format, name });

/** Number of leading bytes that are tested. */
const headLength = 4096;

/** Tried in this order; the first match wins. */
const recognisers: readonly Recognise[] = [
  (head) => (starts(head, 'II*\0', 'MM\0*', 'II+\0', 'MM\0+') ? known('geotiff', 'a TIFF file (GeoTIFF)') : undefined),
  (head) => (starts(head, 'fgb\x03fgb') ? known('gis', 'a FlatGeobuf') : undefined),
  (head) => (starts(head, 'fgb') ? { name: 'a FlatGeobuf of another version than 3' } : undefined),
  (head) =>
    head.length >= 100 && head.readInt32BE(0) === 9994 && head.readInt32LE(28) === 1000
      ? head.length >= 108 && head.readInt32BE(100) === 50
        ? { name: 'the index of a shapefile (.shx)', advice: 'Its .shp file is missing beside it.' }
        : { name: 'a single .shp file (put it into a zip with its .shx, .dbf and .prj files)' }
      : undefined,
  (head) => (starts(head, '\x89HDF\r\n\x1a\n') ? { name: 'an HDF5 file (also NetCDF 4)' } : undefined),
  (head) => (starts(head, 'CDF\x01', 'CDF\x02', 'CDF\x05') ? { name: 'a NetCDF file' } : undefined),
  (head) => (starts(head, 'SQLite format 3\0') ? { name: 'an SQLite database (also GeoPackage)' } : undefined),
  (head) => (starts(head, '\x89PNG\r\n') ? { name: 'a PNG picture' } : undefined),
  (head) => (starts(head, '\xff\xd8\xff') ? { name: 'a JPEG picture' } : undefined),
  (head) => (starts(head, '%PDF-') ? { name: 'a PDF document' } : undefined),
  (head) => (starts(head, '\x1f\x8b') ? { name: 'a gzip file' } : undefined),
  (head) => (starts(head, 'GRIB') ? { name: 'a GRIB file' } : undefined),
  (head) => (starts(head, 'DSAA', 'DSBB', 'DSRB') ? { name: 'a Surfer grid' } : undefined),
  asciiGrid,
  jsonText,
  (head) => (/^(?:\xef\xbb\xbf)?\s*<(?:\?xml|!doctype|html|\w+)[\s>]/i.test(latin1(head)) ? markup(head) : undefined),
  meshFile,
  points,
  dbase,
  table,
];

/**
 * Detects the format of a file by its first bytes or, for a zip or a DFS file, its directory or header; undefined for
 * an unknown format.
 * @param maxDirectory maximum size in bytes of the directory of a zip or the header of a DFS file; a zip with a larger
 * one is just "a zip"
 */
export async function detect(source: ByteSource, maxDirectory?: number): Promise<Detected | undefined> {
  const bytes = await source.read(0, headLength);
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  if (starts(head, 'PK\x03\x04', 'PK\x05\x06')) return zip(source, maxDirectory);
  if (starts(head, 'DHI_')) return dfs(source, maxDirectory);
  for (const recognise of recognisers) {
    const found = recognise(head, source);
    if (found !== undefined) return found;
  }
  return undefined;
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

const latin1 = (head: Buffer): string => head.toString('latin1');

function asciiGrid(head: Buffer): Detected | undefined {
  return /^(?:\xef\xbb\xbf)?[\s\0]*(?:ncols|nrows|xll(?:corner|cent(?:er|re))|yll(?:corner|cent(?:er|re))|cellsize|nodata_value)[\s:=]+[-+\d.]/i.test(
    latin1(head),
  )
    ? known('asciigrid', 'an ESRI ASCII grid')
    : undefined;
}

const recordSeparator = String.fromCharCode(0x1e);

const GEOJSON =
  /"type"\s*:\s*"(?:FeatureCollection|Feature|(?:Multi)?(?:Point|LineString|Polygon)|GeometryCollection)"|"(?:features|geometry|coordinates)"\s*:/;

/** Members of a feature set of ArcGIS. */
const ESRI_JSON =
  /"geometryType"\s*:\s*"esriGeometry|"spatialReference"\s*:\s*\{\s*"(?:wkid|latestWkid|wkt)"|"geometry"\s*:\s*\{\s*"(?:x|rings|paths|points|curveRings|curvePaths)"\s*:/;

/** JSON that contains a GeoJSON type or member: one object, or a sequence (RFC 8142 or one per line). */
function jsonText(head: Buffer): Detected | undefined {
  const text = latin1(head);
  // Treat the record separator of RFC 8142 as a blank.
  if (!/^(?:\xef\xbb\xbf)?\s*[{[]/.test(text.replaceAll(recordSeparator, ' '))) return undefined;
  if (/"type"\s*:\s*"Topology"/.test(text)) return { name: 'a TopoJSON file' };
  if (ESRI_JSON.test(text) && !/"type"\s*:\s*"Feature/.test(text))
    return { name: 'Esri JSON (convert it to GeoJSON; in ArcGIS services ask for f=geojson)' };
  return GEOJSON.test(text) ? known('geojson', 'a GeoJSON file') : { name: 'a JSON file', maybe: 'geojson' };
}

function markup(head: Buffer): Detected {
  const text = latin1(head);
  const [vtk] = /<VTKFile\s[^>]*>/.exec(text) ?? [];
  const [, type] = /\stype\s*=\s*["'](\w+)["']/.exec(vtk ?? '') ?? [];
  if (type === 'UnstructuredGrid') return known('vtu', 'a VTK unstructured grid (.vtu)');
  if (type === 'Collection') return { name: 'a VTK collection (put the .pvd into a zip with its parts)' };
  if (vtk !== undefined) return { name: `a VTK file of type ${type ?? 'unknown'}` };
  if (/<kml[\s>]/i.test(text)) return { name: 'a KML file' };
  if (/<html[\s>]|<!doctype html/i.test(text)) return { name: 'a web page' };
  return { name: 'an XML file' };
}

const isNumber = (word: string) => /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eEdD][-+]?\d+)?$/.test(word);

/**
 * Number of nodes and a projection, in the newer form after the codes of quantity and unit; then the first node: id, x,
 * y, z and code.
 */
function meshFile(head: Buffer): Detected | undefined {
  const text = latin1(head).replace(/^\xef\xbb\xbf/, '');
  const [header = '', node = '', ...rest] = text.trimStart().split(/\r?\n/, 3);
  const words = node.trim().split(/\s+/);
  const isMesh =
    rest.length > 0 && /^(?:\d+ +\d+ +)?\d+ +[A-Za-z]/.test(header.replaceAll('\t', ' ')) && words.length === 5;
  return isMesh && words.every(isNumber) ? known('mesh', 'a mesh file') : undefined;
}

/** Ctrl-Z, which ended texts of MS-DOS. */
const endMark = '\x1a';

/** Whether the columns of a line begin with x, y and z; in cells of their own, z may be missing. */
const startsWithPoint = (given: string) => {
  const line = given.replaceAll('"', '');
  const cells = line.split(/[,;\t]/, 3).map((cell) => cell.trim());
  if (cells.length === 3 && [cells[0]!, cells[1]!, cells[2] || '0'].every(isNumber)) return true;
  const words = line.split(/[\s,;]+/, 3);
  return words.length === 3 && words.every(isNumber);
};

/** Lines of three numbers or more, perhaps after comments and a few lines of header. */
function points(head: Buffer): Detected | undefined {
  const [text = ''] = latin1(head).split(endMark, 1);
  const lines = text.split(/\r?\n/);
  // The last one may be cut.
  if (lines.length > 1) lines.pop();
  const texts = lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
  const first = texts.findIndex((line) => startsWithPoint(line));
  if (first < 0 || first > maxHeaderLines || !texts.slice(first).every((line) => startsWithPoint(line)))
    return undefined;
  return known('xyz', 'a file of points (XYZ)');
}

/** A table of dBase: field descriptors of 32 bytes, and a carriage return after the last one. */
function dbase(head: Buffer): Detected | undefined {
  if (head.length < 65 || ![0x03, 0x30, 0x31, 0x43, 0x83, 0x8b, 0xf5].includes(head[0]!)) return undefined;
  const end = head.readUInt16LE(8);
  return end >= 65 && end <= head.length && (end - 33) % 32 === 0 && head[end - 1] === 0x0d
    ? {
        name: 'a dBase table (.dbf)',
        advice: 'As a part of a shapefile it is read with its .shp file, which is missing beside it.',
      }
    : undefined;
}

/** A text table with one separator that cannot be read as points without options. */
function table(head: Buffer): Detected | undefined {
  const lines = head
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .split(/\r?\n/);
  // The last one may be cut.
  if (head.length === headLength) lines.pop();
  const found = textTable(lines);
  return found && { name: 'a table of text (CSV)', advice: adviceOn(found), maybe: 'xyz' };
}

const maxHeaderLines = 5;

async function zip(source: ByteSource, maxDirectory: number | undefined): Promise<Detected> {
  let names: string[];
  try {
    names = (await zipEntries(source, maxDirectory, { lastCounts: true })).map(({ name }) => name.toLowerCase());
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    return { ...anyZip, fault: error };
  }
  const has = (...endings: string[]) => names.some((name) => endings.some((ending) => name.endsWith(ending)));
  if (names.some((name) => /(?:^|\/)(?:zarr\.json|\.zgroup)$/.test(name))) return known('md', 'a Zarr store in a zip');
  if (has('.zarray')) return { name: 'an array of Zarr 2 in a zip, without a group' };
  if (has('.shp')) return known('shapefile', 'a zip with a Shapefile');
  if (has('.pvd', '.vtu')) return known('vtu', 'a zip with VTK unstructured grids');
  if (has('.tif', '.tiff')) return known('geotiff', 'a zip with TIFF images (GeoTIFF)');
  if (has('.asc')) return { name: 'a zip with an ASCII grid (unzip it first)' };
  return anyZip;
}

async function dfs(source: ByteSource, budget: number | undefined): Promise<Detected | undefined> {
  const { detectDfs } = await import('./io/dfs/kind.ts');
  const format = await detectDfs(source, budget);
  if (format instanceof FormatError) return { name: 'a DFS file', fault: format };
  return format === undefined ? undefined : known(format, `a ${format.toUpperCase()} file`);
}

const anyZip: Detected = { name: 'a zip', maybe: 'shapefile' };
