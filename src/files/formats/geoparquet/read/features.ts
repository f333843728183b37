import type { ByteSource } from '../../../data/bytes.ts';
import type { Dimensions } from '../../../data/dimensions.ts';
import type { Feature, FeatureCollection, Field, Geometry, GeometryType } from '../../../data/feature-collection.ts';
import { FormatError } from '../../../errors.ts';
import type { Context } from '../../define.ts';
import { wkbType, wkbTypes } from '../../io/wkb-reader.ts';
import { ownDescription } from '../own-description.ts';
import type { Footer } from '../parquet/footer.ts';
import type { SchemaNode } from '../parquet/schema.ts';
import { crsOf, type GeometrySource } from './geo-metadata.ts';
import { BadGeometry, coordinatesOf, geometryColumn, nativeType } from './geometry-column.ts';
import { tableFields } from './table-fields.ts';
import { type TableColumn, tableRows } from './table-rows.ts';

/** What is known of the geometries before they are read. */
interface GeometryTypes extends Dimensions {
  readonly types: readonly GeometryType[];
}

export async function readFeatures(
  source: ByteSource,
  footer: Footer,
  columns: readonly SchemaNode[],
  geometry: GeometrySource | undefined,
  { SRID }: { SRID?: string | undefined },
  context: Context,
): Promise<FeatureCollection> {
  const { id: idName, fields: kept } = ownDescription(footer.keyValues);
  const skipped = new Set([geometry?.node.name, ...(geometry?.coverings ?? []), ...(geometry?.others ?? [])]);
  const rest = columns.filter((node) => !skipped.has(node.name));
  const idNode = rest.find((node) => node.name === idName && node.column >= 0 && node.maxRepetition === 0);
  const table = tableFields(
    rest.filter((node) => node !== idNode),
    context,
  );
  const id = idNode === undefined ? undefined : tableFields([idNode], context)[0]?.column;
  const fields = table.map(({ field }): Field => ({ ...field, ...kept.get(field.name) }));
  const all = [...table.map(({ column }) => column), ...(id === undefined ? [] : [id])];
  const base = { kind: 'features', fields, count: footer.rows } as const;
  if (geometry === undefined)
    return {
      ...base,
      hasZ: false,
      hasM: false,
      chunks: () => features(source, footer, { columns: all, hasId: id !== undefined }, context),
    };
  report(geometry, context);
  const crs = SRID === undefined ? await crsOf(geometry, footer, context) : undefined;
  const known = (await geometryTypes(geometry)) ?? (await survey(source, footer, geometry, context));
  const { hasZ, hasM, types } = known;
  return {
    ...base,
    ...(crs === undefined ? {} : { crs }),
    hasZ,
    hasM,
    ...(types.length === 0 ? {} : { geometryTypes: types }),
    async *chunks() {
      const { column, hasDropped } = geometryColumn(geometry, known, context);
      yield* features(
        source,
        footer,
        { columns: [...all, column], hasId: id !== undefined, hasGeometry: true },
        context,
      );
      if (hasDropped())
        context.reportLoss('Geometries have heights or measures that the file does not declare; they were left out.');
    },
  };
}

function report({ node, edges, epoch, others }: GeometrySource, { reportLoss }: Context): void {
  if (others.length > 0)
    reportLoss(
      `The geometry is the column '${node.name.slice(0, 80)}'; other columns of geometries were left out: ${others
        .slice(0, 20)
        .map((name) => `'${name.slice(0, 80)}'`)
        .join(', ')}.`,
    );
  if (edges !== undefined && edges !== 'planar')
    reportLoss(`Edges between vertices are '${edges.slice(0, 40)}' in the file; they were taken as straight lines.`);
  if (epoch !== undefined) reportLoss(`The coordinates have the epoch ${epoch}, which was left out.`);
}

const typeNames = new Set<string>([
  'Point',
  'LineString',
  'Polygon',
  'MultiPoint',
  'MultiLineString',
  'MultiPolygon',
  'GeometryCollection',
]);

/** What the metadata say; undefined: nothing, or types that are no part of GeoParquet. */
function geometryTypes(source: GeometrySource): GeometryTypes | undefined {
  const native = nativeType(source.encoding);
  if (native !== undefined) {
    const axes = coordinatesOf(source).map(({ name }) => name);
    return { types: [native], hasZ: axes.includes('z'), hasM: axes.includes('m') };
  }
  if (source.types.length === 0) return undefined;
  const words = source.types.map((type) => type.split(' '));
  const types = [...new Set(words.map(([name = '']) => name))].filter((name): name is GeometryType =>
    typeNames.has(name),
  );
  if (!words.every(([name = '']) => typeNames.has(name))) return undefined;
  return {
    types,
    hasZ: words.some(([, axes = '']) => axes.includes('Z')),
    hasM: words.some(([, axes = '']) => axes.includes('M')),
  };
}

/** Reads the heads of all geometries: their types, and whether they have heights and measures. */
async function survey(
  source: ByteSource,
  footer: Footer,
  { node }: GeometrySource,
  { signal }: Context,
): Promise<GeometryTypes> {
  const types = new Set<GeometryType>();
  let [hasZ, hasM] = [false, false];
  const bytes = (buffer: Buffer, start: number, end: number): null => {
    if (end - start < 5) return null;
    const head = wkbType(buffer[start] === 0 ? buffer.readUInt32BE(start + 1) : buffer.readUInt32LE(start + 1));
    const name = wkbTypes[head.type];
    if (name !== undefined) types.add(name);
    hasZ ||= head.hasZ;
    hasM ||= head.hasM;
    return null;
  };
  const leaf = { type: node.type!, length: node.length, bytes };
  for await (const _ of tableRows(source, footer, [{ name: node.name, leaves: [{ node, leaf }] }], signal));
  return { types: [...types], hasZ, hasM };
}

/** Features of all rows. The last columns are the id and the geometry, if there are any. */
async function* features(
  source: ByteSource,
  footer: Footer,
  { columns, hasId, hasGeometry = false }: { columns: readonly TableColumn[]; hasId: boolean; hasGeometry?: boolean },
  context: Context,
): AsyncGenerator<readonly Feature[]> {
  let first = 0;
  const width = columns.length - (hasId ? 1 : 0) - (hasGeometry ? 1 : 0);
  for await (const { count, values: all } of tableRows(source, footer, columns, context.signal)) {
    const geometries = hasGeometry ? all.at(-1)! : undefined;
    const ids = hasId ? all[width]! : undefined;
    const chunk: Feature[] = [];
    for (let row = 0; row < count; row++) {
      const values: unknown[] = new Array(width);
      for (let n = 0; n < width; n++) values[n] = all[n]![row];
      const geometry = geometries?.[row];
      if (geometry instanceof BadGeometry) {
        const number = first + row + 1;
        const reason = new FormatError(`Feature ${number}: ${geometry.reason.message}`);
        context.reportBadRecord({ number, reason });
        continue;
      }
      const id = ids?.[row];
      if (id === null || id === undefined)
        chunk.push(
          geometry === null || geometry === undefined ? { values } : { values, geometry: geometry as Geometry },
        );
      else
        chunk.push({
          // a number would round it
          id: typeof id === 'string' || typeof id === 'bigint' ? String(id) : Number(id),
          values,
          ...(geometry === null || geometry === undefined ? {} : { geometry: geometry as Geometry }),
        });
    }
    first += count;
    if (chunk.length > 0) yield chunk;
  }
}
