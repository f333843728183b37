import type { Geometry, GeometryType } from '../../data/feature-collection.ts';
import { FormatError } from '../../errors.ts';
import type { CoordinatePool } from '../io/coordinate-pool.ts';
import type { Cursor } from './json-scanner.ts';

/** A geometry that is JSON, but not a geometry: its feature is a bad record. The cursor stands behind it. */
export class InvalidGeometry extends FormatError {}

/** How deep the positions of a geometry lie. */
const depths: Readonly<Record<string, number>> = {
  Point: 0,
  LineString: 1,
  MultiPoint: 1,
  Polygon: 2,
  MultiLineString: 2,
  MultiPolygon: 3,
};

export const isGeometryType = (type: string): boolean => type in depths || type === 'GeometryCollection';

const mostNested = 32;

/** Geometries at a cursor, with coordinates of two numbers or three. */
export class GeometryParser {
  /** A position had more numbers than three. */
  dropped = false;
  readonly #cursor: Cursor;
  readonly #hasZ: boolean;
  readonly #pool: CoordinatePool;
  #numbers = new Float64Array(1 << 12);
  #count = 0;
  readonly #parts: number[] = [];
  readonly #polygons: number[] = [];

  constructor(cursor: Cursor, hasZ: boolean, pool: CoordinatePool) {
    this.#cursor = cursor;
    this.#hasZ = hasZ;
    this.#pool = pool;
  }

  /**
   * The geometry of an object; undefined for null.
   * @throws InvalidGeometry when it is none, with the cursor behind it
   */
  geometry(nested = 0): Geometry | undefined {
    const cursor = this.#cursor;
    if (cursor.peek() === 110) {
      cursor.literal('null');
      return undefined;
    }
    const start = cursor.at;
    // Only now is it known that the whole object is in memory.
    const result = this.#read(nested);
    if (typeof result === 'object') return result;
    const place = cursor.base + start;
    cursor.at = start;
    cursor.skip();
    throw new InvalidGeometry(result, place);
  }

  /** The geometry, or what is wrong with it. */
  #read(nested: number): Geometry | string {
    const cursor = this.#cursor;
    if (cursor.peek() !== 123) return 'A geometry is not an object.';
    if (nested > mostNested) return `Geometry collections are nested more than ${mostNested} deep.`;
    cursor.at++;
    let type: string | undefined;
    let coordinates = -1;
    let result: Geometry | string | undefined;
    for (let first = true; cursor.more(125, first); first = false) {
      const key = cursor.key();
      if (key === 'type' && cursor.peek() === 34) type = cursor.string();
      else if (key === 'coordinates' || key === 'geometries') {
        cursor.peek();
        coordinates = cursor.at;
        if (type === undefined) cursor.skip();
        else {
          result = this.#content(type, nested);
          if (typeof result === 'string') return result;
        }
      } else cursor.skip();
    }
    if (result !== undefined) return result;
    if (type === undefined) return 'A geometry has no type.';
    if (coordinates < 0)
      return isGeometryType(type)
        ? `A ${type} has no coordinates.`
        : `'${type.slice(0, 40)}' is not a type of geometry.`;
    const end = cursor.at;
    cursor.at = coordinates;
    result = this.#content(type, nested);
    cursor.at = end;
    return result;
  }

  #content(type: string, nested: number): Geometry | string {
    const cursor = this.#cursor;
    if (type === 'GeometryCollection') {
      if (cursor.peek() !== 91) return 'The geometries of a collection are not an array.';
      cursor.at++;
      const members: Geometry[] = [];
      for (let first = true; cursor.more(93, first); first = false) {
        const member = this.#read(nested + 1);
        if (typeof member === 'string') return member;
        members.push(member);
      }
      return { type: 'GeometryCollection', coordinates: this.#pool.coordinates(0), members };
    }
    const depth = depths[type];
    if (depth === undefined) return `'${type.slice(0, 40)}' is not a type of geometry.`;
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

  /** Arrays in arrays down to positions. */
  #positions(depth: number, whole: number): string | undefined {
    const cursor = this.#cursor;
    if (depth === 0) return this.#position(whole === 0);
    if (cursor.peek() !== 91) return 'Coordinates are not nested as their type demands.';
    cursor.at++;
    // Lines and rings lie one above their positions; empty ones are none.
    const before = this.#count;
    const partsBefore = this.#parts.length;
    if (depth === 1 && whole > 1) this.#parts.push(this.#count / (this.#hasZ ? 3 : 2));
    for (let first = true; cursor.more(93, first); first = false) {
      const wrong = depth === 1 ? this.#position(false) : this.#positions(depth - 1, whole);
      if (wrong !== undefined) return wrong;
    }
    if (this.#count === before) this.#parts.length = partsBefore;
    else if (depth === 2 && whole === 3) this.#polygons.push(partsBefore);
    return undefined;
  }

  #position(mayBeEmpty: boolean): string | undefined {
    const cursor = this.#cursor;
    if (cursor.peek() !== 91) return 'A position is not an array of numbers.';
    cursor.at++;
    if (this.#count + 3 > this.#numbers.length) {
      const wider = new Float64Array(2 * this.#numbers.length);
      wider.set(this.#numbers);
      this.#numbers = wider;
    }
    let n = 0;
    for (; cursor.more(93, n === 0); n++) {
      const c = cursor.peek();
      if (c !== 45 && (c < 48 || c > 57)) return c === 0 ? cursor.fail('') : 'A position is not an array of numbers.';
      const value = cursor.number();
      if (!Number.isFinite(value)) return 'A coordinate is too large for a double.';
      if (n < 2 || (n === 2 && this.#hasZ)) this.#numbers[this.#count++] = value;
    }
    if (n === 0 && mayBeEmpty) return undefined;
    if (n < 2) return `A position has ${n} numbers; it takes two.`;
    if (n > 3) this.dropped = true;
    if (n === 2 && this.#hasZ) this.#numbers[this.#count++] = Number.NaN;
    return undefined;
  }
}
