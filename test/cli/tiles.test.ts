import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { main } from '../../cli/main.ts';
import { StoredTiles } from '../../src/files/tiles/dataset/stored-tiles.ts';
import { flatMesh } from '../formats/meshes.ts';
import { memory } from '../formats/read.ts';
import { written } from '../formats/written.ts';
import { newFeatures, newTilesOf, steppedGrid } from '../world/tiles.ts';
import { world } from '../world.ts';
import { machines } from './machine.ts';
import { person } from './person.ts';

const w = world(test);
const machine = machines(w);

const scheme = { schemeType: 'XYZ', zoomLevels: [11, 14, 16], minValue: 0, maxValue: 3000 };
const schemes = [
  { ...scheme, schemeId: 'map', firstLevelOnRequest: 14 },
  { ...scheme, schemeId: 'raw', outputType: 'RawData', zoomLevels: [11] },
];

test('tile status counts tiles, tile warm draws tiles ahead, and tile check finds wrong tiles', async (t) => {
  const owner = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const { body } = await w.as(owner).post('/api/metadata/project', { name: 'Sea' });
  const id = await newTilesOf(w, { projectId: body.id, user: owner, name: 'Depths' }, steppedGrid(), schemes);
  const { run, logIn } = await machine(t);
  t.is((await logIn(owner.id)).code, 0);

  const before = await run(['tile', 'status', id, '--json']);
  const { name, schemes: told } = JSON.parse(before.out);
  t.is(name, 'Depths');
  const all = told[0].levels[2];
  t.like(all, { level: 16, onRequest: true, keptTiles: 0, keptBytes: 0 });
  t.true(all.tiles >= 3 * 6);
  t.like(told[1].levels, [{ level: 11, onRequest: false }]);

  const some = await run([
    'tile',
    'warm',
    id,
    '--levels',
    '14-16',
    '--time-step',
    '1',
    '--bbox',
    '9,54,9.008,55',
    '--json',
  ]);
  t.is(some.code, 0, some.err);
  const warmed = JSON.parse(some.out);
  t.true(warmed.tiles > 0 && warmed.tiles < all.tiles / 3 && warmed.bytes > 100);
  const whole = await run(['tile', 'warm', id, '--scheme', 'map', '--levels', '16', '--time-step', '1']);
  t.is(whole.code, 0, whole.err);
  t.regex(whole.out, new RegExp(`^Tiles +${all.tiles / 3}$`, 'm'));
  const after = await run(['tile', 'status', id]);
  t.regex(after.out, new RegExp(`^map +XYZ +16 +on request +${all.tiles} +${all.tiles / 3} +\\d`, 'm'));
  t.regex(after.out, /^raw +XYZ +11 +by the writer +\d+/m);

  for (const [argv, sentence] of [
    [['--levels', 'deep'], /--levels 'deep' is neither a zoom level nor a range/],
    [['--bbox', '9,8,7,6'], /--bbox '9,8,7,6' is not west,south,east,north/],
    [['--scheme', 'depth'], /There is no scheme 'depth'\. There are map, raw\./],
    [['--bbox', '1,2,3,4'], /No tile with data of a level that is drawn on request matches\./],
  ] as const) {
    const refused = await run(['tile', 'warm', id, ...argv]);
    t.is(refused.code, 2);
    t.regex(refused.err, sentence);
  }

  const good = await run(['tile', 'check', id, '--tiles', '100', '--json']);
  t.is(good.code, 0, good.err);
  const { checked, drawnAnew, wrong } = JSON.parse(good.out);
  t.deepEqual([checked, wrong], [100, []]);
  t.true(drawnAnew > 0);
  for (const step of ['0', '2']) t.is((await run(['tile', 'warm', id, '--time-step', step])).code, 0);
  await w.sql(`update drawn_tile_contents set bytes = bytes || '\\x00'`);
  // tiles are chosen at random, one of six times a kept one of level 16
  const bad = await run(['tile', 'check', id, '--tiles', '120']);
  t.is(bad.code, 1);
  t.regex(bad.err, /^platform: \d+ tiles? (?:is|are) wrong\.$/m);
  t.regex(bad.out, /^map +16\/\d+\/\d+ +\d +0 +The kept tile differs from a new drawing\.$/m);
  t.is((await run(['tile', 'check', '00000000-0000-4000-8000-000000000000'])).code, 1);
});

test('tile urls prints addresses that work without a login until they expire, and grant reading only', async (t) => {
  const owner = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const { body } = await w.as(owner).post('/api/metadata/project', { name: 'Sea' });
  const projectId = body.id as string;
  const all = [...schemes, { schemeId: 'own', tileWidth: 64, tileHeight: 64 }];
  const tiles = await newTilesOf(w, { projectId, user: owner, name: 'Depths' }, steppedGrid(), all);
  const wells = { type: 'Feature', geometry: { type: 'Point', coordinates: [9, 54] }, properties: { n: 1 } };
  const features = await newFeatures(
    w,
    projectId,
    owner,
    JSON.stringify({ type: 'FeatureCollection', features: [wells] }),
  );
  const { run, logIn } = await machine(t);
  await logIn(owner.id);

  const urlsOf = async (id: string, ...argv: string[]) => {
    const { code, out, err } = await run(['tile', 'urls', id, ...argv, '--json']);
    t.is(code, 0, err);
    const { expires, urls } = JSON.parse(out) as {
      expires?: string;
      urls: { kind: string; schemeId?: string; address: string }[];
    };
    const places = { z: '11', x: '1075', y: '656' };
    const fetched: Record<string, number> = {};
    for (const { kind, schemeId, address } of urls) {
      const qgis = new URLSearchParams(address).get('url') ?? /url='(.+)'/.exec(address)?.[1] ?? address;
      const own = kind.startsWith('QGIS') ? qgis : address;
      if (argv.length === 0) t.regex(own, /[?&]sp=r&/, kind);
      const url = own.replace(/\{([zxy])\}/g, (_, name: 'z' | 'x' | 'y') => places[name]);
      fetched[schemeId === undefined ? kind : `${kind} ${schemeId}`] = (await fetch(url)).status;
    }
    return { expires, fetched };
  };
  const { expires, fetched } = await urlsOf(tiles);
  t.true(Math.abs(Date.parse(expires!) - Date.now() - 86_400_000) < 3_600_000);
  t.deepEqual(fetched, {
    Map: 200,
    'XYZ map': 200,
    'TileJSON map': 200,
    'QGIS XYZ map': 200,
    'XYZ raw': 200,
    'TileJSON raw': 200,
    WMTS: 200,
    'QGIS WMTS own': 200,
  });
  t.deepEqual((await urlsOf(features)).fetched, {
    Map: 200,
    'XYZ vector': 204,
    TileJSON: 200,
    'QGIS vector': 204,
    'OGC Features': 200,
    'QGIS Features': 200,
  });
  const unsigned = await urlsOf(features, '--no-sign');
  t.is(unsigned.expires, undefined);
  t.deepEqual([unsigned.fetched.Map, unsigned.fetched.TileJSON], [200, 401]);

  const shown = await run(['tile', 'urls', tiles, '--expires', '2h']);
  t.regex(shown.out, /^KIND +ADDRESS/);
  t.regex(shown.out, /^XYZ map +http\S+\/scheme\/map\/\{z\}\/\{y\}\/\{x\}\?\S+$/m);
  t.regex(shown.err, /grant reading until 20\d\d-/);
});

test('TilingWriter without schemes draws an XYZ map of each item, in the colours of its unit', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'tiles-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const [mesh, grid] = [join(folder, 'flood.dfsu'), join(folder, 'level.asc')];
  await writeFile(mesh, (await written(t, flatMesh(), 'DfsuWriter')).content);
  await writeFile(grid, 'ncols 3\nnrows 2\nxllcorner 500000\nyllcorner 6000000\ncellsize 100\n1 2 3\n4 5 -9999\n');
  const schemesOf = async (input: string, ...argv: string[]) => {
    const output = join(folder, 'out.tiles.zip');
    const { io, err } = person({ PLATFORM_URL: 'http://127.0.0.1:9' }, {});
    t.is(await main(['convert', input, output, '--writer', 'TilingWriter', '--force', ...argv], io), 0, err());
    const { description } = await StoredTiles.open(memory(await readFile(output)));
    return description.tilingSchemes.map(({ schemeId, schemeType, itemName }) => [schemeId, schemeType, itemName]);
  };
  t.deepEqual(await schemesOf(mesh), [
    ['depth', 'XYZ', 'depth'],
    ['velocity', 'XYZ', 'velocity'],
    ['salinity', 'XYZ', 'salinity'],
  ]);
  t.deepEqual(await schemesOf(mesh, '--items', 'velocity'), [['map', 'XYZ', 'velocity']]);
  t.deepEqual(await schemesOf(grid, '--srid', '25832'), [['map', 'XYZ', 'Band 1']]);
  const own = ['--param', 'TilingSchemes=[{"schemeId":"a","itemName":"salinity"}]'];
  t.deepEqual(await schemesOf(mesh, ...own), [['a', 'WMTS', 'salinity']]);
});
