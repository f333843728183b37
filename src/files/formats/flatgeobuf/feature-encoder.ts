import { type Dimensions, strideOf } from '../../data/dimensions.ts';
import type { Feature, Geometry } from '../../data/feature-collection.ts';
import { ConversionError } from '../../errors.ts';
import { copyRing, isClosed } from '../../geo/vector/rings.ts';
import type { BufferedWriter } from '../io/buffered-writer.ts';
import { geometryCodes, maxFeature } from '../io/flatgeobuf/schema.ts';
import { isPresent, type OutputColumn, roomFor } from './columns.ts';

/** Bytes of the fixed parts of a geometry, at most: vtable, table, lengths and padding of vectors. */
const fixedBytes = 96;
const vtableBytes = 20;
const tableBytes = 28;

/** Position of each slot in a table of a geometry: ends, xy, z, m, t, tm, type, parts. */
const place = { ends: 4, xy: 8, z: 12, m: 16, parts: 20, type: 24 } as const;

/** Writes features as FlatBuffers with their size before them. Empty geometries become null, as in GDAL. */
export class FeatureEncoder {
  /** Geometries without vertices, of features and in collections. */
  empty = 0;
  readonly #columns: readonly OutputColumn[];
  readonly #dimensions: Dimensions;
  readonly #stride: number;
  #bytes = Buffer.alloc(0);
  /** Position of the size of the feature: positions are aligned to it. */
  #start = 0;
  #at = 0;

  constructor(columns: readonly OutputColumn[], dimensions: Dimensions) {
    this.#columns = columns;
    this.#dimensions = dimensions;
    this.#stride = strideOf(dimensions);
  }

  /** The geometry as it is written, with closed rings and without empty members; undefined for an empty one. */
  prepared(geometry: Geometry | undefined): Geometry | undefined {
    if (geometry === undefined) return undefined;
    if (geometry.type !== 'GeometryCollection') {
      if (geometry.coordinates.length === 0) {
        this.empty++;
        return undefined;
      }
      return geometry.type.endsWith('Polygon') ? closed(geometry, this.#stride) : geometry;
    }
    const members = (geometry.members ?? []).flatMap((member) => this.prepared(member) ?? []);
    if (members.length > 0) return { ...geometry, members };
    if (geometry.members?.length === 0) this.empty++;
    return undefined;
  }

  /** Appends a feature with a prepared geometry; `number` from 0. Returns its size in bytes. */
  put(out: BufferedWriter, geometry: Geometry | undefined, values: Feature['values'], number: number): number {
    let room = 48 + (geometry === undefined ? 0 : roomForGeometry(geometry));
    for (let n = 0; n < this.#columns.length; n++) room += isPresent(values[n]) ? roomFor(values[n]) : 0;
    if (room > maxFeature)
      throw new ConversionError(`Feature ${number + 1} takes up to ${room} bytes; the limit is ${maxFeature}.`);
    out.reserve(room);
    const { bytes, at: start } = out;
    this.#bytes = bytes;
    this.#start = start;
    // Root, then the vtable and the table of the feature: geometry and properties.
    bytes.writeUInt32LE(12, start + 4);
    bytes.writeUInt16LE(8, start + 8);
    bytes.writeUInt16LE(12, start + 10);
    bytes.writeUInt16LE(geometry === undefined ? 0 : 4, start + 12);
    bytes.writeUInt16LE(8, start + 14);
    bytes.writeInt32LE(8, start + 16);
    bytes.writeUInt32LE(0, start + 20);
    this.#at = start + 28;
    if (geometry !== undefined) bytes.writeUInt32LE(this.#geometry(geometry) - start - 20, start + 20);
    this.#align(4, 0);
    bytes.writeUInt32LE(this.#at - start - 24, start + 24);
    this.#properties(values, number);
    this.#align(8, 0);
    bytes.writeUInt32LE(this.#at - start - 4, start);
    out.at = this.#at;
    return this.#at - start;
  }

  #properties(values: Feature['values'], number: number): void {
    const bytes = this.#bytes;
    const vector = this.#at;
    let at = vector + 4;
    for (let n = 0; n < this.#columns.length; n++) {
      const value = values[n];
      if (!isPresent(value)) continue;
      bytes.writeUInt16LE(n, at);
      at = this.#columns[n]!.put(bytes, at + 2, value, number);
    }
    bytes.writeUInt32LE(at - vector - 4, vector);
    this.#at = at;
  }

  /** Fills with zeros until the position is `rest` modulo `size`. */
  #align(size: number, rest: number): void {
    while ((this.#at - this.#start) % size !== rest) this.#bytes[this.#at++] = 0;
  }

  /** Returns the position of the table. */
  #geometry(geometry: Geometry): number {
    const { type, coordinates, parts, polygons, members } = geometry;
    if (members !== undefined) return this.#nested(type, members.length, (n) => this.#geometry(members[n]!));
    const vertices = coordinates.length / this.#stride;
    if (type === 'MultiPolygon') {
      const count = polygons!.length;
      return this.#nested(type, count, (n) =>
        this.#vertices(
          'Polygon',
          coordinates,
          parts!.subarray(polygons![n]!, polygons![n + 1]),
          n + 1 < count ? parts![polygons![n + 1]!]! : vertices,
        ),
      );
    }
    return this.#vertices(type, coordinates, parts, vertices);
  }

  #table(type: Geometry['type'], has: { ends?: boolean; xy?: boolean; parts?: boolean }): number {
    const bytes = this.#bytes;
    this.#align(4, 0);
    const at = this.#at;
    const table = at + vtableBytes;
    bytes.fill(0, at, table + tableBytes);
    bytes.writeUInt16LE(vtableBytes, at);
    bytes.writeUInt16LE(tableBytes, at + 2);
    if (has.ends) bytes.writeUInt16LE(place.ends, at + 4);
    if (has.xy) bytes.writeUInt16LE(place.xy, at + 6);
    if (has.xy && this.#dimensions.hasZ) bytes.writeUInt16LE(place.z, at + 8);
    if (has.xy && this.#dimensions.hasM) bytes.writeUInt16LE(place.m, at + 10);
    bytes.writeUInt16LE(place.type, at + 16);
    if (has.parts) bytes.writeUInt16LE(place.parts, at + 18);
    bytes.writeInt32LE(vtableBytes, table);
    bytes[table + place.type] = geometryCodes[type];
    this.#at = table + tableBytes;
    return table;
  }

  #nested(type: Geometry['type'], count: number, put: (n: number) => number): number {
    const table = this.#table(type, { parts: true });
    const bytes = this.#bytes;
    bytes.writeUInt32LE(this.#at - table - place.parts, table + place.parts);
    bytes.writeUInt32LE(count, this.#at);
    const list = this.#at + 4;
    this.#at = list + 4 * count;
    for (let n = 0; n < count; n++) bytes.writeUInt32LE(put(n) - list - 4 * n, list + 4 * n);
    return table;
  }

  #vertices(type: Geometry['type'], coordinates: Float64Array, parts: Uint32Array | undefined, end: number): number {
    const { hasZ, hasM } = this.#dimensions;
    const first = parts?.[0] ?? 0;
    // A single ring needs none. GDAL before 3.7 takes no lines without, also of one part.
    const ends = type === 'MultiLineString' || (parts !== undefined && parts.length > 1) ? parts : undefined;
    const table = this.#table(type, { xy: true, ends: ends !== undefined });
    const bytes = this.#bytes;
    if (ends !== undefined) {
      bytes.writeUInt32LE(this.#at - table - place.ends, table + place.ends);
      let at = bytes.writeUInt32LE(ends.length, this.#at);
      for (let n = 0; n < ends.length; n++) at = bytes.writeUInt32LE((ends[n + 1] ?? end) - first, at);
      this.#at = at;
    }
    this.#numbers(table, place.xy, coordinates, 0, first, end);
    if (hasZ) this.#numbers(table, place.z, coordinates, 2, first, end);
    if (hasM) this.#numbers(table, place.m, coordinates, this.#stride - 1, first, end);
    return table;
  }

  /** A vector of x and y (axis 0), or of another axis. */
  #numbers(table: number, slot: number, from: Float64Array, axis: number, first: number, end: number): void {
    const bytes = this.#bytes;
    const stride = this.#stride;
    this.#align(8, 4);
    bytes.writeUInt32LE(this.#at - table - slot, table + slot);
    let at = bytes.writeUInt32LE((end - first) * (axis === 0 ? 2 : 1), this.#at);
    if (axis === 0 && stride === 2 && end - first > fewVertices) {
      bytes.set(new Uint8Array(from.buffer, from.byteOffset + 16 * first, 16 * (end - first)), at);
      at += 16 * (end - first);
    } else
      for (let i = first * stride; i < end * stride; i += stride) {
        at = bytes.writeDoubleLE(from[i + axis]!, at);
        if (axis === 0) at = bytes.writeDoubleLE(from[i + 1]!, at);
      }
    this.#at = at;
  }
}

const fewVertices = 16;

function roomForGeometry({ coordinates, parts, polygons, members }: Geometry): number {
  let room =
    fixedBytes + coordinates.byteLength + 4 * (parts?.length ?? 0) + (fixedBytes + 4) * (polygons?.length ?? 0);
  for (const member of members ?? []) room += 4 + roomForGeometry(member);
  return room;
}

/** Closes the rings of a polygon. */
function closed(geometry: Geometry, stride: number): Geometry {
  const { coordinates, parts = new Uint32Array(1) } = geometry;
  const vertices = coordinates.length / stride;
  const isOpen = (start: number, n: number) => !isClosed(coordinates, stride, start, parts[n + 1] ?? vertices);
  const polygons = geometry.type === 'MultiPolygon' ? (geometry.polygons ?? new Uint32Array(1)) : undefined;
  const known = { ...geometry, parts, ...(polygons && { polygons }) };
  const open = parts.reduce((sum, start, n) => sum + (isOpen(start, n) ? 1 : 0), 0);
  if (open === 0) return geometry.parts === parts && geometry.polygons === polygons ? geometry : known;
  const all = new Float64Array(coordinates.length + open * stride);
  const starts = new Uint32Array(parts.length);
  let at = 0;
  for (const [n, start] of parts.entries()) {
    starts[n] = at;
    at = copyRing(coordinates, stride, start, parts[n + 1] ?? vertices, all, at, false);
    if (isOpen(start, n)) at = copyRing(coordinates, stride, start, start + 1, all, at, false);
  }
  return { ...known, coordinates: all, parts: starts };
}
