import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { plot } from '../../cli/plot.ts';
import { legendWidth } from '../../src/files/geo/draw/legend.ts';
import { decodePng } from '../formats/decode-png.ts';
import { collection, feature, geometryOf } from '../formats/features.ts';
import { converted } from '../formats/files.ts';
import { flatMesh } from '../formats/meshes.ts';
import { newDataset } from '../world/content.ts';
import { newStore } from '../world/stores.ts';
import { newProject } from '../world/transfers.ts';
import { world } from '../world.ts';
import { machines } from './machine.ts';

const w = world(test);
const machine = machines(w);

test('a series is created, filled from CSV, shown, drawn and emptied', async (t) => {
  const { run, logIn, folder } = await machine(t);
  const owner = await w.account();
  await logIn(owner.id);
  const projectId = await newProject(w.as(owner), 'Gauges');
  const created = await run(['ts', 'create', 'gauges', '--project', projectId, '--property', 'station:text']);
  t.is(created.code, 0, created.err);
  const dataset = created.out.trim();
  const item = ['--item', 'eumIWaterLevel', '--unit', 'eumUmeter', '--series', 'ribe'];
  t.is((await run(['ts', 'add', dataset, 'Level', ...item])).out, 'ribe\n');
  t.regex((await run(['ts', 'list', dataset])).out, /ribe +Level +eumIWaterLevel +eumUmeter +Double/);
  const file = join(folder, 'level.csv');
  await writeFile(file, '2026-01-24T08:00:00,1.25\n2026-01-24T09:30:00.5,\n2026-01-25,-2\n');
  const imported = await run(['ts', 'import', dataset, 'ribe', file, '--delimiter', ',']);
  t.is(imported.code, 0, imported.err);
  t.is((await run(['ts', 'values', dataset, 'ribe', '--csv'])).out.split('\n').length, 4);
  const shown = (await run(['ts', 'values', dataset, 'ribe', '--to', '2026-01-24T10:00:00'])).out;
  t.regex(shown, /2026-01-24T08:00:00 +1\.25\n/);
  t.regex(shown, /2026-01-24T09:30:00\.5/);
  const json = JSON.parse((await run(['ts', 'values', dataset, 'ribe', '--from', '2026-01-25', '--json'])).out);
  t.deepEqual(json.data, [['2026-01-25T00:00:00.0000000', -2]]);
  t.regex((await run(['ts', 'values', dataset, 'ribe', '--plot'])).out, /1\.25 │•/);
  await run(['ts', 'add', dataset, 'Stage', ...item.slice(0, 4), '--series', 'vejle']);
  const table = join(folder, 'levels.csv');
  const saved = await run(['ts', 'values', dataset, 'ribe', 'Stage', '-o', table]);
  t.is(saved.out, `Written to ${table}.\n`, saved.err);
  t.is((await readFile(table, 'utf8')).split('\r\n')[1], '2026-01-24T08:00:00,1.25,');
  t.is((await run(['ts', 'values', dataset, 'ribe', '-o', join(folder, 'ribe.nc')])).code, 0);
  const several = await run(['ts', 'values', dataset, 'ribe', 'vejle']);
  t.is(several.code, 2);
  t.regex(several.err, /need -o with the name of a file/);
  const picture = join(folder, 'level.png');
  const drawn = await run(['ts', 'values', dataset, 'ribe', '--png', picture]);
  t.is(drawn.out, `Drawn to ${picture}.\n`, drawn.err);
  t.is((await readFile(picture)).subarray(1, 4).toString(), 'PNG');
  const none = await run(['ts', 'values', dataset, 'ribe', '--from', '2027-01-01', '--png', picture]);
  t.regex(none.err, /no numbers to draw/);
  t.is((await run(['ts', 'values', dataset, 'ribe', '--plot', '--png', picture])).code, 2);
  await writeFile(file, '2026-01-26,x\n');
  const refused = await run(['ts', 'import', dataset, 'ribe', file, '--delimiter', ',']);
  t.is(refused.code, 1);
  t.regex(refused.err, /Line 1: 'x' is not a number/);
  const part = await run(['ts', 'delete', dataset, 'ribe', '--from', '2026-01-25', '--yes']);
  t.is(part.out, "Deleted 1 values of the series 'Level'.\n", part.err);
  t.deepEqual(JSON.parse((await run(['ts', 'delete', dataset, 'ribe', '--yes', '--json'])).out), { deleted: 2 });
  const nothing = await run(['ts', 'delete', dataset, 'ribe', '--yes']);
  t.is(nothing.out, "The series 'Level' has no values there.\n");
  t.is((await run(['ts', 'values', dataset, 'ribe', '--csv'])).out, '');
});

test('EUM items and units are accepted by name, symbol or identifier, and a word search lists the best match first', async (t) => {
  const { run, logIn } = await machine(t);
  const owner = await w.account();
  await logIn(owner.id);
  const projectId = await newProject(w.as(owner), 'Gauges');
  await run(['ts', 'create', 'flows', '--project', projectId]);
  const add = (item: string, unit: string) =>
    run(['ts', 'add', 'flows', 'Flow', '--item', item, '--unit', unit, '--json']);
  for (const [item, unit, identifiers] of [
    ['discharge', 'm3/s', ['eumIDischarge', 'eumUm3PerSec']],
    ['Discharge', 'm³/s', ['eumIDischarge', 'eumUm3PerSec']],
    ['Water Level', 'm', ['eumIWaterLevel', 'eumUmeter']],
    ['waterlevel', 'metre', ['eumIWaterLevel', 'eumUmeter']],
    ['eumIRainfallRate', 'mm/h', ['eumIRainfallRate', 'eumUmillimeterPerHour']],
    ['eumIDischarge', 'eumUliterPerSec', ['eumIDischarge', 'eumUliterPerSec']],
    ['temperature', '°C', ['eumITemperature', 'eumUdegreeCelsius']],
  ] as const) {
    const added = await add(item, unit);
    t.is(added.code, 0, added.err);
    const made = JSON.parse(added.out).item;
    t.deepEqual([made.item, made.unit], identifiers);
  }
  const unknown = await add('discharge', 'm3/sx');
  t.is(unknown.code, 2);
  t.regex(unknown.err, /There is no EUM unit 'm3\/sx'\./);
  t.regex((await add('water lev', 'm')).err, /There is no EUM item 'water lev'\. Similar are eumIWaterLevel/);

  const wrong = await run(['ts', 'add', 'flows', '', '--item', 'discharge', '--unit', 'm3/s', '--type', 'Number']);
  t.is(wrong.code, 1);
  t.regex(wrong.err, /--type must be /, 'the option of the member, not that of its object');
  t.regex(wrong.err, /<name> must have at least 1 character; /);

  const rows = async (...words: string[]) => (await run(['eum', 'list', ...words])).out.split('\n');
  t.regex((await rows('m3/s'))[1] ?? '', /^eumUm3PerSec +m\^3\/s +meter pow 3 per sec$/);
  t.regex((await rows('water', 'level'))[1] ?? '', /^eumIWaterLevel +Water Level +eumUmeter /);
  t.regex((await rows('water level', '--kind', 'item'))[1] ?? '', /^eumIWaterLevel /);
  t.is((await rows('no such thing'))[0], "No EUM item or unit has 'no such thing'.");
  const all = JSON.parse((await run(['eum', 'list', '--json'])).out);
  t.true(all.items.length > 300 && all.units.length > 200);
  const client = w.as(owner);
  const { data } = (await client.get('/api/ts/eum/unit?text=meter%20per%20sec')).body;
  t.like(data[0], { identifier: 'eumUmeterPerSec', symbol: 'm/s' });
  t.is((await client.get('/api/ts/eum/item?text=discharge')).body.data[0].identifier, 'eumIDischarge');
});

test('a series is addressed by its id, or by a unique item name', async (t) => {
  const { run, logIn, folder } = await machine(t);
  const owner = await w.account();
  await logIn(owner.id);
  const projectId = await newProject(w.as(owner), 'Gauges');
  await run(['ts', 'create', 'my gauges', '--project', projectId]);
  const add = async (name: string, ...id: string[]) =>
    run(['ts', 'add', 'my gauges', name, '--item', 'eumIWaterLevel', '--unit', 'eumUmeter', ...id]);
  const level = (await add('Level at Ribe, m/s')).out.trim();
  await add('twin');
  await add('twin', '--series', 'Level');
  await add('Level', '--series', 'other');
  await add('..', '--series', 'dots');
  const show = (series: string) => run(['ts', 'values', 'my gauges', series, '--csv']);
  const fill = async (series: string, value: number) => {
    const file = join(folder, `${value}.csv`);
    await writeFile(file, `2026-01-24T08:00:00;${value}\n`);
    const { code, err } = await run(['ts', 'import', 'my gauges', series, file]);
    t.is(code, 0, err);
  };
  await fill('Level at Ribe, m/s', 1);
  await fill('Level', 2);
  await fill('dots', 3);
  for (const [series, value] of [
    ['Level at Ribe, m/s', 1],
    [level, 1],
    ['Level', 2],
    ['..', 3],
  ] as const)
    t.regex((await show(series)).out, new RegExp(`;${value}\n$`), series);
  const both = await show('twin');
  t.is(both.code, 2);
  t.regex(both.err, /'twin' could be twin \(.+\), twin \(Level\)\. Use the id\./);
  const none = await show('Level at Esbjerg');
  t.is(none.code, 1);
  t.regex(none.err, /There is no time series 'Level at Esbjerg'/);
  const emptied = await run(['ts', 'delete', 'my gauges', 'Level at Ribe, m/s', '--yes']);
  t.regex(emptied.out, /^Deleted \d+ values of the series 'Level at Ribe, m\/s'\.\n$/, emptied.err);
  t.is((await show(level)).out, '');
});

test('features are described, listed and written as GeoJSON, all pages', async (t) => {
  const { run, logIn, folder } = await machine(t);
  const owner = await w.account();
  await logIn(owner.id);
  const wells = Array.from({ length: 1200 }, (_, n) =>
    feature(geometryOf('Point', [n / 10, 50]), { n, big: 2 ** 52 + n, name: `Well ${n}` }),
  );
  const text = collection(wells).replace(`${2 ** 52 + 3}`, '12345678901234567');
  const { bytes: content } = await converted(t, text, { reader: 'GeoJsonReader', writer: 'GISWriter' });
  const type = { datasetType: 'gisvectordata', datasetFormat: 'gis' } as const;
  const id = await newDataset(w, await newProject(w.as(owner), 'Features'), owner, { ...type, name: 'wells', content });
  const shown = (await run(['gis', 'show', id])).out;
  t.regex(shown, /Geometry +Point\nFeatures +1200\n/);
  t.regex(shown, /big +integer64/);
  const box = await run(['gis', 'features', id, '--bbox', '0.95,49,1.25,51', '--properties', 'n,name']);
  t.regex(box.out, /ID +GEOMETRY +N +NAME/);
  t.deepEqual(box.out.match(/Well \d+/g)?.toSorted(), ['Well 10', 'Well 11', 'Well 12']);
  const some = await run(['gis', 'features', id, '--limit', '2']);
  t.regex(some.err, /Shows 2 of 1200\. Use --limit or --all\./);
  t.is(JSON.parse((await run(['gis', 'features', id, '--all', '--json'])).out).features.length, 1200);
  const file = join(folder, 'wells.geojson');
  t.is((await run(['gis', 'features', id, '--all', '-o', file])).out, `${file}: 1200 features\n`);
  const written = await readFile(file, 'utf8');
  t.true(written.includes('"big":12345678901234567'), 'every digit');
  t.deepEqual(
    JSON.parse(written)
      .features.map(({ properties }: { properties: { n: number } }) => properties.n)
      .toSorted((a: number, b: number) => a - b),
    wells.map(({ properties }) => (properties as { n: number }).n),
  );
  t.is((await run(['gis', 'features', id, '-o', file])).code, 2, 'the file exists');
  const packed = join(folder, 'wells.gpkg');
  const saved = await run(['gis', 'features', id, '--all', '-o', packed]);
  t.is(saved.out, `Written to ${packed}.\n`, saved.err);
  t.is((await readFile(packed)).toString('latin1', 0, 15), 'SQLite format 3');
  const few = await run(['gis', 'features', id, '--limit', '2', '-o', join(folder, 'few.csv')]);
  t.is(few.code, 0, few.err);
  t.is((await readFile(join(folder, 'few.csv'), 'utf8')).trim().split('\r\n').length, 3);
  const shp = await run(['gis', 'features', id, '--limit', '2', '-o', join(folder, 'few.shp')]);
  t.is(shp.code, 0, shp.err);
  t.true((await readdir(folder)).includes('few.dbf'));
  const unknown = await run(['gis', 'features', id, '-o', join(folder, 'wells.dwg')]);
  t.is(unknown.code, 2);
  t.regex(unknown.err, /the extension \.dwg is not known\. Use \.geojson, \.json, \.gpkg, .*, or --format\./);
  t.is((await run(['gis', 'features', id, '-o', join(folder, 'wells.dwg'), '--format', 'fgb'])).code, 0);
  t.is((await run(['gis', 'features', id, '--format', 'fgb'])).code, 2);
  const utm = JSON.parse((await run(['gis', 'features', id, '--filter', 'n=90', '--crs', '25832', '-o', '-'])).out);
  t.is(utm.crs.properties.name, 'urn:ogc:def:crs:EPSG::25832');
  t.is(Math.round(utm.features[0].geometry.coordinates[0]), 500_000);
  const number = JSON.parse((await run(['gis', 'features', id, '--filter', 'n=90', '--json'])).out).features[0].id;
  t.regex((await run(['gis', 'feature', id, String(number)])).out, /name +Well 90\n?$/);
  t.is((await run(['gis', 'feature', id, '1200'])).code, 1);
});

test('the plot has the highest value at the top and the first time at the left', (t) => {
  const lines = plot(
    [
      { time: 0, value: 0 },
      { time: 60_000, value: 10 },
    ],
    40,
  ).split('\n');
  t.regex(lines[0] ?? '', /^ +10 │ +•$/);
  t.regex(lines[11] ?? '', /^ +0 │•$/);
  t.regex(lines.at(-1) ?? '', /1970-01-01 00:00 +1970-01-01 00:01/);
  t.is(plot([], 40), '');
});

test('a multidimensional dataset is shown, its values printed and drawn', async (t) => {
  const { run, logIn, folder } = await machine(t);
  const owner = await w.account();
  await logIn(owner.id);
  const dataset = await newStore(w, await newProject(w.as(owner)), owner, 'levels');
  const shown = await run(['md', 'show', dataset]);
  t.is(shown.code, 0, shown.err);
  t.regex(shown.out, /ETRS89 \/ UTM zone 32N \(EPSG:25832\)/);
  t.regex(shown.out, /2 steps, 2026-01-24T00:00:00 to 2026-01-24T01:00:00, every 3600 s/);
  t.regex(shown.out, /Level +Level +m +Single +time, y, x/);
  const point = ['md', 'values', dataset, '--point', '500015,6000001'];
  t.regex((await run(point)).out, /TIME +X +Y +LEVEL\n2026-01-24T00:00:00 +500015 +6000005 +21\n2026-01-24T01:00:00 /);
  t.is((await run([...point, '--csv'])).out.split('\r\n')[1], '2026-01-24T00:00:00.0000000,500015,6000005,21');
  t.is(JSON.parse((await run([...point, '--covjson'])).out).domain.domainType, 'PointSeries');
  t.deepEqual(JSON.parse((await run([...point, '--to', '2026-01-24', '--json'])).out).data[0].at(-1), 21);
  const file = join(folder, 'level.png');
  for (const which of [point, ['md', 'values', dataset, '--item', 'Level', '--from', '2026-01-24T01:00:00']]) {
    const drawn = await run([...which, '--png', file]);
    t.is(drawn.code, 0, drawn.err);
    t.deepEqual((await readFile(file)).subarray(0, 8), Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'));
  }
  const all = await run(['md', 'values', dataset, '--png', file]);
  t.regex(all.err, /--png draws one step of one item of a grid or mesh/);
  t.regex((await run([...point, '--csv', '--covjson'])).err, /Choose one of --csv and --covjson/);
  for (const [name, signature] of [
    ['level.nc', '\x89HDF'],
    ['level.parquet', 'PAR1'],
    ['level.csv', 'time'],
    ['level.json', '{"co'],
  ] as const) {
    const saved = await run([...point, '-o', join(folder, name)]);
    t.is(saved.code, 0, saved.err);
    t.is((await readFile(join(folder, name))).toString('latin1', 0, 4), signature);
  }
  t.is((await run([...point, '-o', join(folder, 'level.nc')])).code, 2, 'the file exists');
  t.is((await run([...point, '-o', join(folder, 'level')])).code, 2);
});

test('a step of a mesh is drawn as discs in the colours of its elements', async (t) => {
  const { run, logIn, folder } = await machine(t);
  const owner = await w.account();
  await logIn(owner.id);
  const dataset = await newStore(w, await newProject(w.as(owner)), owner, 'mesh', flatMesh());
  const file = join(folder, 'depth.png');
  const step = ['--item', 'depth', '--from', '2026-01-25T02:00:00', '--to', '2026-01-25T02:00:00'];
  const drawn = await run(['md', 'values', dataset, ...step, '--png', file]);
  t.is(drawn.code, 0, drawn.err);
  const { width, rgba } = decodePng(await readFile(file));
  /** Where pixels have a colour, left of the legend. */
  const middleOf = (colour: readonly number[]) => {
    const found = Array.from({ length: rgba.length / 4 }, (_, n) => n).filter(
      (n) => n % width < width - legendWidth && colour.every((value, k) => rgba[4 * n + k] === value),
    );
    t.true(found.length > 20 && found.length < 80, `${found.length} pixels of ${colour}`);
    return found.reduce((sum, n) => sum + (n % width), 0) / found.length;
  };
  // the least value is in the first element, the greatest in the last, east of it
  t.true(middleOf([68, 1, 84]) < middleOf([253, 231, 37]) - 100);
  const two = await run(['md', 'values', dataset, '--item', 'depth', '--png', file]);
  t.regex(two.err, /--png draws one step of one item of a grid or mesh/);
});
