// Own thread: it awaits before its tests.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import test from 'ava';
import { terminal } from '../../cli/io.ts';
import { main } from '../../cli/main.ts';
import { startProgress } from '../../src/files/command/progress.ts';
import { axes, block, dfsBytes, values } from '../formats/dfs/dfs-bytes.ts';
import { geoKeys, placed, tiffFile } from '../formats/tiff-file.ts';
import { person } from './person.ts';

const folder = await mkdtemp(join(tmpdir(), 'inspect-'));
test.after.always(() => rm(folder, { recursive: true, force: true }));

/** Nobody listens where the server should be. */
async function run(name: string, content: string | Uint8Array, ...options: string[]) {
  const path = join(folder, name);
  await writeFile(path, content);
  const { io, out, err } = person({ PLATFORM_URL: 'http://127.0.0.1:9', XDG_CONFIG_HOME: '/nonexistent' });
  const code = await main(['inspect', path, ...options], io);
  return { code, out: out(), err: err(), path };
}

const tiff = tiffFile({
  width: 3,
  height: 2,
  values: [1, 2, 3, 4, 5, 255],
  tags: { ...placed(500_000, 6_000_000, 100), ...geoKeys([1024, 1], [3072, 25832]), 42113: [2, '255'] },
});

test('inspect recognizes a GeoTIFF under any file name', async (t) => {
  const { code, out } = await run('mislabelled.txt', tiff, '--json');
  t.is(code, 0);
  const found = JSON.parse(out);
  t.like(found, { format: 'geotiff', reader: 'GeoTiffReader', kind: 'grid', width: 3, height: 2, size: tiff.length });
  t.like(found.crs, { srid: 'EPSG:25832', kind: 'projected' });
  t.deepEqual(found.extent, { west: 500_000, south: 5_999_800, east: 500_300, north: 6_000_000 });
  t.true(Math.abs(found.extentWgs84.west - 9) < 1e-6 && Math.abs(found.extentWgs84.north - 54.1481) < 1e-3);
  t.deepEqual(found.bands, [
    { type: 'UInt8', nodata: 255, band: 1, values: 5, empty: 1, minimum: 1, maximum: 5, mean: 3 },
  ]);
});

test('inspect prints the same as lines for people', async (t) => {
  const { code, out } = await run('grid.tif', tiff);
  t.is(code, 0);
  t.regex(out, /coordinate system +ETRS89 \/ UTM zone 32N \(EPSG:25832\)/);
  t.regex(out, /cells +3 × 2/);
  t.regex(out, /BAND +TYPE +NODATA +CELLS +EMPTY +MINIMUM +MAXIMUM +MEAN\n +1 +UInt8 +255 +5 +1 +1 +5 +3/);
});

test('inspect describes an ASCII grid, and draws it', async (t) => {
  const picture = join(folder, 'picture.png');
  const text = 'ncols 2\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\n1.5 2\n3 4\n';
  const { code, out, err } = await run('grid', text, '--png', picture);
  t.is(code, 0);
  t.regex(out, /coordinate system +unknown/);
  t.regex(out, /Float32/);
  t.true(err.includes(picture));
  t.is((await readFile(picture)).toString('latin1', 1, 4), 'PNG');
});

test('inspect names known kinds of files without a reader, and reports unknown kinds', async (t) => {
  for (const [content, sentence] of [
    ['DSAA\n2 2\n', /content +Surfer grid/],
    ['SQLite format 3\0', /content +SQLite database/],
    ['{"a": 1}', /content +JSON file/],
    ['<!DOCTYPE html><html>', /content +web page/],
    ['hello', /content +unknown/],
  ] as const) {
    const { code, out } = await run('thing', content);
    t.is(code, 0);
    t.regex(out, sentence);
  }
});

test('inspect of a text table tells what CsvReader finds in it; a table of points alone is described as XYZ', async (t) => {
  for (const [content, found] of [
    ['name,x,y,z\nWell 1,1,2,3\nWell 2,4,5,6\n', /'x', 'y', 'z' were read as coordinates/],
    ['lon,lat\n9.5,54.2\n9.6,54.3\n', /Longitudes and latitudes were taken as EPSG:4326/],
    ['id;name;lat;lon\r\n1;a;54,2;9,5\r\n', /Numbers have a decimal comma/],
    ['x\ty\tlabel\n1\t2\tWell 1\n', /separated by a tab/],
  ] as const) {
    const { code, out } = await run('table.csv', content);
    t.is(code, 0);
    t.regex(out, /^content +table of text \(CSV\)$/m);
    t.regex(out, /^reader +CsvReader$/m);
    t.regex(out, found);
  }
  for (const content of ['x,y,z,name\n1,2,3,Well one\n', '"x","y","z"\n"1","2","3"\n'])
    t.regex((await run('points.csv', content)).out, /^reader +XyzReader$/m);
});

test('inspect describes curvilinear cells: extent, dimensions, items', async (t) => {
  const axis = block(
    31061,
    values('Int32', 1000, 2, 1),
    values('Float64', 500_000, 500_100, 500_200, 500_050, 500_150, 500_250),
    values('Float64', 6_000_000, 6_000_000, 6_000_010, 6_000_100, 6_000_100, 6_000_120),
  );
  const items = [{ name: 'Depth', axis, steps: [[1, 3]] }];
  const { code, out } = await run('bent.dfs2', dfsBytes({ projection: ['UTM-32', 9, 54, 0], items }));
  t.is(code, 0);
  t.regex(out, /extent +500000 6000000 to 500250 6000120/);
  t.regex(out, /extent in degrees +9 54\.1/);
  t.regex(out, /dimensions +y 1 \(0 to 0\), x 2 \(0 to 1\)/);
  t.regex(out, /0 +Depth +Float32 +m +-1e-35 +2 +0 +1 +3 +2/);
});

test('inspect of a DFS3 prints only the number of layers, without heights', async (t) => {
  const items = [{ name: 'Salt', axis: axes.space(2, 1, 3), steps: [[1, 2, 3, 4, 5, 6]] }];
  const { out } = await run('salt.dfs3', dfsBytes({ projection: ['UTM-32', 9, 54, 0], items }));
  t.regex(out, /layers +3$/m);
  t.notRegex(out, /undefined/);
});

test('inspect of a broken or missing file is one line and an exit code', async (t) => {
  const broken = await run('broken.tif', tiff.subarray(0, 60));
  t.is(broken.code, 1);
  t.regex(broken.err, /^platform: .*but the file has 60 bytes.*\n$/);
  const { io, err } = person({ PLATFORM_URL: 'http://127.0.0.1:9', XDG_CONFIG_HOME: '/nonexistent' });
  t.is(await main(['inspect', '/nonexistent.tif'], io), 2);
  t.regex(err(), /^platform: There is no file \/nonexistent\.tif, and no dataset .*\n$/);
});

test('inspect names the fault of a broken DFS header and of a broken zip', async (t) => {
  const series = dfsBytes({ items: [{ name: 'level', steps: [[1], [2]] }] });
  const header = await run('cut.dfs0', series.subarray(0, 300));
  t.is(header.code, 1);
  t.regex(header.err, /^platform: .+ \(at byte \d+\)\n$/);
  const zip = await run('broken.zip', Buffer.from('PK\x03\x04 and nothing more'));
  t.is(zip.code, 1);
  t.regex(zip.err, /^platform: .*zip.*\n$/);
});

const stacked = tiffFile({
  width: 2,
  height: 1,
  values: [1, 2],
  tags: { ...placed(500_000, 6_000_000, 100), ...geoKeys([1024, 1], [3072, 25832]) },
});

test('options select the content of the picture, and are usage errors without --png', async (t) => {
  const picture = join(folder, 'chosen.png');
  const chosen = await run('stacked.tif', stacked, '--png', picture, '--item', '0', '--step', '0', '--layer', '0');
  t.is(chosen.code, 0, chosen.err);
  for (const [options, code, sentence] of [
    [['--item', '0'], 2, /--item selects what --png draws\. Add --png PICTURE\./],
    [['--png', picture, '--item', '3'], 1, /There is no item 3\. There are the items 0\./],
    [['--png', picture, '--item', 'depth'], 1, /There is no item 'depth'/],
    [['--png', picture, '--step', '4'], 1, /There is no step 4: the data have one step, 0\./],
    [['--png', picture, '--step', '2026-01-24'], 1, /The data have no time axis/],
    [['--png', picture, '--step', '2026-02-30'], 2, /--step 2026-02-30 is not a valid date\./],
    [['--png', picture, '--step', 'noon'], 2, /It must be a time such as/],
    [['--png', picture, '--layer', '1'], 1, /There is no layer 1/],
  ] as const) {
    const refused = await run('stacked.tif', stacked, ...options);
    t.is(refused.code, code, refused.err);
    t.regex(refused.err, sentence);
  }
});

test('a picture may go to stdout, and the inspection to stderr then', async (t) => {
  const { out, err } = await run('to-stdout.tif', stacked, '--png', '-', '--json');
  t.true(out.includes('PNG'));
  t.like(JSON.parse(err), { kind: 'grid', width: 2 });
});

test('- is stdin', async (t) => {
  const grid = 'ncols 1\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 1\n7\n';
  const { io, out } = person({}, { stdin: grid });
  t.is(await main(['inspect', '-', '--json'], io), 0);
  t.like(JSON.parse(out()), { format: 'asciigrid', width: 1, height: 1 });
});

test('a .shp file is inspected with its companions, also by the name of one of them', async (t) => {
  const points =
    '{"type":"FeatureCollection","features":[{"type":"Feature","geometry":{"type":"Point","coordinates":[9,54]},"properties":{"depth":1}}]}';
  await run('gauges.geojson', points);
  const { io } = person({});
  t.is(await main(['convert', join(folder, 'gauges.geojson'), join(folder, 'gauges.shp')], io), 0);
  const { io: other, out } = person({});
  const picture = join(folder, 'gauges.png');
  t.is(await main(['inspect', join(folder, 'gauges.shp'), '--json', '--png', picture, '--item', 'depth'], other), 0);
  t.like(JSON.parse(out()), { format: 'shapefile', crs: { srid: 'EPSG:4326' }, statistics: { features: 1 } });
  t.is((await readFile(picture)).toString('latin1', 1, 4), 'PNG');
  for (const ending of ['dbf', 'shx', 'prj', 'cpg']) {
    const { io: beside, out: shown } = person({});
    t.is(await main(['inspect', join(folder, `gauges.${ending}`), '--json'], beside), 0);
    t.like(JSON.parse(shown()), { format: 'shapefile', statistics: { features: 1 } }, ending);
  }
  for (const ending of ['dbf', 'shx']) {
    const { code, out: alone } = await run(`alone.${ending}`, await readFile(join(folder, `gauges.${ending}`)));
    t.is(code, 0);
    t.regex(alone, /\.shp file(?:, which)? is missing beside it/);
  }
});

test('a .mif file is inspected with its .mid file, also by the name of that', async (t) => {
  const head = 'Version 300\nCharset "WindowsLatin1"\nDelimiter ","\nCoordSys Earth Projection 1, 104\n';
  await writeFile(join(folder, 'wells.MIF'), `${head}Columns 1\n  depth Float\nData\n\nPoint 10.5 52.25\n`);
  await writeFile(join(folder, 'wells.mid'), '1.5\n');
  for (const name of ['wells.MIF', 'wells.mid']) {
    const { io, out } = person({});
    t.is(await main(['inspect', join(folder, name), '--json'], io), 0);
    t.like(JSON.parse(out()), { format: 'mapinfo', statistics: { features: 1 } }, name);
  }
});

test('inspect describes several files one after the other, as an array with --json, and lists failed files last', async (t) => {
  const at = (name: string) => join(folder, name);
  await writeFile(at('one.tif'), tiff);
  await writeFile(at('two.asc'), 'ncols 1\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 1\n7\n');
  await writeFile(at('bad.asc'), 'ncols 2\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 1\n7\n');
  const files = ['one.tif', 'bad.asc', 'none.asc', 'two.asc'].map(at);
  const all = async (...options: string[]) => {
    const { io, out, err } = person({ PLATFORM_URL: 'http://127.0.0.1:9', XDG_CONFIG_HOME: '/nonexistent' });
    return { code: await main(['inspect', ...files, ...options], io), out: out(), err: err() };
  };
  const { code, out, err } = await all();
  t.is(code, 1);
  t.regex(out, /^.*one\.tif:\n\ncontent +TIFF file[\s\S]*\n\n.*two\.asc:\n\ncontent +ESRI ASCII grid\n/);
  t.regex(err, /^.*bad\.asc: .*\n.*none\.asc: There is no file .*\nplatform: 2 of 4 files failed\.\n$/);
  const json = await all('--json');
  t.is(json.code, 1);
  const [one, bad, none, two] = JSON.parse(json.out);
  t.like(one, { file: files[0], width: 3 });
  t.regex(bad.error, /./);
  t.like(none, {
    file: files[2],
    error: `There is no file ${files[2]}, and no dataset of this name was read: Not logged in at http://127.0.0.1:9. Run 'platform login'.`,
  });
  t.like(two, { file: files[3], width: 1 });
  t.is((await all('--png', at('x.png'))).code, 2);
});

test('progress without a terminal is silent for two seconds, then a line every ten seconds', (t) => {
  const stream = new PassThrough();
  let now = 0;
  const progress = startProgress('Converting', stream, () => now);
  for (; now <= 25_000; now += 100) progress.report(now / 50_000, 'Reading');
  progress.end();
  t.is(
    stream.read(stream.readableLength).toString(),
    'Converting   4 % Reading\nConverting  24 % Reading\nConverting  44 % Reading\n',
  );
});

test('the help for --json of a local command says that it prints the result', async (t) => {
  for (const noun of ['convert', 'demo']) {
    const { io, out } = person({});
    await main([noun, '--help'], io);
    t.regex(out(), /--json +print the result as JSON, and errors as JSON/);
    t.notRegex(out(), /server's answer/);
  }
});

/** Output that calls `after` when the first bytes arrive. */
function watched(after: () => void) {
  const streams = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  let [shown, said] = ['', ''];
  streams.stdout.on('data', (chunk) => {
    if (shown === '') after();
    shown += chunk;
  });
  streams.stderr.on('data', (chunk) => {
    said += chunk;
  });
  return { streams, shown: () => shown, said: () => said };
}

test('Ctrl-C ends the inspection of several files, with exit code 130', async (t) => {
  const paths = ['c1.tif', 'c2.tif', 'c3.tif'].map((name) => join(folder, name));
  for (const path of paths) await writeFile(path, tiff);
  let interrupt = () => {};
  const { streams, shown, said } = watched(() => interrupt());
  const on = (_: string, listener: () => void) => {
    interrupt = listener;
  };
  t.is(await main(['inspect', ...paths], terminal({ ...streams, on, off() {} }, {})), 130);
  t.regex(said(), /Interrupted\./);
  t.false(shown().includes('c3.tif'));
});

test('the inspection of several files ends when nobody reads it any more', async (t) => {
  const paths = ['d1.tif', 'd2.tif', 'd3.tif'].map((name) => join(folder, name));
  for (const path of paths) await writeFile(path, tiff);
  const { streams, said } = watched(() => streams.stdout.destroy(Object.assign(new Error('EPIPE'), { code: 'EPIPE' })));
  t.is(await main(['inspect', ...paths], terminal(streams, {})), 1);
  t.is(said(), '');
});
