import type { DatabaseSync } from 'node:sqlite';
import { type Dimensions, strideOf } from '../../data/dimensions.ts';
import type { Feature, FeatureCollection, GeometryType } from '../../data/feature-collection.ts';
import { FormatError } from '../../errors.ts';
import { ONE_VERTEX, PART_LEFT_OUT, withoutShortLines } from '../../geo/vector/short-lines.ts';
import type { Context, Read } from '../define.ts';
import { CoordinatePool } from '../io/coordinate-pool.ts';
import { WkbReader } from '../io/wkb-reader.ts';
import { columnNames, type LayerColumns, readColumns } from './columns.ts';
import { copyView } from './copy-view.ts';
import { geometryStart } from './geometry-blob.ts';
import { findLayer, type Layer } from './layers.ts';
import { openFile } from './open.ts';
import type { readParameters } from './parameters.ts';
import { readCrs } from './reference-system.ts';
import { guarded, quoted } from './sql.ts';
import { safeInteger, valueReader } from './values.ts';

/** Features of a chunk: more would outlive more collections of garbage. */
const perChunk = 512;

export const read: Read<typeof readParameters> = async (
  source,
  { SRID, Layer: wanted },
  context,
): Promise<FeatureCollection> => {
  const { path, database } = await openFile(source, context);
  const layer = findLayer(database, wanted, context);
  const rows = layer.isView
    ? await copyView(path, { view: layer.name, columns: columnNames(database, layer.name) }, context)
    : database;
  const columns = readColumns({ database, rows }, layer, context);
  const { geometry } = layer;
  const crs = geometry === undefined || SRID !== undefined ? undefined : await readCrs(database, geometry.srs, context);
  const dimensions = { hasZ: (geometry?.z ?? 0) > 0, hasM: (geometry?.m ?? 0) > 0 };
  const count = countRows(rows, layer.name);
  return {
    kind: 'features',
    name: layer.name,
    ...(crs === undefined ? {} : { crs }),
    fields: columns.fields.map(({ column: _, ...field }) => field),
    ...dimensions,
    ...(columns.geometry === undefined ? {} : geometryTypes(geometry!.type)),
    count,
    chunks: () => chunks(rows, layer, columns, dimensions, context),
  };
};

const countRows = (database: DatabaseSync, table: string): number =>
  Number(guarded(() => database.prepare(`select count(*) as count from ${quoted(table)}`).get())!.count);

const families: Readonly<Record<string, readonly GeometryType[]>> = {
  POINT: ['Point'],
  LINESTRING: ['LineString'],
  POLYGON: ['Polygon'],
  MULTIPOINT: ['MultiPoint', 'Point'],
  MULTILINESTRING: ['LineString', 'MultiLineString'],
  MULTIPOLYGON: ['Polygon', 'MultiPolygon'],
};

function geometryTypes(name: string): Pick<FeatureCollection, 'geometryTypes'> {
  const key = name.toUpperCase();
  const types = Object.hasOwn(families, key) ? families[key] : undefined;
  return types === undefined ? {} : { geometryTypes: types };
}

async function* chunks(
  database: DatabaseSync,
  layer: Layer,
  { id, geometry, fields }: LayerColumns,
  dimensions: Dimensions,
  context: Context,
): AsyncGenerator<readonly Feature[]> {
  const readers = fields.map((field) => valueReader(field, context));
  const list = [
    ...(id === undefined ? [] : [safeInteger(id)]),
    ...(geometry === undefined ? [] : [quoted(geometry)]),
    ...readers.map(({ sql }) => sql),
  ];
  const statement = guarded(() => {
    const order = id === undefined ? '' : ` order by ${quoted(id)}`;
    const one = database.prepare(`select ${list.join(', ') || 'null'} from ${quoted(layer.name)}${order}`);
    one.setReturnArrays(true);
    return one;
  });
  const wkb = new WkbReader(dimensions, new CoordinatePool());
  const stride = strideOf(dimensions);
  const shift = (id === undefined ? 0 : 1) + (geometry === undefined ? 0 : 1);
  const rows = guarded(() => statement.iterate()) as unknown as Iterator<readonly unknown[]>;
  let chunk: Feature[] = [];
  for (let number = 1; ; number++) {
    const next = guarded(() => rows.next());
    if (next.done) break;
    const row = next.value;
    const values: unknown[] = new Array(readers.length);
    for (let n = 0; n < readers.length; n++) values[n] = readers[n]!.value(row[shift + n]);
    const key = id === undefined ? {} : { id: row[0] as number };
    const blob = geometry === undefined ? null : row[shift - 1];
    try {
      chunk.push(blob === null ? { ...key, values } : { ...key, ...withGeometry(wkb, blob, stride, context), values });
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      const reason = new FormatError(`Feature ${id === undefined ? number : String(row[0])}: ${error.message}`);
      context.reportBadRecord({ number, reason });
    }
    if (chunk.length < perChunk) continue;
    context.signal.throwIfAborted();
    yield chunk;
    chunk = [];
  }
  if (chunk.length > 0) yield chunk;
  if (wkb.hasDropped)
    context.reportLoss('Geometries have heights or measures that the layer does not declare; they were left out.');
}

function withGeometry(wkb: WkbReader, blob: unknown, stride: number, { remark }: Context): Pick<Feature, 'geometry'> {
  if (!(blob instanceof Uint8Array)) throw new FormatError('The geometry is no blob.');
  const bytes = Buffer.from(blob.buffer, blob.byteOffset, blob.length);
  const geometry = wkb.read(bytes, geometryStart(bytes));
  const long = withoutShortLines(geometry, stride);
  if (long === undefined) throw new FormatError(ONE_VERTEX);
  if (long !== geometry) remark(PART_LEFT_OUT);
  return { geometry: long };
}
