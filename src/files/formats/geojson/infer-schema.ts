import type { ByteSource } from '../../data/bytes.ts';
import { isDate, isDateTime } from '../../data/date-text.ts';
import type { Field, FieldType } from '../../data/feature-collection.ts';
import { FormatError } from '../../errors.ts';
import type { Context } from '../define.ts';
import type { JsonScanner } from './json-scanner.ts';
import { walk } from './walk.ts';

/** Properties of a GeoJSON text that are known only after reading all of it. */
export interface InferredSchema {
  fields: Field[];
  hasZ: boolean;
  count: number;
  name?: string;
  /** The crs member, parsed; `null` for a crs of null. */
  crs?: unknown;
}

const maxFields = 4096;

interface InferredField {
  /** Undefined as long as all values are null. */
  type: FieldType | undefined;
  /** The name between its quotes, with escapes. */
  raw: Buffer;
}

/**
 * Reads the text once and infers names and types of properties (in order of first appearance), whether there are
 * heights, and the CRS.
 */
export async function inferSchema(source: ByteSource, context: Context): Promise<InferredSchema> {
  const fields = new Map<string, InferredField>();
  const foreign = new Set<string>();
  const result: InferredSchema = { fields: [], hasZ: false, count: 0 };
  const roots = (scanner: JsonScanner) => {
    const properties = new PropertyTypes(scanner, fields);
    const member = (key: string) => {
      if (key === 'crs') result.crs = jsonValue(scanner);
      else if (key === 'name' && scanner.peek() === 34) result.name = scanner.string();
      else {
        scanner.skip();
        if (key !== 'bbox' && key !== 'type' && foreign.size < 20) foreign.add(key);
      }
    };
    return {
      member: (_: JsonScanner, key: string) => member(key),
      feature(_: JsonScanner, alone: boolean) {
        if (scanner.peek() !== 123) scanner.skip();
        else {
          scanner.at++;
          for (let first = true; scanner.more(125, first); first = false) {
            const key = scanner.key();
            if (key === 'properties') properties.read();
            else if (key === 'geometry' || key === 'coordinates' || key === 'geometries') {
              if (skipCoordinates(scanner)) result.hasZ = true;
            } else if (key === 'id' || key === 'type' || key === 'bbox') scanner.skip();
            else if (key === 'crs' && alone) member(key);
            else {
              scanner.skip();
              if (foreign.size < 20) foreign.add(key);
            }
          }
        }
        result.count++;
      },
    };
  };
  for await (const _ of walk(source, roots)) context.signal.throwIfAborted();
  if (foreign.size > 0) context.reportLoss(`Foreign members were left out: ${[...foreign].join(', ').slice(0, 300)}.`);
  for (const [name, { type }] of fields)
    result.fields.push(type === undefined ? { name, type: 'string', untyped: true } : { name, type });
  return result;
}

export function jsonValue(scanner: JsonScanner): unknown {
  scanner.peek();
  const start = scanner.at;
  scanner.skip();
  try {
    return JSON.parse(scanner.bytes.toString('utf8', start, scanner.at));
  } catch {
    throw new FormatError('The file is not valid JSON here.', scanner.base + start);
  }
}

/** Skips a geometry or its coordinates. Returns whether any position has three numbers. */
function skipCoordinates(scanner: JsonScanner): boolean {
  const { bytes } = scanner;
  const opening = scanner.peek();
  if (opening !== 91 && opening !== 123) {
    scanner.skip();
    return false;
  }
  let at = scanner.at;
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
      // A member name or type: not inside a position.
      innermost = false;
      scanner.at = at - 1;
      scanner.skipString();
      at = scanner.at;
    } else if (c === 0 && at > scanner.end) {
      scanner.at = scanner.end;
      scanner.fail('');
    }
  }
  scanner.at = at;
  return hasZ;
}

class PropertyTypes {
  readonly #scanner: JsonScanner;
  readonly #fields: Map<string, InferredField>;
  /** Fields in the order of the last object, which is nearly always the order of the next one. */
  readonly #list: InferredField[] = [];

  constructor(scanner: JsonScanner, fields: Map<string, InferredField>) {
    this.#scanner = scanner;
    this.#fields = fields;
  }

  /** Reads the properties of a feature and widens the types of their fields. */
  read(): void {
    const scanner = this.#scanner;
    if (scanner.peek() !== 123) {
      scanner.skip();
      return;
    }
    scanner.at++;
    for (let n = 0; scanner.more(125, n === 0); n++) {
      let found: InferredField | undefined = this.#list[n];
      if (found !== undefined && skipKeyIf(scanner, found.raw)) scanner.expect(58);
      else {
        const start = scanner.at + 1;
        const name = scanner.string();
        const raw = Buffer.from(scanner.bytes.subarray(start, scanner.at - 1));
        scanner.expect(58);
        found = this.#fields.get(name);
        if (found === undefined) {
          if (this.#fields.size >= maxFields)
            throw new FormatError(`The features have more than ${maxFields} different properties.`, scanner.offset);
          found = { type: undefined, raw };
          this.#fields.set(name, found);
        }
        this.#list[n] = found;
      }
      found.type = merged(found.type, typeAt(scanner));
    }
  }
}

/** Skips a member name if it equals `raw`. */
export function skipKeyIf(scanner: JsonScanner, raw: Buffer): boolean {
  if (scanner.peek() !== 34) return false;
  const { bytes, at } = scanner;
  const { length } = raw;
  if (bytes[at + 1 + length] !== 34) return false;
  for (let i = 0; i < length; i++) if (bytes[at + 1 + i] !== raw[i]) return false;
  scanner.at = at + length + 2;
  return true;
}

/** Skips a value and returns its type; undefined for null. */
function typeAt(scanner: JsonScanner): FieldType | undefined {
  const c = scanner.peek();
  const start = scanner.at;
  if (c === 34) {
    scanner.skipString();
    return stringType(scanner.bytes, start + 1, scanner.at - 1);
  }
  scanner.skip();
  if (c === 110) return undefined;
  if (c === 116 || c === 102) return 'boolean';
  if (c === 123 || c === 91) return 'json';
  const { bytes } = scanner;
  for (let at = start; at < scanner.at; at++) if (bytes[at] === 46 || (bytes[at]! | 32) === 101) return 'real';
  if (scanner.at - start < 10) return 'integer';
  const value = BigInt(bytes.toString('latin1', start, scanner.at));
  if (BigInt.asIntN(32, value) === value) return 'integer';
  return BigInt.asIntN(64, value) === value ? 'integer64' : 'real';
}

function stringType(bytes: Buffer, start: number, end: number): FieldType {
  const length = end - start;
  if (length < 10 || length > 40 || (bytes[start + 4] !== 45 && bytes[start + 4] !== 47)) return 'string';
  const text = bytes.toString('latin1', start, end);
  return isDate(text) ? 'date' : isDateTime(text) ? 'dateTime' : 'string';
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
