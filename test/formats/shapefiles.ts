import { crc32, deflateRawSync } from 'node:zlib';

/** Writes shapefiles and zips from their specifications, with any errors that a test needs. */

export interface ZipFile {
  name: string;
  bytes: Uint8Array;
  /** The name as it stands in the zip, if it is not UTF-8. */
  label?: Buffer;
  /** False values in the zip's headers. */
  says?: Partial<{ size: number; crc: number; flags: number; method: number; offset: number }>;
  stored?: boolean;
  /** Sizes follow the data, in a data descriptor. */
  streamed?: boolean;
}

export function zipOf(files: readonly ZipFile[], { wide = false, front = 0 } = {}): Buffer {
  const pieces: Buffer[] = [Buffer.alloc(front, 'x')];
  const directory: Buffer[] = [];
  let at = 0;
  for (const { name, bytes, says = {}, stored = false, streamed = false, label = Buffer.from(name) } of files) {
    const packed = stored ? Buffer.from(bytes) : deflateRawSync(bytes);
    const crc = says.crc ?? crc32(bytes);
    const size = says.size ?? bytes.length;
    const flags = says.flags ?? (streamed ? 0x808 : 0x800);
    const method = says.method ?? (stored ? 0 : 8);
    const local = Buffer.alloc(30);
    local.writeUInt32LE(0x04034b50, 0);
    local.writeUInt16LE(flags, 6);
    local.writeUInt16LE(method, 8);
    if (!streamed) {
      local.writeUInt32LE(crc, 14);
      local.writeUInt32LE(packed.length, 18);
      local.writeUInt32LE(Math.min(size, 0xffffffff), 22);
    }
    local.writeUInt16LE(label.length, 26);
    const after = Buffer.alloc(streamed ? 16 : 0);
    if (streamed) {
      after.writeUInt32LE(0x08074b50, 0);
      after.writeUInt32LE(crc, 4);
      after.writeUInt32LE(packed.length, 8);
      after.writeUInt32LE(size, 12);
    }
    const entry = Buffer.alloc(46);
    entry.writeUInt32LE(0x02014b50, 0);
    entry.writeUInt16LE(flags, 8);
    entry.writeUInt16LE(method, 10);
    entry.writeUInt32LE(crc, 16);
    entry.writeUInt32LE(packed.length, 20);
    entry.writeUInt32LE(wide ? 0xffffffff : size, 24);
    entry.writeUInt16LE(label.length, 28);
    entry.writeUInt16LE(wide ? 12 : 0, 30);
    entry.writeUInt32LE(says.offset ?? at, 42);
    const extra = Buffer.alloc(wide ? 12 : 0);
    if (wide) {
      extra.writeUInt16LE(1, 0);
      extra.writeUInt16LE(8, 2);
      extra.writeBigUInt64LE(BigInt(size), 4);
    }
    pieces.push(local, label, packed, after);
    directory.push(entry, label, extra);
    at += 30 + label.length + packed.length + after.length;
  }
  const list = Buffer.concat(directory);
  const end64 = Buffer.alloc(wide ? 76 : 0);
  if (wide) {
    end64.writeUInt32LE(0x06064b50, 0);
    end64.writeBigUInt64LE(44n, 4);
    end64.writeBigUInt64LE(BigInt(files.length), 24);
    end64.writeBigUInt64LE(BigInt(files.length), 32);
    end64.writeBigUInt64LE(BigInt(list.length), 40);
    end64.writeBigUInt64LE(BigInt(at), 48);
    end64.writeUInt32LE(0x07064b50, 56);
    end64.writeBigUInt64LE(BigInt(at + list.length), 64);
  }
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(wide ? 0xffff : files.length, 8);
  end.writeUInt16LE(wide ? 0xffff : files.length, 10);
  end.writeUInt32LE(wide ? 0xffffffff : list.length, 12);
  end.writeUInt32LE(wide ? 0xffffffff : at, 16);
  return Buffer.concat([...pieces, list, end64, end]);
}

export type Point = readonly number[];
/** Points of each part, with optional height and measure; null for a null shape. */
export type Shape = readonly (readonly Point[])[] | null;

/** `type`: shape type of the file. Types above 10 write the third number of a point as height, above 20 as measure. */
export function shpOf(type: number, shapes: readonly Shape[]): { shp: Buffer; shx: Buffer } {
  const records = shapes.map((shape) => contentOf(shape === null ? 0 : type, shape ?? []));
  const index = Buffer.alloc(100 + 8 * records.length);
  const pieces: Buffer[] = [];
  let at = 100;
  for (const [n, content] of records.entries()) {
    const head = Buffer.alloc(8);
    head.writeInt32BE(n + 1, 0);
    head.writeInt32BE(content.length / 2, 4);
    index.writeInt32BE(at / 2, 100 + 8 * n);
    index.writeInt32BE(content.length / 2, 104 + 8 * n);
    pieces.push(head, content);
    at += 8 + content.length;
  }
  const header = (size: number) => {
    const bytes = Buffer.alloc(100);
    bytes.writeInt32BE(9994, 0);
    bytes.writeInt32BE(size / 2, 24);
    bytes.writeInt32LE(1000, 28);
    bytes.writeInt32LE(type, 32);
    return bytes;
  };
  header(index.length).copy(index);
  return { shp: Buffer.concat([header(at), ...pieces]), shx: index };
}

function contentOf(type: number, parts: readonly (readonly Point[])[]): Buffer {
  const numbers = (values: readonly number[]) => Buffer.from(Float64Array.from(values).buffer);
  const integers = (values: readonly number[]) => Buffer.from(Int32Array.from(values).buffer);
  const points = parts.flat();
  const xy = numbers(points.flatMap(([x, y]) => [x!, y!]));
  const extra =
    points[0] === undefined ? [] : points[0].slice(2).map((_, axis) => points.map((point) => point[2 + axis]!));
  if (type === 0) return integers([0]);
  if (type % 10 === 1) return Buffer.concat([integers([type]), xy, ...extra.map(numbers)]);
  const box = numbers([0, 0, 0, 0]);
  let vertices = 0;
  const starts = parts.map(({ length }) => {
    vertices += length;
    return vertices - length;
  });
  const counts = type % 10 === 8 ? integers([points.length]) : integers([parts.length, points.length, ...starts]);
  return Buffer.concat([
    integers([type]),
    box,
    counts,
    xy,
    ...extra.flatMap((values) => [numbers([0, 0]), numbers(values)]),
  ]);
}

export interface DbfColumn {
  name: string | Buffer;
  type: string;
  width: number;
  decimals?: number;
}

/** Rows of cells as raw text; null marks a row as deleted. */
export function dbfOf(
  columns: readonly DbfColumn[],
  rows: readonly (readonly (string | Buffer)[] | null)[],
  { language = 0, version = 3 } = {},
): Buffer {
  const length = 1 + columns.reduce((sum, { width }) => sum + width, 0);
  const header = Buffer.alloc(33 + 32 * columns.length);
  header[0] = version;
  header.writeUInt32LE(rows.length, 4);
  header.writeUInt16LE(header.length, 8);
  header.writeUInt16LE(length, 10);
  header[29] = language;
  for (const [n, { name, type, width, decimals = 0 }] of columns.entries()) {
    Buffer.from(name as string).copy(header, 32 + 32 * n);
    header.write(type, 43 + 32 * n);
    header[48 + 32 * n] = width;
    header[49 + 32 * n] = decimals;
  }
  header[header.length - 1] = 0x0d;
  const lines = rows.map((row) => {
    const line = Buffer.alloc(length, 32);
    if (row === null) line[0] = 0x2a;
    let at = 1;
    for (const [n, { width, type }] of columns.entries()) {
      const cell = Buffer.from((row?.[n] ?? '') as string);
      cell.copy(line, 'NF'.includes(type) ? at + width - cell.length : at);
      at += width;
    }
    return line;
  });
  return Buffer.concat([header, ...lines, Buffer.of(0x1a)]);
}

export interface LayerParts {
  type?: number;
  shapes?: readonly Shape[];
  columns?: readonly DbfColumn[];
  rows?: readonly (readonly (string | Buffer)[] | null)[];
  language?: number;
  version?: number;
  cpg?: string;
  prj?: string;
  noShx?: boolean;
}

const wgs84 =
  'GEOGCS["GCS_WGS_1984",DATUM["D_WGS_1984",SPHEROID["WGS_1984",6378137.0,298.257223563]],PRIMEM["Greenwich",0.0],UNIT["Degree",0.0174532925199433]]';

/** The files of a shapefile. Default: three points with a number each. */
export function layerFiles(path: string, parts: LayerParts = {}): ZipFile[] {
  const shapes = parts.shapes ?? [[[[10, 50]]], [[[11, 51]]], [[[12, 52]]]];
  const columns = parts.columns ?? [{ name: 'nr', type: 'N', width: 4 }];
  const rows = parts.rows ?? shapes.map((_, n) => [String(n + 1)]);
  const { shp, shx } = shpOf(parts.type ?? 1, shapes);
  return [
    { name: `${path}.shp`, bytes: shp },
    ...(parts.noShx ? [] : [{ name: `${path}.shx`, bytes: shx }]),
    { name: `${path}.dbf`, bytes: dbfOf(columns, rows, parts) },
    ...(parts.cpg === undefined ? [] : [{ name: `${path}.cpg`, bytes: Buffer.from(parts.cpg) }]),
    ...(parts.prj === '' ? [] : [{ name: `${path}.prj`, bytes: Buffer.from(parts.prj ?? wgs84) }]),
  ];
}

export const shapefileOf = (parts: LayerParts = {}): Buffer => zipOf(layerFiles('layer', parts));
