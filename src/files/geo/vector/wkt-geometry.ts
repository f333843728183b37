import type { Geometry, GeometryType } from '../../data/feature-collection.ts';
import { FormatError } from '../../errors.ts';

/** Maximum length of a WKT in characters: about 20,000 vertices, and as much as a request may carry. */
const maxLength = 500_000;
const maxNesting = 16;

/** Nesting depth of the coordinates of each geometry type. */
const depths: Readonly<Record<string, { type: GeometryType; depth: number }>> = {
  POINT: { type: 'Point', depth: 0 },
  LINESTRING: { type: 'LineString', depth: 1 },
  POLYGON: { type: 'Polygon', depth: 2 },
  MULTIPOINT: { type: 'MultiPoint', depth: 1 },
  MULTILINESTRING: { type: 'MultiLineString', depth: 2 },
  MULTIPOLYGON: { type: 'MultiPolygon', depth: 3 },
};

/**
 * Parses WKT or EWKT (`SRID=25832;…`) of a geometry in any letter case. Keeps x and y and drops Z and M.
 * @throws FormatError with the position (characters from 1) for invalid WKT, an empty geometry, or a ring that is not
 * closed
 */
export function parseGeometry(text: string): { geometry: Geometry; srid?: number } {
  if (text.length > maxLength)
    throw new FormatError(`The geometry has ${text.length} characters. The maximum is ${maxLength}.`);
  const [front, digits] = /^\s*SRID\s*=\s*(\d{1,9})\s*;/i.exec(text) ?? [];
  const parser = new Parser(text, front?.length ?? 0);
  const geometry = parser.whole();
  return { geometry, ...(digits === undefined || Number(digits) === 0 ? {} : { srid: Number(digits) }) };
}

const token = /\s*([A-Za-z]+|[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?(?![\w.])|\S|$)/y;

class Parser {
  readonly #text: string;
  #at: number;
  /** The current word, number or punctuation; empty at the end. */
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
    if (this.#token !== '') throw this.#unexpected('the end of the text');
    return geometry;
  }

  #next(): void {
    token.lastIndex = this.#at;
    this.#token = token.exec(this.#text)![1]!;
    this.#at = token.lastIndex;
    this.#start = this.#at - this.#token.length;
  }

  #unexpected(expected: string): FormatError {
    const found = this.#token === '' ? 'the text ends' : `is '${this.#text.slice(this.#start, this.#start + 20)}'`;
    return new FormatError(`At character ${this.#start + 1} of the geometry ${found}. Expected ${expected}.`);
  }

  #punctuation(sign: string, expected = `'${sign}'`): void {
    if (this.#token !== sign) throw this.#unexpected(expected);
    this.#next();
  }

  /** Consumes ',' or ')'. True after a comma, which another item follows. */
  #more(): boolean {
    if (this.#token === ',') {
      this.#next();
      return true;
    }
    this.#punctuation(')', "',' or ')'");
    return false;
  }

  #geometry(nested: number): Geometry {
    if (nested > maxNesting) throw new FormatError(`Geometry collections are nested more than ${maxNesting} deep.`);
    const start = this.#start;
    const [, word = '', dimensions] = /^([A-Z]+?)(ZM|Z|M)?$/.exec(this.#token.toUpperCase()) ?? [];
    const known = depths[word];
    if (known === undefined && word !== 'GEOMETRYCOLLECTION')
      throw this.#unexpected(`one of ${Object.keys(depths).join(', ')} or GEOMETRYCOLLECTION`);
    this.#next();
    if (dimensions === undefined && /^(ZM|Z|M)$/i.test(this.#token)) this.#next();
    if (/^EMPTY$/i.test(this.#token))
      throw new FormatError(`The geometry at character ${start + 1} is empty. Leave it out or give its coordinates.`);
    return known === undefined ? this.#collection(nested) : this.#simple(known.type, known.depth);
  }

  #collection(nested: number): Geometry {
    const members: Geometry[] = [];
    this.#punctuation('(');
    do members.push(this.#geometry(nested + 1));
    while (this.#more());
    return { type: 'GeometryCollection', coordinates: new Float64Array(0), members };
  }

  #simple(type: GeometryType, depth: number): Geometry {
    this.#coordinates = [];
    this.#parts = [];
    this.#polygons = [];
    if (depth === 0) {
      this.#punctuation('(');
      this.#vertex();
      this.#punctuation(')');
    } else this.#list(depth, type);
    return {
      type,
      coordinates: Float64Array.from(this.#coordinates),
      ...(depth < 2 ? {} : { parts: Uint32Array.from(this.#parts) }),
      ...(depth < 3 ? {} : { polygons: Uint32Array.from(this.#polygons) }),
    };
  }

  /** Parses nested lists down to vertices. */
  #list(depth: number, type: GeometryType): void {
    const start = this.#start;
    this.#punctuation('(');
    if (depth === 2 && type === 'MultiPolygon') this.#polygons.push(this.#parts.length);
    const first = this.#coordinates.length;
    if (depth === 1 && type !== 'MultiPoint' && type !== 'LineString') this.#parts.push(first / 2);
    do {
      if (depth > 1) this.#list(depth - 1, type);
      else if (type === 'MultiPoint' && this.#token === '(') {
        this.#next();
        this.#vertex();
        this.#punctuation(')');
      } else this.#vertex();
    } while (this.#more());
    if (depth === 1) this.#checkLine(type, first, start);
  }

  #checkLine(type: GeometryType, first: number, start: number): void {
    const all = this.#coordinates;
    const vertices = (all.length - first) / 2;
    if (type.endsWith('LineString') && vertices < 2)
      throw new FormatError(`The line at character ${start + 1} has one vertex. It needs at least two.`);
    if (!type.endsWith('Polygon')) return;
    if (vertices < 4)
      throw new FormatError(`The ring at character ${start + 1} has ${vertices} vertices. It needs at least four.`);
    if (all[first] !== all.at(-2) || all[first + 1] !== all.at(-1))
      throw new FormatError(`The ring at character ${start + 1} is not closed. Its last vertex must equal its first.`);
  }

  #vertex(): void {
    let numbers = 0;
    while (/^[-+.\d]/.test(this.#token)) {
      const value = Number(this.#token);
      if (!Number.isFinite(value)) throw this.#unexpected('a number in the range of a double');
      if (numbers++ < 2) this.#coordinates.push(value);
      if (numbers > 4) throw this.#unexpected("',' or ')'");
      this.#next();
    }
    if (numbers < 2) throw this.#unexpected('a number');
  }
}
