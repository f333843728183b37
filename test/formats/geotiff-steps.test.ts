import test, { type ExecutionContext } from 'ava';
import type { Grid } from '../../src/files/data/grid.ts';
import type { TimeAxis } from '../../src/files/data/time-axis.ts';
import { ConversionError, FormatError } from '../../src/files/errors.ts';
import { detect } from '../../src/files/formats/detect.ts';
import { parseSrid } from '../../src/files/geo/crs/crs.ts';
import { converted } from './files.ts';
import { mutate } from './hostile.ts';
import { memory, read } from './read.ts';
import { zipOf } from './shapefiles.ts';
import { geoKeys, placed, tiffFile } from './tiff-file.ts';
import { written } from './written.ts';

const start = Date.UTC(2026, 0, 24, 8);
const uneven: TimeAxis = {
  spacing: 'nonEquidistant',
  unit: 'second',
  start,
  offsets: Float64Array.of(0, 60, 60.5, 90),
};

/** Three columns, two rows; every value different. */
const gridOf = (over: Partial<Grid> = {}): Grid => ({
  kind: 'grid',
  width: 3,
  height: 2,
  affine: [500_000, 100, 0, 5_500_000, 0, -100],
  crs: parseSrid(25832),
  bands: [
    { name: 'depth', type: 'Float32', unit: 'm', nodata: -9999 },
    { name: 'speed', type: 'Float32', nodata: -9999 },
  ],
  time: uneven,
  async *rows({ band, step, layer }) {
    const first = 1000 * band + 100 * step + 10 * layer;
    yield { firstRow: 0, rowCount: 2, samples: Float32Array.from({ length: 6 }, (_, n) => first + n) };
  },
  ...over,
});

async function valuesAt(grid: Grid, band: number, step: number): Promise<number[]> {
  const values: number[] = [];
  for await (const { samples } of grid.rows({ band, step, layer: 0 })) values.push(...samples);
  return values;
}

const zipped = async (t: ExecutionContext, grid: Grid) =>
  (await written(t, grid, 'GeoTiffWriter', { StepsAs: 'files' })).content;

test('a zip with a GeoTIFF per step is read as a grid over time', async (t) => {
  const content = await zipped(t, gridOf());
  t.like(await detect(memory(content)), { format: 'geotiff' });
  const { data, lost } = await read(t, 'grid', 'GeoTiffReader', content);
  t.deepEqual(data.time, uneven);
  t.deepEqual(
    data.bands.map(({ name, unit, nodata }) => [name, unit, nodata]),
    [
      ['depth', 'm', -9999],
      ['speed', undefined, -9999],
    ],
  );
  t.like(data, { width: 3, height: 2, affine: [500_000, 100, 0, 5_500_000, 0, -100], crs: { code: 25832 } });
  for (const [band, step] of [
    [0, 0],
    [1, 3],
    [0, 2],
  ] as const)
    t.deepEqual(
      await valuesAt(data, band, step),
      [0, 1, 2, 3, 4, 5].map((n) => 1000 * band + 100 * step + n),
    );
  t.deepEqual(lost, []);
});

test('thirty steps are in order, items without names stay unnamed, and equal intervals are detected', async (t) => {
  const time: TimeAxis = { spacing: 'equidistant', unit: 'hour', start, count: 30, offset: 0, interval: 6 };
  const { data } = await read(
    t,
    'grid',
    'GeoTiffReader',
    await zipped(t, gridOf({ time, bands: [{ type: 'Float32' }] })),
  );
  t.deepEqual(data.time, { spacing: 'equidistant', unit: 'second', start, count: 30, offset: 0, interval: 21_600 });
  t.is(data.bands[0]!.name, undefined);
  for (const step of [0, 17, 29]) t.is((await valuesAt(data, 0, step))[0], 100 * step);
});

test('layers become bands with their height', async (t) => {
  const { data } = await read(
    t,
    'grid',
    'GeoTiffReader',
    await zipped(t, gridOf({ layers: { count: 2, first: -3, spacing: 2, unit: 'm' } })),
  );
  t.deepEqual(
    data.bands.map(({ name }) => name),
    ['depth at -3 m', 'depth at -1 m', 'speed at -3 m', 'speed at -1 m'],
  );
  t.is((await valuesAt(data, 3, 2))[0], 1210);
});

test('a temporal filter selects steps of a zip, Band selects bands', async (t) => {
  const content = await zipped(t, gridOf());
  const { bytes } = await converted(t, content, {
    reader: 'GeoTiffReader',
    writer: 'AsciiGridWriter',
    readerParameters: { Band: 2 },
    transformations: [
      { type: 'TemporalFilterTransformation', temporalFilter: { type: 'TemporalIndexListFilter', indices: [2] } },
    ],
  });
  t.true(bytes.toString().endsWith('1200 1201 1202\n1203 1204 1205\n'));
});

const image = (name: string, over: Partial<Parameters<typeof tiffFile>[0]> = {}, x = 500_000) =>
  tiffFile({
    width: 2,
    height: 1,
    values: [1, 2],
    ...over,
    tags: {
      ...placed(x, 6_000_000, 100),
      ...geoKeys([1024, 1], [3072, 25832]),
      42112: [2, `<GDALMetadata><Item name="DESCRIPTION" sample="0" role="description">${name}</Item></GDALMetadata>`],
      ...over.tags,
    },
  });

test('a zip with one image is read as that image', async (t) => {
  const zip = zipOf([
    { name: 'run/bed.TIFF', bytes: image('bed') },
    { name: '__MACOSX/run/._bed.tif', bytes: Buffer.from('x') },
    { name: 'readme.txt', bytes: Buffer.from('x') },
  ]);
  const { data } = await read(t, 'grid', 'GeoTiffReader', zip);
  t.is(data.time, undefined);
  t.is(data.bands[0]!.name, 'bed');
});

const [noon, later] = [image('bed 2020-01-31T12:00:00'), image('bed 2020-01-31T13:00:00')];
const zipWith = (...images: Buffer[]) => zipOf(images.map((bytes, n) => ({ name: `${n}.tif`, bytes })));
for (const [fault, zip, message] of [
  ['no image', zipOf([{ name: 'a.txt', bytes: Buffer.from('x') }]), /The zip has no TIFF image \(\.tif\)\./],
  ['images without times', zipWith(image('bed'), image('bank')), /band 1 of '0\.tif', 'bed', has no time such as/],
  ['a time that is none', zipWith(noon, image('bed 2020-02-30T12:00:00')), /band 1 of '1\.tif'/],
  [
    'another width',
    zipWith(noon, image('bed 2020-01-31T13:00:00', { width: 1, height: 2 })),
    /'1\.tif' in the zip differs from '0\.tif' in its width/,
  ],
  ['another place', zipWith(noon, image('bed 2020-01-31T13:00:00', {}, 500_001)), /differs from '0\.tif' in its place/],
  ['another item', zipWith(noon, image('bank 2020-01-31T13:00:00')), /differs from '0\.tif' in its bands/],
  ['a broken image', zipWith(noon, later.subarray(0, 60)), /has 60 bytes/],
  ['an empty image', zipWith(Buffer.alloc(0)), /^The file is empty\./],
  ['an empty image among others', zipWith(noon, Buffer.alloc(0)), /^The file is empty\./],
] as const)
  test(`a zip of images is refused with an error: ${fault}`, async (t) => {
    await t.throwsAsync(read(t, 'grid', 'GeoTiffReader', zip), { instanceOf: FormatError, message });
  });

test('seeded mutations of a zip of images are read or end with an expected error', async (t) => {
  const zip = zipOf([noon, later].map((bytes, n) => ({ name: `${n}.tif`, bytes, stored: true })));
  await mutate(t, 'GeoTiffReader', [zip], 1000);
});

test('more bands than a TIFF can count end in an error before anything is written', async (t) => {
  const long = (count: number): TimeAxis => ({
    spacing: 'equidistant',
    unit: 'second',
    start,
    count,
    offset: 0,
    interval: 1,
  });
  const refused = (over: Partial<Grid>, parameters = {}) => {
    const unread = async function* () {
      yield t.fail('the check comes before the first row') as never;
    };
    return written(t, gridOf({ rows: unread, ...over }), 'GeoTiffWriter', parameters);
  };
  await t.throwsAsync(refused({ time: long(32768) }), {
    instanceOf: ConversionError,
    message: /65536 bands .*at most 65535\. Use StepsAs: files, .*temporalFilter/,
  });
  const deep = { layers: { count: 32768, first: 0, spacing: 1 } };
  await t.throwsAsync(refused(deep, { StepsAs: 'files' }), {
    instanceOf: ConversionError,
    message: /65536 bands .*at most 65535\. Choose fewer with an itemFilter or a verticalFilter\./,
  });
});
