import type { ByteSource } from '../../../data/bytes.ts';
import type { Field, FieldType } from '../../../data/feature-collection.ts';
import { FormatError } from '../../../errors.ts';
import { readBuffer } from '../buffers.ts';
import { FlatTable } from './flat-table.ts';
import {
  type Area,
  columnSlots,
  columnTypes,
  crsSlots,
  dateMetadata,
  headerSlots,
  idMetadata,
  levelSizes,
  magic,
  magicLength,
  maxHeader,
  nodeBytes,
} from './schema.ts';

export interface Header {
  readonly name?: string;
  /** Code of the geometry type; 0: any. */
  readonly geometryType: number;
  readonly hasZ: boolean;
  readonly hasM: boolean;
  readonly columns: readonly FlatColumn[];
  /** 0: not known. */
  readonly count: number;
  /** Box around all features; absent if the header has none. */
  readonly box?: Area;
  readonly crs?: { readonly org?: string; readonly code?: number; readonly wkt?: string };
  /** Absent: the file has no index. */
  readonly index?: { readonly start: number; readonly nodeSize: number; readonly levels: readonly number[] };
  /** Offset of the first feature. */
  readonly start: number;
}

export interface FlatColumn {
  readonly type: number;
  /** Absent: a column of a type that is left out, or of ids. */
  readonly field?: Field;
  readonly isId: boolean;
}

/** Reads the header and the place of the index. Everything is checked against the size of the file. */
export async function readHeader(source: ByteSource): Promise<Header> {
  const start = await readBuffer(source, 0, magicLength + 4);
  if (!start.subarray(0, 3).equals(magic.subarray(0, 3)))
    throw new FormatError("The file is not a FlatGeobuf: it does not begin with 'fgb'.", 0);
  if (!start.subarray(0, magic.length).equals(magic))
    throw new FormatError(`The file is a FlatGeobuf of version ${start[3] ?? 'unknown'}; only 3 can be read.`, 3);
  if (start.length < magicLength + 4) throw new FormatError('The FlatGeobuf ends before its header.', start.length);
  const size = start.readUInt32LE(magicLength);
  const at = magicLength + 4;
  if (size > maxHeader || at + size > source.size)
    throw new FormatError(`The header claims ${size} bytes; the file has ${source.size}.`, magicLength);
  const header = parse(FlatTable.root(await readBuffer(source, at, size), at), at + size, source.size);
  if (header.box !== undefined || header.index === undefined) return header;
  // the root of the index
  const box = boxAt(await readBuffer(source, header.index.start, nodeBytes), 0);
  return box === undefined ? header : { ...header, box };
}

/** Four numbers as a box; undefined if there is nothing in it. */
function boxAt(bytes: Buffer, at: number): Area | undefined {
  const [west, south, east, north] = [0, 8, 16, 24].map((k) => bytes.readDoubleLE(at + k)) as [
    number,
    number,
    number,
    number,
  ];
  const isBox = west <= east && south <= north && [west, south, east, north].every(Number.isFinite);
  return isBox ? { west, south, east, north } : undefined;
}

function parse(table: FlatTable, end: number, fileSize: number): Header {
  const total = table.u64(headerSlots.featuresCount);
  const nodeSize = table.u16(headerSlots.indexNodeSize, 16);
  // A feature takes at least a length and a table.
  if (total > BigInt(Math.floor((fileSize - end) / 8)))
    throw new FormatError(`The header claims ${total} features; only ${fileSize - end} bytes follow it.`, magicLength);
  const count = Number(total);
  if (nodeSize === 1)
    throw new FormatError('The nodes of the index have one child; they need at least 2.', magicLength);
  const indexed = count > 0 && nodeSize > 0;
  const levels = indexed ? levelSizes(count, nodeSize) : [];
  const start = end + nodeBytes * levels.reduce((sum, one) => sum + one, 0);
  if (start > fileSize)
    throw new FormatError(`The index of ${count} features ends at byte ${start}; the file has ${fileSize}.`, end);
  const name = table.string(headerSlots.name);
  const crs = table.table(headerSlots.crs);
  const envelope = table.vector(headerSlots.envelope, 8);
  const box = envelope?.count === 4 ? boxAt(table.bytes, envelope.at) : undefined;
  return {
    ...(name === undefined || name === '' ? {} : { name }),
    geometryType: table.u8(headerSlots.geometryType),
    hasZ: table.u8(headerSlots.hasZ) !== 0,
    hasM: table.u8(headerSlots.hasM) !== 0,
    columns: readColumns(table),
    count,
    ...(box === undefined ? {} : { box }),
    ...(crs === undefined ? {} : { crs: readCrs(crs) }),
    ...(indexed ? { index: { start: end, nodeSize, levels } } : {}),
    start,
  };
}

function readCrs(table: FlatTable): NonNullable<Header['crs']> {
  const org = table.string(crsSlots.org);
  const text = table.string(crsSlots.codeString) ?? '';
  const code = table.i32(crsSlots.code) || (/^\d{1,9}$/.test(text) ? Number(text) : 0);
  const wkt = table.string(crsSlots.wkt);
  return {
    ...(org === undefined ? {} : { org }),
    ...(code > 0 ? { code } : {}),
    ...(wkt === undefined || wkt === '' ? {} : { wkt }),
  };
}

const { Byte, UByte, Bool, Short, UShort, Int, UInt, Long, ULong, Float, Double, Json, DateTime, Binary } = columnTypes;

const fieldTypes: Readonly<Record<number, FieldType>> = {
  [Byte]: 'integer',
  [UByte]: 'integer',
  [Bool]: 'boolean',
  [Short]: 'integer',
  [UShort]: 'integer',
  [Int]: 'integer',
  [UInt]: 'integer64',
  [Long]: 'integer64',
  [ULong]: 'integer64',
  [Float]: 'real',
  [Double]: 'real',
  [columnTypes.String]: 'string',
  [Json]: 'json',
  [DateTime]: 'dateTime',
};

function readColumns(table: FlatTable): FlatColumn[] {
  const list = table.vector(headerSlots.columns, 4);
  if (list === undefined) return [];
  if (list.count > 0x10000) table.fail(`The header has ${list.count} columns; there can be 65,536.`, list.at);
  return Array.from({ length: list.count }, (_, n) => readColumn(table.element(list, n), n, list.at));
}

function readColumn(column: FlatTable, n: number, at: number): FlatColumn {
  const type = column.u8(columnSlots.type);
  if (type > Binary) column.fail(`Column ${n + 1} has the type ${type}, which is not known.`, at);
  const metadata = column.string(columnSlots.metadata);
  if (metadata === idMetadata) return { type, isId: true };
  if (type === Binary) return { type, isId: false };
  const name = column.string(columnSlots.name);
  if (name === undefined) column.fail(`Column ${n + 1} has no name.`, at);
  const width = column.i32(columnSlots.width, -1);
  const decimals = column.i32(columnSlots.precision, -1);
  const field: Field = {
    name,
    type: type === DateTime && metadata === dateMetadata ? 'date' : fieldTypes[type]!,
    ...(width > 0 ? { width } : {}),
    ...(decimals > 0 ? { decimals } : {}),
  };
  return { type, field, isId: false };
}
