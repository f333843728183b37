import { BufferedWriter } from 'hydrofiles/bytes';
import { describeCrs, isNorthFirst, sameCrs, type Transformer, transformer } from 'hydrofiles/crs';
import { type Crs, type Feature, type Field, type Geometry, strideOf } from 'hydrofiles/data';
import {
  type Area,
  FeatureReader,
  GeometryWriter,
  type Header,
  InvalidRecord,
  keysOf,
  type Placed,
  type Precision,
  putFeature,
  unwritable,
} from 'hydrofiles/features';
import { invalidMember } from '../errors.ts';
import type { NamedCrs } from './crs-names.ts';
import { compileTest, type Expression, fieldsIn, type Test } from './filter-expression.ts';
import { EVERYWHERE, type SpatialFilter, spatialFilter } from './spatial-filter.ts';

/** A query on the features of a file. Plain JSON. */
export interface FeatureQuery {
  readonly header: Pick<Header, 'columns' | 'geometryType' | 'hasZ' | 'hasM' | 'box'>;
  /** The extent of the features is unknown. */
  readonly unbounded?: true;
  /** Coordinate system of the file; absent: unknown. */
  readonly stored?: Crs;
  /** In the order of coordinates of the system. */
  readonly bbox?: { readonly numbers: readonly [number, number, number, number]; readonly crs?: NamedCrs };
  readonly filter?: Expression;
  /** Only features with this id of their own. */
  readonly id?: string;
  /** Numbers of the fields that are wanted; absent: all. */
  readonly properties?: readonly number[];
  /** Absent: coordinates as they are stored. */
  readonly output?: NamedCrs;
}

/** A feature that is left out, and why. */
export interface Skipped {
  readonly number: number;
  readonly reason: string;
}

/** How many matches to pass over, and how many to write at most. */
export interface Portion {
  readonly skip: number;
  readonly limit: number;
}

export interface Rendered {
  /** GeoJSON features, separated by commas. */
  readonly text: Uint8Array;
  readonly count: number;
  /** Matches that were passed over. */
  readonly passed: number;
  /** Number of the first match beyond the limit. */
  readonly beyond?: number;
  readonly skipped: readonly Skipped[];
}

/** A part of the file, and the features in it. */
export interface FeaturePart {
  readonly bytes: Buffer;
  readonly offset: number;
  readonly features: Iterable<Placed>;
}

interface Numbered {
  readonly number: number;
  readonly feature: Feature;
}

/** Features that match; see `Rendered`. */
export interface Selected extends Omit<Rendered, 'text' | 'count'> {
  readonly features: Feature[];
  /** Bytes of the features in the file. */
  readonly bytes: number;
}

/** Decimals of transformed coordinates: a tenth of a millimetre or less. */
const decimals = { degrees: 9, metres: 4 } as const;

/** Tests features and writes those that match as GeoJSON. */
export class Renderer {
  readonly #query: FeatureQuery;
  /** Reads the columns that are written. */
  readonly #reader: FeatureReader;
  /** Reads what the filter or the id needs; absent without either. */
  readonly #tested: FeatureReader | undefined;
  readonly #fields: readonly Field[];
  readonly #keys: readonly Buffer[];
  readonly #stride: number;
  readonly #within: SpatialFilter | undefined;
  readonly #test: Test | undefined;
  readonly #change: Transformer | undefined;
  readonly #precision: Precision;
  readonly #northFirst: boolean;
  readonly #ownIds: boolean;

  private constructor(
    query: FeatureQuery,
    parts: { within?: SpatialFilter; change?: Transformer; precision: Precision; northFirst: boolean },
  ) {
    const { header, filter, properties } = query;
    const fields = header.columns.flatMap(({ field }) => field ?? []);
    this.#query = query;
    this.#reader = new FeatureReader(header, properties && new Set(properties));
    if (filter !== undefined || query.id !== undefined)
      this.#tested = new FeatureReader(header, new Set(filter && fieldsIn(filter)));
    this.#fields = properties === undefined ? fields : properties.map((n) => fields[n]!);
    this.#keys = keysOf(this.#fields);
    this.#stride = strideOf(header);
    this.#within = parts.within;
    this.#test = filter && compileTest(filter, fields);
    this.#change = parts.change;
    this.#precision = parts.precision;
    this.#northFirst = parts.northFirst;
    this.#ownIds = header.columns.some(({ isId }) => isId);
  }

  static async create(query: FeatureQuery): Promise<Renderer> {
    const { header, stored, bbox, output } = query;
    const box = query.unbounded ? EVERYWHERE : header.box;
    const within = bbox && (await compileFilter(bbox, { crs: stored, box }));
    const northFirst = output !== undefined && !output.lonLat && isNorthFirst(await describeCrs(output.crs));
    const parts = { northFirst, ...(within && { within }) };
    if (output === undefined || stored === undefined || (await sameCrs(stored, output.crs)))
      return new Renderer(query, { ...parts, precision: 'exact' });
    const { geographic } = await describeCrs(output.crs);
    const precision = geographic ? decimals.degrees : decimals.metres;
    return new Renderer(query, { ...parts, precision, change: await transformer(stored, output.crs) });
  }

  /** Where the features are that the box of the query may match; undefined: there is no box. */
  get areas(): readonly Area[] | undefined {
    return this.#within?.areas.map(({ west, south, east, north }) => ({ west, south, east, north }));
  }

  close(): void {
    this.#change?.close();
  }

  /** Writes the features that match. */
  async render(block: FeaturePart, portion: Portion): Promise<Rendered> {
    const { matching, passed, beyond, skipped } = this.#selected(block, portion);
    const { text, count } = await this.#write(matching, skipped);
    return { text, count, passed, skipped, ...(beyond === undefined ? {} : { beyond }) };
  }

  /** The features that match, with x before y, and the bytes that they have in the store. */
  select(block: FeaturePart, portion: Portion): Selected {
    const { matching, bytes, ...rest } = this.#selected(block, portion);
    const features = matching.flatMap(({ number, feature }) => {
      const wrong = this.#unplaced(feature);
      if (wrong !== undefined) rest.skipped.push({ number, reason: wrong });
      return wrong === undefined ? this.#chosen(feature) : [];
    });
    return { features, bytes, ...rest };
  }

  /** The fields of selected features. */
  get fields(): readonly Field[] {
    return this.#fields;
  }

  #selected({ bytes, offset, features }: FeaturePart, { skip, limit }: Portion) {
    const skipped: Skipped[] = [];
    const matching: Numbered[] = [];
    let [passed, matched] = [0, 0];
    let beyond: number | undefined;
    for (const { number, at, size, offset: own = offset + at } of features) {
      const feature = this.#match(bytes.subarray(at, at + size), own, number, skipped);
      if (feature === undefined) continue;
      if (passed < skip) {
        passed++;
        continue;
      }
      if (matching.length === limit) {
        beyond = number;
        break;
      }
      matching.push({ number, feature });
      matched += size;
    }
    this.#transform(matching.flatMap(({ feature: { geometry } }) => (geometry === undefined ? [] : geometry)));
    return { matching, bytes: matched, passed, skipped, ...(beyond === undefined ? {} : { beyond }) };
  }

  /** The feature if it matches. Its values are tested first: a geometry takes much longer to read. */
  #match(bytes: Buffer, offset: number, number: number, skipped: Skipped[]): Feature | undefined {
    try {
      if (this.#tested !== undefined && !this.#fits(this.#tested.readValues(bytes, offset))) return undefined;
      const feature = this.#reader.read(bytes, offset);
      const { geometry } = feature;
      if (this.#within === undefined) return feature;
      return geometry !== undefined && this.#within.matches(geometry, this.#stride) ? feature : undefined;
    } catch (error) {
      if (!(error instanceof InvalidRecord)) throw error;
      skipped.push({ number, reason: error.message });
      return undefined;
    }
  }

  #fits({ id, values }: Feature): boolean {
    if (this.#query.id !== undefined && String(id) !== this.#query.id) return false;
    return this.#test === undefined || this.#test(values) === true;
  }

  /** Transforms the vertices of all geometries in one call. */
  #transform(geometries: readonly Geometry[]): void {
    if (this.#change === undefined) return;
    const stride = this.#stride;
    const arrays = geometries.flatMap(coordinatesOf);
    const vertices = arrays.reduce((sum, { length }) => sum + length / stride, 0);
    const x = new Float64Array(vertices);
    const y = new Float64Array(vertices);
    let n = 0;
    for (const array of arrays)
      for (let at = 0; at < array.length; at += stride, n++) {
        x[n] = array[at]!;
        y[n] = array[at + 1]!;
      }
    this.#change.forward(x, y);
    n = 0;
    for (const array of arrays)
      for (let at = 0; at < array.length; at += stride, n++) {
        array[at] = x[n]!;
        array[at + 1] = y[n]!;
      }
  }

  /** Why a feature has no place, in GeoJSON or in another system. */
  #unplaced({ geometry }: Feature): string | undefined {
    const wrong = geometry === undefined ? undefined : unwritable(geometry, this.#stride);
    if (wrong === undefined) return undefined;
    return this.#change === undefined
      ? `It has the coordinate ${wrong}, which is no place.`
      : 'It has a point that cannot be transformed.';
  }

  async #write(matching: readonly Numbered[], skipped: Skipped[]) {
    const parts: Uint8Array[] = [];
    const out = new BufferedWriter({ append: async (bytes) => void parts.push(bytes) });
    const geometries = new GeometryWriter(out, {
      stride: this.#stride,
      hasZ: this.#query.header.hasZ,
      precision: this.#precision,
      northFirst: this.#northFirst,
    });
    let count = 0;
    for (const { number, feature } of matching) {
      const reason = this.#unplaced(feature);
      if (reason !== undefined) {
        skipped.push({ number, reason });
        continue;
      }
      if (count++ > 0) out.text(',\n');
      putFeature(out, this.#shown(feature, number), this.#fields, this.#keys, geometries);
    }
    await out.end();
    return { text: parts.length === 1 ? parts[0]! : Buffer.concat(parts), count };
  }

  /** The feature with its id, or its number, and the wanted properties. */
  #shown(feature: Feature, number: number): Feature {
    return this.#chosen(this.#ownIds ? feature : { ...feature, id: number });
  }

  #chosen(feature: Feature): Feature {
    const { properties } = this.#query;
    return properties === undefined ? feature : { ...feature, values: properties.map((n) => feature.values[n]) };
  }
}

const coordinatesOf = ({ coordinates, members = [] }: Geometry): Float64Array[] => [
  coordinates,
  ...members.flatMap(coordinatesOf),
];

async function compileFilter(
  { numbers, crs }: NonNullable<FeatureQuery['bbox']>,
  data: { crs: Crs | undefined; box: Area | undefined },
): Promise<SpatialFilter> {
  const swap = crs !== undefined && !crs.lonLat && isNorthFirst(await describeCrs(crs.crs));
  const [west, south, east, north] = swap ? [numbers[1], numbers[0], numbers[3], numbers[2]] : numbers;
  if (south > north)
    throw invalidMember('bbox', `bbox begins at y = ${south} and ends at ${north}. Give the smaller number first.`);
  return spatialFilter({ box: { west, south, east, north }, crs: crs?.crs }, data);
}
