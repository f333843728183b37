import type { Geometry, GeometryType } from '../../data/feature-collection.ts';
import { doubleSignedArea, isClosed } from '../../geo/vector/rings.ts';
import type { BufferedWriter } from '../io/buffered-writer.ts';
import { longestNumber, putFifteen, putFixed, putShortest } from '../io/number-text.ts';

/** A number of decimals; `fifteen`: significant digits; `exact`: reading gives the same double. */
export type Precision = number | 'fifteen' | 'exact';

/** Decimals of degrees: about a centimetre (see RFC 7946, 11.2). */
export const degreeDecimals = 7;
/** A guess, which `putShortest` tries first. */
const usualDecimals = 7;
const [comma, open, close] = [44, 91, 93];

type PutNumber = (bytes: Uint8Array, at: number, value: number) => number;
const putNumber = (precision: Precision): PutNumber =>
  precision === 'fifteen'
    ? putFifteen
    : precision === 'exact'
      ? (bytes, at, value) => putShortest(bytes, at, value, usualDecimals)
      : (bytes, at, value) => putFixed(bytes, at, value, precision);

/** Writes geometries after RFC 7946: outer rings counter-clockwise, holes clockwise, all rings closed; without M. */
export class GeometryWriter {
  readonly #out: BufferedWriter;
  readonly #stride: number;
  readonly #hasZ: boolean;
  readonly #put: PutNumber;
  readonly #putHeight: PutNumber;
  /** Position of the number of a vertex that is written first. */
  readonly #first: 0 | 1;

  /** @param northFirst writes y before x; rings turn as if x came first */
  constructor(
    out: BufferedWriter,
    {
      stride,
      hasZ,
      precision,
      northFirst = false,
    }: { stride: number; hasZ: boolean; precision: Precision; northFirst?: boolean },
  ) {
    this.#out = out;
    this.#stride = stride;
    this.#hasZ = hasZ;
    this.#put = putNumber(precision);
    this.#putHeight = putNumber(precision === 'exact' ? 'exact' : 'fifteen');
    this.#first = northFirst ? 1 : 0;
  }

  put(geometry: Geometry): void {
    const out = this.#out;
    if (geometry.type === 'GeometryCollection') {
      out.text('{"type":"GeometryCollection","geometries":[');
      for (const [n, member] of (geometry.members ?? []).entries()) {
        if (n > 0) out.text(',');
        this.put(member);
      }
      out.text(']}');
      return;
    }
    out.raw(heads[geometry.type]);
    const vertices = geometry.coordinates.length / this.#stride;
    if (vertices === 0) out.text('[]');
    else writers[geometry.type](this, geometry, vertices);
    out.text('}');
  }

  byte(value: number): void {
    this.#out.reserve(1);
    this.#out.bytes[this.#out.at++] = value;
  }

  vertex(coordinates: Float64Array, vertex: number): void {
    const out = this.#out;
    out.reserve(3 * longestNumber + 4);
    const { bytes } = out;
    const i = vertex * this.#stride;
    let at = out.at;
    bytes[at++] = open;
    at = this.#put(bytes, at, coordinates[i + this.#first]!);
    bytes[at++] = comma;
    at = this.#put(bytes, at, coordinates[i + 1 - this.#first]!);
    if (this.#hasZ && Number.isFinite(coordinates[i + 2]!)) {
      bytes[at++] = comma;
      at = this.#putHeight(bytes, at, coordinates[i + 2]!);
    }
    bytes[at++] = close;
    out.at = at;
  }

  line(coordinates: Float64Array, first: number, end: number): void {
    this.byte(open);
    for (let v = first; v < end; v++) {
      if (v > first) this.byte(comma);
      this.vertex(coordinates, v);
    }
    this.byte(close);
  }

  ring(coordinates: Float64Array, first: number, end: number, outer: boolean): void {
    const area = doubleSignedArea(coordinates, this.#stride, first, end);
    this.byte(open);
    const reversed = outer ? area < 0 : area > 0;
    for (let v = first; v < end; v++) {
      if (v > first) this.byte(comma);
      this.vertex(coordinates, reversed ? first + end - 1 - v : v);
    }
    if (!isClosed(coordinates, this.#stride, first, end)) {
      this.byte(comma);
      this.vertex(coordinates, reversed ? end - 1 : first);
    }
    this.byte(close);
  }

  polygon(coordinates: Float64Array, parts: ArrayLike<number>, firstPart: number, endPart: number): void {
    const vertices = coordinates.length / this.#stride;
    this.byte(open);
    for (let n = firstPart; n < endPart; n++) {
      if (n > firstPart) this.byte(comma);
      this.ring(coordinates, parts[n]!, parts[n + 1] ?? vertices, n === firstPart);
    }
    this.byte(close);
  }
}

type Simple = Exclude<GeometryType, 'GeometryCollection'>;

const writers: Readonly<Record<Simple, (text: GeometryWriter, geometry: Geometry, vertices: number) => void>> = {
  Point: (text, { coordinates }) => text.vertex(coordinates, 0),
  LineString: (text, { coordinates }, vertices) => text.line(coordinates, 0, vertices),
  MultiPoint: (text, { coordinates }, vertices) => text.line(coordinates, 0, vertices),
  MultiLineString(text, { coordinates, parts = new Uint32Array(1) }, vertices) {
    text.byte(open);
    for (let n = 0; n < parts.length; n++) {
      if (n > 0) text.byte(comma);
      text.line(coordinates, parts[n]!, parts[n + 1] ?? vertices);
    }
    text.byte(close);
  },
  Polygon: (text, { coordinates, parts = new Uint32Array(1) }) => text.polygon(coordinates, parts, 0, parts.length),
  MultiPolygon(text, { coordinates, parts = new Uint32Array(1), polygons = new Uint32Array(1) }) {
    text.byte(open);
    for (let n = 0; n < polygons.length; n++) {
      if (n > 0) text.byte(comma);
      text.polygon(coordinates, parts, polygons[n]!, polygons[n + 1] ?? parts.length);
    }
    text.byte(close);
  },
};

const head = (type: Simple): Buffer => Buffer.from(`{"type":"${type}","coordinates":`);
const heads: Readonly<Record<Simple, Buffer>> = {
  Point: head('Point'),
  LineString: head('LineString'),
  Polygon: head('Polygon'),
  MultiPoint: head('MultiPoint'),
  MultiLineString: head('MultiLineString'),
  MultiPolygon: head('MultiPolygon'),
};
