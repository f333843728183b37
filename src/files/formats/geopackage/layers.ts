import type { DatabaseSync } from 'node:sqlite';
import { ConversionError, FormatError } from '../../errors.ts';
import { type Context, SEVERAL_LAYERS } from '../define.ts';
import { guarded } from './sql.ts';

/** A table or view of the file. */
export interface Layer {
  readonly name: string;
  readonly isView: boolean;
  /** Absent: rows without geometry. */
  readonly geometry?: {
    readonly column: string;
    readonly type: string;
    readonly srs: number;
    readonly z: number;
    readonly m: number;
  };
}

/** Tables in which programs keep settings beside the data. */
const settings = new Set(['layer_styles', 'qgis_projects']);

/**
 * The layer of this name (in any letter case), or the only one.
 * @throws ConversionError if there are several and none is named, FormatError if there is none
 */
export function findLayer(database: DatabaseSync, wanted: string | undefined, { reportLoss }: Context): Layer {
  const { layers, tiles } = guarded(() => listLayers(database));
  const names = (list: readonly Layer[]) => listed(list.map(({ name }) => name));
  if (wanted !== undefined) {
    const found =
      layers.find(({ name }) => name === wanted) ??
      layers.find(({ name }) => name.toLowerCase() === wanted.toLowerCase());
    if (found !== undefined) return found;
    const isTiles = tiles.some((name) => name.toLowerCase() === wanted.toLowerCase());
    throw new ConversionError(
      isTiles
        ? `'${wanted.slice(0, 80)}' is a set of tiles, which cannot be read: tiles are pictures, without the values.`
        : `The GeoPackage has no layer '${wanted.slice(0, 80)}'. Layers: ${names(layers) || 'none'}.`,
    );
  }
  const data = layers.filter(({ name }) => !settings.has(name));
  if (data.length > 1)
    throw new ConversionError(
      `The GeoPackage has ${data.length} layers. Choose one with Layer: ${names(data)}.`,
      SEVERAL_LAYERS,
    );
  if (data[0] === undefined)
    throw new FormatError(
      tiles.length > 0
        ? `The GeoPackage has tiles only, which cannot be read: tiles are pictures, without the values. Sets of tiles: ${listed(tiles)}.`
        : 'The GeoPackage has no layer.',
    );
  if (tiles.length > 0) reportLoss(`Sets of tiles were left out: ${listed(tiles)}.`);
  const left = layers.filter(({ name }) => settings.has(name)).map(({ name }) => name);
  if (left.length > 0) reportLoss(`Styles and settings of programs were left out: ${left.join(', ')}.`);
  return data[0];
}

/** At most this many names are listed. */
const mostListed = 50;

const listed = (names: readonly string[]): string =>
  `${names
    .slice(0, mostListed)
    .map((name) => name.slice(0, 80))
    .join(', ')}${names.length > mostListed ? ', …' : ''}`;

function listLayers(database: DatabaseSync): { layers: Layer[]; tiles: string[] } {
  const master = database.prepare("select name, type, sql from sqlite_master where type in ('table', 'view')").all();
  const known = new Map(
    master.map(({ name, type, sql }) => [String(name), { isView: type === 'view', sql: String(sql) }]),
  );
  const inAnyCase = new Map([...known.keys()].map((name) => [name.toLowerCase(), name]));
  if (!known.has('gpkg_contents')) throw new FormatError('The file is no GeoPackage: it has no table gpkg_contents.');
  const contents = database.prepare('select table_name as name, data_type as type from gpkg_contents').all();
  const geometries = known.has('gpkg_geometry_columns')
    ? database
        .prepare(
          'select table_name as name, column_name as col, geometry_type_name as type, srs_id as srs, z, m from gpkg_geometry_columns',
        )
        .all()
    : [];
  const geometryOf = new Map(geometries.toReversed().map((one) => [String(one.name).toLowerCase(), one]));
  const layers: Layer[] = [];
  const tiles: string[] = [];
  let attributes = 0;
  const taken = new Set<string>();
  for (const { name: given, type } of contents) {
    const name = inAnyCase.get(String(given).toLowerCase());
    if (name === undefined) continue;
    taken.add(name);
    if (type !== 'features' && type !== 'attributes' && type !== 'aspatial') {
      if (type === 'tiles' || type === '2d-gridded-coverage') tiles.push(name);
      continue;
    }
    if (type !== 'features') attributes++;
    const found = geometryOf.get(name.toLowerCase());
    layers.push({
      name,
      isView: known.get(name)!.isView,
      ...(found === undefined
        ? {}
        : {
            geometry: {
              column: String(found.col),
              type: String(found.type),
              srs: Number(found.srs),
              z: Number(found.z),
              m: Number(found.m),
            },
          }),
    });
  }
  // As GDAL, tables that are not listed count unless tables without geometry are listed.
  if (attributes === 0)
    for (const [name, { isView, sql }] of known)
      if (!taken.has(name) && !/^(?:gpkg|rtree|sqlite|tms)_/i.test(name) && !/^create virtual/i.test(sql))
        layers.push({ name, isView });
  return { layers, tiles };
}
