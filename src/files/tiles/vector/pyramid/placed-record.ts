import type { BufferedWriter } from '../../../formats/io/buffered-writer.ts';
import type { PlacedFeature, PlacedGeometry } from '../placed.ts';
import type { ValueTable } from '../tile-values.ts';
import type { TileGeometryType } from '../units.ts';

/**
 * A placed feature in the temporary file: id (−1 is none), number of geometries, bytes of its values; each geometry:
 * type, numbers of vertices, parts and polygons (plus one; 0 is none), bounds, x and y, parts, polygons; each value:
 * key, length, bytes as in a tile. Geometries and the record end at multiples of 8 bytes. In the byte order of the
 * machine, since the file lives as long as the conversion.
 */
export interface Record {
  readonly id: number;
  readonly geometries: readonly PlacedGeometry[];
  readonly values: EncodedValues;
}

/** Values encoded as in tiles, one after the other. */
export interface EncodedValues {
  readonly bytes: Uint8Array;
  /** For each value the number of its key, and the end of its bytes. */
  readonly keys: readonly number[];
  readonly ends: readonly number[];
}

const headBytes = 16;
const geometryHeadBytes = 48;
const valueHeadBytes = 6;

const aligned = (length: number) => Math.ceil(length / 8) * 8;

/** Parts and polygons, without lists that only say that there is one. */
const listsOf = ({ parts, polygons }: PlacedGeometry) =>
  [parts, polygons].map((list) => (list?.length === 1 && list[0] === 0 ? undefined : list));

function geometryBytes(geometry: PlacedGeometry): number {
  const [parts, polygons] = listsOf(geometry);
  return (
    geometryHeadBytes + 8 * geometry.coordinates.length + aligned(4 * ((parts?.length ?? 0) + (polygons?.length ?? 0)))
  );
}

/** Appends a record. Returns its size. */
export function putRecord(out: BufferedWriter, { id, geometries, values }: Record): number {
  const valueBytes = valueHeadBytes * values.keys.length + values.bytes.length;
  const size = geometries.reduce((sum, one) => sum + geometryBytes(one), headBytes) + aligned(valueBytes);
  out.reserve(size);
  const { bytes, at: start } = out;
  let at = bytes.writeDoubleLE(id, start);
  at = bytes.writeUInt32LE(geometries.length, at);
  at = bytes.writeUInt32LE(valueBytes, at);
  for (const geometry of geometries) at = putGeometry(bytes, at, geometry);
  for (let n = 0, from = 0; n < values.keys.length; n++) {
    const end = values.ends[n]!;
    at = bytes.writeUInt16LE(values.keys[n]!, at);
    at = bytes.writeUInt32LE(end - from, at);
    for (; from < end; from++) bytes[at++] = values.bytes[from]!;
  }
  bytes.fill(0, at, start + size);
  out.at = start + size;
  return size;
}

function putGeometry(bytes: Buffer, start: number, geometry: PlacedGeometry): number {
  const { type, coordinates, bounds } = geometry;
  const [parts, polygons] = listsOf(geometry);
  let at = bytes.writeUInt32LE(type, start);
  at = bytes.writeUInt32LE(coordinates.length / 2, at);
  at = bytes.writeUInt32LE(parts === undefined ? 0 : parts.length + 1, at);
  at = bytes.writeUInt32LE(polygons === undefined ? 0 : polygons.length + 1, at);
  for (const bound of bounds) at = bytes.writeDoubleLE(bound, at);
  for (const numbers of [coordinates, parts, polygons]) {
    if (numbers === undefined) continue;
    bytes.set(new Uint8Array(numbers.buffer, numbers.byteOffset, numbers.byteLength), at);
    at += numbers.byteLength;
  }
  const end = start + geometryBytes(geometry);
  bytes.fill(0, at, end);
  return end;
}

/**
 * The feature of a record, which keeps its memory.
 * @param bytes its start in the buffer is a multiple of 8
 * @param table gets the values
 */
export function placedFeature(bytes: Buffer, table: ValueTable): PlacedFeature {
  const geometries: PlacedGeometry[] = [];
  let at = headBytes;
  for (let n = bytes.readUInt32LE(8); n > 0; n--) {
    const geometry = geometryAt(bytes, at);
    geometries.push(geometry);
    at += geometryBytes(geometry);
  }
  const tags: number[] = [];
  const end = at + bytes.readUInt32LE(12);
  while (at < end) {
    const length = bytes.readUInt32LE(at + 2);
    const first = at + valueHeadBytes;
    tags.push(bytes.readUInt16LE(at), table.numberOfBytes(bytes, first, first + length));
    at = first + length;
  }
  return { id: bytes.readDoubleLE(0), geometries, tags };
}

function geometryAt(bytes: Buffer, start: number): PlacedGeometry {
  const vertices = bytes.readUInt32LE(start + 4);
  const [parts, polygons] = [bytes.readUInt32LE(start + 8), bytes.readUInt32LE(start + 12)];
  const bound = (n: number) => bytes.readDoubleLE(start + 16 + 8 * n);
  const from = bytes.byteOffset + start + geometryHeadBytes;
  const afterCoordinates = from + 16 * vertices;
  const afterParts = afterCoordinates + 4 * Math.max(0, parts - 1);
  return {
    type: bytes.readUInt32LE(start) as TileGeometryType,
    coordinates: new Float64Array(bytes.buffer as ArrayBuffer, from, 2 * vertices),
    ...(parts > 0 && { parts: new Uint32Array(bytes.buffer as ArrayBuffer, afterCoordinates, parts - 1) }),
    ...(polygons > 0 && { polygons: new Uint32Array(bytes.buffer as ArrayBuffer, afterParts, polygons - 1) }),
    bounds: [bound(0), bound(1), bound(2), bound(3)],
  };
}
