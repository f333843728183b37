import { type Dimensions, strideOf } from '../../../data/dimensions.ts';
import type { Geometry, GeometryType } from '../../../data/feature-collection.ts';
import type { CoordinatePool } from '../coordinate-pool.ts';
import type { FlatTable, Span } from './flat-table.ts';
import { geometrySlots, geometryTypesByCode, maxNesting } from './schema.ts';

/** Vertices of a table: of a geometry without parts, or of a part. */
interface Vertices {
  readonly table: FlatTable;
  readonly xy: number;
  readonly count: number;
  readonly z?: Span;
  readonly m?: Span;
}

/** Reads the geometry of one feature. */
export class GeometryReader {
  readonly #dimensions: Dimensions;
  readonly #stride: number;
  readonly #pool: CoordinatePool;
  /** Tables and vertices that the feature may still have: several parts may not share their bytes. */
  #budget = 0;

  constructor(dimensions: Dimensions, pool: CoordinatePool) {
    this.#dimensions = dimensions;
    this.#stride = strideOf(dimensions);
    this.#pool = pool;
  }

  /** @param code type in the header; 0: the geometry has its own */
  read(table: FlatTable, code: number): Geometry {
    this.#budget = table.bytes.length;
    return this.#geometry(table, code, 0);
  }

  #geometry(table: FlatTable, code: number, nested: number): Geometry {
    const own = code === 0 ? table.u8(geometrySlots.type) : code;
    const type = geometryTypesByCode[own];
    if (type === undefined) table.fail(`Geometries of type ${own} (curves) cannot be read.`, 0);
    if (type === 'GeometryCollection') return this.#collection(table, nested);
    const parts = table.vector(geometrySlots.parts, 4);
    if (type !== 'MultiPolygon' || parts === undefined) return this.#simple(type, this.#vertices(table));
    const polygons = Array.from({ length: this.#counted(parts, table) }, (_, n) =>
      this.#vertices(table.element(parts, n)),
    ).filter(({ count }) => count > 0);
    return this.#multiPolygon(polygons);
  }

  #counted(parts: Span, table: FlatTable): number {
    this.#spend(4 * parts.count, table);
    return parts.count;
  }

  #spend(bytes: number, table: FlatTable): void {
    this.#budget -= bytes;
    if (this.#budget < 0) table.fail('Parts of a geometry share their bytes.', 0);
  }

  #collection(table: FlatTable, nested: number): Geometry {
    if (nested > maxNesting) table.fail(`Geometry collections are nested more than ${maxNesting} deep.`, 0);
    const parts = table.vector(geometrySlots.parts, 4);
    const members = Array.from({ length: parts === undefined ? 0 : this.#counted(parts, table) }, (_, n) =>
      this.#geometry(table.element(parts!, n), 0, nested + 1),
    );
    return { type: 'GeometryCollection', coordinates: this.#pool.coordinates(0), members };
  }

  #vertices(table: FlatTable): Vertices {
    const { hasZ, hasM } = this.#dimensions;
    const xy = table.vector(geometrySlots.xy, 8);
    if (xy === undefined) return { table, xy: 0, count: 0 };
    if (xy.count % 2 !== 0) table.fail(`A geometry has ${xy.count} numbers for x and y.`, xy.at);
    const count = xy.count / 2;
    this.#spend(16 * count, table);
    const extra = (slot: number, name: string, wanted: boolean) => {
      const found = wanted ? table.vector(slot, 8) : undefined;
      if (found !== undefined && found.count !== count)
        table.fail(`A geometry of ${count} vertices has ${found.count} values of ${name}.`, found.at);
      return found;
    };
    const z = extra(geometrySlots.z, 'z', hasZ);
    const m = extra(geometrySlots.m, 'm', hasM);
    return { table, xy: xy.at, count, ...(z && { z }), ...(m && { m }) };
  }

  #simple(type: GeometryType, vertices: Vertices): Geometry {
    const { table, count } = vertices;
    if (type === 'Point' && count > 1) table.fail(`A point has ${count} vertices.`, vertices.xy);
    // Some programs write an empty point as two NaN.
    const empty = type === 'Point' && count === 1 && Number.isNaN(table.bytes.readDoubleLE(vertices.xy));
    const kept = empty ? 0 : count;
    const coordinates = this.#pool.coordinates(kept * this.#stride);
    if (kept > 0) this.#copy(vertices, coordinates, 0);
    if (type === 'Point' || type === 'LineString' || type === 'MultiPoint') return { type, coordinates };
    const parts = this.#starts(vertices, 0);
    if (type !== 'MultiPolygon') return { type, coordinates, parts };
    return { type, coordinates, parts, polygons: this.#pool.starts(parts.length > 0 ? 1 : 0) };
  }

  #multiPolygon(all: readonly Vertices[]): Geometry {
    const coordinates = this.#pool.coordinates(all.reduce((sum, { count }) => sum + count, 0) * this.#stride);
    const parts: number[] = [];
    const polygons = this.#pool.starts(all.length);
    let at = 0;
    for (const [n, vertices] of all.entries()) {
      this.#copy(vertices, coordinates, at);
      polygons[n] = parts.length;
      for (const start of this.#starts(vertices, at)) parts.push(start);
      at += vertices.count;
    }
    const starts = this.#pool.starts(parts.length);
    for (let n = 0; n < parts.length; n++) starts[n] = parts[n]!;
    return { type: 'MultiPolygon', coordinates, parts: starts, polygons };
  }

  /** First vertex of each ring or line. Empty ones are dropped. */
  #starts({ table, count }: Vertices, first: number): Uint32Array {
    const ends = table.vector(geometrySlots.ends, 4);
    if (ends === undefined || ends.count === 0) {
      const one = this.#pool.starts(count > 0 ? 1 : 0);
      if (count > 0) one[0] = first;
      return one;
    }
    const starts = this.#pool.starts(ends.count);
    let last = 0;
    let kept = 0;
    for (let n = 0; n < ends.count; n++) {
      const end = table.bytes.readUInt32LE(ends.at + 4 * n);
      if (end < last || end > count)
        table.fail(`Part ${n + 1} of a geometry ends at vertex ${end} of ${count}.`, ends.at + 4 * n);
      if (end > last) starts[kept++] = first + last;
      last = end;
    }
    if (last !== count) table.fail(`The parts of a geometry end at vertex ${last} of ${count}.`, ends.at);
    return starts.subarray(0, kept);
  }

  #copy({ table: { bytes }, xy, count, z, m }: Vertices, to: Float64Array, first: number): void {
    const stride = this.#stride;
    const { hasZ, hasM } = this.#dimensions;
    if (stride === 2 && count > fewVertices) {
      bytes.copy(new Uint8Array(to.buffer, to.byteOffset + 16 * first, 16 * count), 0, xy, xy + 16 * count);
      return;
    }
    for (let n = 0, at = first * stride; n < count; n++, at += stride) {
      to[at] = bytes.readDoubleLE(xy + 16 * n);
      to[at + 1] = bytes.readDoubleLE(xy + 16 * n + 8);
      if (hasZ) to[at + 2] = z === undefined ? Number.NaN : bytes.readDoubleLE(z.at + 8 * n);
      if (hasM) to[at + stride - 1] = m === undefined ? Number.NaN : bytes.readDoubleLE(m.at + 8 * n);
    }
  }
}

const fewVertices = 16;
