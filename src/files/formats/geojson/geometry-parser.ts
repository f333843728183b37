import type { Geometry, GeometryType } from '../../data/feature-collection.ts';
import { grown } from '../../data/number-list.ts';
import { FormatError } from '../../errors.ts';
import { ONE_VERTEX, PART_LEFT_OUT, withoutShortLines } from '../../geo/vector/short-lines.ts';
import type { CoordinatePool } from '../io/coordinate-pool.ts';
import type { JsonScanner } from './json-scanner.ts';

/**
 * Thrown for valid JSON that is not a valid geometry: its feature is a bad record. The scanner is after the value.
 */
export class InvalidGeometry extends FormatError {}

/** Nesting depth of the positions of each geometry type. */
const depths: Readonly<Record<string, number>> = {
  Point: 0,
  LineString: 1,
  MultiPoint: 1,
  Polygon: 2,
  MultiLineString: 2,
  MultiPolygon: 3,
};

export const isGeometryType = (type: string): boolean => type in depths || type === 'GeometryCollection';

const maxNesting = 32;

/** Parses geometries with two or three numbers per position. */
export class GeometryParser {
  /** A position had more than three numbers; the others were dropped. */
  dropped = false;
  readonly #scanner: JsonScanner;
  readonly #hasZ: boolean;
  readonly #pool: CoordinatePool;
  #numbers = new Float64Array(1 << 12);
  #count = 0;
  readonly #parts: number[] = [];
  readonly #polygons: number[] = [];

  readonly #remark: (sentence: string) => void;

  constructor(
    scanner: JsonScanner,
    hasZ: boolean,
    { pool, remark }: { pool: CoordinatePool; remark(sentence: string): void },
  ) {
    this.#remark = remark;
    this.#scanner = scanner;
    this.#hasZ = hasZ;
    this.#pool = pool;
  }

  /**
   * Parses a geometry; undefined for null.
   * @throws InvalidGeometry for another value, with the scanner behind it
   */
  geometry(nested = 0): Geometry | undefined {
    const scanner = this.#scanner;
    if (scanner.peek() === 110) {
      scanner.literal('null');
      return undefined;
    }
    const start = scanner.at;
    let result = this.#read(nested);
    if (typeof result === 'object') {
      const lines = withoutShortLines(result, this.#hasZ ? 3 : 2);
      if (lines !== undefined && lines !== result) this.#remark(PART_LEFT_OUT);
      if (lines !== undefined) return lines;
      result = ONE_VERTEX;
    }
    // Skip first: if the value continues in the file, this scans it again with more bytes before the error is reported.
    const offset = scanner.base + start;
    scanner.at = start;
    scanner.skip();
    throw new InvalidGeometry(result, offset);
  }

  /** Returns the geometry, or a sentence about the error. */
  #read(nested: number): Geometry | string {
    const scanner = this.#scanner;
    if (scanner.peek() !== 123) return 'A geometry is not an object.';
    if (nested > maxNesting) return `Geometry collections are nested more than ${maxNesting} deep.`;
    scanner.at++;
    let type: string | undefined;
    let coordinates = -1;
    let result: Geometry | string | undefined;
    for (let first = true; scanner.more(125, first); first = false) {
      const key = scanner.key();
      if (key === 'type' && scanner.peek() === 34) type = scanner.string();
      else if (key === 'coordinates' || key === 'geometries') {
        scanner.peek();
        coordinates = scanner.at;
        if (type === undefined) scanner.skip();
        else {
          result = this.#content(type, nested);
          if (typeof result === 'string') return result;
        }
      } else scanner.skip();
    }
    if (result !== undefined) return result;
    if (type === undefined) return 'A geometry has no type.';
    if (coordinates < 0)
      return isGeometryType(type) ? `A ${type} has no coordinates.` : `'${type.slice(0, 40)}' is not a geometry type.`;
    const end = scanner.at;
    scanner.at = coordinates;
    result = this.#content(type, nested);
    scanner.at = end;
    return result;
  }

  #content(type: string, nested: number): Geometry | string {
    const scanner = this.#scanner;
    if (type === 'GeometryCollection') {
      if (scanner.peek() !== 91) return 'The geometries of a collection are not an array.';
      scanner.at++;
      const members: Geometry[] = [];
      for (let first = true; scanner.more(93, first); first = false) {
        const member = this.#read(nested + 1);
        if (typeof member === 'string') return member;
        members.push(member);
      }
      return { type: 'GeometryCollection', coordinates: this.#pool.coordinates(0), members };
    }
    const depth = depths[type];
    if (depth === undefined) return `'${type.slice(0, 40)}' is not a geometry type.`;
    this.#count = 0;
    this.#parts.length = 0;
    this.#polygons.length = 0;
    const wrong = this.#positions(depth, depth);
    if (wrong !== undefined) return wrong;
    const coordinates = this.#pool.coordinates(this.#count);
    coordinates.set(this.#numbers.subarray(0, this.#count));
    return {
      type: type as GeometryType,
      coordinates,
      ...(depth < 2 ? {} : { parts: this.#starts(this.#parts) }),
      ...(depth < 3 ? {} : { polygons: this.#starts(this.#polygons) }),
    };
  }

  #starts(list: number[]): Uint32Array {
    const starts = this.#pool.starts(list.length);
    for (let n = 0; n < list.length; n++) starts[n] = list[n]!;
    return starts;
  }

  /** Parses nested arrays down to positions. Returns a sentence about an error. */
  #positions(depth: number, whole: number): string | undefined {
    const scanner = this.#scanner;
    if (depth === 0) return this.#position(whole === 0);
    if (scanner.peek() !== 91) return 'Coordinates are not nested as deep as the geometry type demands.';
    scanner.at++;
    // Lines and rings are one level above positions. Empty ones are dropped.
    const before = this.#count;
    const partsBefore = this.#parts.length;
    if (depth === 1 && whole > 1) this.#parts.push(this.#count / (this.#hasZ ? 3 : 2));
    for (let first = true; scanner.more(93, first); first = false) {
      const wrong = depth === 1 ? this.#position(false) : this.#positions(depth - 1, whole);
      if (wrong !== undefined) return wrong;
    }
    if (this.#count === before) this.#parts.length = partsBefore;
    else if (depth === 2 && whole === 3) this.#polygons.push(partsBefore);
    return undefined;
  }

  #position(mayBeEmpty: boolean): string | undefined {
    const scanner = this.#scanner;
    if (scanner.peek() !== 91) return 'A position is not an array of numbers.';
    scanner.at++;
    if (this.#count + 3 > this.#numbers.length) this.#numbers = grown(this.#numbers);
    let n = 0;
    for (; scanner.more(93, n === 0); n++) {
      const c = scanner.peek();
      if (c !== 45 && (c < 48 || c > 57)) return c === 0 ? scanner.fail('') : 'A position is not an array of numbers.';
      const value = scanner.number();
      if (!Number.isFinite(value)) return 'A coordinate is too large for a double.';
      if (n < 2 || (n === 2 && this.#hasZ)) this.#numbers[this.#count++] = value;
    }
    if (n === 0 && mayBeEmpty) return undefined;
    if (n < 2) return `A position has ${n} numbers. It needs at least two.`;
    if (n > 3) this.dropped = true;
    if (n === 2 && this.#hasZ) this.#numbers[this.#count++] = Number.NaN;
    return undefined;
  }
}
