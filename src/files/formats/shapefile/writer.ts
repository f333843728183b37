import { byKind } from '../../data/collections.ts';
import { allFinite, strideOf } from '../../data/dimensions.ts';
import type { Feature, FeatureCollection, Geometry } from '../../data/feature-collection.ts';
import { ConversionError, FormatError } from '../../errors.ts';
import type { Context, Write } from '../define.ts';
import { ZipWriter } from '../io/zip-writer.ts';
import { ColumnStatistics, type DbfField, dbfFields, dbfNames } from './column-layout.ts';
import type { writeParameters } from './parameters.ts';
import { prjOfCrs } from './prj.ts';
import { type ShapeKind, ShapeSpool } from './shape-spool.ts';

const kindOfGeometry: Readonly<Record<Exclude<Geometry['type'], 'GeometryCollection'>, ShapeKind>> = {
  Point: 'point',
  MultiPoint: 'multipoint',
  LineString: 'line',
  MultiLineString: 'line',
  Polygon: 'polygon',
  MultiPolygon: 'polygon',
};
const kinds: readonly ShapeKind[] = ['point', 'multipoint', 'line', 'polygon'];
/** Many programs fail with larger files. */
const commonLimit = 2 ** 31 - 1;

export const write: Write<typeof writeParameters, 'features'> = async (data, _parameters, sink, context) => {
  const prj = data.crs === undefined ? undefined : await prjOfCrs(data.crs, context);
  if (data.crs === undefined) context.reportLoss('The coordinate system is not known, so there is no .prj file.');
  const zip = new ZipWriter(sink);
  if (data.later === undefined) await addLayers(zip, fileName(data.name), data, prj, context);
  else
    for (const layer of [data, ...data.later]) {
      await using open = new AsyncDisposableStack();
      const onEnd: Context['onEnd'] = (close) => open.defer(close);
      // Progress is that of the steps of the mesh.
      const ofLayer = { ...context, onEnd, progress() {} };
      await addLayers(zip, fileName(layer.name), layer, prj, ofLayer);
    }
  await zip.finish();
};

/** One shapefile per kind of geometry. */
async function addLayers(
  zip: ZipWriter,
  base: string,
  data: FeatureCollection,
  prj: string | undefined,
  context: Context,
): Promise<void> {
  const spools = new Spools(data, context);
  const fieldNames = dbfNames(spools.columns, context);
  for await (const chunk of data.chunks()) {
    for (const feature of chunk) await spools.add(feature);
    await spools.drain();
  }
  const files = await spools.finished();
  const fields = dbfFields(spools.columns, fieldNames, context);
  for (const [n, spool] of files.entries()) {
    context.signal.throwIfAborted();
    context.progress(0.9 + (0.1 * n) / files.length, 'Compressing');
    const name = files.length === 1 ? base : `${base}_${spool.kind}`;
    await addLayer(zip, name, spool, fields, spools.columns, prj, context);
  }
}

async function addLayer(
  zip: ZipWriter,
  name: string,
  spool: ShapeSpool,
  fields: DbfField[],
  columns: readonly ColumnStatistics[],
  prj: string | undefined,
  { reportLoss }: Context,
): Promise<void> {
  const { rows } = spool.table;
  const header = dbfHeader(fields, rows);
  const size = header.length + rows * header.readUInt16LE(10) + 1;
  for (const [ending, bytes] of [
    ['shp', spool.shpSize],
    ['dbf', size],
  ] as const)
    if (bytes > commonLimit)
      reportLoss(`${name}.${ending} has ${bytes} bytes. Many programs cannot read more than 2 GB.`);
  if (size > 2 * commonLimit) throw new ConversionError('The rows take more than 4 GB, the limit of a .dbf file.');
  const { head, body } = await spool.shp();
  await zip.addSpooled(`${name}.shp`, head, body);
  await zip.add(`${name}.shx`, spool.shxSize, spool.shx());
  await zip.add(`${name}.dbf`, size, withHeader(header, spool.table.dbfRows(fields, columns.length)));
  await zip.addBytes(`${name}.cpg`, Buffer.from('UTF-8'));
  if (prj !== undefined) await zip.addBytes(`${name}.prj`, Buffer.from(prj));
  if (spool.withoutZ > 0) reportLoss(`${spool.withoutZ} vertices have no height (Z); the shapefile has 0 there.`);
}

async function* withHeader(header: Uint8Array, rows: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield header;
  yield* rows;
}

function dbfHeader(fields: readonly DbfField[], rows: number): Buffer {
  const header = Buffer.alloc(33 + 32 * fields.length);
  header[0] = 3;
  // A fixed date of the last change, so that the same content gives the same bytes.
  header.set([80, 1, 1], 1);
  header.writeUInt32LE(rows, 4);
  header.writeUInt16LE(header.length, 8);
  header.writeUInt16LE(1 + fields.reduce((sum, { width }) => sum + width, 0), 10);
  for (const [n, { name, type, width, decimals }] of fields.entries()) {
    const at = 32 + 32 * n;
    header.write(name, at, 'utf8');
    header.write(type, at + 11, 'latin1');
    header[at + 16] = width;
    header[at + 17] = decimals;
  }
  header[header.length - 1] = 0x0d;
  return header;
}

/** A file name that is valid on all systems. */
function fileName(name: string | undefined): string {
  const clean = (name ?? '').replace(/[\p{Cc}\\/:*?"<>|]/gu, '_').replace(/^[\s.]+|[\s.]+$/g, '');
  return [...clean].slice(0, 80).join('') || 'features';
}

/** Distributes features to one spool per kind of geometry. */
class Spools {
  readonly columns: ColumnStatistics[];
  readonly #data: FeatureCollection;
  readonly #context: Context;
  /** The first spool also takes null shapes, which keeps their order. */
  readonly #spools: ShapeSpool[] = [];
  /** Whether ids of features get a field `id`: only if there is no such field. */
  readonly #withId: boolean;
  #collections = 0;
  #number = 0;

  constructor(data: FeatureCollection, context: Context) {
    this.#data = data;
    this.#context = context;
    this.columns = data.fields.map((field) => new ColumnStatistics(field, { existing: data.appended ?? false }));
    // Many programs refuse a table without fields.
    if (data.fields.length === 0) this.columns.push(new ColumnStatistics({ name: 'FID', type: 'integer' }));
    this.#withId = !data.appended && !data.fields.some(({ name }) => name.toLowerCase() === 'id');
    if (this.#withId) this.columns.push(new ColumnStatistics({ name: 'id', type: 'string' }, { optional: true }));
  }

  async add(feature: Feature): Promise<void> {
    this.#number++;
    const { geometry } = feature;
    if (geometry !== undefined && !allFinite(geometry, strideOf(this.#data))) {
      const reason = new FormatError(
        `Feature ${this.#number} has a coordinate that is not finite. A shapefile cannot store it.`,
      );
      this.#context.reportBadRecord({ number: this.#number, reason });
      return;
    }
    const known = this.#data.fields.length === 0 ? [this.#number - 1] : feature.values;
    const values = this.#withId ? [...known, feature.id ?? null] : known;
    if (geometry === undefined || (geometry.type !== 'GeometryCollection' && geometry.coordinates.length === 0))
      return this.#put(undefined, undefined, values);
    if (geometry.type !== 'GeometryCollection') return this.#put(kindOfGeometry[geometry.type], geometry, values);
    this.#collections++;
    const members = byKind(geometry, strideOf(this.#data));
    if (members.length === 0) return this.#put(undefined, undefined, values);
    for (const member of members) await this.#put(kindOfGeometry[member.type as 'Point'], member, values);
  }

  async #put(kind: ShapeKind | undefined, geometry: Geometry | undefined, values: readonly unknown[]): Promise<void> {
    let spool =
      kind === undefined ? this.#spools[0] : this.#spools.find((one) => one.kind === kind || one.kind === undefined);
    if (spool === undefined) {
      spool = await ShapeSpool.create(this.#data, this.#context);
      this.#spools.push(spool);
    }
    if (kind !== undefined) spool.kind = kind;
    spool.add(geometry);
    spool.table.add(values, this.columns);
  }

  async drain(): Promise<void> {
    for (const spool of this.#spools) await spool.drain();
  }

  async finished(): Promise<ShapeSpool[]> {
    const { reportLoss } = this.#context;
    if (this.#spools.length === 0) this.#spools.push(await ShapeSpool.create(this.#data, this.#context));
    if (this.#collections > 0)
      reportLoss(
        `${this.#collections} geometry collections were split by kind of geometry; each part has all values of its feature.`,
      );
    const files = this.#spools.toSorted((a, b) => kinds.indexOf(a.kind!) - kinds.indexOf(b.kind!));
    if (files.length > 1)
      reportLoss(
        `A shapefile holds one kind of geometry, so the zip has one for each of ${files.map(({ kind }) => kind).join(', ')}. Features keep their order within each.`,
      );
    return files;
  }
}
