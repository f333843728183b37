import type { Geometry, GeometryType } from '../../data/feature-collection.ts';
import { FormatError } from '../../errors.ts';

/** Longest text that is read: some 20,000 vertices, and what a request may carry. */
const longest = 500_000;
const mostNested = 16;

/** How deep the positions of a geometry lie. */
const depths: Readonly<Record<string, { type: GeometryType; depth: number }>> = {
  POINT: { type: 'Point', depth: 0 },
  LINESTRING: { type: 'LineString', depth: 1 },
  POLYGON: { type: 'Polygon', depth: 2 },
  MULTIPOINT: { type: 'MultiPoint', depth: 1 },
  MULTILINESTRING: { type: 'MultiLineString', depth: 2 },
  MULTIPOLYGON: { type: 'MultiPolygon', depth: 3 },
};

/**
 * A geometry from well-known text, with two coordinates for each vertex (heights and measures are left aside), in any letter case;
 * `srid` when `SRID=25832;` stands in front.
 * @throws FormatError with the place (characters from 1) for what is no such text, an empty geometry, or a ring that is not closed
 */
export function parseGeometry(text: string): { geometry: Geometry; srid?: number } {
  if (text.length > longest)
    throw new FormatError(`The text of a geometry may have ${longest} characters; this one has ${text.length}.`);
  const [front, digits] = /^\s*SRID\s*=\s*(\d{1,9})\s*;/i.exec(text) ?? [];
  const parser = new Parser(text, front?.length ?? 0);
  const geometry = parser.whole();
  return { geometry, ...(digits === undefined || Number(digits) === 0 ? {} : { srid: Number(digits) }) };
}

const token = /\s*([A-Za-z]+|[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])|\S|$)/y;

class Parser {
  readonly #text: string;
  #at: number;
  /** The next word, number or sign; empty at the end. */
  #token = '';
  #start = 0;
  #coordinates: number[] = [];
  #parts: number[] = [];
  #polygons: number[] = [];

  constructor(text: string, at: number) {
    this.#text = text;
    this.#at = at;
    this.#next();
  }

  whole(): Geometry {
    const geometry = this.#geometry(0);
    if (this.#token !== '') throw this.#wrong('the end of the text');
    return geometry;
  }

  #next(): void {
    token.lastIndex = this.#at;
    this.#token = token.exec(this.#text)![1]!;
    this.#at = token.lastIndex;
    this.#start = this.#at - this.#token.length;
  }

  #wrong(wanted: string): FormatError {
    const found =
      this.#token === '' ? 'the text ends' : `there is '${this.#text.slice(this.#start, this.#start + 20)}'`;
    return new FormatError(`At character ${this.#start + 1} of the geometry ${found}, where ${wanted} must stand.`);
  }

  #sign(sign: string, wanted = `'${sign}'`): void {
    if (this.#token !== sign) throw this.#wrong(wanted);
    this.#next();
  }

  /** True behind a comma: one more follows. */
  #more(): boolean {
    if (this.#token === ',') {
      this.#next();
      return true;
    }
    this.#sign(')', "',' or ')'");
    return false;
  }

  #geometry(nested: number): Geometry {
    if (nested > mostNested) throw new FormatError(`Geometry collections are nested more than ${mostNested} deep.`);
    const start = this.#start;
    const [, word = '', inside] = /^([A-Z]+?)(ZM|Z|M)?$/.exec(this.#token.toUpperCase()) ?? [];
    const known = depths[word];
    if (known === undefined && word !== 'GEOMETRYCOLLECTION')
      throw this.#wrong(`one of ${Object.keys(depths).join(', ')} or GEOMETRYCOLLECTION`);
    this.#next();
    if (inside === undefined && /^(ZM|Z|M)$/i.test(this.#token)) this.#next();
    if (/^EMPTY$/i.test(this.#token))
      throw new FormatError(`At character ${start + 1} stands an empty geometry, which has no place.`);
    return known === undefined ? this.#collection(nested) : this.#simple(known.type, known.depth);
  }

  #collection(nested: number): Geometry {
    const members: Geometry[] = [];
    this.#sign('(');
    do members.push(this.#geometry(nested + 1));
    while (this.#more());
    return { type: 'GeometryCollection', coordinates: new Float64Array(0), members };
  }

  #simple(type: GeometryType, depth: number): Geometry {
    this.#coordinates = [];
    this.#parts = [];
    this.#polygons = [];
    if (depth === 0) {
      this.#sign('(');
      this.#vertex();
      this.#sign(')');
    } else this.#list(depth, type);
    return {
      type,
      coordinates: Float64Array.from(this.#coordinates),
      ...(depth < 2 ? {} : { parts: Uint32Array.from(this.#parts) }),
      ...(depth < 3 ? {} : { polygons: Uint32Array.from(this.#polygons) }),
    };
  }

  /** Lists in lists down to vertices. */
  #list(depth: number, type: GeometryType): void {
    const start = this.#start;
    this.#sign('(');
    if (depth === 2 && type === 'MultiPolygon') this.#polygons.push(this.#parts.length);
    const first = this.#coordinates.length;
    if (depth === 1 && type !== 'MultiPoint' && type !== 'LineString') this.#parts.push(first / 2);
    do {
      if (depth > 1) this.#list(depth - 1, type);
      else if (type === 'MultiPoint' && this.#token === '(') {
        this.#next();
        this.#vertex();
        this.#sign(')');
      } else this.#vertex();
    } while (this.#more());
    if (depth === 1) this.#checkLine(type, first, start);
  }

  #checkLine(type: GeometryType, first: number, start: number): void {
    const all = this.#coordinates;
    const vertices = (all.length - first) / 2;
    if (type.endsWith('LineString') && vertices < 2)
      throw new FormatError(`The line at character ${start + 1} has one vertex; it takes two.`);
    if (!type.endsWith('Polygon')) return;
    if (vertices < 4)
      throw new FormatError(`The ring at character ${start + 1} has ${vertices} vertices; it takes four.`);
    if (all[first] !== all.at(-2) || all[first + 1] !== all.at(-1))
      throw new FormatError(`The ring at character ${start + 1} does not end where it begins.`);
  }

  #vertex(): void {
    let numbers = 0;
    while (/^[-+.\d]/.test(this.#token)) {
      const value = Number(this.#token);
      if (!Number.isFinite(value)) throw this.#wrong('a number that a double can hold');
      if (numbers++ < 2) this.#coordinates.push(value);
      if (numbers > 4) throw this.#wrong("',' or ')'");
      this.#next();
    }
    if (numbers < 2) throw this.#wrong('a number');
  }
}
