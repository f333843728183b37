import { type Dimensions, strideOf } from '../../data/dimensions.ts';
import type { Geometry, GeometryType } from '../../data/feature-collection.ts';
import { FormatError } from '../../errors.ts';
import type { CoordinatePool } from './coordinate-pool.ts';
import { decimalNumber } from './decimal.ts';

const maxNesting = 16;
const [blank, opening, closing, comma, semicolon] = [32, 40, 41, 44, 59];

/** Nesting depth of the coordinates of each geometry type. */
const depths: Readonly<Record<string, readonly [type: GeometryType, depth: number]>> = {
  POINT: ['Point', 0],
  LINESTRING: ['LineString', 1],
  POLYGON: ['Polygon', 2],
  MULTIPOINT: ['MultiPoint', 1],
  MULTILINESTRING: ['MultiLineString', 2],
  MULTIPOLYGON: ['MultiPolygon', 3],
  GEOMETRYCOLLECTION: ['GeometryCollection', -1],
};

const beginning = /^(?:SRID ?= ?(\d{1,9}) ?; ?)?([A-Z]{5,20}?) ?(ZM|Z|M)? ?(?:\(|EMPTY)/;

/** The start of a text in capitals, with single blanks. */
const startOf = (text: string): string => text.trimStart().slice(0, 400).replace(/\s+/g, ' ').toUpperCase();

export const beginsLikeWkt = (text: string): boolean => {
  const [, , type = ''] = beginning.exec(startOf(text)) ?? [];
  return Object.hasOwn(depths, type);
};

/** The SRID before the text of a geometry (EWKT), and the dimensions of its first vertex. */
export function readWktHead(text: string): { srid?: number } & Dimensions {
  const start = startOf(text);
  const [front = '', digits, , marks] = beginning.exec(start) ?? [];
  const vertex = start
    .slice(front.length)
    .replace(/^[( ]+/, '')
    .split(/[,)(]/, 1)[0]!
    .trim();
  const numbers = vertex === '' ? 2 : vertex.split(' ').length;
  return {
    ...(digits === undefined || Number(digits) === 0 ? {} : { srid: Number(digits) }),
    hasZ: marks === 'Z' || marks === 'ZM' || (marks === undefined && /^[-+.\d]/.test(vertex) && numbers > 2),
    hasM: marks === 'M' || marks === 'ZM' || (marks === undefined && /^[-+.\d]/.test(vertex) && numbers > 3),
  };
}

/** Reads geometries in the form of WKT, with Z and M, from bytes in UTF-8. */
export class WktReader {
  #bytes: Buffer = Buffer.alloc(0);
  #at = 0;
  #end = 0;
  #numbers = new Float64Array(1024);
  #count = 0;
  #parts: number[] = [];
  #polygons: number[] = [];
  /** What the vertices of the present geometry have. */
  #own: Dimensions | undefined;
  readonly #wanted: Dimensions;
  readonly #stride: number;
  readonly #pool: CoordinatePool;

  /** @param dimensions of the geometries; vertices without a height or measure have NaN there */
  constructor(dimensions: Dimensions, pool: CoordinatePool) {
    this.#wanted = dimensions;
    this.#stride = strideOf(dimensions);
    this.#pool = pool;
  }

  /** @throws FormatError for a text that is no geometry */
  read(bytes: Buffer, start: number, end: number): Geometry {
    this.#bytes = bytes;
    this.#at = start;
    this.#end = end;
    this.#skipSrid();
    const geometry = this.#geometry(0);
    this.#blanks();
    if (this.#at < this.#end) this.#fail('the end of the text');
    return geometry;
  }

  #skipSrid(): void {
    this.#blanks();
    if ((this.#bytes[this.#at]! | 32) !== 115) return;
    const found = this.#bytes.indexOf(semicolon, this.#at);
    if (found >= 0 && found < this.#end && found - this.#at < 32) this.#at = found + 1;
  }

  #blanks(): void {
    while (this.#at < this.#end && this.#bytes[this.#at]! <= blank) this.#at++;
  }

  #fail(expected: string): never {
    const found = this.#bytes.toString('utf8', this.#at, Math.min(this.#end, this.#at + 20));
    throw new FormatError(`The geometry has '${found}' in place of ${expected}.`);
  }

  #word(): string {
    this.#blanks();
    const start = this.#at;
    while (this.#at < this.#end && this.#at - start < 24 && isLetter(this.#bytes[this.#at]!)) this.#at++;
    return this.#bytes.toString('latin1', start, this.#at).toUpperCase();
  }

  #is(sign: number): boolean {
    this.#blanks();
    if (this.#at >= this.#end || this.#bytes[this.#at] !== sign) return false;
    this.#at++;
    return true;
  }

  #need(sign: number): void {
    if (!this.#is(sign)) this.#fail(`'${String.fromCharCode(sign)}'`);
  }

  #geometry(nested: number): Geometry {
    if (nested > maxNesting) throw new FormatError(`Geometry collections are nested more than ${maxNesting} deep.`);
    const start = this.#at;
    const [, name = '', joined] = /^(.+?)(ZM|Z|M)?$/.exec(this.#word()) ?? [];
    const known = Object.hasOwn(depths, name) ? depths[name] : undefined;
    if (known === undefined) {
      this.#at = start;
      this.#fail(`one of ${Object.keys(depths).join(', ')}`);
    }
    let marks = joined;
    let isEmpty = false;
    for (let word = this.#word(); word !== ''; word = this.#word()) {
      if (word === 'EMPTY') isEmpty = true;
      else if (marks === undefined && (word === 'Z' || word === 'M' || word === 'ZM')) marks = word;
      else this.#fail("'('");
    }
    this.#own = marks === undefined ? undefined : { hasZ: marks !== 'M', hasM: marks !== 'Z' };
    const [type, depth] = known;
    if (depth < 0) return this.#collection(isEmpty, nested);
    this.#count = 0;
    this.#parts = [];
    this.#polygons = [];
    if (!isEmpty) this.#list(depth, type);
    const coordinates = this.#pool.coordinates(this.#count);
    coordinates.set(this.#numbers.subarray(0, this.#count));
    return {
      type,
      coordinates,
      ...(depth < 2 ? {} : { parts: Uint32Array.from(this.#parts) }),
      ...(depth < 3 ? {} : { polygons: Uint32Array.from(this.#polygons) }),
    };
  }

  #collection(isEmpty: boolean, nested: number): Geometry {
    const members: Geometry[] = [];
    if (!isEmpty) {
      this.#need(opening);
      do members.push(this.#geometry(nested + 1));
      while (this.#is(comma));
      this.#need(closing);
    }
    return { type: 'GeometryCollection', coordinates: new Float64Array(0), members };
  }

  #list(depth: number, type: GeometryType): void {
    if (this.#isEmptyWord()) return;
    this.#need(opening);
    if (depth === 2 && type === 'MultiPolygon') this.#polygons.push(this.#parts.length);
    if (depth === 1 && type !== 'MultiPoint' && type !== 'LineString') this.#parts.push(this.#count / this.#stride);
    do {
      if (depth > 1) this.#list(depth - 1, type);
      else if (type === 'MultiPoint' && this.#isEmptyWord()) continue;
      else if (type === 'MultiPoint' && this.#is(opening)) {
        this.#vertex();
        this.#need(closing);
      } else this.#vertex();
    } while (depth > 0 && this.#is(comma));
    this.#need(closing);
  }

  #isEmptyWord(): boolean {
    this.#blanks();
    if ((this.#bytes[this.#at]! | 32) !== 101) return false;
    if (this.#word() !== 'EMPTY') this.#fail("'('");
    return true;
  }

  #vertex(): void {
    const first = this.#number();
    const second = this.#number();
    const third = this.#hasNumber() ? this.#number() : Number.NaN;
    const fourth = this.#hasNumber() ? this.#number() : Number.NaN;
    if (this.#count + 4 > this.#numbers.length) {
      const more = new Float64Array(2 * this.#numbers.length);
      more.set(this.#numbers);
      this.#numbers = more;
    }
    const isMeasure = this.#own !== undefined && !this.#own.hasZ;
    this.#numbers[this.#count++] = first;
    this.#numbers[this.#count++] = second;
    if (this.#wanted.hasZ) this.#numbers[this.#count++] = isMeasure ? Number.NaN : third;
    if (this.#wanted.hasM) this.#numbers[this.#count++] = isMeasure ? third : fourth;
  }

  #hasNumber(): boolean {
    this.#blanks();
    const sign = this.#bytes[this.#at]!;
    return this.#at < this.#end && sign !== comma && sign !== closing;
  }

  #number(): number {
    this.#blanks();
    const bytes = this.#bytes;
    const start = this.#at;
    let at = start;
    for (; at < this.#end; at++) {
      const sign = bytes[at]!;
      if (sign <= blank || sign === comma || sign === closing || sign === opening) break;
    }
    const value = decimalNumber(bytes, start, at);
    if (value === undefined) {
      if (at - start === 3 && bytes.toString('latin1', start, at).toLowerCase() === 'nan') {
        this.#at = at;
        return Number.NaN;
      }
      this.#fail('a number');
    }
    this.#at = at;
    return value;
  }
}

const isLetter = (byte: number): boolean => (byte | 32) >= 97 && (byte | 32) <= 122;
