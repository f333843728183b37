import { randomUUID } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import test from 'ava';
import { parseAddress } from '../../src/web/map/address.ts';
import { boxOfWkt } from '../../src/web/map/answers.ts';
import { degreeStep, degreeText, linesBetween, placeText } from '../../src/web/map/degrees.ts';
import { formatPermalink, idIn, parsePermalink } from '../../src/web/map/permalink.ts';
import { colourOf, rampOf, valueOfColour } from '../../src/web/map/ramp.ts';
import { estimateText, timeAxis, valueAxis, valueText } from '../../src/web/map/scale.ts';
import { formatCsv, hasLayers, itemFor, unitOf } from '../../src/web/map/series-table.ts';
import {
  isMapTile,
  levelFor,
  mapResolution,
  metresOf,
  piecesOf,
  pixelAt,
  type TileGrid,
  WORLD,
  zoomRange,
} from '../../src/web/map/tile-grid.ts';
import { nearestStep, parseStamp, timeLabels } from '../../src/web/map/times.ts';
import { world } from '../world.ts';

const w = world(test);
const html = { accept: 'text/html,*/*;q=0.8' };

/** Addresses in the attributes of a page. */
const addressesIn = (page: string) => [...page.matchAll(/(?:href|src|action)="([^"]*)"/g)].map(([, one]) => one ?? '');

test('the page is the same for everybody, with or without a dataset, a token or a signature, and holds no data', async (t) => {
  const { status, headers, raw } = await w.nobody.get(`/map/dataset/${randomUUID()}`, html);
  t.is(status, 200);
  t.regex(String(headers['content-type']), /^text\/html/);
  const owner = w.as(await w.account());
  const other = await owner.get(`/map/dataset/${randomUUID()}?sv=1&sig=x`, html);
  t.deepEqual([other.status, other.raw, other.headers.etag], [200, raw, headers.etag]);
  const again = await w.nobody.get(`/map/dataset/${randomUUID()}`, { 'if-none-match': String(headers.etag) });
  t.deepEqual([again.status, again.raw.length], [304, 0]);
  t.is((await w.nobody.get('/map/dataset/17', html)).status, 404, 'no id of a dataset');
  t.is((await w.nobody.post(`/map/dataset/${randomUUID()}`, {})).status, 405);
});

test('the page requests no other host: its policy, markup, scripts and styles contain none', async (t) => {
  const { headers, raw } = await w.nobody.get(`/map/dataset/${randomUUID()}`, html);
  const policy = String(headers['content-security-policy']);
  t.is(policy.match(/(?:^|; )default-src 'none'/)?.length, 1);
  t.notRegex(policy, /unsafe|https?:|\*/);
  t.is(headers['referrer-policy'], 'no-referrer', 'the address of the page may hold a signature');
  t.is(headers['x-frame-options'], 'DENY');
  const page = String(raw);
  t.notRegex(page, /<script(?![^>]*\ssrc=)|<style|\son\w+=|\sstyle=/, 'nothing inline');
  const addresses = addressesIn(page).filter((one) => !one.startsWith('#') && one !== 'data:,');
  t.deepEqual(
    addresses.map((one) => one.split('/').at(-1)),
    ['page.css', 'main.js'],
  );
  for (const one of addresses) t.regex(one, /^\.\.\/assets\/[\w-]+\/[\w.-]+$/);
});

test('scripts and styles are cached for ever under their version, compressed, each with an ETag', async (t) => {
  const { raw } = await w.nobody.get(`/map/dataset/${randomUUID()}`, html);
  const names = addressesIn(String(raw)).filter((one) => one.startsWith('../'));
  // MapLibre finds its worker beside its own script
  const worker = names.find((one) => one.endsWith('/main.js'))!.replace('main.js', 'maplibre-gl-worker.mjs');
  for (const name of [...names, worker]) {
    const url = new URL(name, 'http://host/map/dataset/x').pathname;
    const { status, headers, raw: bytes } = await w.nobody.get(url);
    t.is(status, 200, url);
    t.regex(String(headers['content-type']), url.endsWith('css') ? /^text\/css/ : /^text\/javascript/);
    t.is(headers['cache-control'], 'public, max-age=31536000, immutable');
    t.is(headers['x-content-type-options'], 'nosniff');
    t.notRegex(String(bytes), /sourceMappingURL|\bfrom\s*['"][^'"]+\.ts['"]/, url);
    const zipped = await w.nobody.get(url, { 'accept-encoding': 'gzip' });
    t.is(zipped.headers['content-encoding'], 'gzip');
    t.true(gunzipSync(zipped.raw).equals(bytes));
    t.not(zipped.headers.etag, headers.etag, 'strong ETags differ by encoding');
    t.is((await w.nobody.get(url, { 'if-none-match': String(headers.etag) })).status, 304);
  }
  const old = await w.nobody.get('/map/assets/older/main.js');
  t.deepEqual([old.status, old.headers['cache-control']], [200, 'public, max-age=0, must-revalidate']);
  for (const name of ['none.js', 'main.ts', 'page.html', 'tsconfig.json', '..%2Fbundle.ts', '__proto__'])
    t.is((await w.nobody.get(`/map/assets/any/${name}`)).status, 404, name);
});

test('an address with a slash at its end leads to the one without, and keeps its signature', async (t) => {
  const { status, headers } = await w.nobody.get('/map/dataset/0e6c1c2e-0d52-4a66-9f9b-3a8f3f1f1e11/?sig=a%2Bb', html);
  t.deepEqual([status, headers.location], [302, '../0e6c1c2e-0d52-4a66-9f9b-3a8f3f1f1e11?sig=a%2Bb']);
});

test('the page finds the platform from its own address, also below a path, and takes a signature only whole', (t) => {
  const id = '0e6c1c2e-0d52-4a66-9f9b-3a8f3f1f1e11';
  t.deepEqual(parseAddress(`https://host.example/water/map/dataset/${id}?sv=1&sp=r&sig=x%2By&token=secret#map=1/2/3`), {
    base: 'https://host.example/water/',
    datasetId: id,
    signature: 'sv=1&sp=r&sig=x%2By',
  });
  t.is(parseAddress(`http://127.0.0.1:8080/map/dataset/${id}?sv=1`).signature, '');
});

test('a permalink restores the view; invalid members are ignored', (t) => {
  const view = {
    zoom: 7.25,
    latitude: 55.7,
    longitude: 12.5,
    scheme: 'depth & more',
    time: '2024-05-02T10:00:00',
    layer: 3,
    opacity: 0.4,
    point: [12.512345, -55.7] as const,
    series: '0e6c1c2e-0d52-4a66-9f9b-3a8f3f1f1e11',
  };
  const link = formatPermalink(view);
  t.is(
    link,
    '#map=7.25/55.7/12.5&scheme=depth+%26+more&time=2024-05-02T10:00:00&layer=3&opacity=0.4&point=12.512345,-55.7&series=0e6c1c2e-0d52-4a66-9f9b-3a8f3f1f1e11',
  );
  t.deepEqual(parsePermalink(link), view);
  t.is(formatPermalink({ opacity: 1 }), '#');
  for (const wrong of ['../../accounts', 17, null, `${view.series}/..`]) t.is(idIn(wrong), undefined);
  for (const wrong of [
    '',
    '#',
    '#map=7/95/12',
    '#map=7/55',
    '#layer=-1',
    '#layer=1.5',
    '#opacity=2',
    '#point=1',
    '#series=../x',
    '#map=a/b/c',
  ])
    t.deepEqual(parsePermalink(wrong), {}, wrong);
});

test('labels of times have the fewest digits that distinguish them', (t) => {
  t.deepEqual(timeLabels(['1993-12-02T00:00:00', '1993-12-03T00:00:00']), ['1993-12-02', '1993-12-03']);
  t.deepEqual(timeLabels(['2024-05-02T10:00:00', '2024-05-03T00:00:00']), ['2024-05-02 10:00', '2024-05-03 00:00']);
  t.deepEqual(timeLabels(['2024-05-02T10:00:30.5000000', '2024-05-02T10:00:31']), [
    '2024-05-02 10:00:30.500',
    '2024-05-02 10:00:31.000',
  ]);
  t.deepEqual(timeLabels(['2024-05-02T10:00:00Z']), ['2024-05-02 10:00 UTC']);
  t.deepEqual(timeLabels(['0', '3600']), ['0', '3600'], 'other text stays');
  t.is(parseStamp('2024-05-02T10:00:00.25'), Date.UTC(2024, 4, 2, 10) + 250);
  t.is(parseStamp('soon'), undefined);
  t.is(nearestStep(['2024-05-02', '2024-05-04', '2024-05-06'], Date.UTC(2024, 4, 4, 20)), 1);
  t.is(nearestStep([], 0), undefined);
});

test('axes have round numbers around the values, and dates where they change', (t) => {
  const labels = (values: number[]) => valueAxis(values).ticks.map(({ label }) => label);
  t.deepEqual(labels([-0.37, 0.26]), ['−0.4', '−0.2', '0.0', '0.2', '0.4']);
  t.deepEqual(labels([0, 100]), ['0', '50', '100']);
  t.deepEqual(labels([5, 5]).length > 1, true, 'a constant');
  t.true(labels([]).length > 1, 'nothing');
  t.true(
    labels([1e-9, 2e-9]).every((one) => one.includes('e')),
    'small',
  );
  const day = timeAxis(Date.UTC(2024, 4, 2), Date.UTC(2024, 4, 3)).ticks.map(({ label }) => label);
  t.deepEqual(day, ['2024-05-02', '06:00', '12:00', '18:00', '2024-05-03']);
  const years = timeAxis(Date.UTC(1990, 5), Date.UTC(2024, 5)).ticks.map(({ label }) => label);
  t.deepEqual(years, ['2000', '2010', '2020']);
  t.deepEqual([0, 0.000123456, 12.3456, -1234.567, 1e9].map(valueText), [
    '0',
    '0.0001235',
    '12.35',
    '−1235',
    '1.000e9',
  ]);
});

test('a value estimated from a colour has only the digits that the colour ramp resolves', (t) => {
  t.is(estimateText(1019.7654, 988, 1034), '1019.8');
  t.is(estimateText(0.256512, 0, 2.3), '0.257');
  t.is(estimateText(123_456.7, 0, 1e6), '123457');
  t.is(estimateText(3, 3, 3), '3');
});

test('degrees are written with their side, with as many decimals as lines that far apart need', (t) => {
  t.is(degreeText(-12.5, 'EW', 0.5), '12.5°\u{202F}W');
  t.is(degreeText(190, 'EW'), '170°\u{202F}W', 'beyond the antimeridian');
  t.is(degreeText(0, 'NS'), '0°');
  t.is(placeText([12.5, -55.25], 2), '55.25°\u{202F}S, 12.50°\u{202F}E');
  t.is(degreeStep(0.3), 0.5);
  t.is(degreeStep(90), 30);
  t.deepEqual(linesBetween(-0.25, 0.25, 0.1), [-0.2, -0.1, 0, 0.1, 0.2]);
  t.deepEqual(linesBetween(0, 1e9, 0.1), [], 'too many');
  t.deepEqual(boxOfWkt('POLYGON ((9 54.1, 9.5 54.1, 9.5 -54.5, 9 54.1))'), [9, -54.5, 9.5, 54.1]);
});

test('a colour leads back to its value, within a step of the ramp', (t) => {
  const ramp = rampOf(-2, 8, ['#313695', '#ffffbf', '#a50026']);
  for (const value of [-2, -1.234, 0, 3, 7.5, 8]) {
    const found = valueOfColour(ramp, colourOf(ramp, value));
    t.true(Math.abs(found! - value) <= 0.02, `${value} ${found}`);
  }
  t.deepEqual(colourOf(ramp, 99), colourOf(ramp, 8), 'beyond the end');
  t.is(valueOfColour(ramp, [0, 0, 0, 0]), undefined, 'no data');
  t.is(valueOfColour(ramp, [0, 255, 0, 255]), undefined, 'not of the ramp');
});

const xyz: TileGrid = {
  isMercator: true,
  left: -WORLD,
  top: WORLD,
  tileWidth: 256,
  tileHeight: 256,
  levels: [0, 1, 2].map((id) => ({
    id,
    resolution: mapResolution(id),
    shown: mapResolution(id),
    columns: 2 ** id,
    rows: 2 ** id,
  })),
};
/** Two levels of 64 pixels, whose upper left corner is no corner of a tile of the map. */
const own: TileGrid = {
  isMercator: true,
  left: 1_000_000,
  top: 7_000_000,
  tileWidth: 64,
  tileHeight: 64,
  levels: [
    { id: 0, resolution: 2000, shown: 2000, columns: 1, rows: 1 },
    { id: 1, resolution: 1000, shown: 1000, columns: 2, rows: 2 },
  ],
};

test('map tiles come from an XYZ scheme, or are composed from tiles of other matrices', (t) => {
  t.true(isMapTile(xyz, 1));
  t.false(isMapTile(xyz, 5), 'deeper than the scheme');
  t.false(isMapTile(own, 5));
  t.deepEqual(zoomRange(xyz), { minzoom: 0, maxzoom: 2 });
  t.deepEqual(piecesOf(xyz, xyz.levels[1]!, 1, 1, 0), [
    { column: 1, row: 0, left: 0, right: 256, top: 0, bottom: 256 },
  ]);
  t.is(levelFor(own, 1500).id, 1);
  t.is(levelFor(own, 5000).id, 0);
  t.is(levelFor(own, 1).id, 1, 'none is finer');
  // all pieces together cover the matrix, at its place, whichever tile of the map shows them
  const level = own.levels[1]!;
  const seen = new Map<string, number[]>();
  const zoom = 7;
  for (let x = 0; x < 2 ** zoom; x++)
    for (let y = 0; y < 2 ** zoom; y++)
      for (const { column, row, left, top } of piecesOf(own, level, zoom, x, y)) {
        const metres = [-WORLD + (x * 256 + left) * mapResolution(zoom), WORLD - (y * 256 + top) * mapResolution(zoom)];
        t.true(Math.abs(metres[0]! - (1_000_000 + column * 64_000)) < 1e-3);
        t.true(Math.abs(metres[1]! - (7_000_000 - row * 64_000)) < 1e-3);
        seen.set(`${column} ${row}`, metres);
      }
  t.deepEqual([...seen.keys()].sort(), ['0 0', '0 1', '1 0', '1 1']);
});

test('a place is a pixel of a tile; places outside of the matrix are none', (t) => {
  const [x, y] = metresOf(12.5, 55.7);
  t.true(Math.abs(x - 1_391_493.63) < 0.01 && Math.abs(y - 7_498_924.48) < 0.01, `${x} ${y}`);
  t.deepEqual(metresOf(372.5, 55.7), [x, y], 'longitudes run on');
  t.deepEqual(pixelAt(xyz, xyz.levels[0]!, 0, 0), { column: 0, row: 0, x: 128, y: 128 });
  t.deepEqual(pixelAt(xyz, xyz.levels[1]!, -180, 85.05), { column: 0, row: 0, x: 0, y: 0 });
  t.is(pixelAt(own, own.levels[1]!, 0, 0), undefined);
});

test('a series is saved as CSV; an item is found by its name', (t) => {
  const series = {
    title: 'Level, upper',
    unit: 'm',
    times: ['2024-05-02', '2024-05-03'],
    values: [1.5, undefined],
    source: '',
  };
  t.is(formatCsv(series), 'time,"Level, upper [m]"\r\n2024-05-02,1.5\r\n2024-05-03,\r\n');
  const item = (id: string, name: string) => ({ id, name, axes: [] });
  const dataset = { name: '', kind: 'grid' as const, axes: [], items: [item('a', 'Depth'), item('b', 'Speed')] };
  t.is(itemFor(dataset, 'Speed')?.id, 'b');
  t.is(itemFor(dataset, 'Heat'), undefined);
  t.is(itemFor({ ...dataset, items: [item('a', 'Depth')] }, 'Band 1')?.id, 'a', 'the only one');
  const layered = { ...dataset, axes: [{ name: 'layer', length: 3 }] };
  t.deepEqual(
    [
      hasLayers(layered, { id: 'a', axes: ['time', 'layer', 'y', 'x'] }),
      hasLayers(layered, { id: 'a', axes: ['y', 'x'] }),
    ],
    [true, false],
  );
  t.true(hasLayers({ ...dataset, kind: 'mesh', mesh: { layers: 7 } }, { id: 'a', axes: ['time', 'element'] }));
  t.deepEqual(['m', 'undefined', '', undefined].map(unitOf), ['m', undefined, undefined, undefined]);
});

test('the style sheet follows the colour scheme and the wish for less motion', async (t) => {
  const css = String((await w.nobody.get('/map/assets/any/page.css')).raw);
  for (const feature of ['prefers-color-scheme:dark', 'prefers-reduced-motion:reduce', ':focus-visible'])
    t.true(css.includes(feature), feature);
  t.regex(css, /@media[^{]*40rem/);
  t.notRegex(css, /url\((?!['"]?data:)|@import/);
});
