import { type Dimensions, strideOf } from '../../data/dimensions.ts';
import type { Geometry, GeometryType } from '../../data/feature-collection.ts';
import { FormatError } from '../../errors.ts';
import type { CoordinatePool } from './coordinate-pool.ts';

const maxNesting = 32;

/** Surfaces of straight edges are read as polygons; curves cannot be read. */
export const wkbTypes: Readonly<Record<number, GeometryType>> = {
  1: 'Point',
  2: 'LineString',
  3: 'Polygon',
  4: 'MultiPoint',
  5: 'MultiLineString',
  6: 'MultiPolygon',
  7: 'GeometryCollection',
  15: 'MultiPolygon',
  16: 'MultiPolygon',
  17: 'Polygon',
};

/** Type and dimensions of a geometry, from the code of ISO 13249 or EWKB. */
export function wkbType(code: number): { type: number; srid: boolean } & Dimensions {
  const iso = code & 0x1fffffff;
  const thousands = Math.floor(iso / 1000);
  return {
    type: iso % 1000,
    srid: (code & 0x20000000) !== 0,
    hasZ: (code & 0x80000000) !== 0 || thousands === 1 || thousands === 3,
    hasM: (code & 0x40000000) !== 0 || thousands === 2 || thousands === 3,
  };
}

/** Reads geometries from well-known binary (ISO 13249 and EWKB), with Z and M. All counts are checked. */
export class WkbReader {
  readonly #wanted: Dimensions;
  readonly #stride: number;
  readonly #pool: CoordinatePool;
  #bytes: Buffer = Buffer.alloc(0);
  #start = 0;
  #at = 0;
  #end = 0;
  #little = true;
  /** A geometry had heights or measures that are not wanted. */
  #dropped = false;

  /** @param wanted what vertices have; those without a height or measure get NaN there */
  constructor(wanted: Dimensions, pool: CoordinatePool) {
    this.#wanted = wanted;
    this.#stride = strideOf(wanted);
    this.#pool = pool;
  }

  /** Whether a geometry had heights or measures that were left out. */
  get hasDropped(): boolean {
    return this.#dropped;
  }

  /** @throws FormatError for bytes that are no geometry */
  read(bytes: Buffer, start: number, end = bytes.length): Geometry {
    this.#bytes = bytes;
    this.#start = start;
    this.#at = start;
    this.#end = end;
    return this.#geometry(0);
  }

  #need(length: number): void {
    if (this.#at + length > this.#end)
      throw new FormatError(
        `A geometry of ${this.#end - this.#start} bytes ends before byte ${this.#at + length - this.#start} of it.`,
      );
  }

  #head(): { type: GeometryType } & Dimensions {
    this.#need(5);
    const order = this.#bytes[this.#at]!;
    if (order > 1) throw new FormatError(`A geometry has the byte order ${order}; it must be 0 or 1.`);
    this.#little = order === 1;
    const code = this.#little ? this.#bytes.readUInt32LE(this.#at + 1) : this.#bytes.readUInt32BE(this.#at + 1);
    this.#at += 5;
    const { type, srid, hasZ, hasM } = wkbType(code);
    if (srid) {
      this.#need(4);
      this.#at += 4;
    }
    if (!Object.hasOwn(wkbTypes, type))
      throw new FormatError(`Geometries of type ${type}${type > 7 && type < 15 ? ' (curves)' : ''} cannot be read.`);
    if ((hasZ && !this.#wanted.hasZ) || (hasM && !this.#wanted.hasM)) this.#dropped = true;
    return { type: wkbTypes[type]!, hasZ, hasM };
  }

  /** A number of parts that take at least `size` bytes each. */
  #count(size: number): number {
    this.#need(4);
    const count = this.#little ? this.#bytes.readUInt32LE(this.#at) : this.#bytes.readUInt32BE(this.#at);
    this.#at += 4;
    if (count * size > this.#end - this.#at)
      throw new FormatError(`A geometry claims ${count} parts; only ${this.#end - this.#at} bytes follow.`);
    return count;
  }

  #geometry(nested: number): Geometry {
    const head = this.#head();
    const { type } = head;
    const bytes = 8 * strideOf(head);
    switch (type) {
      case 'Point': {
        const point = this.#vertices(1, head);
        return { type, coordinates: Number.isNaN(point[0]!) && Number.isNaN(point[1]!) ? point.subarray(0, 0) : point };
      }
      case 'LineString':
        return { type, coordinates: this.#vertices(this.#count(bytes), head) };
      case 'Polygon': {
        const rings = this.#rings(head);
        return { type, coordinates: joined(rings, this.#pool), parts: this.#starts(rings) };
      }
      case 'GeometryCollection':
        return this.#collection(nested);
    }
    return this.#multi(type);
  }

  #collection(nested: number): Geometry {
    if (nested >= maxNesting) throw new FormatError(`Geometry collections are nested more than ${maxNesting} deep.`);
    const count = this.#count(5);
    const members = Array.from({ length: count }, () => this.#geometry(nested + 1));
    return { type: 'GeometryCollection', coordinates: this.#pool.coordinates(0), members };
  }

  #multi(type: GeometryType): Geometry {
    const count = this.#count(5);
    const parts: Float64Array[] = [];
    const polygons: number[] = [];
    for (let n = 0; n < count; n++) {
      const head = this.#head();
      const single = type.slice(5);
      if (head.type !== single) throw new FormatError(`A ${type} has a ${head.type} in it.`);
      if (single === 'Point') {
        const point = this.#vertices(1, head);
        if (!Number.isNaN(point[0]!)) parts.push(point);
      } else if (single === 'LineString') {
        const line = this.#vertices(this.#count(8 * strideOf(head)), head);
        if (line.length > 0) parts.push(line);
      } else {
        const rings = this.#rings(head);
        if (rings.length === 0) continue;
        polygons.push(parts.length);
        for (const ring of rings) parts.push(ring);
      }
    }
    const coordinates = joined(parts, this.#pool);
    if (type === 'MultiPoint') return { type, coordinates };
    const starts = this.#starts(parts);
    return {
      type,
      coordinates,
      parts: starts,
      ...(type === 'MultiPolygon' ? { polygons: Uint32Array.from(polygons) } : {}),
    };
  }

  #rings(head: Dimensions): Float64Array[] {
    const count = this.#count(4);
    const rings: Float64Array[] = [];
    for (let n = 0; n < count; n++) {
      const ring = this.#vertices(this.#count(8 * strideOf(head)), head);
      if (ring.length > 0) rings.push(ring);
    }
    return rings;
  }

  #starts(parts: readonly Float64Array[]): Uint32Array {
    const starts = this.#pool.starts(parts.length);
    let at = 0;
    for (const [n, part] of parts.entries()) {
      starts[n] = at / this.#stride;
      at += part.length;
    }
    return starts;
  }

  #vertices(count: number, { hasZ, hasM }: Dimensions): Float64Array {
    const own = 2 + (hasZ ? 1 : 0) + (hasM ? 1 : 0);
    this.#need(8 * own * count);
    const stride = this.#stride;
    const coordinates = this.#pool.coordinates(count * stride);
    const bytes = this.#bytes;
    const { hasZ: wantsZ, hasM: wantsM } = this.#wanted;
    let at = this.#at;
    if (this.#little && own === stride && hasZ === wantsZ) {
      const length = 8 * own * count;
      if (count > 8) bytes.copy(new Uint8Array(coordinates.buffer, coordinates.byteOffset, length), 0, at, at + length);
      else for (let n = 0; n < coordinates.length; n++, at += 8) coordinates[n] = bytes.readDoubleLE(at);
      this.#at += length;
      return coordinates;
    }
    const number = this.#little
      ? (place: number) => bytes.readDoubleLE(place)
      : (place: number) => bytes.readDoubleBE(place);
    for (let n = 0, to = 0; n < count; n++, at += 8 * own, to += stride) {
      coordinates[to] = number(at);
      coordinates[to + 1] = number(at + 8);
      if (wantsZ) coordinates[to + 2] = hasZ ? number(at + 16) : Number.NaN;
      if (wantsM) coordinates[to + stride - 1] = hasM ? number(at + 8 * (own - 1)) : Number.NaN;
    }
    this.#at = at;
    return coordinates;
  }
}

function joined(parts: readonly Float64Array[], pool: CoordinatePool): Float64Array {
  if (parts.length === 1) return parts[0]!;
  const all = pool.coordinates(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
