import type { Feature, Geometry } from '../../data/feature-collection.ts';
import { FormatError } from '../../errors.ts';
import type { Context } from '../define.ts';
import type { CoordinatePool } from '../io/coordinate-pool.ts';
import { GeometryParser, InvalidGeometry, isGeometryType } from './geometry-parser.ts';
import type { Survey } from './infer-schema.ts';
import { atKey } from './infer-schema.ts';
import type { Cursor } from './json-scanner.ts';
import type { Visitor } from './walk.ts';

/** Makes features, one after the other, of the objects that a cursor stands at. */
export class FeatureParser implements Visitor {
  readonly #cursor: Cursor;
  readonly #context: Context;
  readonly #geometry: GeometryParser;
  readonly #places: ReadonlyMap<string, number>;
  readonly #noValues: null[];
  /** Names between their quotes, and the fields that they name, in the order of the last object. */
  readonly #expected: { raw: Buffer; place: number }[] = [];
  #features: Feature[] = [];
  #number = 0;

  constructor(cursor: Cursor, { fields, hasZ }: Survey, pool: CoordinatePool, context: Context) {
    this.#cursor = cursor;
    this.#context = context;
    this.#geometry = new GeometryParser(cursor, hasZ, pool);
    this.#places = new Map(fields.map(({ name }, n) => [name, n]));
    this.#noValues = fields.map(() => null);
  }

  take(): Feature[] {
    const features = this.#features;
    this.#features = [];
    return features;
  }

  tell(): void {
    if (this.#geometry.dropped) this.#context.lost('Positions had more than three numbers; only x, y and z were read.');
    if (this.#cursor.foreignText) this.#context.lost('Texts that are not UTF-8 were taken for Windows-1252.');
  }

  member(cursor: Cursor): void {
    cursor.skip();
  }

  feature(cursor: Cursor): void {
    const start = cursor.at;
    let feature: Feature;
    try {
      feature = this.#read(cursor);
    } catch (error) {
      if (!(error instanceof InvalidGeometry)) throw error;
      cursor.at = start;
      cursor.skip();
      this.#number++;
      const reason = new FormatError(`Feature ${this.#number}: ${error.message}`);
      this.#context.badRecord({ number: this.#number, reason });
      return;
    }
    this.#number++;
    this.#features.push(feature);
  }

  #read(cursor: Cursor): Feature {
    const start = cursor.at;
    if (cursor.peek() !== 123) throw new InvalidGeometry('It is not an object.', cursor.place);
    const start2 = cursor.at;
    cursor.at++;
    let type: string | undefined;
    let id: string | number | undefined;
    let geometry: Geometry | undefined;
    let values: readonly unknown[] = this.#noValues;
    for (let first = true; cursor.more(125, first); first = false) {
      const key = cursor.key();
      const c = cursor.peek();
      if (key === 'geometry') geometry = this.#geometry.geometry();
      else if (key === 'properties' && c === 123) values = this.#properties(cursor);
      else if (key === 'type' && c === 34) {
        type = cursor.string();
        if (isGeometryType(type)) {
          cursor.at = start2;
          geometry = this.#geometry.geometry();
          break;
        }
      } else if (key === 'id' && c === 34) id = cursor.string();
      else if (key === 'id' && (c === 45 || (c >= 48 && c <= 57))) id = this.#numberId(cursor);
      else cursor.skip();
    }
    if (type === undefined || (type !== 'Feature' && !isGeometryType(type)))
      throw new InvalidGeometry(
        type === undefined ? 'It has no type.' : `Its type is '${type.slice(0, 40)}', not Feature.`,
        cursor.base + start,
      );
    return { ...(id === undefined ? {} : { id }), ...(geometry === undefined ? {} : { geometry }), values };
  }

  #numberId(cursor: Cursor): string | number {
    const value = cursor.number(true);
    return typeof value === 'bigint' ? String(value) : value;
  }

  #properties(cursor: Cursor): unknown[] {
    cursor.at++;
    const values: unknown[] = this.#noValues.slice();
    for (let n = 0; cursor.more(125, n === 0); n++) {
      let expected = this.#expected[n];
      if (expected === undefined || !atKey(cursor, expected.raw)) {
        const start = cursor.at + 1;
        const place = this.#places.get(cursor.string());
        if (place === undefined) throw new Error('The file changed between its two readings.');
        expected = { raw: Buffer.from(cursor.bytes.subarray(start, cursor.at - 1)), place };
        this.#expected[n] = expected;
      }
      cursor.expect(58);
      values[expected.place] = valueAt(cursor);
    }
    return values;
  }
}

function valueAt(cursor: Cursor): unknown {
  const c = cursor.peek();
  if (c === 34) return cursor.string();
  if (c === 123 || c === 91) return nestedText(cursor);
  if (c === 110) {
    cursor.literal('null');
    return null;
  }
  if (c === 116 || c === 102) {
    cursor.literal(c === 116 ? 'true' : 'false');
    return c === 116;
  }
  const value = cursor.number(true);
  if (typeof value === 'number' && !Number.isFinite(value))
    cursor.fail('The number before this is too large for a double.');
  return value;
}

/** An object or array as its JSON text, without blanks around its parts; numbers keep their digits. */
function nestedText(cursor: Cursor): string {
  const start = cursor.at;
  cursor.skip();
  const text = cursor.bytes.toString('utf8', start, cursor.at);
  try {
    JSON.parse(text);
  } catch {
    throw new FormatError('The value of a property is not JSON.', cursor.base + start);
  }
  return text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1');
}
