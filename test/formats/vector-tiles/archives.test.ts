import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync } from 'node:zlib';
import test, { type ExecutionContext } from 'ava';
import type { Feature, FeatureCollection } from '../../../src/files/data/feature-collection.ts';
import { TileArchive } from '../../../src/files/formats/io/pmtiles/archive-reader.ts';
import { decodeTile } from '../../world/decode-mvt.ts';
import { flatMesh } from '../meshes.ts';
import { memory } from '../read.ts';
import { folderOf } from '../transformed.ts';
import { written } from '../written.ts';

const point = (x: number, y: number, values: readonly unknown[]): Feature => ({
  geometry: { type: 'Point', coordinates: Float64Array.of(x, y) },
  values,
});

const points = (features: readonly Feature[]): FeatureCollection => ({
  kind: 'features',
  name: 'places',
  crs: { authority: 'EPSG', code: 4326 },
  fields: [
    { name: 'name', type: 'string' },
    { name: 'depth', type: 'real' },
  ],
  hasZ: false,
  hasM: false,
  async *chunks() {
    yield features;
  },
});

const two = points([point(10, 50, ['A', 1]), point(-100, -20, ['B', null])]);

async function metadataOf(content: Buffer): Promise<Record<string, unknown>> {
  const { metadata } = (await TileArchive.open(memory(content))).header;
  return JSON.parse(gunzipSync(content.subarray(metadata.offset, metadata.offset + metadata.length)).toString());
}

async function openDatabase(t: ExecutionContext, content: Buffer): Promise<DatabaseSync> {
  const path = join(await folderOf(t), 'out.mbtiles');
  await writeFile(path, content);
  const database = new DatabaseSync(path, { readOnly: true });
  t.teardown(() => database.close());
  return database;
}

test('a PMTiles archive describes its layer and has the tiles of all levels', async (t) => {
  const { content } = await written(t, two, 'PMTilesWriter', { MinZoom: 1, MaxZoom: 3, LayerName: 'spots' });
  const archive = await TileArchive.open(memory(content));
  t.like(archive.header, { tileType: 1, tileCompression: 2, levels: [1, 3], counts: [6, 6, 6] });
  t.deepEqual(
    archive.header.bounds.map((value) => Math.round(value * 1e6) / 1e6),
    [-100, -20, 10, 50],
  );
  // In the order of the ids.
  t.is(content[96], 1);
  t.deepEqual(await metadataOf(content), {
    name: 'places',
    type: 'overlay',
    vector_layers: [
      { id: 'spots', description: '', minzoom: 1, maxzoom: 3, fields: { name: 'String', depth: 'Number' } },
    ],
  });
  t.is(await archive.tile(0, 0, 0), undefined);
  const [layer] = decodeTile(gunzipSync((await archive.tile(3, 4, 2))!.bytes));
  t.is(layer!.name, 'spots');
  t.deepEqual(layer!.features[0]!.attributes, { name: 'A', depth: 1 });
});

test('an MBTiles archive has the same tiles, with rows from the south', async (t) => {
  const parameters = { MaxZoom: 4 };
  const { content } = await written(t, two, 'PMTilesWriter', parameters);
  const archive = await TileArchive.open(memory(content));
  const database = await openDatabase(t, (await written(t, two, 'MBTilesWriter', parameters)).content);
  const rows = database.prepare('select * from tiles order by zoom_level, tile_column').all();
  t.is(rows.length, archive.header.counts[0]);
  for (const { zoom_level, tile_column, tile_row, tile_data } of rows) {
    const level = Number(zoom_level);
    const tile = await archive.tile(level, Number(tile_column), 2 ** level - 1 - Number(tile_row));
    t.deepEqual(Buffer.from(tile_data as Uint8Array), Buffer.from(tile!.bytes));
  }
  const told = Object.fromEntries(
    database
      .prepare('select name, value from metadata')
      .all()
      .map((row) => [row.name, row.value]),
  );
  t.like(told, { name: 'places', format: 'pbf', minzoom: '0', maxzoom: '4', type: 'overlay' });
  t.is(JSON.parse(String(told.json)).vector_layers[0].id, 'features');
  t.deepEqual(
    String(told.bounds)
      .split(',')
      .map((value) => Math.round(Number(value))),
    [-100, -20, 10, 50],
  );
});

test('elements of a mesh become polygons with their values', async (t) => {
  const { content } = await written(t, { ...flatMesh(), crs: { authority: 'EPSG', code: 25832 } }, 'PMTilesWriter', {
    MaxZoom: 2,
  });
  const archive = await TileArchive.open(memory(content));
  t.true(archive.header.counts[0] > 0);
  const { vector_layers } = (await metadataOf(content)) as { vector_layers: { fields: object }[] };
  t.true(Object.values(vector_layers[0]!.fields).includes('Number'));
});

test('only chosen attributes are in the tiles, and one that is not there is named', async (t) => {
  const { content } = await written(t, two, 'PMTilesWriter', { MaxZoom: 0, Attributes: 'depth' });
  const archive = await TileArchive.open(memory(content));
  const [layer] = decodeTile(gunzipSync((await archive.tile(0, 0, 0))!.bytes));
  t.deepEqual(
    new Set(layer!.features.map(({ attributes }) => JSON.stringify(attributes))),
    new Set(['{}', '{"depth":1}']),
  );
  await t.throwsAsync(written(t, two, 'PMTilesWriter', { Attributes: ['width'] }), {
    message: "Attributes: the data have no field 'width'. There are 'name', 'depth'.",
  });
});

test('levels must make sense, and the data need a coordinate system', async (t) => {
  await t.throwsAsync(written(t, two, 'MBTilesWriter', { MinZoom: 5, MaxZoom: 4 }), {
    message: 'MaxZoom 4 is less than MinZoom 5.',
  });
  const { crs: _, ...nowhere } = two;
  await t.throwsAsync(written(t, nowhere, 'PMTilesWriter'), { message: /no coordinate system/ });
});

test('without MaxZoom the last level is 14, or the last one whose tiles are not too many', async (t) => {
  const near = points([point(10, 50, ['A', 1]), point(10.01, 50.01, ['B', 2])]);
  const levels = async (data: FeatureCollection) =>
    (await TileArchive.open(memory((await written(t, data, 'PMTilesWriter')).content))).header.levels;
  t.deepEqual(await levels(near), [0, 14]);
  t.deepEqual(await levels(points([point(-179, -84, ['A', 1]), point(179, 84, ['B', 2])])), [0, 9]);
});

test('features without a place are counted as lost; without any feature the archive is empty', async (t) => {
  const { lost, content } = await written(t, points([{ values: ['nowhere', 1] }]), 'PMTilesWriter', { MaxZoom: 2 });
  t.deepEqual(lost, [
    'Vector tiles are in the coordinate system Web Mercator (EPSG:3857), and their coordinates are rounded to 1/4096 of a tile.',
    '1 features without a place are in no tile.',
  ]);
  t.is((await TileArchive.open(memory(content))).header.counts[0], 0);
  const none = await written(t, points([]), 'MBTilesWriter', { MaxZoom: 2 });
  t.is((await openDatabase(t, none.content)).prepare('select count(*) n from tiles').get()!.n, 0);
});

const squares = (count: number, at: (n: number) => readonly [x: number, y: number, side: number]) =>
  points(
    Array.from({ length: count }, (_, n): Feature => {
      const [x, y, side] = at(n);
      const coordinates = Float64Array.of(x, y, x + side, y, x + side, y + side, x, y + side, x, y);
      return { geometry: { type: 'Polygon', coordinates, parts: new Uint32Array(1) }, values: [`square ${n}`, n / 2] };
    }),
  );

test('MinFeatures draws only tiles of many features, with the same bytes', async (t) => {
  // A hundred in one place, and one in each of a hundred others.
  const data = squares(200, (n) => (n < 100 ? [10 + n / 1000, 50, 0.0005] : [-170 + 3 * (n - 100), -40, 1]));
  const open = async (more: object) =>
    TileArchive.open(memory((await written(t, data, 'PMTilesWriter', { MaxZoom: 9, ...more })).content));
  const [all, some] = [await open({}), await open({ MinFeatures: 100 })];
  t.true(all.header.counts[0] > 200);
  t.deepEqual(some.header.levels, [0, 9]);
  t.true(some.header.counts[0] >= 10 && some.header.counts[0] < 30);
  t.deepEqual(await some.tile(0, 0, 0), await all.tile(0, 0, 0));
  t.deepEqual(await some.tile(9, 270, 173), await all.tile(9, 270, 173));
  t.truthy(await some.tile(9, 270, 173));
  t.is(await some.tile(4, 1, 9), undefined);
  t.truthy(await all.tile(4, 1, 9));
});

test('with overlapping features MinFeatures omits the most detailed tiles', async (t) => {
  const data = squares(60, () => [-80, -60, 120]);
  const { content } = await written(t, data, 'PMTilesWriter', { MaxZoom: 12, MinFeatures: 50 });
  const { counts, levels } = (await TileArchive.open(memory(content))).header;
  t.true(counts[0] <= 256);
  t.true(levels[1] < 8);
});

test('an archive does not depend on the number of threads or the order of the data', async (t) => {
  // More than are drawn at a time.
  const [columns, rows] = [300, 90];
  const data = squares(columns * rows, (n) => [-150 + (n % columns), -45 + Math.floor(n / columns), 0.4]);
  const features = (await Array.fromAsync(data.chunks())).flat();
  // A step that has no divisor in common with their number.
  const mixed = points(features.map((_, n) => features[(n * 7_919) % features.length]!));
  const archive = async (of: FeatureCollection, threads: number, name: string) =>
    (await written(t, of, name, { MaxZoom: 3 }, threads)).content;
  for (const name of ['MBTilesWriter', 'PMTilesWriter']) {
    const alone = await archive(data, 1, name);
    t.true(alone.length > 500_000, name);
    t.true(alone.equals(await archive(data, 3, name)), name);
    t.true(alone.equals(await archive(mixed, 2, name)), name);
  }
});
