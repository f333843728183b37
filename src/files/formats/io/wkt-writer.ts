import { type Dimensions, strideOf } from '../../data/dimensions.ts';
import type { Geometry, GeometryType } from '../../data/feature-collection.ts';
import type { BufferedWriter } from './buffered-writer.ts';
import { longestNumber, putShortest } from './number-text.ts';

/** First guess at the number of decimals of a coordinate, to save time. */
const usualDecimals = 6;

/** Writes geometries as WKT (OGC 06-103r4) with Z and M. Numbers are the shortest ones that read back as they are. */
export class WktWriter {
  readonly #out: BufferedWriter;
  readonly #stride: number;
  readonly #marks: string;

  constructor(out: BufferedWriter, dimensions: Dimensions) {
    this.#out = out;
    this.#stride = strideOf(dimensions);
    this.#marks = dimensions.hasZ ? (dimensions.hasM ? ' ZM' : ' Z') : dimensions.hasM ? ' M' : '';
  }

  put(geometry: Geometry): void {
    const { type, coordinates, members } = geometry;
    this.#out.text(`${type.toUpperCase()}${this.#marks}`);
    if (type === 'GeometryCollection' ? (members ?? []).length === 0 : coordinates.length === 0) {
      this.#out.text(' EMPTY');
      return;
    }
    this.#out.text(' (');
    if (type === 'GeometryCollection')
      for (const [n, member] of (members ?? []).entries()) {
        if (n > 0) this.#out.text(', ');
        this.put(member);
      }
    else this.#body(type, geometry);
    this.#out.text(')');
  }

  #body(
    type: GeometryType,
    { coordinates, parts = new Uint32Array(1), polygons = new Uint32Array(1) }: Geometry,
  ): void {
    const vertices = coordinates.length / this.#stride;
    const list = (from: number, to: number) => {
      for (let n = from; n < to; n++) {
        if (n > from) this.#out.text(', ');
        this.#out.text('(');
        this.#vertices(coordinates, parts[n]!, parts[n + 1] ?? vertices, false);
        this.#out.text(')');
      }
    };
    if (type === 'Point' || type === 'LineString' || type === 'MultiPoint')
      this.#vertices(coordinates, 0, vertices, type === 'MultiPoint');
    else if (type !== 'MultiPolygon') list(0, parts.length);
    else
      for (let n = 0; n < polygons.length; n++) {
        if (n > 0) this.#out.text(', ');
        this.#out.text('(');
        list(polygons[n]!, polygons[n + 1] ?? parts.length);
        this.#out.text(')');
      }
  }

  #vertices(coordinates: Float64Array, from: number, to: number, inBrackets: boolean): void {
    const out = this.#out;
    const stride = this.#stride;
    for (let n = from; n < to; n++) {
      out.reserve(stride * (longestNumber + 1) + 4);
      if (n > from) {
        out.bytes[out.at++] = 44;
        out.bytes[out.at++] = 32;
      }
      if (inBrackets) out.bytes[out.at++] = 40;
      for (let axis = 0; axis < stride; axis++) {
        if (axis > 0) out.bytes[out.at++] = 32;
        const value = coordinates[n * stride + axis]!;
        // Programs do not read NaN: a missing height is 0, as GDAL writes it.
        out.at = putShortest(out.bytes, out.at, Number.isFinite(value) ? value : 0, usualDecimals);
      }
      if (inBrackets) out.bytes[out.at++] = 41;
    }
  }
}
