import { type Dimensions, hasNumbers, strideOf } from '../../data/dimensions.ts';
import type { Geometry, GeometryType } from '../../data/feature-collection.ts';
import type { BufferedWriter } from './buffered-writer.ts';
import { longestNumber, putShortest } from './number-text.ts';

/** First guess at the number of decimals of a coordinate, to save time. */
const usualDecimals = 6;

/**
 * Writes geometries as WKT (OGC 06-103r4), with Z and M where a vertex has them. Numbers are the shortest ones that
 * read back as they are.
 */
export class WktWriter {
  /** Vertices without a height or measure in geometries of which others have one. They got 0, as GDAL writes it. */
  missing = 0;
  readonly #out: BufferedWriter;
  readonly #stride: number;
  readonly #dimensions: Dimensions;
  /** Axes that are written of the geometry, among those of its vertices. */
  #axes: readonly number[] = [];
  #marks = '';

  constructor(out: BufferedWriter, dimensions: Dimensions) {
    this.#out = out;
    this.#stride = strideOf(dimensions);
    this.#dimensions = dimensions;
  }

  put(geometry: Geometry): void {
    const { hasZ, hasM } = this.#dimensions;
    const stride = this.#stride;
    const withZ = hasZ && hasNumbers(geometry, stride, 2);
    const withM = hasM && hasNumbers(geometry, stride, stride - 1);
    this.#marks = withZ ? (withM ? ' ZM' : ' Z') : withM ? ' M' : '';
    this.#axes = [0, 1, ...(withZ ? [2] : []), ...(withM ? [stride - 1] : [])];
    this.#put(geometry);
  }

  #put(geometry: Geometry): void {
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
        this.#put(member);
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
      let isMissing = false;
      for (const axis of this.#axes) {
        if (axis > 0) out.bytes[out.at++] = 32;
        const value = coordinates[n * stride + axis]!;
        // Programs do not read NaN.
        isMissing ||= !Number.isFinite(value);
        out.at = putShortest(out.bytes, out.at, Number.isFinite(value) ? value : 0, usualDecimals);
      }
      if (isMissing) this.missing++;
      if (inBrackets) out.bytes[out.at++] = 41;
    }
  }
}
