// Own thread: it awaits before its tests.
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { dfsu, flat } from '../formats/dfsu/files.ts';
import { tiffFile } from '../formats/tiff-file.ts';
import { openSource } from '../world/source.ts';
import { ASCII_GRID } from '../world/transfers.ts';
import { sharedWorker } from '../world/worker-here.ts';
import { world } from '../world.ts';
import { machines } from './machine.ts';

const source = await openSource();
const settings = { 'outbound.allow': source.place };
const w = world(test, settings);
const machine = machines(w);
const worker = sharedWorker(w, settings);
test.after.always(() => source.close());

/** An id that nothing has. */
const nobody = randomUUID;

/** Somebody who is logged in, with a project and a file. */
async function scene(t: ExecutionContext, name = 'terrain.asc', content: string | Uint8Array = ASCII_GRID) {
  await worker();
  const at = await machine(t);
  const user = await w.account();
  await at.logIn(user.id);
  const made = await at.run(['project', 'create', '--name', 'Upper valley', '--json']);
  const file = join(at.folder, name);
  await writeFile(file, content);
  return { ...at, user, project: JSON.parse(made.out).id as string, file };
}

test('a project is created, listed, shown and moved to the recycle bin', async (t) => {
  const { run, project, user } = await scene(t);
  t.regex((await run(['project', 'list'])).out, new RegExp(`^${project}  Upper valley  Shared `, 'm'));
  t.is((await run(['project', 'list', '--name-prefix', 'Lower'])).out, 'ID  NAME  ACCESS  UPDATED\n');
  t.regex((await run(['project', 'show', project])).out, new RegExp(`^${user.id} .* Owner .*${user.userId}$`, 'm'));
  const asked = await run(['project', 'delete', project]);
  t.like(asked, { code: 2, err: 'platform: Not a terminal. Use --yes to confirm.\n' });
  t.like(await run(['project', 'delete', project, '--yes']), { code: 0, err: '' });
  t.like(await run(['project', 'show', project]), { code: 1, err: `platform: Project '${project}' was not found.\n` });
});

test('a truncated list says how to continue', async (t) => {
  const { run } = await scene(t);
  await run(['project', 'create', '--name', 'Lower valley']);
  const first = await run(['project', 'list', '--limit', '1']);
  const cursor = /^More projects: --cursor (\S+)$/m.exec(first.err)?.[1] ?? '';
  t.true(first.out.includes('Lower valley') && !first.out.includes('Upper valley'));
  const rest = await run(['project', 'list', '--limit', '1', '--cursor', cursor]);
  t.true(rest.out.includes('Upper valley') && !rest.out.includes('Lower valley'));
  t.is(rest.err, '');
});

test('a dry run reports why a start would fail, or its estimate, without an upload or a transfer', async (t) => {
  const { run, project, file } = await scene(t);
  const start = ['transfer', 'import', file, '--project', project, '--writer', 'GeoTiffWriter'];
  const tried = await run([...start, '--dry-run']);
  t.like(tried, { code: 0, err: 'Dry run: the file is not uploaded.\n' });
  t.regex(
    tried.out,
    /^It could be started\.\nFound: 4 × 3 cells, 1 band\.\nEstimate: about 1 s of conversion, about \d+ B before compression\.\n$/,
  );
  const impossible = await run([...start, '--label', 'nobody=here', '--dry-run', '--json']);
  t.regex(JSON.parse(impossible.out).warnings[1], /nobody=here/);
  const nowhere = await run(['transfer', 'import', file, '--project', nobody(), '--dry-run']);
  t.like(nowhere, { code: 1, out: '' });
  t.regex(nowhere.err, /was not found/);
  t.is((await run(['transfer', 'list', '--json'])).out.includes('"id"'), false);
});

test('errors of an import are reported before its file is uploaded', async (t) => {
  const { run, file } = await scene(t);
  const { code, err } = await run(['transfer', 'import', file, '--project', nobody()]);
  t.is(code, 1);
  t.regex(err, /^platform: Project '[^']+' was not found\.\n$/, 'without a line of the upload');
});

test('a file is uploaded, converted and followed to its end; the dataset is downloaded as stored', async (t) => {
  const { run, folder, project, file } = await scene(t);
  const options = [
    '--writer',
    'GeoTiffWriter',
    '--srid',
    '25832',
    '--to-srid',
    'EPSG:3857',
    '--name',
    'Terrain',
    '--watch',
  ];
  const imported = await run(['transfer', 'import', file, '--project', project, ...options]);
  t.is(imported.code, 0, imported.err);
  t.regex(imported.out, /^status +Completed$/m);
  const dataset = /^dataset +(\S+)$/m.exec(imported.out)?.[1] ?? '';

  t.regex(
    (await run(['dataset', 'list', '--project', project])).out,
    new RegExp(`^${dataset}  Terrain +geotiff +\\d`, 'm'),
  );
  t.regex((await run(['dataset', 'show', dataset])).out, /^srid +3857$/m);
  const tif = join(folder, 'out.tif');
  t.like(await run(['dataset', 'download', dataset, '-o', tif]), { code: 0, out: `${tif}\n` });
  t.is((await readFile(tif)).toString('latin1', 0, 2), 'II');
  t.is((await run(['dataset', 'download', dataset, '-o', tif])).code, 2, 'it is there already');

  const named = await run(['dataset', 'download', dataset, '-o', folder]);
  t.is(named.out, `${join(folder, 'Terrain.tif')}\n`);
  t.is((await run(['dataset', 'delete', dataset, '--yes'])).code, 0);
  t.is((await run(['dataset', 'show', dataset])).code, 1);
});

test('reader and writer are inferred from the file name, the writer of an export from the output name', async (t) => {
  const { run, folder, project, file } = await scene(t);
  const imported = await run([
    'transfer',
    'import',
    file,
    '--project',
    project,
    '--srid',
    '25832',
    '--watch',
    '--json',
  ]);
  t.is(imported.code, 0, imported.err);
  const transfer = JSON.parse(imported.out);
  t.like(transfer.importParameters, { readerName: 'AsciiGridReader', writerName: 'AsciiGridWriter' });
  const { datasetId } = transfer.importResults[0];
  const tif = join(folder, 'out.tif');
  t.like(await run(['transfer', 'export', datasetId, '-o', tif]), { code: 0, out: `${tif}\n` });
  t.is((await readFile(tif)).toString('latin1', 0, 2), 'II');
  const again = await run(['transfer', 'export', datasetId, '-o', tif]);
  t.like(again, { code: 2, err: `platform: ${tif} exists already. Use --force to replace it.\n` }, 'before any work');
  const named = await run(['transfer', 'export', datasetId, '--writer', 'asciigridwriter', '-o', folder, '--force']);
  t.is(named.out, `${file}\n`);
});

test('options choose items, area and statistics; the area may be a GeoJSON file in its own coordinate system', async (t) => {
  const place = (x: number, y: number) => ({ type: 'Point', coordinates: [x, y] });
  const well = (name: string, x: number, y: number) => ({
    type: 'Feature',
    properties: { name, depth: x, kind: 'well' },
    geometry: place(x, y),
  });
  const text = JSON.stringify({ type: 'FeatureCollection', features: [well('a', 9, 50), well('b', 10, 51)] });
  const { run, project, file, folder } = await scene(t, 'wells.geojson', text);
  const area = join(folder, 'area.geojson');
  const crs = { type: 'name', properties: { name: 'urn:ogc:def:crs:EPSG::25832' } };
  const ring = [
    [499000, 5538000, 7],
    [501000, 5538000, 7],
    [501000, 5540000, 7],
    [499000, 5538000, 7],
  ];
  const polygon = { type: 'Polygon', coordinates: [ring] };
  await writeFile(
    area,
    JSON.stringify({ type: 'FeatureCollection', crs, features: [{ geometry: polygon, type: 'Feature' }] }),
  );
  const argv = ['transfer', 'import', file, '--project', project, '--watch', '--json'];
  const chosen = await run([...argv, '--items', 'depth,0', '--clip', `@${area}`, '--to-srid', '3857', '--statistics']);
  t.is(chosen.code, 0, chosen.err);
  const transfer = JSON.parse(chosen.out);
  t.deepEqual(transfer.importParameters.transformations, [
    { type: 'itemFilterTransformation', itemFilter: [{ names: ['depth'] }, { itemIndices: [0] }] },
    {
      type: 'spatialFilterTransformation',
      spatialFilter: {
        geometry: 'POLYGON ((499000 5538000, 501000 5538000, 501000 5540000, 499000 5538000))',
        SRID: '25832',
      },
    },
    { type: 'crsTransformation', outputSrid: '3857' },
    { type: 'calculateStatisticsTransformation' },
  ]);
  const shown = await run(['dataset', 'show', transfer.importResults[0].datasetId, '--json']);
  const { statistics } = JSON.parse(shown.out).properties;
  t.is(statistics.features, 1);
  t.deepEqual(
    statistics.fields.map(({ name }: { name: string }) => name),
    ['depth', 'name'],
  );

  const wkt = await run([...argv, '--clip', 'POINT (1113194.90793 6621293.72274)', '--clip-srid', '3857']);
  t.is(wkt.code, 1);
  t.regex(
    wkt.out + wkt.err,
    /None of the 2 features intersects the spatial filter/,
    'a point is hit exactly or not at all',
  );
  t.regex((await run(['reader', 'show', 'GeoJsonReader'])).out, /^transformations +CrsTransformation, .*ItemFilter/m);
});

test('unreadable records are skipped on request, and the command says how to get their locations', async (t) => {
  const wrong = '{"type":"Feature","properties":{},"geometry":{"type":"Point","coordinates":["x"]}}';
  const text = `{"type":"FeatureCollection","features":[${wrong.replace('"x"', '1,2')},${wrong}]}`;
  const { run, project, file } = await scene(t, 'wells.geojson', text);
  const argv = ['transfer', 'import', file, '--project', project, '--watch'];
  t.is((await run(argv)).code, 1);
  const { code, out, err } = await run([...argv, '--skip-bad-records']);
  t.is(code, 0, err);
  t.regex(out, /^skipped +1 records$/m);
  t.regex(out, /^bad records +http.*-bad-records\.geojson\?\S+$/m);
  const dataset = /^dataset +(\S+)$/m.exec(out)?.[1] ?? '';
  const exported = await run([
    'transfer',
    'export',
    dataset,
    '--to-srid',
    '3857',
    '--skip-bad-records',
    '--writer',
    'ShapefileWriter',
    '-o',
    `${file}.zip`,
  ]);
  t.like(exported, { code: 0, out: `${file}.zip\n` });
});

test('remarks of a receipt are stored and shown like losses: by import, show and export, and by the API', async (t) => {
  const remark = 'The image is not georeferenced. Coordinates are cells from its upper left corner.';
  const image = tiffFile({ width: 2, height: 1, values: [1, 2] });
  const { run, project, file } = await scene(t, 'image.tif', image);
  const start = ['transfer', 'import', file, '--project', project, '--watch'];
  const imported = await run(start);
  t.is(imported.code, 0, imported.err);
  t.regex(imported.out, /^remarks +The image is not georeferenced/m);
  const id = /^id +(\S+)$/m.exec(imported.out)?.[1] ?? '';
  t.true((await run(['transfer', 'show', id])).out.includes(remark));
  const { receipt } = JSON.parse((await run(['transfer', 'show', id, '--json'])).out);
  t.like(receipt, { lost: [], remarks: [remark], input: { size: image.length } });
  const stored = await run([...start, '--writer', 'FileWriter', '--reader', 'FileReader']);
  const dataset = /^dataset +(\S+)$/m.exec(stored.out)?.[1] ?? '';
  const exported = await run(['transfer', 'export', dataset, '--reader', 'GeoTiffReader', '-o', `${file}.asc`]);
  t.is(exported.code, 0, exported.err);
  t.true(exported.err.includes(`Remark: ${remark}\n`), exported.err);
});

test('importing a file of unknown format fails and lists the readers for --reader', async (t) => {
  const { run, project, file } = await scene(t, 'terrain.bin', 'words of no format');
  const { code, err } = await run(['transfer', 'import', file, '--project', project]);
  t.is(code, 2);
  t.regex(
    err,
    /^platform: The format of .*terrain\.bin is not known from its name\. Use --reader with one of .*AsciiGridReader/,
  );
  const odd = await run(['transfer', 'import', file, '--project', project, '--reader', 'DwgReader']);
  t.is(odd.code, 2);
  t.regex(odd.err, /--reader DwgReader does not exist\. Use one of .*AsciiGridReader/);
});

test('a failed conversion ends the command with its message and exit code 1, also with --json', async (t) => {
  const { run, project, file } = await scene(t, 'terrain.asc', 'this is no grid\n');
  const argv = ['transfer', 'import', file, '--project', project, '--writer', 'GeoTiffWriter', '--watch'];
  const failed = await run(argv);
  t.is(failed.code, 1);
  t.is(failed.out, '');
  const id = /^platform: Transfer (\S+) failed: \S.*\n$/m.exec(failed.err)?.[1] ?? '';
  t.regex((await run(['transfer', 'show', id])).out, /^status +Error$/m);
  t.is((await run(['transfer', 'watch', id])).code, 1);
  const json = await run(['transfer', 'watch', id, '--json']);
  t.is(json.code, 1);
  t.is(JSON.parse(json.out).status, 'Error');
});

test('without a terminal an import returns after its start; the transfer can be watched and shown later', async (t) => {
  const { run, project, file } = await scene(t);
  const started = await run(['transfer', 'import', file, '--project', project, '--srid', '25832']);
  t.is(started.code, 0, started.err);
  const id = started.out.trim();
  t.regex((await run(['transfer', 'watch', id])).out, /^status +Completed$/m);
  t.regex((await run(['transfer', 'list'])).out, new RegExp(`^\\S+  Completed  ${id}  Import  .* asciigrid$`, 'm'));
  t.is((await run(['transfer', 'list', '--status', 'Error'])).out, 'NAME  STATUS  ID  TYPE  STARTED  FORMAT\n');
  t.is((await run(['transfer', 'log', id])).code, 0);
  const late = await run(['transfer', 'cancel', id]);
  t.is(late.code, 1);
  t.regex(late.err, /^platform: .+\n$/);
});

test('an error of the server about a transfer names the member', async (t) => {
  const { run, project, file } = await scene(t);
  const refused = await run(['transfer', 'import', file, '--project', project, '--param', 'Frob=1']);
  t.is(refused.code, 1);
  t.regex(refused.err, /^(Uploading.*\n)*platform: .*Frob.*\n$/);
  t.is((await run(['transfer', 'import', file, '--project', project, '--param', 'Frob'])).code, 2);
});

test('readers and writers are listed with their parameters', async (t) => {
  const { run } = await scene(t);
  t.regex((await run(['reader', 'list'])).out, /^AsciiGridReader +asciigrid +\S/m);
  t.regex((await run(['writer', 'list'])).out, /^GeoTiffWriter +geotiff +\S/m);
  const shown = (await run(['reader', 'show', 'GeoTiffReader'])).out;
  t.regex(shown, /^writers +.*AsciiGridWriter/m);
  t.regex(shown, /^SRID +/m);
  t.is((await run(['writer', 'show', 'DwgWriter'])).code, 1);
});

test('a URL in place of a file is fetched by the platform; its password is not shown', async (t) => {
  const { run, project } = await scene(t);
  source.serve('/open%20data/far.asc', (_, response) => void response.end(ASCII_GRID));
  const url = source.url('/open%20data/far.asc?sig=Canary-2').replace('//', '//ann:Canary-1@');
  const imported = await run(['transfer', 'import', url, '--project', project, '--watch']);
  t.is(imported.code, 0, imported.err);
  t.notRegex(imported.out + imported.err, /Canary|Uploading/);
  const dataset = /^dataset +(\S+)$/m.exec(imported.out)?.[1] ?? '';
  t.regex((await run(['dataset', 'show', dataset])).out, /^name +far$/m);
  const updated = await run(['transfer', 'update', dataset, url, '--watch']);
  t.is(updated.code, 0, updated.err);
  t.is((await run(['transfer', 'import', 'https://ann:Canary@[/x.asc', '--project', project])).code, 2);
  const inside = await run(['transfer', 'import', 'http://127.0.0.1:1/x.asc', '--project', project]);
  t.is(inside.code, 1);
  t.regex(inside.err, /'127\.0\.0\.1' is not a public address/);
});

test('transfer append adds a file to a dataset, and prints the counts of added and existing records', async (t) => {
  const wells = (...names: string[]) =>
    JSON.stringify({
      type: 'FeatureCollection',
      features: names.map((name, x) => ({
        type: 'Feature',
        properties: { name },
        geometry: { type: 'Point', coordinates: [x, 50] },
      })),
    });
  const { run, folder, project, file } = await scene(t, 'wells.geojson', wells('A', 'B'));
  const imported = await run(['transfer', 'import', file, '--project', project, '--watch']);
  const dataset = /^dataset +(\S+)$/m.exec(imported.out)?.[1] ?? '';
  const more = join(folder, 'more.geojson');
  await writeFile(more, wells('C'));
  const appended = await run(['transfer', 'append', dataset, more, '--watch']);
  t.is(appended.code, 0, appended.err);
  t.regex(appended.out, /^type +Append$/m);
  t.regex(appended.out, /^added +1 records to 2$/m);
  const whole = join(folder, 'whole.geojson');
  await run(['dataset', 'download', dataset, '-o', whole]);
  const { features } = JSON.parse(await readFile(whole, 'utf8'));
  t.deepEqual(
    features.map((feature: { properties: object }) => feature.properties),
    [{ name: 'A' }, { name: 'B' }, { name: 'C' }],
  );
  await writeFile(more, wells('D').replace('"name"', '"colour"'));
  const refused = await run(['transfer', 'append', dataset, more, '--watch']);
  t.is(refused.code, 1);
  t.regex(refused.err, /The dataset has no field 'colour'; it has 'name'\.$/m);
});

test('an export of several steps is named .zip; a shapefile is unpacked beside its name; losses are printed', async (t) => {
  const { run, folder, project, file } = await scene(t, 'flood.dfsu', dfsu(flat));
  const imported = await run(['transfer', 'import', file, '--project', project, '--watch', '--json']);
  t.is(imported.code, 0, imported.err);
  const { datasetId } = JSON.parse(imported.out).importResults[0];
  const at = (name: string) => join(folder, name);
  const steps = await run(['transfer', 'export', datasetId, '-o', at('steps.vtu')]);
  t.like(steps, { code: 0, out: `${at('steps.zip')}\n` }, steps.err);
  t.true(steps.err.includes(`The output is a zip of several files, so it is written to ${at('steps.zip')}.\n`));
  t.is((await readFile(at('steps.zip'))).toString('latin1', 0, 2), 'PK');
  t.is((await run(['transfer', 'export', datasetId, '-o', at('steps.vtu')])).code, 2, 'the zip is there');
  const one = await run(['transfer', 'export', datasetId, '-o', at('one.vtu'), '--steps', '0']);
  t.like(one, { code: 0, out: `${at('one.vtu')}\n` }, one.err);

  const shapes = await run(['transfer', 'export', datasetId, '-o', at('fl.shp')]);
  t.is(shapes.code, 0, shapes.err);
  const local = await mkdtemp(at('local-'));
  const converted = await run(['convert', file, join(local, 'fl.shp')]);
  t.is(converted.code, 0, converted.err);
  const names = await readdir(local);
  t.true(names.length > 5 && names.every((name) => /^fl.*\.(cpg|dbf|prj|shp|shx)$/.test(name)));
  t.deepEqual(shapes.out.trim().split('\n').sort(), names.map(at).sort(), 'as the local conversion');
  for (const name of names.filter((name) => name.endsWith('.shp')))
    t.deepEqual(await readFile(at(name)), await readFile(join(local, name)));
  const mesh = await run(['transfer', 'export', datasetId, '-o', at('flood.mesh')]);
  const lost = (await run(['convert', file, join(local, 'flood.mesh')])).out.match(/^Lost: .*$/gm) ?? [];
  t.true(lost.length > 0);
  t.deepEqual(mesh.err.match(/^Lost: .*$/gm), lost);

  const id = /^Transfer (\S+) /m.exec(shapes.err)?.[1] ?? '';
  const other = await mkdtemp(at('other-'));
  const again = await run(['transfer', 'download', id, '-o', join(other, 'fl.shp')]);
  t.is(again.code, 0, again.err);
  t.deepEqual((await readdir(other)).sort(), names.sort());
});

test('several files are imported concurrently, one transfer each; a failed file does not stop the others and is listed last', async (t) => {
  const { run, folder, project } = await scene(t);
  const at = (name: string) => join(folder, name);
  for (const name of ['a.asc', 'c.asc']) await writeFile(at(name), ASCII_GRID);
  await writeFile(at('b.asc'), ASCII_GRID.replace('ncols', 'nothing'));
  const files = [at('a.asc'), at('b.asc'), at('missing.asc'), at('c.asc')];
  const imported = await run(['transfer', 'import', ...files, '--project', project, '--watch']);
  t.is(imported.code, 1);
  t.regex(imported.out, /^FILE +STATUS +DATASET +TRANSFER\n.*a\.asc +Completed .*\n.*c\.asc +Completed .*\n$/);
  t.regex(
    imported.err,
    /b\.asc: Transfer \S+ failed: .*\n.*missing\.asc: There is no file .*\nplatform: 2 of 4 files failed\.\n$/,
  );
  const listed = JSON.parse((await run(['dataset', 'list', '--project', project, '--json'])).out).data;
  t.deepEqual(listed.map(({ name }: { name: string }) => name).sort(), ['a', 'c']);

  const json = await run(['transfer', 'import', ...files, '--project', project, '--watch', '--json']);
  t.is(json.code, 1);
  const [a, b, missing, c] = JSON.parse(json.out);
  t.like(a, { file: files[0], status: 'Completed', importParameters: { fileName: 'a.asc' } });
  t.like(b, { file: files[1], status: 'Error' });
  t.like(missing, { file: files[2], status: 'Error', errorMessage: `There is no file ${files[2]}.` });
  t.like(c, { file: files[3], status: 'Completed' });
  t.like(JSON.parse(json.err), { detail: '2 of 4 files failed.' });

  const started = await run(['transfer', 'import', at('a.asc'), at('c.asc'), '--project', project, '--no-watch']);
  t.is(started.code, 0, started.err);
  t.regex(started.out, /^FILE +STATUS +TRANSFER\n.*a\.asc +started +\S{36}\n/);
  const tried = await run(['transfer', 'import', ...files, '--project', project, '--dry-run']);
  t.is(tried.code, 1);
  t.regex(tried.out, /^.*a\.asc:\nIt could be started\.\n[\s\S]*c\.asc:\nIt could be started\./);
  const named = await run(['transfer', 'import', ...files, '--project', project, '--name', 'x']);
  t.is(named.code, 2);
});

test('--mosaic and --stack import all files, of folders and patterns, too, as one dataset by one transfer', async (t) => {
  const { run, folder, project } = await scene(t);
  const at = (name: string) => join(folder, name);
  const grid = (x: number, value: number) => `ncols 1\nnrows 1\nxllcorner ${x}\nyllcorner 0\ncellsize 1\n${value}\n`;
  await mkdir(at('tiles'));
  for (const n of [0, 1, 2]) await writeFile(at(`tiles/t${n}.asc`), grid(n, n));
  const into = ['--project', project, '--watch', '--json'];
  const joined = await run(['transfer', 'import', at('tiles/t*.asc'), ...into, '--mosaic', 'first', '--name', 'All']);
  t.is(joined.code, 0, joined.err);
  const { receipt, recordsWritten, importParameters } = JSON.parse(joined.out);
  t.is(recordsWritten, 3);
  t.deepEqual(
    receipt.inputs.map(({ name }: { name: string }) => name),
    ['t0.asc', 't1.asc', 't2.asc'],
  );
  t.is(importParameters.transformations[0].type, 'mosaicTransformation');
  const tried = await run(['transfer', 'import', at('tiles'), '--project', project, '--mosaic', 'first', '--dry-run']);
  t.like(tried, { code: 0, err: '' });
  t.regex(tried.out, /^It could be started\.\n$/);
  const stacked = await run(['transfer', 'import', at('tiles'), ...into, '--stack', 'time']);
  t.is(stacked.code, 1);
  t.regex(stacked.err, /t0\.asc: It has no time inside/);
  const missing = await run(['transfer', 'import', at('tiles/t0.asc'), at('none.asc'), ...into, '--mosaic', 'first']);
  t.regex(missing.err, /There is no file .*none\.asc/);
  const each = await run(['transfer', 'import', at('tiles'), ...into, '--parallel', '2']);
  t.is(each.code, 0, each.err);
  t.deepEqual(
    JSON.parse(each.out).map(({ status }: { status: string }) => status),
    ['Completed', 'Completed', 'Completed'],
  );
  const listed = JSON.parse((await run(['dataset', 'list', '--project', project, '--json'])).out).data;
  t.deepEqual(listed.map(({ name }: { name: string }) => name).sort(), ['All', 't0', 't1', 't2']);
});

test('a file that transformations of a batch name is uploaded once for all of its imports', async (t) => {
  const { run, folder, project } = await scene(t);
  const at = (name: string) => join(folder, name);
  const grid = (cell: number, value: number) =>
    `ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize ${cell}\n${value} 1\n1 1\n`;
  for (const n of [0, 1, 2]) await writeFile(at(`many${n}.asc`), grid(10, n));
  await writeFile(at('like.asc'), grid(5, 1));
  const files = [0, 1, 2].map((n) => at(`many${n}.asc`));
  const argv = [...files, '--project', project, '--srid', '25832', '--like', at('like.asc'), '--watch', '--json'];
  const made = await run(['transfer', 'import', ...argv]);
  t.is(made.code, 0, made.err);
  const transfers = JSON.parse(made.out);
  const like = new Set(
    transfers.map((one: { importParameters: { transformations: { resample: { like: object } }[] } }) =>
      JSON.stringify(one.importParameters.transformations[0]!.resample.like),
    ),
  );
  t.is(transfers.length, 3);
  t.is(like.size, 1);
  t.regex([...like].join(), /"originalFileName":"like\.asc"/);
});

test('hierarchy put imports a file of a known format or updates its dataset; --raw stores the bytes unchanged', async (t) => {
  const { run, folder, project, file } = await scene(t, 'terrain.asc', ASCII_GRID);
  const put = (...argv: string[]) => run(['hierarchy', 'put', ...argv, '--project', project]);
  const made = await put(file, 'maps/2026/');
  t.is(made.code, 0, made.err);
  const [, id = ''] = /^maps\/2026\/terrain\.asc +\S+ +(\S+)$/m.exec(made.out) ?? [];
  const shown = async (dataset: string) => JSON.parse((await run(['dataset', 'show', dataset, '--json'])).out);
  t.like(await shown(id), { name: 'terrain.asc', datasetFormat: 'asciigrid' });
  t.regex((await run(['hierarchy', 'list', 'maps/2026/', '--project', project])).out, /^terrain\.asc +asciigrid /m);

  await writeFile(
    file,
    ASCII_GRID.replace(/ncols\s+\d+[\s\S]*/, 'ncols 1\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 1\n7\n'),
  );
  const again = await put(file, 'maps/2026/terrain.asc', '--json');
  t.is(again.code, 0, again.err);
  t.is(JSON.parse(again.out).results[0].datasetId, id, 'the same dataset');
  const back = join(folder, 'back.asc');
  t.is((await run(['dataset', 'download', id, '-o', back])).code, 0);
  t.regex(await readFile(back, 'utf8'), /ncols\s+1\n[\s\S]*\n7\n$/);

  const raw = JSON.parse((await put(file, 'raw.asc', '--raw', '--json')).out).results[0].datasetId;
  t.like(await shown(raw), { datasetFormat: 'file' });
  t.is((await put(file, 'raw.asc')).code, 0);
  t.like(await shown(raw), { datasetFormat: 'file' }, 'what keeps bytes goes on to keep them');

  const tif = join(folder, 'unnamed');
  await writeFile(tif, tiffFile({ width: 2, height: 2, values: [1, 2, 3, 4] }));
  const found = JSON.parse((await put(tif, '--json')).out).results[0];
  t.like(found, { path: 'unnamed', projectId: project });
  t.like(await shown(found.datasetId), { datasetFormat: 'geotiff' }, 'by its content');
});

test('lists of transfers and jobs name them first, and fit 80 columns by short ids, which commands take', async (t) => {
  const { run, project, folder } = await scene(t);
  const file = join(folder, 'a terrain of the upper valley with a long name.asc');
  await writeFile(file, ASCII_GRID);
  const imported = await run(['transfer', 'import', file, '--project', project, '--watch', '--json']);
  const { id, name } = JSON.parse(imported.out);
  t.is(name, 'a terrain of the upper valley with a long name');
  await run(['transfer', 'export', JSON.parse(imported.out).importResults[0].datasetId, '-o', join(folder, 'out.tif')]);
  const short = id.slice(-8);
  const { out, err } = await run(['transfer', 'list'], { tty: true });
  t.regex(out, /^NAME +STATUS +ID +TYPE +STARTED +FORMAT$/m);
  t.regex(out, new RegExp(`^a terrain of .* +Completed +${short} +Import +\\S+ +asciigrid$`, 'm'));
  t.is(err, '', 'no column is left out');
  t.true(out.split('\n').every((line) => line.length <= 80));
  t.regex(
    (await run(['transfer', 'list', '--wide'], { tty: true })).out,
    new RegExp(`^${name} +Completed +${id} `, 'm'),
  );
  for (const ending of [short, id.slice(-6), id.slice(-20).toUpperCase()])
    t.regex((await run(['transfer', 'show', ending])).out, new RegExp(`^id +${id}$`, 'm'));
  t.is((await run(['transfer', 'watch', short])).code, 0);
  const none = [...'0123456789abcdef'].find((digit) => !id.endsWith(digit))!.repeat(8);
  t.regex(
    (await run(['transfer', 'show', none])).err,
    new RegExp(`There is no transfer '${none}', or you may not see it`),
  );
  const stranger = await machine(t);
  await stranger.logIn((await w.account({ tenantId: await w.tenant() })).id);
  t.is((await stranger.run(['transfer', 'show', short])).code, 1);

  const twin = `${id[0] === '0' ? '1' : '0'}${id.slice(1)}`;
  await w.sql(
    `insert into transfers (id, tenant_id, project_id, created_by, updated_by, account_id, type, request, memory_mb, format, status, progress, finished_at)
     select $2, tenant_id, project_id, created_by, updated_by, account_id, type, request, memory_mb, format, status, progress, finished_at
     from transfers where id = $1`,
    [id, twin],
  );
  const two = await run(['transfer', 'show', short]);
  t.is(two.code, 2);
  t.true(two.err.includes(id) && two.err.includes(twin), two.err);
  await w.sql('delete from transfers where id = $1', [twin]);

  const operator = await machine(t);
  await operator.logIn((await w.administrator()).id);
  const jobs = await operator.run(['job', 'list', '--state', 'completed', '--limit', '1000'], { tty: true });
  t.regex(jobs.out, /^NAME +STATE +ID +SINCE +WHAT/m);
  t.regex(jobs.out, new RegExp(`^a terrain of .* +completed +${short} +\\S+ +Import`, 'm'));
  t.true(jobs.out.split('\n').every((line) => line.length <= 80));
  t.regex((await operator.run(['job', 'show', short])).out, new RegExp(`^name +${name}\\nid +${id}$`, 'm'));
  t.regex((await operator.run(['job', 'why', short])).out, /^status +Completed$/m);
  t.regex((await operator.run(['job', 'cancel', short])).err, /has already ended/);
});

test('transfer why prints the error of a failed transfer', async (t) => {
  const { run, project, file } = await scene(
    t,
    'broken.asc',
    'ncols 3\nnrows 2\nxllcorner 1\nyllcorner 2\ncellsize 1\n1 2 x\n',
  );
  const { err } = await run(['transfer', 'import', file, '--project', project, '--writer', 'GeoTiffWriter', '--watch']);
  const [, id = '', sentence = ''] = /^platform: Transfer (\S+) failed: (.*)$/m.exec(err) ?? [];
  t.is((await run(['transfer', 'why', id])).out, `status  Error\nerror   ${sentence}\n`);
});

test('every start has options for worker resources, and the transfer shows them', async (t) => {
  const { run, project, file } = await scene(t);
  const asks = ['--label', 'gpu=a100', '--label', 'quiet', '--memory', '2048', '--cores', '0.5', '--scratch', '2'];
  const size = ['--node-size', 'Standard_D4s_v5'];
  const imported = await run(['transfer', 'import', file, '--project', project, ...asks, ...size, '--no-watch']);
  t.is(imported.code, 0, imported.err);
  const id = imported.out.trim();
  const family = 'label:svc.platform/vmsize=standardDSv5Family';
  const needs = `cores:0.5 label:gpu=a100 label:quiet ${family} memory:2048 scratch:2`;
  for (const command of [
    ['transfer', 'show'],
    ['transfer', 'why'],
  ])
    t.regex((await run([...command, id])).out, new RegExp(`^asks for +${needs}$`, 'm'));
  const operator = await machine(t);
  await operator.logIn((await w.administrator()).id);
  t.regex(
    (await operator.run(['job', 'list', '--state', 'waiting'])).out,
    new RegExp(`^terrain +waiting +${id} .* ${needs}`, 'm'),
  );

  const kept = await run(['transfer', 'import', file, '--project', project, '--srid', '25832', '--watch', '--json']);
  const { datasetId } = JSON.parse(kept.out).importResults[0];
  for (const [verb, ...more] of [
    ['export', '--writer', 'GeoTiffWriter'],
    ['convert', '--writer', 'GeoTiffWriter', '--name', 'x'],
    ['update', file],
  ] as const)
    t.regex(
      (await run(['transfer', verb, datasetId, ...more, '--memory', '1000'])).err,
      /^platform: option '--memory <MB>' argument '1000' is invalid\. It must be a multiple of 1024, such as 8192\.$/m,
    );
  t.like(await run(['transfer', 'import', file, '--project', project, '--cores', 'all']), { code: 2 });
});
