import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import test from 'ava';
import { terminal } from '../../cli/io.ts';
import { main } from '../../cli/main.ts';
import { convert } from '../../src/files/convert/convert.ts';
import { dfsu, flat } from '../formats/dfsu/files.ts';
import { tiffFile } from '../formats/tiff-file.ts';
import { person } from './person.ts';

const nowhere = { PLATFORM_URL: 'http://127.0.0.1:9', XDG_CONFIG_HOME: '/nonexistent' };
const grid = 'ncols 3\nnrows 2\nxllcorner 500000\nyllcorner 6000000\ncellsize 100\n1 2 3\n4 5 -9999\n';
const points = JSON.stringify({
  type: 'FeatureCollection',
  features: [
    { type: 'Feature', geometry: { type: 'Point', coordinates: [9, 54] }, properties: { name: 'a', depth: 1.5 } },
    { type: 'Feature', geometry: { type: 'Point', coordinates: [10, 55] }, properties: { name: 'b', depth: 2.5 } },
  ],
});

/** A folder of the test with these files in it. */
async function folderWith(t: { teardown(f: () => Promise<void>): void }, files: Record<string, string | Uint8Array>) {
  const folder = await mkdtemp(join(tmpdir(), 'convert-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  return (name: string) => join(folder, name);
}

async function run(argv: readonly string[], stdin?: string) {
  const { io, out, err } = person(nowhere, stdin === undefined ? {} : { stdin });
  const code = await main(['convert', ...argv], io);
  return { code, out: out(), err: err() };
}

test('convert follows the content of the input and the extension of the output', async (t) => {
  const at = await folderWith(t, { 'grid.txt': grid });
  const { code, out, err } = await run([at('grid.txt'), at('grid.tif'), '--srid', '25832', '--to-srid', '3857']);
  t.is(code, 0, err);
  t.is((await readFile(at('grid.tif'))).readUInt16LE(2), 42);
  t.regex(out, /^output +.*grid\.tif$/m);
  t.regex(out, /^reader +AsciiGridReader$/m);
  t.regex(out, /^writer +GeoTiffWriter$/m);
  t.regex(out, /^coordinate system +EPSG:25832 to EPSG:3857$/m);
  t.regex(out, /^Lost: The raster was resampled/m);
  t.deepEqual((await readdir(at('.'))).sort(), ['grid.tif', 'grid.txt']);
});

test('an output called .txt is CSV; an input called .txt is what its content is', async (t) => {
  const at = await folderWith(t, { 'points.geojson': points, 'notes.txt': 'Gauges were cleaned on Monday.' });
  const { code, out, err } = await run([at('points.geojson'), at('points.txt')]);
  t.is(code, 0, err);
  t.regex(out, /^writer +CsvWriter$/m);
  t.regex(await readFile(at('points.txt'), 'utf8'), /^name,depth,WKT\r\na,1\.5,/);
  t.regex((await run([at('points.txt'), at('back.geojson')])).out, /^reader +CsvReader$/m);
  const notes = await run([at('notes.txt'), at('notes.geojson')]);
  t.is(notes.code, 2);
  t.regex(notes.err, /The format of notes\.txt is not known from its name/);
});

test('rows of CSV written before an id or a place was met get its column', async (t) => {
  const feature = (geometry: object | null, more: object = {}) => ({
    type: 'Feature',
    geometry,
    properties: {},
    ...more,
  });
  const point = { type: 'Point', coordinates: [1, 2] };
  const line = {
    type: 'LineString',
    coordinates: [
      [1, 2],
      [3, 4],
    ],
  };
  for (const [features, csv] of [
    [[feature(point), feature(line, { id: 'a' })], 'id,WKT\r\n,"POINT (1 2)"\r\na,"LINESTRING (1 2, 3 4)"\r\n'],
    [[feature(null), feature(point)], 'x,y\r\n,\r\n1,2\r\n'],
    [[feature(null), feature(null, { id: 'a' }), feature(point)], 'id,x,y\r\n"",,\r\na,,\r\n,1,2\r\n'],
  ] as const) {
    const at = await folderWith(t, { 'in.geojson': JSON.stringify({ type: 'FeatureCollection', features }) });
    t.is((await run([at('in.geojson'), at('out.csv')])).code, 0);
    t.is(await readFile(at('out.csv'), 'utf8'), csv);
  }
});

test('blanks at the end of a quoted cell of CSV are kept', async (t) => {
  const at = await folderWith(t, { 'in.csv': 'x,y,note\r\n1,2,"say ""hi"" "\r\n3,4,"a"  \r\n' });
  t.is((await run([at('in.csv'), at('out.geojson')])).code, 0);
  const { features } = JSON.parse(await readFile(at('out.geojson'), 'utf8'));
  t.deepEqual(
    features.map((one: { properties: object }) => one.properties),
    [{ note: 'say "hi" ' }, { note: 'a' }],
  );
});

test('a GPX file with a syntax error is refused with its line, not read in part', async (t) => {
  const point = (_: unknown, n: number) =>
    `<wpt lat="50" lon="8"><ele>1</ele><time>2024-07-01T12:00:00Z</time><name>${n}</${n === 15_000 ? 'wrong' : 'name'}></wpt>`;
  const points = Array.from({ length: 20_000 }, point).join('\n');
  const gpx = `<?xml version="1.0"?><gpx version="1.1" creator="x" xmlns="http://www.topografix.com/GPX/1/1">\n${points}</gpx>`;
  const at = await folderWith(t, { 'bad.gpx': gpx });
  const { code, err } = await run([at('bad.gpx'), at('out.geojson')]);
  t.is(code, 1);
  t.regex(err, /Line 15002: unexpected close tag/);
});

test('a local conversion prints the receipt of the engine', async (t) => {
  const at = await folderWith(t, { 'points.geojson': points });
  const { code, out } = await run([
    at('points.geojson'),
    at('out.geojson'),
    '--items',
    'depth',
    '--statistics',
    '--json',
  ]);
  t.is(code, 0);
  const { files, reader, writer, ...rest } = JSON.parse(out);
  t.deepEqual(
    { files, reader, writer },
    { files: [at('out.geojson')], reader: 'GeoJsonReader', writer: 'GeoJsonWriter' },
  );
  const same = await convert(
    {
      input: { path: at('points.geojson'), name: 'points.geojson' },
      output: { path: at('same'), name: at('out.geojson') },
      scratch: at('.'),
      reader: { name: 'GeoJsonReader' },
      writer: { name: 'GeoJsonWriter' },
      transformations: [
        { type: 'itemFilterTransformation', itemFilter: { names: ['depth'] } },
        { type: 'calculateStatisticsTransformation' },
      ],
    },
    { signal: new AbortController().signal, log() {}, progress() {} },
  );
  t.deepEqual(rest, JSON.parse(JSON.stringify(same)));
  t.deepEqual(await readFile(at('out.geojson')), await readFile(at('same')));
});

test('a local conversion prints remarks beside losses, and has both lists in its receipt', async (t) => {
  const at = await folderWith(t, { 'image.tif': tiffFile({ width: 2, height: 1, values: [1, 2] }) });
  const { code, out } = await run([at('image.tif'), at('image.asc')]);
  t.is(code, 0);
  t.regex(out, /^Remark: The image is not georeferenced\./m);
  const { receipt } = JSON.parse((await run([at('image.tif'), at('image.asc'), '--force', '--json'])).out);
  t.deepEqual([receipt.lost, receipt.remarks.length], [[], 1]);
});

test('--statistics prints a row for each field', async (t) => {
  const at = await folderWith(t, { 'points.geojson': points });
  const { out } = await run([at('points.geojson'), at('out.geojson'), '--statistics']);
  t.regex(out, /^NAME +VALUES +EMPTY +MINIMUM +MAXIMUM +MEAN +DEVIATION$/m);
  t.regex(out, /^depth +2 +0 +1\.5 +2\.5 +2 +0\.5$/m);
});

test('items are calculated and cells resampled, also to those of another file', async (t) => {
  const like = 'ncols 1\nnrows 1\nxllcorner 500000\nyllcorner 6000000\ncellsize 200\n0\n';
  const at = await folderWith(t, { 'grid.asc': grid.replace('\n1 2', '\nNODATA_value -9999\n1 2'), 'like.asc': like });
  const twice = ['--calculate', 'twice = [0] * 2 / if([0] = 1, 0, 1)'];
  const { code, out, err } = await run([
    at('grid.asc'),
    at('made.asc'),
    ...twice,
    '--cell-size',
    '200',
    '--resample',
    'sum',
  ]);
  t.is(code, 0, err);
  t.regex(out, /1 value of 'twice' has no data: the result is not finite/);
  t.regex(out, /resampled from 3 × 2 to 2 × 1 cells: sum/);
  t.deepEqual((await readFile(at('made.asc'), 'utf8')).trim().split('\n').at(-1)!.trim().split(' '), ['22', '6']);
  const mean = ['--like', at('like.asc'), '--resample', 'average'];
  const same = await run([at('grid.asc'), at('same.asc'), ...mean]);
  t.is(same.code, 0, same.err);
  t.is((await readFile(at('same.asc'), 'utf8')).trim().split('\n').at(-1)!.trim(), '3');
  const dataset = await run([at('grid.asc'), at('no.asc'), '--like', '0192f7a0-6c1e-7d3a-9b52-3f1e8a7c4d10']);
  t.is(dataset.code, 2);
  t.regex(dataset.err, /is a dataset\. Without a server only local files can be read/);
});

test('the writer follows what the transformations make', async (t) => {
  const at = await folderWith(t, { 'grid.asc': grid });
  const lines = await run([at('grid.asc'), at('lines.geojson'), '--srid', '25832', '--contours', '2.5']);
  t.is(lines.code, 0, lines.err);
  const wrong = await run([at('grid.asc'), at('lines.dfs0'), '--contours', '2.5']);
  t.is(wrong.code, 2);
  t.regex(wrong.err, /Dfs0Writer cannot write what AsciiGridReader and ContoursTransformation make/);
});

test('an existing file is replaced only with --force', async (t) => {
  const at = await folderWith(t, { 'grid.asc': grid, 'there.tif': 'old' });
  const refused = await run([at('grid.asc'), at('there.tif')]);
  t.is(refused.code, 2);
  t.regex(refused.err, /there\.tif exists already\. Use --force to replace it\.\n$/);
  t.is(await readFile(at('there.tif'), 'utf8'), 'old');
  t.is((await run([at('grid.asc'), at('there.tif'), '--force'])).code, 0);
  t.not(await readFile(at('there.tif'), 'utf8'), 'old');
});

test('a failed conversion leaves no output, and an existing file unchanged', async (t) => {
  const at = await folderWith(t, { 'grid.asc': grid.replace('4 5', '4 five'), 'there.tif': 'old' });
  const { code, err } = await run([at('grid.asc'), at('there.tif'), '--force']);
  t.is(code, 1);
  t.regex(err, /^platform: .*five/m);
  t.is(await readFile(at('there.tif'), 'utf8'), 'old');
  t.deepEqual((await readdir(at('.'))).sort(), ['grid.asc', 'there.tif']);
});

test('- reads stdin and writes stdout, and the receipt goes to stderr', async (t) => {
  const { code, out, err } = await run(['-', '-', '--writer', 'AsciiGridWriter', '--json'], grid);
  t.is(code, 0, err);
  t.regex(out, /^ncols\s+3\nnrows\s+2\n/);
  t.regex(out, /\n4 5 -9999\n$/);
  t.like(JSON.parse(err), { files: [], reader: 'AsciiGridReader', receipt: { input: { name: 'stdin' } } });
  const people = await run(['-', '-', '--writer', 'GeoTiffWriter', '--items', '0,7'], grid);
  t.regex(people.err, /Lost: The item filter names items that do not exist: 7/);
});

test('- as input is an error at a terminal', async (t) => {
  const { io, err } = person(nowhere, { tty: true });
  t.is(await main(['convert', '-', 'x.tif'], io), 2);
  t.regex(err(), /stdin is a terminal/);
});

test('a shapefile is read with its companions, and written beside them', async (t) => {
  const at = await folderWith(t, { 'points.geojson': points });
  const { code, out, err } = await run([at('points.geojson'), at('gauges.shp')]);
  t.is(code, 0, err);
  const parts = ['cpg', 'dbf', 'prj', 'shp', 'shx'].map((ending) => `gauges.${ending}`);
  t.deepEqual((await readdir(at('.'))).sort(), [...parts, 'points.geojson']);
  t.regex(out, /^output +.*gauges\.shp, /m);
  t.is((await run([at('gauges.shp'), at('back.geojson')])).code, 0);
  const back = JSON.parse(await readFile(at('back.geojson'), 'utf8'));
  t.deepEqual(
    back.features.map((one: { properties: object; geometry: object }) => [one.properties, one.geometry]),
    JSON.parse(points).features.map((one: { properties: object; geometry: object }) => [one.properties, one.geometry]),
  );
  t.is((await run([at('points.geojson'), at('gauges.shp')])).code, 2);
  await rm(at('gauges.shp'));
  const other = await run([at('points.geojson'), at('gauges.shp')]);
  t.is(other.code, 2);
  t.regex(other.err, /gauges\.(?:shx|dbf) exists already/);
});

test('the output may be a folder', async (t) => {
  const at = await folderWith(t, { 'grid.asc': grid });
  t.is((await run([at('grid.asc'), at('.'), '--writer', 'GeoTiffWriter'])).code, 0);
  t.deepEqual((await readdir(at('.'))).sort(), ['grid.asc', 'grid.tif']);
});

test('an output of several steps is a zip and has its extension, in a file and in a folder', async (t) => {
  const at = await folderWith(t, { 'mesh.dfsu': dfsu(flat), 'one.dfsu': dfsu({ ...flat, steps: 1 }) });
  const { code, out, err } = await run([at('mesh.dfsu'), at('steps.vtu'), '--json']);
  t.is(code, 0, err);
  const { files, receipt } = JSON.parse(out);
  t.deepEqual(files, [at('steps.zip')]);
  t.like(receipt.output, { name: at('steps.zip') });
  t.is((await run([at('mesh.dfsu'), at('.'), '--writer', 'VtuWriter'])).code, 0);
  t.is((await run([at('one.dfsu'), at('.'), '--writer', 'VtuWriter'])).code, 0);
  t.is((await run([at('mesh.dfsu'), at('grid.dfs2')])).code, 0);
  t.is((await run([at('grid.dfs2'), at('bands.TIFF'), '--param', 'StepsAs=files'])).code, 0);
  const names = ['bands.zip', 'grid.dfs2', 'mesh.dfsu', 'mesh.zip', 'one.dfsu', 'one.vtu', 'steps.zip'];
  t.deepEqual((await readdir(at('.'))).sort(), names);
  t.is((await run([at('mesh.dfsu'), at('steps.vtu')])).code, 2, 'the zip is there');
});

test('skipped records are listed in a file beside the output', async (t) => {
  const broken = points.replace('[10,55]', '["x",55]');
  const at = await folderWith(t, { 'points.geojson': broken });
  t.is((await run([at('points.geojson'), at('out.zip')])).code, 1);
  const { code, out, err } = await run([at('points.geojson'), at('out.zip'), '--skip-bad-records']);
  t.is(code, 0, err);
  t.regex(out, /^skipped +1$/m);
  t.regex(out, /^bad records +.*out-bad-records\.geojson$/m);
  const bad = JSON.parse(await readFile(at('out-bad-records.geojson'), 'utf8'));
  t.is(bad.features[0].properties.record, 2);
});

test('a file name without known extension is a usage error that lists the possible writers', async (t) => {
  const at = await folderWith(t, { 'grid.asc': grid, 'points.geojson': points, 'thing.bin': 'hello' });
  for (const [argv, sentence] of [
    [[at('grid.asc'), at('grid')], /Use --writer with one of AsciiGridWriter, GeoTiffWriter/],
    [[at('grid.asc'), '-'], /Use --writer with one of AsciiGridWriter/],
    [
      [at('grid.asc'), at('grid.geojson')],
      /GeoJsonWriter cannot write what AsciiGridReader reads\. Use one of AsciiGridWriter, GeoTiffWriter/,
    ],
    [[at('thing.bin'), at('thing.tif')], /Use --reader with one of/],
    [[at('nowhere.asc'), at('x.tif')], /There is no file .*nowhere\.asc\./],
    [['https://host.example/x.asc', at('x.tif')], /transfer import/],
    [[at('grid.asc'), '/nonexistent/x.tif'], /Cannot write to \/nonexistent/],
    [[at('grid.asc'), at('x.tif'), '--reader', 'NoReader'], /--reader NoReader does not exist/],
  ] as const) {
    const { code, err } = await run(argv);
    t.is(code, 2, err);
    t.regex(err, sentence);
  }
  const { code, err } = await run([at('grid.asc'), at('x.tif'), '--param', 'Compression=Zip']);
  t.is(code, 1);
  t.regex(err, /'Compression' cannot be 'Zip'/);
});

test('at a terminal a bar shows the progress of the conversion', async (t) => {
  const at = await folderWith(t, { 'grid.asc': grid });
  const { io, err } = person(nowhere, { tty: true });
  t.is(await main(['convert', at('grid.asc'), at('grid.tif')], io), 0);
  t.true(err().includes('Converting ████'));
});

test('Ctrl-C ends a conversion without an output file', async (t) => {
  const at = await folderWith(t, { 'grid.asc': grid });
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  let interrupt = () => {};
  let said = '';
  streams.stderr.on('data', (chunk) => {
    said += chunk;
  });
  const on = (_: string, listener: () => void) => {
    interrupt = listener;
  };
  const io = terminal({ ...streams, on, off() {} }, nowhere);
  // the first word of the conversion
  const { progress } = io;
  io.progress = (label) => {
    queueMicrotask(interrupt);
    return progress(label);
  };
  t.is(await main(['convert', at('grid.asc'), at('grid.tif')], io), 130);
  t.regex(said, /The conversion was interrupted\. Nothing was written\./);
  t.deepEqual(await readdir(at('.')), ['grid.asc']);
});
