import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import { FileSource } from '../../src/files/formats/io/bytes.ts';
import { TileArchive } from '../../src/files/formats/io/pmtiles/archive-reader.ts';
import { StoredTiles } from '../../src/files/tiles/dataset/stored-tiles.ts';
import { type DecodedFeature, decodeTile } from '../world/decode-mvt.ts';
import { type Facts, NO_FACTS, type Value } from './facts.ts';

/** The level of the vector tiles: the features of the generated data are not too small to be drawn. */
export const LEVEL = 14;

/** What tiles hold, which no reader reads: by format. */
export const tileFacts: Readonly<Record<string, (path: string) => Promise<Facts>>> = {
  async tiles(path) {
    await using source = await FileSource.open(path, { checksum: false });
    const { description } = await StoredTiles.open(source);
    const { tilingSchemes: schemes, timeStamps, layerIds } = description;
    const layers = description.layerHeights ?? (schemes[0]!.hasLayers ? layerIds : []);
    const [first] = schemes;
    return {
      ...NO_FACTS,
      kind: 'grid',
      crs: { authority: 'EPSG', code: first!.srid },
      columns: schemes.map(({ itemName = '', unit }) => ({
        name: itemName,
        ...(unit === undefined ? {} : { unit }),
        values: [],
      })),
      times: { relative: false, list: timeStamps.map((stamp) => Date.parse(`${stamp.replace(/Z$/, '')}Z`)) },
      layers,
    };
  },
  async geopackage(path) {
    using database = new DatabaseSync(path, { readOnly: true });
    const rows = database.prepare("select * from gpkg_contents where data_type = 'tiles'").all();
    const parts = rows.map(({ description }) => new Map(String(description).split('; ').map(memberOf)));
    const each = <T>(name: string, value: (text: string) => T) =>
      [...new Set(parts.flatMap((part) => part.get(name) ?? []))].map(value);
    return {
      ...NO_FACTS,
      kind: 'grid',
      crs: { authority: 'EPSG', code: Number(rows[0]!.srs_id) },
      columns: each('item', (name) => {
        const unit = parts.find((part) => part.get('item') === name)!.get('unit');
        return { name, ...(unit === undefined ? {} : { unit }), values: [] };
      }),
      times: { relative: false, list: each('time', (text) => Date.parse(`${text}Z`)) },
      layers: parts.some((part) => part.has('height')) ? each('height', Number) : each('layer', Number),
    };
  },
  async pmtiles(path) {
    await using source = await FileSource.open(path, { checksum: false });
    const archive = await TileArchive.open(source);
    const features: DecodedFeature[] = [];
    const [west, south, east, north] = archive.header.bounds;
    const [first, last] = [tileAt(west, north), tileAt(east, south)];
    for (let column = first.column; column <= last.column; column++)
      for (let row = first.row; row <= last.row; row++) {
        const tile = await archive.tile(LEVEL, column, row);
        if (tile !== undefined) features.push(...decoded(tile.bytes));
      }
    return ofFeatures(features);
  },
  async mbtiles(path) {
    using database = new DatabaseSync(path, { readOnly: true });
    const rows = database.prepare('select tile_data from tiles order by tile_column, tile_row').all();
    return ofFeatures(rows.flatMap(({ tile_data }) => decoded(tile_data as Uint8Array)));
  },
};

function memberOf(text: string): [string, string] {
  const colon = text.indexOf(': ');
  return [text.slice(0, colon), text.slice(colon + 2)];
}

const decoded = (bytes: Uint8Array): DecodedFeature[] =>
  decodeTile(gunzipSync(bytes)).flatMap(({ features }) => features);

/** The tile of a place in degrees. */
function tileAt(longitude: number, latitude: number): { column: number; row: number } {
  const y = Math.asinh(Math.tan((latitude * Math.PI) / 180)) / Math.PI;
  const index = (share: number) => Math.floor(share * 2 ** LEVEL);
  return { column: index((longitude + 180) / 360), row: index((1 - y) / 2) };
}

const TYPES = ['Point', 'LineString', 'Polygon'];

/** A feature may be in several tiles. */
function ofFeatures(all: readonly DecodedFeature[]): Facts {
  const features = [...new Map(all.map((feature) => [feature.id, feature])).values()];
  const names = [...new Set(features.flatMap(({ attributes }) => Object.keys(attributes)))];
  return {
    ...NO_FACTS,
    kind: 'features',
    crs: { authority: 'EPSG', code: 3857 },
    columns: names.map((name) => ({
      name,
      values: features.map(({ attributes }) => (attributes[name] ?? null) as Value),
    })),
    ids: features.map(({ id }) => id),
    geometries: features.map(({ type, paths }) =>
      type === 1 && paths.flat().length > 1 ? 'MultiPoint' : (TYPES[type - 1] ?? null),
    ),
  };
}
