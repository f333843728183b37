import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { inspect } from '../../src/files/convert/inspect.ts';
import { inspectStart } from '../../src/files/convert/inspect-start.ts';
import { ConversionError, FormatError } from '../../src/files/errors.ts';
import { axes, dfsBytes } from './dfs/dfs-bytes.ts';
import { collection, feature, geometryOf } from './features.ts';
import { converted } from './files.ts';
import { grib2 } from './grib/grib-bytes.ts';
import { classicFile, gridOverTime, hdf5File } from './netcdf/netcdf-files.ts';
import { selafinBytes } from './selafin/selafin-bytes.ts';
import { shapefileOf } from './shapefiles.ts';
import { geoKeys, placed, tiffFile } from './tiff-file.ts';

/** Readers ask for headers in pieces of up to 64 KiB. */
const START = 1 << 17;
const SIDE = 240;
const numbers = Array.from({ length: SIDE ** 2 }, (_, n) => (n * 7919) % 10_007);
const { signal } = new AbortController();

async function inspected(t: ExecutionContext, content: string | Uint8Array, length = START, reader?: string) {
  const folder = await mkdtemp(join(tmpdir(), 'start-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const bytes = Buffer.from(content);
  const path = join(folder, 'start');
  await writeFile(path, bytes.subarray(0, length));
  const options = {
    name: 'file',
    scratch: folder,
    statistics: false,
    writers: 'files',
    reader: { name: reader },
    signal,
  } as const;
  const start = await inspectStart({ ...options, path, size: bytes.length });
  await writeFile(path, bytes);
  return { start, whole: (await inspect({ ...options, path })).inspection, size: bytes.length };
}

const lines = (header: string, row: (n: number) => string) =>
  `${header}\n${Array.from({ length: 8000 }, (_, n) => row(n)).join('\n')}\n`;
const ascii = `ncols ${SIDE}\nnrows ${SIDE}\nxllcorner 0\nyllcorner 0\ncellsize 10\n${numbers.join(' ')}\n`;
const points = lines('x,y,station,depth', (n) => `${500_000 + n},${5_800_000 + n * n},S ${n},${n / 3}`);
const json = collection(
  Array.from({ length: 2000 }, (_, n) => feature(geometryOf('Point', [n / 10, n / 20]), { station: `S ${n}` })),
);
const tiff = tiffFile({
  width: SIDE,
  height: SIDE,
  values: numbers.map((one) => one % 250),
  tags: { ...placed(500_000, 6_000_000, 100), ...geoKeys([1024, 1], [3072, 25832]) },
});
const dfs2 = dfsBytes({
  projection: ['UTM-33', 15, 55, 0],
  time: { start: ['2020-01-01', '00:00:00'], interval: 60 },
  items: [{ name: 'Depth', axis: axes.plane(SIDE, SIDE), steps: [numbers, numbers] }],
});
const steps = Array.from({ length: 1000 }, (_, step) => ({ time: step * 60, values: [numbers.slice(0, 24)] }));
const selafin = selafinBytes({
  variables: ['BOTTOM          M'],
  x: numbers.slice(0, 24).map((_, n) => n % 6),
  y: numbers.slice(0, 24).map((_, n) => Math.floor(n / 6)),
  elements: [
    [1, 2, 7],
    [2, 8, 7],
  ],
  steps,
});
const cf = classicFile({
  dimensions: { y: SIDE, x: SIDE },
  variables: {
    y: {
      type: 'double',
      dimensions: ['y'],
      attributes: { standard_name: 'projection_y_coordinate' },
      values: Array.from({ length: SIDE }, (_, n) => n * 10),
    },
    x: {
      type: 'double',
      dimensions: ['x'],
      attributes: { standard_name: 'projection_x_coordinate' },
      values: Array.from({ length: SIDE }, (_, n) => n * 10),
    },
    depth: { type: 'float', dimensions: ['y', 'x'], attributes: { units: 'm' }, values: numbers },
  },
});

for (const [name, content] of [
  ['a DFS2 file', dfs2],
  ['a classic NetCDF file', cf],
] as const)
  test(`the start of ${name} tells what the whole file tells`, async (t) => {
    const { start, whole } = await inspected(t, content);
    t.deepEqual(start, whole);
    t.true((start.writers ?? []).length > 5);
  });

test('the start of a FlatGeobuf with header and index tells what the whole file tells', async (t) => {
  const { bytes } = await converted(t, json, { reader: 'GeoJsonReader', writer: 'GISWriter' });
  const { start, whole } = await inspected(t, bytes);
  t.deepEqual(start, whole);
});

for (const [name, content, known] of [
  ['an ASCII grid', ascii, { format: 'asciigrid', reader: 'AsciiGridReader' }],
  ['a GeoTIFF with its directory at the end', tiff, { format: 'geotiff', reader: 'GeoTiffReader' }],
  ['GeoJSON, whose last feature may have more fields,', json, { format: 'geojson', reader: 'GeoJsonReader' }],
  ['a Selafin file', selafin, { format: 'selafin' }],
  ['a zipped shapefile', shapefileOf(), {}],
] as const)
  test(`the start of ${name} tells the format, or that more is needed`, async (t) => {
    const length = Math.min(START, Buffer.byteLength(content) - 10);
    const { start, whole, size } = await inspected(t, content, length);
    if (!('needsMore' in start)) return t.deepEqual(start, whole);
    t.like(start, { ...known, size, writers: undefined });
    t.true(start.needsMore.from >= length && start.needsMore.to <= size, JSON.stringify(start.needsMore));
    t.true(start.needsMore.from < start.needsMore.to);
    t.deepEqual(start.remarks, [`Only the first ${length} of ${size} bytes are there, and the reader needs more.`]);
  });

test('the start of a table tells columns and writers of its rows, and that more rows may change them', async (t) => {
  const { start, whole, size } = await inspected(t, points);
  t.like(start, { size, format: 'csv', kind: 'features', layer: 'file' });
  t.deepEqual(start.fields, whole.fields);
  t.deepEqual(
    start.writers?.map(({ name }) => name),
    whole.writers?.map(({ name }) => name),
  );
  t.true('needsMore' in start);
  t.regex(start.remarks[1] ?? '', /more rows may change them/);
});

test('a table of UTF-16, or one whose start ends within a quoted cell, tells only its format', async (t) => {
  const wide = await inspected(t, Buffer.from(`\ufeff${points}`, 'utf16le'), START, 'CsvReader');
  const quoted = lines('x,y,name', (n) => `${n},${n},"${n < 4000 ? 'ab' : 'a\nb'}"`);
  const cut = await inspected(t, quoted, quoted.lastIndexOf('\nb"') + 1);
  for (const { start, size } of [wide, cut]) {
    t.like(start, { format: 'csv', reader: 'CsvReader', size, fields: undefined });
    t.is(start.remarks.length, 1);
    t.true('needsMore' in start);
  }
});

test('HDF5 and GRIB need what follows their start', async (t) => {
  const hdf5 = await hdf5File(gridOverTime);
  const { start } = await inspected(t, hdf5, 1024);
  t.true('needsMore' in start && start.needsMore.to > 1024);
  const field = {
    parameter: [0, 0],
    level: [103, 2],
    grid: { columns: 3, rows: 2, first: [8, 55], last: [10, 54] },
  } as const;
  const grib = Buffer.concat([0, 6].map((step) => grib2({ ...field, step, values: [1, 2, 3, 4, 5, step] })));
  const first = await inspected(t, grib, grib.length >> 1);
  t.true('needsMore' in first.start);
});

test('a start that is broken, longer than the file, or the whole file', async (t) => {
  const broken = ascii.replace('cellsize 10', 'cellsize 0');
  await t.throwsAsync(inspected(t, broken), { instanceOf: FormatError });
  const { start, whole } = await inspected(t, ascii, ascii.length);
  t.deepEqual(start, whole);
  const folder = await mkdtemp(join(tmpdir(), 'start-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'start');
  await writeFile(path, ascii);
  await t.throwsAsync(inspectStart({ path, scratch: folder, size: 10, signal }), {
    instanceOf: ConversionError,
    message: `The start has ${ascii.length} bytes, but the whole file only 10.`,
  });
});
