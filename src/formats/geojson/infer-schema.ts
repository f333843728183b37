import type { ByteSource } from '../../data/bytes.ts';
import type { Field, FieldType } from '../../data/feature-collection.ts';
import { FormatError } from '../../errors.ts';
import type { Context } from '../define.ts';
import type { Cursor } from './json-scanner.ts';
import { walk } from './walk.ts';

/** What a GeoJSON text says of itself only when all of it was seen. */
export interface Survey {
  fields: Field[];
  hasZ: boolean;
  count: number;
  name?: string;
  /** The crs member, parsed; `null` for a crs of null. */
  crs?: unknown;
}

const mostFields = 4096;

interface Found {
  type: FieldType | undefined;
  /** The name as it stands between its quotes. */
  raw: Buffer;
}

/** Goes through the text once: names and types of the properties in the order in which they first come, heights, crs. */
export async function survey(source: ByteSource, context: Context): Promise<Survey> {
  const fields = new Map<string, Found>();
  const foreign = new Set<string>();
  const result: Survey = { fields: [], hasZ: false, count: 0 };
  const roots = (cursor: Cursor) => {
    const properties = new PropertySurvey(cursor, fields);
    const member = (key: string) => {
      if (key === 'crs') result.crs = jsonValue(cursor);
      else if (key === 'name' && cursor.peek() === 34) result.name = cursor.string();
      else {
        cursor.skip();
        if (key !== 'bbox' && key !== 'type' && foreign.size < 20) foreign.add(key);
      }
    };
    return {
      member: (_: Cursor, key: string) => member(key),
      feature(_: Cursor, alone: boolean) {
        if (cursor.peek() !== 123) cursor.skip();
        else {
          cursor.at++;
          for (let first = true; cursor.more(125, first); first = false) {
            const key = cursor.key();
            if (key === 'properties') properties.look();
            else if (key === 'geometry' || key === 'coordinates' || key === 'geometries') {
              if (skipCoordinates(cursor)) result.hasZ = true;
            } else if (key === 'id' || key === 'type' || key === 'bbox') cursor.skip();
            else if (key === 'crs' && alone) member(key);
            else {
              cursor.skip();
              if (foreign.size < 20) foreign.add(key);
            }
          }
        }
        result.count++;
      },
    };
  };
  for await (const _ of walk(source, roots)) context.signal.throwIfAborted();
  if (foreign.size > 0)
    context.lost(`Members that GeoJSON does not know are left out: ${[...foreign].join(', ').slice(0, 300)}.`);
  for (const [name, { type }] of fields)
    result.fields.push(type === undefined ? { name, type: 'string', untyped: true } : { name, type });
  return result;
}

export function jsonValue(cursor: Cursor): unknown {
  cursor.peek();
  const start = cursor.at;
  cursor.skip();
  try {
    return JSON.parse(cursor.bytes.toString('utf8', start, cursor.at));
  } catch {
    throw new FormatError('This is not JSON.', cursor.base + start);
  }
}

/** Goes over a geometry or its coordinates; tells whether any innermost array has three numbers. */
function skipCoordinates(cursor: Cursor): boolean {
  const { bytes } = cursor;
  const opening = cursor.peek();
  if (opening !== 91 && opening !== 123) {
    cursor.skip();
    return false;
  }
  let at = cursor.at;
  let depth = 0;
  let commas = 0;
  let innermost = false;
  let hasZ = false;
  for (;;) {
    const c = bytes[at++]!;
    if (c >= 45 && c <= 57) continue;
    if (c === 44) commas++;
    else if (c === 91) {
      depth++;
      commas = 0;
      innermost = true;
    } else if (c === 93) {
      if (innermost && commas > 1) hasZ = true;
      innermost = false;
      if (--depth === 0) break;
    } else if (c === 123) {
      depth++;
      innermost = false;
    } else if (c === 125) {
      innermost = false;
      if (--depth === 0) break;
    } else if (c === 34) {
      // Names of members and types: no position has one.
      innermost = false;
      cursor.at = at - 1;
      cursor.skipString();
      at = cursor.at;
    } else if (c === 0 && at > cursor.end) {
      cursor.at = cursor.end;
      cursor.fail('');
    }
  }
  cursor.at = at;
  return hasZ;
}

class PropertySurvey {
  readonly #cursor: Cursor;
  readonly #fields: Map<string, Found>;
  /** In the order of the last object: nearly always also that of the next. */
  readonly #list: Found[] = [];

  constructor(cursor: Cursor, fields: Map<string, Found>) {
    this.#cursor = cursor;
    this.#fields = fields;
  }

  look(): void {
    const cursor = this.#cursor;
    if (cursor.peek() !== 123) {
      cursor.skip();
      return;
    }
    cursor.at++;
    for (let n = 0; cursor.more(125, n === 0); n++) {
      let found: Found | undefined = this.#list[n];
      if (found !== undefined && atKey(cursor, found.raw)) cursor.expect(58);
      else {
        const start = cursor.at + 1;
        const name = cursor.string();
        const raw = Buffer.from(cursor.bytes.subarray(start, cursor.at - 1));
        cursor.expect(58);
        found = this.#fields.get(name);
        if (found === undefined) {
          if (this.#fields.size >= mostFields)
            throw new FormatError(
              `The features have more than ${mostFields} properties of different names.`,
              cursor.place,
            );
          found = { type: undefined, raw };
          this.#fields.set(name, found);
        }
        this.#list[n] = found;
      }
      found.type = merged(found.type, typeAt(cursor));
    }
  }
}

/** Goes over a member's name if it is this one. */
export function atKey(cursor: Cursor, raw: Buffer): boolean {
  if (cursor.peek() !== 34) return false;
  const { bytes, at } = cursor;
  const { length } = raw;
  if (bytes[at + 1 + length] !== 34) return false;
  for (let i = 0; i < length; i++) if (bytes[at + 1 + i] !== raw[i]) return false;
  cursor.at = at + length + 2;
  return true;
}

/** The type of a value, which is gone over; undefined for null. */
function typeAt(cursor: Cursor): FieldType | undefined {
  const c = cursor.peek();
  const start = cursor.at;
  if (c === 34) {
    cursor.skipString();
    return stringType(cursor.bytes, start + 1, cursor.at - 1);
  }
  cursor.skip();
  if (c === 110) return undefined;
  if (c === 116 || c === 102) return 'boolean';
  if (c === 123 || c === 91) return 'json';
  const { bytes } = cursor;
  for (let at = start; at < cursor.at; at++) if (bytes[at] === 46 || (bytes[at]! | 32) === 101) return 'real';
  if (cursor.at - start < 10) return 'integer';
  const value = BigInt(bytes.toString('latin1', start, cursor.at));
  if (BigInt.asIntN(32, value) === value) return 'integer';
  return BigInt.asIntN(64, value) === value ? 'integer64' : 'real';
}

const dateForm = /^\d{4}([-/])(0[1-9]|1[0-2])\1(0[1-9]|[12]\d|3[01])$/;
const timeForm =
  /^\d{4}([-/])(0[1-9]|1[0-2])\1(0[1-9]|[12]\d|3[01])[T ]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d+)?)?(Z|[+-]\d\d(:?\d\d)?)?$/;

function stringType(bytes: Buffer, start: number, end: number): FieldType {
  const length = end - start;
  if (length < 10 || length > 40 || (bytes[start + 4] !== 45 && bytes[start + 4] !== 47)) return 'string';
  const text = bytes.toString('latin1', start, end);
  return dateForm.test(text) ? 'date' : timeForm.test(text) ? 'dateTime' : 'string';
}

const order: readonly FieldType[] = ['boolean', 'integer', 'integer64', 'real'];

function merged(a: FieldType | undefined, b: FieldType | undefined): FieldType | undefined {
  if (a === b || b === undefined) return a;
  if (a === undefined) return b;
  const [i, j] = [order.indexOf(a), order.indexOf(b)];
  if (i >= 0 && j >= 0) return order[Math.max(i, j)];
  if ((a === 'date' && b === 'dateTime') || (a === 'dateTime' && b === 'date')) return 'dateTime';
  return 'string';
}
