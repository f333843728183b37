import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import test, { type ExecutionContext } from 'ava';
import { writersFor } from '../../../src/files/convert/offers.ts';
import type { Grid } from '../../../src/files/data/grid.ts';
import type { Mesh } from '../../../src/files/data/mesh.ts';
import { ConversionError, FormatError } from '../../../src/files/errors.ts';
import { checkParameters } from '../../../src/files/formats/parameters.ts';
import { findReader, findWriter } from '../../../src/files/formats/registry.ts';
import { StoredTiles } from '../../../src/files/tiles/dataset/stored-tiles.ts';
import { asJson, collection, feature, geometryOf } from '../features.ts';
import { converted } from '../files.ts';
import { memory, read } from '../read.ts';
import { folderOf } from '../transformed.ts';
import { written } from '../written.ts';
import { gridOf, squares } from './tiling.ts';

type Row = Record<string, number | string | Uint8Array>;

/** Opens the bytes of a written file, and asks it. */
async function asked(t: ExecutionContext, bytes: Uint8Array) {
  const path = join(await folderOf(t), 'tiles.gpkg');
  await writeFile(path, bytes);
  const database = new DatabaseSync(path, { readOnly: true });
  t.teardown(() => database.close());
  return (sql: string) =>
    database
      .prepare(sql)
      .all()
      .map((row) => ({ ...row })) as Row[];
}

const tilesOf = (rows: readonly Row[]) =>
  rows.map(({ zoom_level: level, tile_column: column, tile_row: row, tile_data: bytes }) => ({
    place: [level, column, row] as [number, number, number],
    bytes: Buffer.from(bytes as Uint8Array),
  }));

/** Compares all tiles of tables with those of the scheme of a tiles dataset. */
async function sameAsTiles(t: ExecutionContext, data: Grid | Mesh, scheme: Record<string, unknown>, table = 'a') {
  const tiling = await written(t, data, 'TilingWriter', { TilingSchemes: [scheme] });
  const stored = await StoredTiles.open(memory(tiling.content));
  const drawn = stored.scheme('a')!;
  const { content, lost } = await written(t, data, 'GeoPackageWriter', { TilingSchemes: [scheme] }, 2);
  const ask = await asked(t, content);
  const { steps, layers } = { steps: stored.description.timeStamps.length || 1, layers: drawn.hasLayers ? 2 : 1 };
  let count = 0;
  for (let step = 0; step < steps; step++)
    for (let layer = 0; layer < layers; layer++) {
      const name = `${table}${steps > 1 ? `_step${step}` : ''}${layers > 1 ? `_layer${layer}` : ''}`;
      const tiles = tilesOf(ask(`select * from "${name}"`));
      const limits = await stored.limits('a', { step, layer });
      const most = limits.reduce(
        (sum, one) => sum + (one.maxTileRow - one.minTileRow + 1) * (one.maxTileCol - one.minTileCol + 1),
        0,
      );
      t.is(tiles.length, most);
      for (const { place, bytes } of tiles) {
        const tile = await stored.tile('a', { step, layer }, place);
        t.true(tile !== undefined && bytes.equals(tile.bytes), `${name} ${place}`);
      }
      count += tiles.length;
    }
  return { ask, drawn, lost, count };
}

const plane = (x: number, y: number) => x / 100 + y / 50;
const place = { width: 260, height: 200, affine: [600_000, 30, 0, 6_200_000, 0, -30], code: 25832 } as const;

test('tiles of a GeoPackage have the bytes of those of TilingWriter; its matrices cover Web Mercator', async (t) => {
  const { ask, drawn, lost, count } = await sameAsTiles(t, gridOf(place, plane), { schemeId: 'a', schemeType: 'XYZ' });
  t.true(count > 12);
  t.deepEqual(ask('select data_type, srs_id, identifier from gpkg_contents'), [
    { data_type: 'tiles', srs_id: 3857, identifier: 'a' },
  ]);
  const half = Math.PI * 6378137;
  t.deepEqual(ask('select * from gpkg_tile_matrix_set'), [
    { table_name: 'a', srs_id: 3857, min_x: -half, min_y: -half, max_x: half, max_y: half },
  ]);
  const matrices = ask('select * from gpkg_tile_matrix order by zoom_level');
  t.deepEqual(
    matrices.map(({ zoom_level: level }) => level),
    drawn.zoomLevels,
  );
  for (const [level, matrix] of matrices.entries()) {
    t.deepEqual([matrix.matrix_width, matrix.matrix_height], [2 ** level, 2 ** level]);
    t.is((matrix.pixel_x_size as number) * 2 ** level * 256, 2 * half);
  }
  const [box] = ask('select min_x, min_y, max_x, max_y from gpkg_contents');
  t.deepEqual(Object.values(box!), drawn.box);
  t.deepEqual(ask('pragma user_version'), [{ user_version: 10300 }]);
  t.deepEqual(ask('pragma foreign_key_check'), []);
  t.deepEqual(
    ask('select organization, organization_coordsys_id as code from gpkg_spatial_ref_sys where srs_id = 3857'),
    [{ organization: 'EPSG', code: 3857 }],
  );
  t.true(lost.some((one) => /the values were resampled to pixels and became colours/.test(one)));
});

test('tiles of WMTS stand in the system of the data: projected, geographic, or without a code', async (t) => {
  const { ask } = await sameAsTiles(t, gridOf(place, plane), { schemeId: 'a', tileWidth: 64, tileHeight: 100 });
  // Level 0 has pixels of 240 m; all matrices have its area.
  t.deepEqual(ask('select srs_id, min_x, min_y, max_x, max_y from gpkg_tile_matrix_set'), [
    { srs_id: 25832, min_x: 600_000, min_y: 6_200_000 - 24_000, max_x: 600_000 + 15_360, max_y: 6_200_000 },
  ]);
  t.deepEqual(ask('select matrix_width, tile_height, pixel_y_size from gpkg_tile_matrix where zoom_level = 3'), [
    { matrix_width: 8, tile_height: 100, pixel_y_size: 30 },
  ]);
  const degrees = gridOf({ width: 90, height: 40, affine: [5, 0.1, 0, 52, 0, -0.1], code: 4326 }, plane);
  const geographic = await sameAsTiles(t, degrees, { schemeId: 'a', zoomLevels: [0] });
  t.deepEqual(geographic.ask('select srs_id, max_y from gpkg_tile_matrix_set'), [{ srs_id: 4326, max_y: 52 }]);
  const wkt = `PROJCS["Own",GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],PRIMEM["Greenwich",0],
    UNIT["degree",0.0174532925199433]],PROJECTION["Transverse_Mercator"],PARAMETER["latitude_of_origin",1],
    PARAMETER["central_meridian",9.5],PARAMETER["scale_factor",0.9999],PARAMETER["false_easting",500000],
    PARAMETER["false_northing",0],UNIT["metre",1]]`;
  const own = { ...gridOf(place, plane), crs: { wkt } };
  const { content } = await written(t, own, 'GeoPackageWriter', { TilingSchemes: [{ schemeId: 'a' }] });
  const [system] = (await asked(t, content))('select * from gpkg_spatial_ref_sys where srs_id = 100000');
  t.regex(String(system!.definition), /Transverse_Mercator/);
});

test('each item, step and layer is a table, whose description says what it shows', async (t) => {
  const base = gridOf(
    { ...place, width: 40, height: 30, steps: 2, layers: 2 },
    (x, y, step, layer) => plane(x, y) * (1 + step + 2 * layer),
  );
  await sameAsTiles(t, base, { schemeId: 'a', schemeType: 'XYZ' });
  const [band] = base.bands;
  const grid: Grid = {
    ...base,
    bands: [
      { ...band, name: 'Depth', unit: 'm' },
      { ...band, name: 'Größe: 2' },
    ],
  };
  const scheme = { schemeId: 'map', schemeType: 'XYZ', itemName: '*', minValue: 0, maxValue: 5, zoomLevels: [9] };
  const { content } = await written(t, grid, 'GeoPackageWriter', { TilingSchemes: [scheme] });
  const tables = (await asked(t, content))('select table_name as name, description as text from gpkg_contents');
  t.deepEqual(
    tables.map(({ name }) => name),
    ['Depth', 'Größe_ 2'].flatMap((item) =>
      [0, 1].flatMap((step) => [0, 1].map((layer) => `${item}_step${step}_layer${layer}`)),
    ),
  );
  t.is(tables[3]!.text, 'item: Depth; unit: m; colours: from 0 to 5; time: 2024-05-02T16:00:00; layer: 1; height: -5');
  const usual = await written(t, grid, 'GeoPackageWriter', { LayerName: 'gpkg_map' });
  const names = (await asked(t, usual.content))('select table_name as name from gpkg_contents');
  t.is(names.length, 8);
  t.is(names[0]!.name, '_gpkg_map_Depth_step0_layer0');
});

test('a mesh becomes features, with TilingSchemes tiles', async (t) => {
  const mesh = squares(6, [600_000, 6_200_000]);
  const { count } = await sameAsTiles(t, mesh, { schemeId: 'a', schemeType: 'XYZ' });
  t.true(count > 10);
  const path = join(await folderOf(t), 'mesh');
  await writeFile(path, (await written(t, mesh, 'DfsuWriter')).content);
  const dfsu = await readFile(path);
  const asTiles = await converted(t, dfsu, {
    reader: 'DfsuReader',
    writer: 'GeoPackageWriter',
    writerParameters: { TilingSchemes: [{ schemeId: 'a', schemeType: 'XYZ', itemName: 'Number' }] },
  });
  t.deepEqual((await asked(t, asTiles.bytes))('select data_type as type from gpkg_contents'), [{ type: 'tiles' }]);
  const asFeatures = await converted(t, dfsu, { reader: 'DfsuReader', writer: 'GeoPackageWriter' });
  t.deepEqual((await asked(t, asFeatures.bytes))('select data_type as type from gpkg_contents'), [
    { type: 'features' },
  ]);
  const points = converted(t, collection([feature(geometryOf('Point', [1, 1]))]), {
    reader: 'GeoJsonReader',
    writer: 'GeoPackageWriter',
    writerParameters: { TilingSchemes: [{ schemeId: 'a' }] },
  });
  await t.throwsAsync(points, {
    instanceOf: ConversionError,
    message: /GeoPackageWriter with TilingSchemes takes grids and meshes/,
  });
});

test('schemes that a GeoPackage cannot hold are refused in the request, too many tiles before they are drawn', async (t) => {
  const sentence = (...schemes: object[]): string | undefined =>
    checkParameters(findWriter('GeoPackageWriter')!, { TilingSchemes: schemes }).errors[0]?.sentence;
  t.regex(String(sentence({ schemeId: 'a' }, { schemeId: 'b' })), /There are 2 schemes, and a GeoPackage takes one\./);
  t.regex(
    String(sentence({ schemeId: 'a', outputType: 'WEBP' })),
    /outputType is WEBP\. Tiles of a GeoPackage are PNG\./,
  );
  t.regex(String(sentence({ schemeId: 'a', schemeType: 'XYZ', firstLevelOnRequest: 3 })), /are drawn at once/);
  t.regex(String(sentence({ schemeId: 'a', colors: ['red'] })), /colours #RRGGBB/);
  t.is(sentence({ schemeId: 'a', schemeType: 'XYZ', outputType: 'png' }), undefined);
  const deep = written(t, gridOf(place, plane), 'GeoPackageWriter', {
    TilingSchemes: [{ schemeId: 'a', schemeType: 'XYZ', zoomLevels: [22] }],
  });
  await t.throwsAsync(deep, {
    instanceOf: ConversionError,
    message: /^Scheme 'a' needs up to \d+ tiles; at most 1000000 are drawn\. Give fewer or lower zoomLevels\.$/,
  });
});

test('readers of grids offer GeoPackageWriter; values of GeoTIFF become tiles, and only steps over time are refused an append', async (t) => {
  t.true(writersFor(findReader('GeoTiffReader')!).some(({ name }) => name === 'GeoPackageWriter'));
  const tiff = (await written(t, gridOf(place, plane), 'GeoTiffWriter')).content;
  const asked = { reader: 'GeoTiffReader', writer: 'GeoPackageWriter' };
  const { bytes, receipt } = await converted(t, tiff, asked);
  t.true(receipt.lost.includes('Tiles of XYZ are in the coordinate system Web Mercator (EPSG:3857).'));
  const existing = { content: bytes, format: 'geopackage' };
  await t.throwsAsync(converted(t, tiff, { ...asked, existing }), {
    instanceOf: ConversionError,
    message: /^The existing dataset cannot be read: The GeoPackage has tiles only/,
  });
  const layer = await converted(t, collection([feature(geometryOf('Point', [1, 1]))]), {
    ...asked,
    reader: 'GeoJsonReader',
  });
  await t.throwsAsync(converted(t, tiff, { ...asked, existing: { ...existing, content: layer.bytes } }), {
    instanceOf: ConversionError,
    message: 'The dataset holds features, and the input a grid.',
  });
});

test('a GeoPackage with tiles only is refused with their names; beside features they are named as left out', async (t) => {
  const { content } = await written(t, gridOf(place, plane), 'GeoPackageWriter', { LayerName: 'depths' });
  const refused = (parameters: Record<string, unknown> = {}) =>
    read(t, 'features', 'GeoPackageReader', content, parameters);
  await t.throwsAsync(refused(), {
    instanceOf: FormatError,
    message:
      'The GeoPackage has tiles only, which cannot be read: tiles are pictures, without the values. Sets of tiles: depths.',
  });
  await t.throwsAsync(refused({ Layer: 'Depths' }), {
    instanceOf: ConversionError,
    message: /^'Depths' is a set of tiles/,
  });
  const path = join(await folderOf(t), 'both.gpkg');
  await writeFile(path, content);
  {
    using database = new DatabaseSync(path);
    database.exec(`create table wells (fid integer primary key, name text); insert into wells values (1, 'deep');
      insert into gpkg_contents (table_name, data_type) values ('wells', 'attributes')`);
  }
  const { json, receipt } = await asJson(t, await readFile(path), { reader: 'GeoPackageReader' });
  t.deepEqual(
    json.features.map(({ properties }) => properties),
    [{ name: 'deep' }],
  );
  t.true(receipt.lost.includes('Sets of tiles were left out: depths.'));
});
