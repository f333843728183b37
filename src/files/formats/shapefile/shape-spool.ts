import { Box } from '../../data/box.ts';
import { type Dimensions, strideOf } from '../../data/dimensions.ts';
import type { Geometry } from '../../data/feature-collection.ts';
import { ConversionError } from '../../errors.ts';
import { copyRing, doubleSignedArea, isClosed } from '../../geo/vector/rings.ts';
import type { Context } from '../define.ts';
import { BufferedWriter } from '../io/buffered-writer.ts';
import { DeflateSpool } from '../io/deflate-spool.ts';
import { ScratchFile } from '../io/scratch-file.ts';
import { TableSpool } from './table-spool.ts';

/** Shape types. Types with Z are 10 higher, types with M only 20 higher. */
export type ShapeKind = 'point' | 'line' | 'polygon' | 'multipoint';
const codes: Readonly<Record<ShapeKind, number>> = { point: 1, line: 3, polygon: 5, multipoint: 8 };

/** Maximum file size: lengths are 31-bit counts of 16-bit words. */
const maxSize = 2 * 0x7fffffff;
const pieceSize = 1 << 18;
/** Vertices that are written number by number: `buffer` would move the memory of a small array out of the heap. */
const fewVertices = 16;
/** The start of the only part. */
const onePart = new Uint32Array(1);
/** Esri's value for "no measure". */
const noMeasure = -1.7976931348623157e308;

/** Stores the shapes of one kind and their rows in temporary files, because headers depend on all of them. */
export class ShapeSpool {
  /** Undefined as long as there are only null shapes. */
  kind: ShapeKind | undefined;
  readonly table: TableSpool;
  /** Number of vertices without Z in a layer with Z. */
  withoutZ = 0;
  readonly #dimensions: Dimensions;
  readonly #stride: number;
  readonly #shp: BufferedWriter;
  readonly #packed: DeflateSpool;
  readonly #shx: BufferedWriter;
  readonly #index: ScratchFile;
  #position = 100;
  #records = 0;
  readonly #low = [Infinity, Infinity, Infinity, Infinity];
  readonly #high = [-Infinity, -Infinity, -Infinity, -Infinity];

  private constructor(dimensions: Dimensions, shapes: ScratchFile, index: ScratchFile, rows: ScratchFile) {
    this.#dimensions = dimensions;
    this.#stride = strideOf(dimensions);
    this.#index = index;
    this.#packed = new DeflateSpool(shapes);
    this.#shp = new BufferedWriter(this.#packed);
    this.#shx = new BufferedWriter(index.sink);
    this.table = new TableSpool(rows);
  }

  static async create(dimensions: Dimensions, context: Context): Promise<ShapeSpool> {
    const file = async () => {
      const created = await ScratchFile.create(context.scratch);
      context.onEnd(() => created[Symbol.asyncDispose]());
      return created;
    };
    return new ShapeSpool(dimensions, await file(), await file(), await file());
  }

  async drain(): Promise<void> {
    await this.#shp.drain();
    await this.#shx.drain();
    await this.table.drain();
  }

  /** Adds a shape, or a null shape for `undefined`. The geometry must be of this spool's kind. */
  add(geometry: Geometry | undefined): void {
    const empty = geometry === undefined || geometry.coordinates.length === 0;
    const length = empty ? 4 : this.#lengthOf(geometry);
    if (this.#position + 8 + length > maxSize)
      throw new ConversionError('The shapes take more than 4 GB, the limit of a shapefile.');
    const out = this.#shp;
    out.reserve(8 + length);
    const { bytes } = out;
    const start = out.at;
    bytes.writeUInt32BE(++this.#records, start);
    bytes.writeUInt32BE(length / 2, start + 4);
    if (empty) bytes.writeInt32LE(0, start + 8);
    else if (this.kind === 'point') this.#putPoint(bytes, start + 8, geometry.coordinates);
    else this.#putParts(bytes, start + 8, geometry);
    out.at = start + 8 + length;
    this.#shx.reserve(8);
    this.#shx.bytes.writeUInt32BE(this.#position / 2, this.#shx.at);
    this.#shx.bytes.writeUInt32BE(length / 2, this.#shx.at + 4);
    this.#shx.at += 8;
    this.#position += 8 + length;
  }

  get #type(): number {
    if (this.kind === undefined) return 0;
    return codes[this.kind] + (this.#dimensions.hasZ ? 10 : this.#dimensions.hasM ? 20 : 0);
  }

  #lengthOf(geometry: Geometry): number {
    const extra = this.#stride - 2;
    if (this.kind === 'point') return 20 + 8 * extra;
    const { vertices, parts } = this.#prepare(geometry);
    const head = this.kind === 'multipoint' ? 40 : 44 + 4 * parts.length;
    return head + 16 * vertices + extra * (16 + 8 * vertices);
  }

  /** `coordinates` may be longer than the number of vertices. */
  #prepared: { coordinates: Float64Array; vertices: number; parts: Uint32Array } = {
    coordinates: new Float64Array(0),
    vertices: 0,
    parts: onePart,
  };
  /** Memory for rings that are closed or turned, shape after shape. */
  #rings = new Float64Array(0);

  /** Closes rings and winds them as the format demands: outer rings clockwise, holes counter-clockwise. */
  #prepare({ coordinates, parts = onePart, polygons = onePart }: Geometry) {
    const stride = this.#stride;
    const vertices = coordinates.length / stride;
    this.#prepared = { coordinates, vertices, parts };
    if (this.kind !== 'polygon') return this.#prepared;
    let open = 0;
    const reverse: boolean[] = [];
    for (let n = 0, polygon = 0; n < parts.length; n++) {
      const [first, end] = [parts[n]!, parts[n + 1] ?? vertices];
      while (polygon < polygons.length && polygons[polygon]! < n) polygon++;
      const area = doubleSignedArea(coordinates, stride, first, end);
      reverse.push(polygons[polygon] === n ? area > 0 : area < 0);
      if (!isClosed(coordinates, stride, first, end)) open++;
    }
    if (open === 0 && !reverse.includes(true)) return this.#prepared;
    const size = (vertices + open) * stride;
    if (this.#rings.length < size) this.#rings = new Float64Array(2 * size);
    const sorted = this.#rings;
    const starts = open === 0 ? parts : new Uint32Array(parts.length);
    let at = 0;
    for (let n = 0; n < parts.length; n++) {
      const [first, end] = [parts[n]!, parts[n + 1] ?? vertices];
      const start = at;
      at = copyRing(coordinates, stride, first, end, sorted, start, reverse[n]!);
      if (open === 0) continue;
      starts[n] = start;
      if (!isClosed(coordinates, stride, first, end))
        at = copyRing(sorted, stride, start, start + 1, sorted, at, false);
    }
    this.#prepared = { coordinates: sorted, vertices: at, parts: starts };
    return this.#prepared;
  }

  #putPoint(bytes: Buffer, start: number, coordinates: Float64Array): void {
    const { hasZ, hasM } = this.#dimensions;
    bytes.writeInt32LE(this.#type, start);
    bytes.writeDoubleLE(coordinates[0]!, start + 4);
    bytes.writeDoubleLE(coordinates[1]!, start + 12);
    this.#widen(0, coordinates[0]!, coordinates[0]!);
    this.#widen(1, coordinates[1]!, coordinates[1]!);
    let at = start + 20;
    if (hasZ) at = this.#putExtra(bytes, at, coordinates, 2, false);
    if (hasM) this.#putExtra(bytes, at, coordinates, 3, false);
  }

  #putParts(bytes: Buffer, start: number, geometry: Geometry): void {
    const { coordinates, vertices, parts } = this.#prepared;
    const { hasZ, hasM } = this.#dimensions;
    const stride = this.#stride;
    const box = new Box();
    box.add(coordinates, stride, 0, vertices);
    const { west, south, east, north } = box;
    this.#widen(0, west, east);
    this.#widen(1, south, north);
    bytes.writeInt32LE(this.#type, start);
    let at = bytes.writeDoubleLE(west, start + 4);
    at = bytes.writeDoubleLE(south, at);
    at = bytes.writeDoubleLE(east, at);
    at = bytes.writeDoubleLE(north, at);
    if (geometry.type !== 'MultiPoint') {
      bytes.writeUInt32LE(parts.length, at);
      at += 4;
    }
    bytes.writeUInt32LE(vertices, at);
    at += 4;
    if (geometry.type !== 'MultiPoint')
      for (let n = 0; n < parts.length; n++, at += 4) bytes.writeUInt32LE(parts[n]!, at);
    if (stride === 2 && vertices > fewVertices)
      bytes.set(new Uint8Array(coordinates.buffer, coordinates.byteOffset, 16 * vertices), at);
    else
      for (let n = 0; n < vertices; n++) {
        bytes.writeDoubleLE(coordinates[n * stride]!, at + 16 * n);
        bytes.writeDoubleLE(coordinates[n * stride + 1]!, at + 16 * n + 8);
      }
    at += 16 * vertices;
    if (hasZ) at = this.#putExtra(bytes, at, coordinates, 2, true);
    if (hasM) this.#putExtra(bytes, at, coordinates, 3, true);
  }

  /** Writes Z (axis 2) or M (axis 3) of all vertices, after their range if `ranged`. */
  #putExtra(bytes: Buffer, start: number, coordinates: Float64Array, axis: 2 | 3, ranged: boolean): number {
    const offset = axis === 2 ? 2 : this.#stride - 1;
    const end = ranged ? this.#prepared.vertices * this.#stride : this.#stride;
    let at = start + (ranged ? 16 : 0);
    let [low, high] = [Infinity, -Infinity];
    for (let i = offset; i < end; i += this.#stride, at += 8) {
      let value = coordinates[i]!;
      if (Number.isNaN(value)) {
        if (axis === 2) this.withoutZ++;
        // the specification allows no NaN
        value = axis === 2 ? 0 : noMeasure;
      }
      if (value !== noMeasure && value < low) low = value;
      if (value !== noMeasure && value > high) high = value;
      bytes.writeDoubleLE(value, at);
    }
    if (low <= high) this.#widen(axis, low, high);
    if (ranged) {
      bytes.writeDoubleLE(low <= high ? low : noMeasure, start);
      bytes.writeDoubleLE(low <= high ? high : noMeasure, start + 8);
    }
    return at;
  }

  #widen(axis: number, low: number, high: number): void {
    if (low < this.#low[axis]!) this.#low[axis] = low;
    if (high > this.#high[axis]!) this.#high[axis] = high;
  }

  get shpSize(): number {
    return this.#position;
  }

  get shxSize(): number {
    return 100 + 8 * this.#records;
  }

  /** The .shp file: its header and its records. */
  async shp(): Promise<{ head: Uint8Array; body: DeflateSpool }> {
    await this.#shp.end();
    return { head: this.#header(this.#position), body: this.#packed };
  }

  async *shx(): AsyncGenerator<Uint8Array> {
    await this.#shx.end();
    yield this.#header(this.shxSize);
    yield* this.#index.pieces(pieceSize);
  }

  #header(size: number): Buffer {
    const header = Buffer.alloc(100);
    header.writeInt32BE(9994, 0);
    header.writeUInt32BE(size / 2, 24);
    header.writeInt32LE(1000, 28);
    header.writeInt32LE(this.#type, 32);
    const [[x, y, z, m], [endX, endY, endZ, endM]] = [this.#low, this.#high];
    const numbers = [x, y, endX, endY, z, endZ, m, endM];
    for (const [n, value] of numbers.entries()) if (Number.isFinite(value)) header.writeDoubleLE(value!, 36 + 8 * n);
    return header;
  }
}
