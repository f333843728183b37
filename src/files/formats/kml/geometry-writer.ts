import { type Dimensions, strideOf } from '../../data/dimensions.ts';
import type { Geometry } from '../../data/feature-collection.ts';
import { doubleSignedArea, isClosed } from '../../geo/vector/rings.ts';
import type { BufferedWriter } from '../io/buffered-writer.ts';
import { longestNumber, putFixed, putShortest } from '../io/number-text.ts';

/** Decimals of degrees that were computed: a tenth of a millimetre. */
const computedDecimals = 9;
/** Guesses, which `putShortest` tries first. */
const [usualDegrees, usualHeight] = [7, 3];
const [comma, blank] = [44, 32];

/** Writes geometries of KML: outer rings counter-clockwise, holes clockwise, all closed; heights are absolute. */
export class ShapeWriter {
  readonly #out: BufferedWriter;
  readonly #stride: number;
  readonly #hasZ: boolean;
  readonly #isExact: boolean;

  /** @param precision exact: reading gives the same numbers */
  constructor(out: BufferedWriter, dimensions: Dimensions, precision: 'exact' | 'rounded') {
    this.#out = out;
    this.#stride = strideOf(dimensions);
    this.#hasZ = dimensions.hasZ;
    this.#isExact = precision === 'exact';
  }

  /** Nothing for an empty geometry. */
  put(geometry: Geometry): void {
    const { type, coordinates, members = [] } = geometry;
    const { length } = coordinates;
    const vertices = length / this.#stride;
    if (type === 'GeometryCollection') this.#several(members.map((member) => () => this.put(member)));
    else if (length === 0) return;
    else if (type === 'Point') this.#line('Point', coordinates, 0, 1);
    else if (type === 'LineString') this.#line('LineString', coordinates, 0, vertices);
    else if (type === 'MultiPoint')
      this.#several(Array.from({ length: vertices }, (_, n) => () => this.#line('Point', coordinates, n, n + 1)));
    else {
      const { parts = new Uint32Array(1), polygons = new Uint32Array(1) } = geometry;
      const end = (n: number) => parts[n + 1] ?? vertices;
      if (type === 'Polygon') this.#polygon(coordinates, parts, 0, parts.length);
      else if (type === 'MultiLineString')
        this.#several([...parts].map((first, n) => () => this.#line('LineString', coordinates, first, end(n))));
      else
        this.#several(
          [...polygons].map(
            (first, n) => () => this.#polygon(coordinates, parts, first, polygons[n + 1] ?? parts.length),
          ),
        );
    }
  }

  #several(writes: readonly (() => void)[]): void {
    this.#out.text('<MultiGeometry>');
    for (const write of writes) write();
    this.#out.text('</MultiGeometry>');
  }

  /** Heights count from the sea, if the vertices have them. */
  #mode(coordinates: Float64Array, first: number, end: number): string {
    if (this.#hasZ)
      for (let v = first; v < end; v++)
        if (Number.isFinite(coordinates[v * this.#stride + 2]!)) return '<altitudeMode>absolute</altitudeMode>';
    return '';
  }

  #line(element: string, coordinates: Float64Array, first: number, end: number): void {
    this.#out.text(`<${element}>${this.#mode(coordinates, first, end)}<coordinates>`);
    for (let v = first; v < end; v++) this.#vertex(coordinates, v, v > first);
    this.#out.text(`</coordinates></${element}>`);
  }

  #polygon(coordinates: Float64Array, parts: Uint32Array, firstPart: number, endPart: number): void {
    const end = (n: number) => parts[n + 1] ?? coordinates.length / this.#stride;
    this.#out.text(`<Polygon>${this.#mode(coordinates, parts[firstPart]!, end(endPart - 1))}`);
    for (let n = firstPart; n < endPart; n++) {
      const boundary = n === firstPart ? 'outerBoundaryIs' : 'innerBoundaryIs';
      this.#out.text(`<${boundary}><LinearRing><coordinates>`);
      this.#ring(coordinates, parts[n]!, end(n), n === firstPart);
      this.#out.text(`</coordinates></LinearRing></${boundary}>`);
    }
    this.#out.text('</Polygon>');
  }

  #ring(coordinates: Float64Array, first: number, end: number, isOuter: boolean): void {
    const area = doubleSignedArea(coordinates, this.#stride, first, end);
    const reversed = isOuter ? area < 0 : area > 0;
    for (let v = first; v < end; v++) this.#vertex(coordinates, reversed ? first + end - 1 - v : v, v > first);
    if (!isClosed(coordinates, this.#stride, first, end)) this.#vertex(coordinates, reversed ? end - 1 : first, true);
  }

  #vertex(coordinates: Float64Array, vertex: number, isNext: boolean): void {
    const out = this.#out;
    out.reserve(3 * longestNumber + 3);
    const at = vertex * this.#stride;
    if (isNext) out.bytes[out.at++] = blank;
    this.#degrees(coordinates[at]!);
    out.bytes[out.at++] = comma;
    this.#degrees(coordinates[at + 1]!);
    if (!this.#hasZ || !Number.isFinite(coordinates[at + 2]!)) return;
    out.bytes[out.at++] = comma;
    out.at = putShortest(out.bytes, out.at, coordinates[at + 2]!, usualHeight);
  }

  #degrees(value: number): void {
    const out = this.#out;
    out.at = this.#isExact
      ? putShortest(out.bytes, out.at, value, usualDegrees)
      : putFixed(out.bytes, out.at, value, computedDecimals);
  }
}
