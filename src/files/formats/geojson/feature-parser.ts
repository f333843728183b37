import type { Feature, Geometry } from '../../data/feature-collection.ts';
import { FormatError } from '../../errors.ts';
import type { Context } from '../define.ts';
import type { CoordinatePool } from '../io/coordinate-pool.ts';
import { GeometryParser, InvalidGeometry, isGeometryType } from './geometry-parser.ts';
import { type InferredSchema, skipKeyIf } from './infer-schema.ts';
import type { JsonScanner } from './json-scanner.ts';
import type { Visitor } from './walk.ts';

/** Parses the features of a GeoJSON text, whose schema is known. */
export class FeatureParser implements Visitor {
  readonly #scanner: JsonScanner;
  readonly #context: Context;
  readonly #geometry: GeometryParser;
  readonly #fieldNumbers: ReadonlyMap<string, number>;
  readonly #noValues: null[];
  /**
   * Raw names and field numbers of the properties of the last feature, in order: nearly always also those of the next.
   */
  readonly #expected: { raw: Buffer; field: number }[] = [];
  #features: Feature[] = [];
  #number = 0;

  constructor(scanner: JsonScanner, { fields, hasZ }: InferredSchema, pool: CoordinatePool, context: Context) {
    this.#scanner = scanner;
    this.#context = context;
    this.#geometry = new GeometryParser(scanner, hasZ, { pool, remark: context.remark });
    this.#fieldNumbers = new Map(fields.map(({ name }, n) => [name, n]));
    this.#noValues = fields.map(() => null);
  }

  /** Returns the features parsed since the last call. */
  take(): Feature[] {
    const features = this.#features;
    this.#features = [];
    return features;
  }

  report(): void {
    if (this.#geometry.dropped)
      this.#context.reportLoss('Positions have more than three numbers; only x, y and z were read.');
    if (this.#scanner.hasInvalidUtf8)
      this.#context.reportLoss('Strings that are not valid UTF-8 were decoded as Windows-1252.');
  }

  member(scanner: JsonScanner): void {
    scanner.skip();
  }

  feature(scanner: JsonScanner): void {
    const start = scanner.at;
    let feature: Feature;
    try {
      feature = this.#read(scanner);
    } catch (error) {
      if (!(error instanceof InvalidGeometry)) throw error;
      scanner.at = start;
      scanner.skip();
      this.#number++;
      const reason = new FormatError(`Feature ${this.#number}: ${error.message}`);
      this.#context.reportBadRecord({ number: this.#number, reason });
      return;
    }
    this.#number++;
    this.#features.push(feature);
  }

  #read(scanner: JsonScanner): Feature {
    const start = scanner.at;
    if (scanner.peek() !== 123) throw new InvalidGeometry('It is not an object.', scanner.offset);
    const object = scanner.at;
    scanner.at++;
    let type: string | undefined;
    let id: string | number | undefined;
    let geometry: Geometry | undefined;
    let values: readonly unknown[] = this.#noValues;
    for (let first = true; scanner.more(125, first); first = false) {
      const key = scanner.key();
      const c = scanner.peek();
      if (key === 'geometry') geometry = this.#geometry.geometry();
      else if (key === 'properties' && c === 123) values = this.#properties(scanner);
      else if (key === 'type' && c === 34) {
        type = scanner.string();
        if (isGeometryType(type)) {
          scanner.at = object;
          geometry = this.#geometry.geometry();
          break;
        }
      } else if (key === 'id' && c === 34) id = scanner.string();
      else if (key === 'id' && (c === 45 || (c >= 48 && c <= 57))) id = this.#numberId(scanner);
      else scanner.skip();
    }
    if (type === undefined || (type !== 'Feature' && !isGeometryType(type)))
      throw new InvalidGeometry(
        type === undefined ? 'It has no type.' : `Its type is '${type.slice(0, 40)}', not Feature.`,
        scanner.base + start,
      );
    return { ...(id === undefined ? {} : { id }), ...(geometry === undefined ? {} : { geometry }), values };
  }

  #numberId(scanner: JsonScanner): string | number {
    const value = scanner.number(true);
    return typeof value === 'bigint' ? String(value) : value;
  }

  #properties(scanner: JsonScanner): unknown[] {
    scanner.at++;
    const values: unknown[] = this.#noValues.slice();
    for (let n = 0; scanner.more(125, n === 0); n++) {
      let expected = this.#expected[n];
      if (expected === undefined || !skipKeyIf(scanner, expected.raw)) {
        const start = scanner.at + 1;
        const field = this.#fieldNumbers.get(scanner.string());
        if (field === undefined) throw new Error('The file changed between the two passes over it.');
        expected = { raw: Buffer.from(scanner.bytes.subarray(start, scanner.at - 1)), field };
        this.#expected[n] = expected;
      }
      scanner.expect(58);
      values[expected.field] = valueAt(scanner);
    }
    return values;
  }
}

function valueAt(scanner: JsonScanner): unknown {
  const c = scanner.peek();
  if (c === 34) return scanner.string();
  if (c === 123 || c === 91) return nestedText(scanner);
  if (c === 110) {
    scanner.literal('null');
    return null;
  }
  if (c === 116 || c === 102) {
    scanner.literal(c === 116 ? 'true' : 'false');
    return c === 116;
  }
  const value = scanner.number(true);
  if (typeof value === 'number' && !Number.isFinite(value))
    scanner.fail('The number before this byte is too large for a double.');
  return value;
}

/** Reads an object or array as JSON text without white space. Numbers keep their digits. */
function nestedText(scanner: JsonScanner): string {
  const start = scanner.at;
  scanner.skip();
  const text = scanner.bytes.toString('utf8', start, scanner.at);
  try {
    JSON.parse(text);
  } catch {
    throw new FormatError('The value of a property is not JSON.', scanner.base + start);
  }
  return text.replace(/("(?:[^"\\]|\\.)*")|\s+/g, '$1');
}
