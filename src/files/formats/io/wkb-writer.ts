import { type Dimensions, strideOf } from '../../data/dimensions.ts';
import type { Geometry, GeometryType } from '../../data/feature-collection.ts';
import { isClosed } from '../../geo/vector/rings.ts';

export const wkbCodes: Readonly<Record<GeometryType, number>> = {
  Point: 1,
  LineString: 2,
  Polygon: 3,
  MultiPoint: 4,
  MultiLineString: 5,
  MultiPolygon: 6,
  GeometryCollection: 7,
};

const onePart = new Uint32Array(1);

/** Writes geometries as little-endian well-known binary (ISO 13249). Open rings are closed. */
export class WkbWriter {
  bytes = Buffer.allocUnsafeSlow(1 << 16);
  #at = 0;
  #from: Dimensions = { hasZ: false, hasM: false };
  #to: Dimensions = this.#from;

  /** Puts a geometry behind `start` bytes, which are the caller's, into `bytes`, and returns its end. */
  write(geometry: Geometry, start: number, from: Dimensions, to: Dimensions): number {
    this.#at = start;
    this.#from = from;
    this.#to = to;
    this.#put(geometry);
    return this.#at;
  }

  /** Makes room for more bytes. */
  #reserve(length: number): void {
    if (this.#at + length <= this.bytes.length) return;
    const more = Buffer.allocUnsafeSlow(Math.max(2 * this.bytes.length, this.#at + length));
    this.bytes.copy(more, 0, 0, this.#at);
    this.bytes = more;
  }

  #head(type: GeometryType, count: number | undefined): void {
    this.#reserve(9);
    const { hasZ, hasM } = this.#to;
    this.bytes[this.#at] = 1;
    this.bytes.writeUInt32LE(wkbCodes[type] + (hasZ ? 1000 : 0) + (hasM ? 2000 : 0), this.#at + 1);
    this.#at += 5;
    if (count !== undefined) this.#number(count);
  }

  #number(value: number): void {
    this.#reserve(4);
    this.bytes.writeUInt32LE(value, this.#at);
    this.#at += 4;
  }

  #put(geometry: Geometry): void {
    const { type, coordinates, members = [], parts = onePart, polygons = onePart } = geometry;
    const vertices = coordinates.length / strideOf(this.#from);
    const partEnd = (n: number) => parts[n + 1] ?? vertices;
    const rings = vertices === 0 ? 0 : parts.length;
    switch (type) {
      case 'Point':
        this.#head(type, undefined);
        if (vertices === 0) this.#emptyPoint();
        else this.#vertices(coordinates, 0, 1);
        return;
      case 'LineString':
        this.#head(type, vertices);
        this.#vertices(coordinates, 0, vertices);
        return;
      case 'Polygon':
        this.#head(type, rings);
        for (let n = 0; n < rings; n++) this.#ring(coordinates, parts[n]!, partEnd(n));
        return;
      case 'MultiPoint':
        this.#head(type, vertices);
        for (let n = 0; n < vertices; n++) {
          this.#head('Point', undefined);
          this.#vertices(coordinates, n, n + 1);
        }
        return;
      case 'MultiLineString':
        this.#head(type, rings);
        for (let n = 0; n < rings; n++) {
          this.#head('LineString', partEnd(n) - parts[n]!);
          this.#vertices(coordinates, parts[n]!, partEnd(n));
        }
        return;
      case 'MultiPolygon': {
        const count = vertices === 0 ? 0 : polygons.length;
        this.#head(type, count);
        for (let n = 0; n < count; n++) {
          const end = polygons[n + 1] ?? parts.length;
          this.#head('Polygon', end - polygons[n]!);
          for (let ring = polygons[n]!; ring < end; ring++) this.#ring(coordinates, parts[ring]!, partEnd(ring));
        }
        return;
      }
    }
    this.#head(type, members.length);
    for (const member of members) this.#put(member);
  }

  #emptyPoint(): void {
    const count = strideOf(this.#to);
    this.#reserve(8 * count);
    for (let n = 0; n < count; n++) this.#at = this.bytes.writeDoubleLE(Number.NaN, this.#at);
  }

  #ring(coordinates: Float64Array, first: number, end: number): void {
    const isOpen = end > first && !isClosed(coordinates, strideOf(this.#from), first, end);
    this.#number(end - first + (isOpen ? 1 : 0));
    this.#vertices(coordinates, first, end);
    if (isOpen) this.#vertices(coordinates, first, first + 1);
  }

  #vertices(coordinates: Float64Array, first: number, end: number): void {
    const { hasZ, hasM } = this.#to;
    const stride = strideOf(this.#from);
    this.#reserve(8 * strideOf(this.#to) * (end - first));
    const { bytes } = this;
    if (hasZ === this.#from.hasZ && hasM === this.#from.hasM && end - first > 8) {
      const { buffer, byteOffset } = coordinates;
      const length = 8 * stride * (end - first);
      bytes.set(new Uint8Array(buffer, byteOffset + 8 * stride * first, length), this.#at);
      this.#at += length;
      return;
    }
    let at = this.#at;
    for (let n = first, from = first * stride; n < end; n++, from += stride) {
      at = bytes.writeDoubleLE(coordinates[from]!, at);
      at = bytes.writeDoubleLE(coordinates[from + 1]!, at);
      if (hasZ) at = bytes.writeDoubleLE(coordinates[from + 2]!, at);
      if (hasM) at = bytes.writeDoubleLE(coordinates[from + stride - 1]!, at);
    }
    this.#at = at;
  }
}
