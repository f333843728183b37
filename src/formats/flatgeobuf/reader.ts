import { z } from 'zod';
import type { ByteSource } from '../../data/bytes.ts';
import type { Crs } from '../../data/crs-reference.ts';
import type { Feature, FeatureCollection, GeometryType } from '../../data/feature-collection.ts';
import { AppError, FormatError } from '../../errors.ts';
import { crsFromWkt, parseSrid } from '../../geo/crs/crs.ts';
import type { Context } from '../define.ts';
import { defineReader } from '../define.ts';
import { withDetectedFormat } from '../detect.ts';
import { CoordinatePool } from '../io/coordinate-pool.ts';
import { ReadWindow } from '../io/read-window.ts';
import { Srid } from '../srid.ts';
import { FlatTable, InvalidRecord } from './flat-table.ts';
import { GeometryReader } from './geometry-reader.ts';
import type { Header } from './header-reader.ts';
import { readHeader } from './header-reader.ts';
import { columnTypes, featureSlots, geometryCodes, maxFeature } from './schema.ts';
import { ValueReader } from './values.ts';

const perChunk = 512;
/** Bytes of features after which a chunk ends. */
const chunkBytes = 4 << 20;

export const gisReader = defineReader({
  name: 'GISReader',
  description: 'FlatGeobuf 3 (.fgb), with or without an index: the store of features.',
  format: 'gis',
  produces: 'features',
  has: ['place', 'items'],
  parameters: z.object({
    SRID: Srid.describe('SRID of the coordinate system, such as 25832. Overrides that of the file.').optional(),
  }),
  async read(source, { SRID }, context): Promise<FeatureCollection> {
    const header = await headerOf(source);
    const crs = SRID === undefined ? await crsOf(header, context) : undefined;
    const binary = header.columns.filter(({ type }) => type === columnTypes.Binary).length;
    if (binary > 0) context.reportLoss(`${binary} columns of bytes were left out.`);
    const types = typesOf(header, source.size);
    return {
      kind: 'features',
      ...(header.name === undefined ? {} : { name: header.name }),
      ...(crs === undefined ? {} : { crs }),
      fields: header.columns.flatMap(({ field }) => field ?? []),
      hasZ: header.hasZ,
      hasM: header.hasM,
      ...(types === undefined ? {} : { geometryTypes: types }),
      ...(header.count === 0 ? {} : { count: header.count }),
      chunks: () => allFeatures(source, header, context),
    };
  },
});

async function headerOf(source: ByteSource): Promise<Header> {
  try {
    return await readHeader(source);
  } catch (error) {
    throw await withDetectedFormat(error, source, 'gis');
  }
}

const families: readonly (readonly GeometryType[])[] = [
  ['Point'],
  ['MultiPoint'],
  ['LineString', 'MultiLineString'],
  ['Polygon', 'MultiPolygon'],
];

/** The types that the file can hold. A file without features takes those of the first feature. */
function typesOf({ geometryType, count, start }: Header, size: number): readonly GeometryType[] | undefined {
  const found = families.find((family) => family.some((type) => geometryCodes[type] === geometryType));
  if (found !== undefined) return found;
  return count === 0 && start >= size ? undefined : (Object.keys(geometryCodes) as GeometryType[]);
}

async function crsOf({ crs }: Header, { log }: Context): Promise<Crs | undefined> {
  if (crs === undefined) return undefined;
  const { org = 'EPSG', code, wkt } = crs;
  if (code !== undefined && /^(EPSG|ESRI)$/i.test(org))
    try {
      return parseSrid(`${org}:${code}`);
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      if (wkt === undefined) log('warning', `The coordinate system of the file was ignored: ${error.message}`);
    }
  if (wkt === undefined) return undefined;
  try {
    return await crsFromWkt(wkt);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    log('warning', `The coordinate system of the file was ignored: ${error.message}`);
    return undefined;
  }
}

/** Reads features from their bytes. */
class FeatureReader {
  readonly #header: Header;
  readonly #size: number;
  readonly #context: Context;
  readonly #values: ValueReader;
  readonly #geometries: GeometryReader;
  #ownColumns = false;
  #number = 0;

  constructor(header: Header, size: number, context: Context) {
    this.#header = header;
    this.#size = size;
    this.#context = context;
    this.#values = new ValueReader(header.columns);
    this.#geometries = new GeometryReader(header, new CoordinatePool());
  }

  /** The size of a feature, which stands before it at `offset` in the file. */
  readonly sizeAt = (bytes: Buffer, at: number, offset: number): number => {
    const size = bytes.readUInt32LE(at);
    if (size > maxFeature || offset + 4 + size > this.#size)
      throw new FormatError(`A feature claims ${size} bytes; the file has ${this.#size}.`, offset);
    return size;
  };

  /** Undefined for a bad record, which is reported. */
  read(bytes: Buffer, offset: number): Feature | undefined {
    this.#number++;
    try {
      const table = FlatTable.root(bytes, offset);
      if (!this.#ownColumns && table.vector(featureSlots.columns, 4) !== undefined) {
        this.#ownColumns = true;
        this.#context.reportLoss('Features have columns of their own beside those of the header; they were left out.');
      }
      const geometry = table.table(featureSlots.geometry);
      const values = this.#values.read(table);
      if (geometry === undefined) return values;
      return { ...values, geometry: this.#geometries.read(geometry, this.#header.geometryType) };
    } catch (error) {
      if (!(error instanceof InvalidRecord)) throw error;
      const reason = new FormatError(`Feature ${this.#number}: ${error.message}`);
      this.#context.reportBadRecord({ number: this.#number, reason });
      return undefined;
    }
  }
}

async function* allFeatures(source: ByteSource, header: Header, context: Context): AsyncGenerator<readonly Feature[]> {
  const reader = new FeatureReader(header, source.size, context);
  const window = new ReadWindow(source);
  let at = header.start;
  for (let n = 0; header.count === 0 ? at < source.size : n < header.count; ) {
    const features: Feature[] = [];
    const chunkEnd = at + chunkBytes;
    for (let k = 0; k < perChunk && at < chunkEnd; k++) {
      if (header.count === 0 ? at >= source.size : n >= header.count) break;
      if (at + 4 > source.size)
        throw new FormatError(`The file ends after ${n} of ${header.count || 'its'} features.`, at);
      if (!window.has(at, 4)) await window.move(at, 4);
      const size = reader.sizeAt(window.bytes, at - window.start, at);
      if (!window.has(at, 4 + size)) await window.move(at, 4 + size);
      const from = at + 4 - window.start;
      const feature = reader.read(window.bytes.subarray(from, from + size), at + 4);
      if (feature !== undefined) features.push(feature);
      at += 4 + size;
      n++;
    }
    if (features.length > 0) yield features;
  }
  if (at < source.size) context.log('warning', `${source.size - at} bytes after the last feature were not read.`);
}
