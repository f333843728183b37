import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { layerFiles, shapefileOf } from '../formats/shapefiles.ts';
import { placed, tiffFile } from '../formats/tiff-file.ts';
import { newDataset } from '../world/content.ts';
import { ASCII_GRID } from '../world/transfers.ts';
import { sharedWorker } from '../world/worker-here.ts';
import { world } from '../world.ts';
import { machines } from './machine.ts';

const PROGRAM = fileURLToPath(new URL('../../bin/platform', import.meta.url));
const w = world(test);
const machine = machines(w);
const worker = sharedWorker(w);

/** Somebody logged in, with a project and a folder of files. */
async function scene(t: ExecutionContext, { working = true } = {}) {
  if (working) await worker();
  const at = await machine(t);
  const user = await w.account();
  await at.logIn(user.id);
  const project: string = (await w.as(user).post('/api/metadata/project', { name: 'River' })).body.id;
  const put = async (name: string, content: string | Uint8Array) => {
    await writeFile(join(at.folder, name), content);
    return join(at.folder, name);
  };
  const importing = (file: string, ...more: string[]) =>
    at.run(['transfer', 'import', file, '--project', project, ...more]);
  const datasetOf = (out: string) => /^dataset +(\S+)$/m.exec(out)?.[1] ?? '';
  /** The program as a process of its own. */
  const launch = async (argv: string[], stdout: 'pipe' | number = 'pipe') => {
    const env = { ...process.env, PLATFORM_URL: at.url, PLATFORM_TOKEN: await w.tokenOf(user) };
    const child = spawn(process.execPath, [PROGRAM, ...argv], { env, stdio: ['ignore', stdout, 'pipe'] });
    t.teardown(() => void child.kill('SIGKILL'));
    const seen = { err: '', out: Buffer.alloc(0) };
    child.stderr?.on('data', (chunk) => (seen.err += chunk));
    child.stdout?.on('data', (chunk) => (seen.out = Buffer.concat([seen.out, chunk])));
    return { child, seen, ended: once(child, 'close') as Promise<[number | null]> };
  };
  return { ...at, user, project, put, importing, datasetOf, launch };
}

test('the reader follows from the content of a file, not its name; a .shp file is sent with its companions', async (t) => {
  const { put, importing, datasetOf, run, folder } = await scene(t);
  const zip = await put('wells.zip', shapefileOf());
  const zipped = await importing(zip, '--writer', 'GeoJsonWriter', '--srid', '4326', '--watch');
  t.is(zipped.code, 0, zipped.err);
  t.regex(zipped.out, /^reader +ShapefileReader$/m);

  await mkdir(join(folder, 'shape'));
  for (const { name, bytes } of layerFiles('shape/wells')) await put(name.replace('wells.dbf', 'Wells.DBF'), bytes);
  await put('shape/other.dbf', 'no part of it');
  const shp = join(folder, 'shape', 'wells.shp');
  const sent = await importing(shp, '--writer', 'GeoJsonWriter', '--srid', '4326', '--watch');
  t.is(sent.code, 0, sent.err);
  t.regex(sent.out, /^file +wells\.zip$/m);
  const output = join(folder, 'wells.geojson');
  t.is((await run(['dataset', 'download', datasetOf(sent.out), '-o', output])).code, 0);
  t.deepEqual(
    JSON.parse(await readFile(output, 'utf8')).features.map((one: { properties: object }) => one.properties),
    [{ nr: 1 }, { nr: 2 }, { nr: 3 }],
  );

  const odd = await importing(await put('terrain.dat', ASCII_GRID), '--watch');
  t.is(odd.code, 0, odd.err);
  t.regex(odd.out, /^reader +AsciiGridReader$/m);
  const unknown = await importing(await put('page.dat', '<html><p>hello</p></html>'));
  t.is(unknown.code, 2);
  t.regex(unknown.err, /page\.dat looks like a web page, which no reader supports\. Use --reader FileReader/);
});

test('without --name a dataset has the name of its file, without extension if it is converted', async (t) => {
  const { put, importing, datasetOf, run, folder } = await scene(t);
  const grid = await importing(await put('lower.asc', ASCII_GRID), '--writer', 'GeoTiffWriter', '--watch');
  const id = datasetOf(grid.out);
  t.regex((await run(['dataset', 'show', id])).out, /^name +lower$/m);
  await mkdir(join(folder, 'here'));
  t.is((await run(['dataset', 'download', id, '-o', join(folder, 'here')])).out, `${join(folder, 'here/lower.tif')}\n`);
  const copied = await importing(await put('notes\u202e.txt', 'words'), '--reader', 'FileReader', '--watch');
  t.regex((await run(['dataset', 'show', datasetOf(copied.out)])).out, /^name +notes\.txt$/m, 'cleaned');
});

test('an import without a required parameter is refused before the file is sent', async (t) => {
  const { put, importing, run } = await scene(t, { working: false });
  const refused = await importing(
    await put('grid.asc', ASCII_GRID),
    '--writer',
    'TilingWriter',
    '--param',
    'TilingSchemes=null',
  );
  t.is(refused.code, 1);
  t.regex(
    refused.err,
    /The transfer would fail: Parameter 'TilingSchemes' is required by TilingWriter\. Use --param to set it\./,
  );
  t.notRegex(refused.err, /Uploading/);
  t.deepEqual(JSON.parse((await run(['transfer', 'list', '--json'])).out).data, []);
});

test('a dry run reads the local file, reports certain failures and gives an estimate', async (t) => {
  const { put, importing } = await scene(t, { working: false });
  const tif = await put('picture.asc', tiffFile({ width: 2, height: 2, values: [1, 2, 3, 4], tags: placed(0, 0, 1) }));
  const forced = await importing(tif, '--reader', 'AsciiGridReader', '--dry-run');
  t.is(forced.code, 1);
  t.regex(
    forced.err,
    /The transfer would fail: picture\.asc looks like a TIFF file \(GeoTIFF\), which AsciiGridReader cannot/,
  );
  t.is((await importing(tif, '--dry-run')).code, 0, 'its content says what it is');
  const broken = await importing(await put('broken.asc', ASCII_GRID.replace('ncols 4', 'ncols four')), '--dry-run');
  t.is(broken.code, 1);
  t.regex(broken.err, /The transfer would fail: .*ncols/);
  const grid = await put('grid.asc', ASCII_GRID);
  const nowhere = await importing(grid, '--writer', 'GeoTiffWriter', '--to-srid', '3857', '--dry-run');
  t.is(nowhere.code, 1);
  t.regex(nowhere.err, /grid\.asc has no coordinate system\. Use --srid to set it/);
  const wells = await put('wells.zip', shapefileOf());
  const items = await importing(wells, '--writer', 'GeoJsonWriter', '--items', 'depth', '--dry-run');
  t.is(items.code, 1);
  t.regex(
    items.err,
    /The transfer would fail: The item filter names 'depth', but the data only have the items 0 'nr'\./,
  );
  const good = await importing(grid, '--writer', 'GeoTiffWriter', '--srid', '25832', '--to-srid', '3857', '--dry-run');
  t.is(good.code, 0, good.err);
  t.regex(good.out, /^Estimate: about \d+ s of conversion, about [\d.]+ \w+ before compression\.$/m);
  t.notRegex(good.out, /Nothing was uploaded/);
  const json = JSON.parse((await importing(grid, '--dry-run', '--json')).out);
  t.is(json.valid, true);
  t.deepEqual(Object.keys(json.estimate).sort(), ['bytes', 'content', 'seconds']);
});

test('dataset show prints tags, metadata, extent, bands and statistics', async (t) => {
  const { put, importing, datasetOf, run, user } = await scene(t);
  const file = await put('grid.asc', ASCII_GRID);
  const options = ['--srid', '25832', '--writer', 'GeoTiffWriter', '--statistics', '--watch'];
  const id = datasetOf((await importing(file, ...options)).out);
  const metadata = JSON.stringify({ campaign: { year: 2026, by: ['ann', 'bo'] } });
  await run(['dataset', 'update', id, '--tag', 'flood', '--tag', 'dem', '--metadata', metadata]);
  const { out } = await run(['dataset', 'show', id]);
  t.regex(out, /^tags +flood, dem$/m);
  t.regex(out, /^srid +25832$/m);
  t.regex(out, /^extent in degrees +9(\.\d+)? 49\.\d+ to 9\.\d+ 49\.\d+$/m);
  t.regex(out, /^cells +4 × 3$/m);
  t.regex(out, /^BAND +VALUES +EMPTY +MINIMUM +MAXIMUM +MEAN +DEVIATION$/m);
  t.regex(out, /^ +1 +11 +1 +1\.5 +12 +\d/m);
  t.regex(out, /^campaign\.year +2026$/m);
  t.regex(out, /^campaign\.by +\["ann","bo"\]$/m);
  t.regex(out, new RegExp(`^created +.* by ${user.id}$`, 'm'));
});

test('an export without a known format is refused; its file can be downloaded later by its transfer', async (t) => {
  const { run, put, importing, datasetOf, folder } = await scene(t);
  const id = datasetOf((await importing(await put('grid.asc', ASCII_GRID), '--watch')).out);
  for (const more of [[], ['-o', folder], ['-o', '-']]) {
    const refused = await run(['transfer', 'export', id, ...more]);
    t.is(refused.code, 2);
    t.regex(refused.err, /format of the export is unknown\. Use -o with an extension, .* or --writer/);
  }
  const first = join(folder, 'first.asc');
  const exported = await run(['transfer', 'export', id, '-o', first]);
  t.is(exported.code, 0, exported.err);
  const transfer = /^Transfer (\S+) has been started/m.exec(exported.err)?.[1] ?? '';
  t.regex((await run(['transfer', 'show', transfer])).out, /^download +http:.*\/api\/blob\/export\//m);
  const again = join(folder, 'again.asc');
  t.is((await run(['transfer', 'download', transfer, '-o', again])).out, `${again}\n`);
  t.is(await readFile(again, 'utf8'), await readFile(first, 'utf8'));
  t.is((await run(['transfer', 'download', transfer, '-o', '-'])).out, await readFile(first, 'utf8'));
  const imported = JSON.parse((await run(['transfer', 'list', '--json'])).out).data.at(-1);
  const made = await run(['transfer', 'download', imported.id]);
  t.is(made.code, 1);
  t.regex(made.err, new RegExp(`has written a dataset. Download it with 'platform dataset download ${id}'`));
});

test('- is standard output, as bytes; an output that cannot be written is exit code 1', async (t) => {
  const { launch, user, project, run } = await scene(t, { working: false });
  const content = '\u0001\u0002 many bytes '.repeat(50_000);
  const id = await newDataset(w, project, user, { content, datasetFormat: 'file', name: 'big' });
  const whole = await launch(['dataset', 'download', id, '-o', '-']);
  t.deepEqual(await whole.ended, [0, null] as never);
  t.is(String(whole.seen.out), content);
  t.is((await run(['hierarchy', 'get', 'big', '--project', project, '-o', '-'])).out, content);

  const full = await open('/dev/full', 'w').catch(() => undefined);
  if (full === undefined) return t.log('SKIPPED: there is no /dev/full.');
  t.teardown(() => full.close());
  for (const argv of [
    ['dataset', 'download', id, '-o', '-'],
    ['project', 'list'],
    ['dataset', 'show', id, '--json'],
    ['--help'],
  ]) {
    const { ended, seen } = await launch(argv, full.fd);
    t.is((await ended)[0], 1, argv.join(' '));
    t.regex(seen.err, /^(platform: |.*"detail":")The output cannot be written: .*no space left/m, argv.join(' '));
  }
  const wanted = await launch(['dataset', 'download', id, '-o', '-']);
  wanted.child.stdout?.destroy();
  t.is((await wanted.ended)[0], 1);
  t.is(wanted.seen.err, '', 'whoever reads it has enough');
});

test('Ctrl-C while watching says that the transfer continues, and how to cancel it', async (t) => {
  const { launch, put, project, user, run } = await scene(t, { working: false });
  const file = await put('grid.asc', ASCII_GRID);
  // nobody has this label: it waits
  const more = ['--project', project, '--label', 'nobody=here', '--watch'];
  const { child, seen, ended } = await launch(['transfer', 'import', file, ...more]);
  while (!/^Transfer \S+ has been started\.$/m.test(seen.err) && child.exitCode === null) await sleep(50);
  const id = /^Transfer (\S+) has/m.exec(seen.err)?.[1] ?? '';
  child.kill('SIGINT');
  t.is((await ended)[0], 130, seen.err);
  t.true(seen.err.includes(`Transfer ${id} continues. To cancel it: 'platform transfer cancel ${id}'`), seen.err);
  t.is((await w.as(user).get(`/api/conversion/transfer/${id}`)).body.status, 'Pending');
  t.is((await run(['transfer', 'cancel', id])).code, 0);
});
