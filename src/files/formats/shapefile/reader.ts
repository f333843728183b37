import type { Dimensions } from '../../data/dimensions.ts';
import type { Feature, Geometry, GeometryType } from '../../data/feature-collection.ts';
import type { Context, Read } from '../define.ts';
import { CoordinatePool } from '../io/coordinate-pool.ts';
import type { ZipEntry } from '../io/zip.ts';
import { checkUnpackedSize, readEntry, UnpackedEntry } from '../io/zip-entry.ts';
import { type Dbf, openDbf, rowsOf } from './dbf.ts';
import { findLayer, type LayerFiles } from './layers.ts';
import type { readParameters } from './parameters.ts';
import { crsOfPrj } from './prj.ts';
import { Records } from './records.ts';
import { InvalidRecord, readGeometry } from './shapes.ts';

const perChunk = 512;
/** Maximum size of a .prj or .cpg file. */
const maxTextFile = 1 << 20;

const geometryTypes: Readonly<Record<number, readonly GeometryType[]>> = {
  1: ['Point'],
  3: ['LineString', 'MultiLineString'],
  5: ['Polygon', 'MultiPolygon'],
  8: ['MultiPoint'],
};

export const read: Read<typeof readParameters> = async (source, { Layer, Encoding }, context) => {
  const layer = await findLayer(source, Layer, context);
  const large = ['shp', 'shx', 'dbf'].flatMap((ending) => layer.entries.get(ending) ?? []);
  await checkUnpackedSize(large, context.scratch);
  const open = async (entry: ZipEntry | undefined) => {
    if (entry === undefined) return undefined;
    const file = await UnpackedEntry.open(layer.zip, entry, context.scratch);
    context.onEnd(() => file.close());
    return file;
  };
  const [shp, shx, table] = [
    (await open(layer.entries.get('shp')))!,
    await open(layer.entries.get('shx')),
    await open(layer.entries.get('dbf')),
  ];
  const records = await Records.open(shp, { shx, rows: table && (await rowsOf(table)) }, context);
  const cpg = await readText(layer, 'cpg');
  const dbf = table && (await openDbf(table, { encodingName: Encoding, cpg, shapes: records.count }, context));
  if (dbf === undefined) context.remark('The shapefile has no .dbf file, so features have no fields.');
  const prj = await readText(layer, 'prj');
  const crs = prj === undefined ? undefined : await crsOfPrj(prj, context);
  const { type } = records.header;
  const dimensions = { hasZ: type > 10 && type < 20, hasM: await records.hasMeasures(context.signal) };
  return {
    kind: 'features',
    name: layer.name,
    ...(crs === undefined ? {} : { crs }),
    fields: dbf?.fields ?? [],
    cutNames: true,
    ...dimensions,
    ...(type === 0 ? {} : { geometryTypes: geometryTypes[type % 10]! }),
    ...(records.count === undefined ? {} : { count: records.count }),
    chunks: () => chunks(records, dbf, dimensions, context),
  };
};

async function readText({ zip, entries }: LayerFiles, ending: string): Promise<string | undefined> {
  const entry = entries.get(ending);
  if (entry === undefined) return undefined;
  return (await readEntry(zip, entry, maxTextFile))
    ?.toString('utf8')
    .replace(/^\uFEFF/, '')
    .split('\x1a', 1)[0];
}

async function* chunks(
  records: Records,
  dbf: Dbf | undefined,
  dimensions: Dimensions,
  context: Context,
): AsyncGenerator<readonly Feature[]> {
  records.rewind();
  const pool = new CoordinatePool();
  let deleted = 0;
  let withoutRow = 0;
  const noValues = (dbf?.fields ?? []).map(() => null);
  for (let first = 0, more = true; more; first += perChunk) {
    const rows = dbf === undefined ? [] : await dbf.rows(first, perChunk);
    const features: Feature[] = [];
    for (let n = 0; n < perChunk && more; n++) {
      let geometry: Geometry | undefined;
      let bad: InvalidRecord | undefined;
      try {
        const record = await records.record(first + n);
        if (record === undefined) {
          more = false;
          break;
        }
        geometry = readGeometry(record.content, record.offset, dimensions, { pool, remark: context.remark });
      } catch (error) {
        if (!(error instanceof InvalidRecord)) throw error;
        bad = error;
      }
      if (n < rows.length && rows[n] === undefined) deleted++;
      else if (bad !== undefined) context.reportBadRecord({ number: first + n + 1, reason: bad });
      else {
        if (dbf !== undefined && n >= rows.length) withoutRow++;
        features.push(
          geometry === undefined ? { values: rows[n] ?? noValues } : { geometry, values: rows[n] ?? noValues },
        );
      }
    }
    if (!more) reportRows(dbf, first, features.length, deleted, withoutRow, context);
    if (features.length > 0) yield features;
  }
}

function reportRows(
  dbf: Dbf | undefined,
  first: number,
  last: number,
  deleted: number,
  withoutRow: number,
  { log, reportLoss }: Context,
): void {
  if (deleted > 0) log('info', `${deleted} records marked as deleted were left out.`);
  if (withoutRow > 0) reportLoss(`${withoutRow} shapes have no row in the .dbf file; their fields are null.`);
  const rest = dbf === undefined ? 0 : dbf.count - first - last;
  if (rest > 0 && deleted === 0) reportLoss(`${rest} rows of the .dbf file have no shape; they were left out.`);
}
