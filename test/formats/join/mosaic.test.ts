import { writeFile } from 'node:fs/promises';
import test, { type ExecutionContext } from 'ava';
import { MOST_OPEN } from '../../../src/files/convert/join/input-files.ts';
import { mostAcross } from '../../../src/files/convert/join/mosaic-place.ts';
import type { Grid } from '../../../src/files/data/grid.ts';
import { ConversionError } from '../../../src/files/errors.ts';
import { filesOf, gridAt, joinedFiles, mosaicOf, rowsOf } from './joined.ts';

const TIFF = { reader: 'GeoTiffReader', writer: 'GeoTiffWriter' };
const E = -9999;

/** Two grids that share the middle column of the upper row, and a third that lies apart below them. */
const three = (t: ExecutionContext) =>
  filesOf(t, {
    'a.tif': gridAt(0, 100, [
      [1, 2],
      [3, E],
    ]),
    'b.tif': gridAt(10, 100, [
      [20, 30],
      [40, 50],
    ]),
    'c.tif': gridAt(30, 80, [[7]]),
  });

const expected = {
  first: [
    [1, 2, 30, E],
    [3, 40, 50, E],
    [E, E, E, 7],
  ],
  last: [
    [1, 20, 30, E],
    [3, 40, 50, E],
    [E, E, E, 7],
  ],
  mean: [
    [1, 11, 30, E],
    [3, 40, 50, E],
    [E, E, E, 7],
  ],
  min: [
    [1, 2, 30, E],
    [3, 40, 50, E],
    [E, E, E, 7],
  ],
  max: [
    [1, 20, 30, E],
    [3, 40, 50, E],
    [E, E, E, 7],
  ],
};

for (const [method, rows] of Object.entries(expected))
  test(`a mosaic covers all files; '${method}' decides where several have data, and nodata never counts`, async (t) => {
    const { file, result } = await joinedFiles(t, await three(t), { ...TIFF, transformations: mosaicOf(method) });
    t.deepEqual(await rowsOf(file), rows);
    const { data } = file;
    t.deepEqual(data.kind === 'grid' && data.affine, [0, 10, 0, 100, 0, -10]);
    t.deepEqual(
      result.receipt.inputs?.map(({ name, size, sha256 }) => [name, size > 100, sha256.length]),
      [
        ['a.tif', true, 64],
        ['b.tif', true, 64],
        ['c.tif', true, 64],
      ],
    );
  });

test('the mosaic of one file is the file', async (t) => {
  const [path] = await filesOf(t, { 'a.tif': gridAt(0, 100, [[1, 2]]) });
  const { file } = await joinedFiles(t, [path!], { ...TIFF, transformations: mosaicOf('mean') });
  t.deepEqual(await rowsOf(file), [[1, 2]]);
});

for (const [what, other, sentence] of [
  ['another system', gridAt(10, 100, [[1]], { srid: 25833 }), /^b\.tif: .*EPSG:25833.*EPSG:25832.*crsTransformation/],
  ['other cells', gridAt(10, 100, [[1]], { cell: 12 }), /^b\.tif: .*12 × 12.*10 × 10.*resample/],
  ['a part of a cell beside', gridAt(13, 100, [[1]]), /^b\.tif: .*0\.3 of a cell.*resample/],
  ['another unit', gridAt(10, 100, [[1]], { bands: [{ name: 'level', unit: 'ft' }] }), /^b\.tif: .*'level'.*ft.*m /],
] as const)
  test(`a mosaic refuses a file with ${what} by name`, async (t) => {
    const files = await filesOf(t, {
      'a.tif': gridAt(0, 100, [[1]], { bands: [{ name: 'level', unit: 'm' }] }),
      'b.tif': other,
    });
    const error = await t.throwsAsync(joinedFiles(t, files, { ...TIFF, transformations: mosaicOf('first') }));
    t.true(error instanceof ConversionError);
    t.regex(error!.message, sentence);
  });

test('cells may be 1/100 of a cell apart', async (t) => {
  const files = await filesOf(t, { 'a.tif': gridAt(0, 100, [[1]]), 'b.tif': gridAt(10.09, 100, [[2]]) });
  const { file } = await joinedFiles(t, files, { ...TIFF, transformations: mosaicOf('first') });
  t.deepEqual(await rowsOf(file), [[1, 2]]);
});

test('items are joined by name; a file without one has no data for it, which the receipt says', async (t) => {
  const named = (...names: string[]) => ({ bands: names.map((name) => ({ name })) });
  const files = await filesOf(t, {
    'a.tif': gridAt(0, 100, [[1]], { ...named('depth', 'speed'), more: [[[10]]] }),
    'b.tif': gridAt(10, 100, [[20]], { ...named('speed', 'depth'), more: [[[2]]] }),
    'c.tif': gridAt(20, 100, [[3]], named('depth')),
  });
  const { file, result } = await joinedFiles(t, files, { ...TIFF, transformations: mosaicOf('first') });
  t.deepEqual(
    file.items.map(({ name }) => name),
    ['depth', 'speed'],
  );
  t.deepEqual(await rowsOf(file, 0), [[1, 2, 3]]);
  t.deepEqual(await rowsOf(file, 1), [[10, 20, E]]);
  t.deepEqual(
    result.receipt.remarks.filter((one) => one.startsWith('c.tif')),
    ["c.tif: There is no item 'speed', so it has no data for it."],
  );
});

test('files with other types and nodata values become one type that holds all values', async (t) => {
  const files = await filesOf(t, {
    'a.tif': gridAt(0, 100, [[1, 255]], { bands: [{ type: 'UInt8', nodata: 255 }] }),
    'b.tif': gridAt(20, 100, [[-5, -1]], { bands: [{ type: 'Int16', nodata: -1 }] }),
  });
  const { file } = await joinedFiles(t, files, { ...TIFF, transformations: mosaicOf('first') });
  t.deepEqual(
    file.items.map(({ type, nodata }) => [type, nodata]),
    [['Int16', 255]],
  );
  t.deepEqual(await rowsOf(file), [[1, 255, -5, 255]]);
});

test('gaps between files without a nodata value get one that is no value of their type', async (t) => {
  const bytes = { bands: [{ type: 'UInt8', nodata: undefined }] } as never;
  const files = await filesOf(t, {
    'a.tif': gridAt(0, 100, [[0, 255]], bytes),
    'b.tif': gridAt(30, 100, [[9]], bytes),
  });
  const { file } = await joinedFiles(t, files, { ...TIFF, transformations: mosaicOf('first') });
  t.deepEqual(
    file.items.map(({ type, nodata }) => [type, nodata]),
    [['Int16', -9999]],
  );
  t.deepEqual(await rowsOf(file), [[0, 255, -9999, 9]]);
  const covering = await filesOf(t, {
    'a.tif': gridAt(0, 100, [[0, 255]], bytes),
    'b.tif': gridAt(20, 100, [[9]], bytes),
  });
  const whole = await joinedFiles(t, covering, { ...TIFF, transformations: mosaicOf('first') });
  t.deepEqual(
    whole.file.items.map(({ type, nodata }) => [type, nodata]),
    [['UInt8', undefined]],
  );
  t.deepEqual(await rowsOf(whole.file), [[0, 255, 9]]);
});

for (const method of ['first', 'last', 'mean', 'min', 'max'])
  test(`NaN of floats without a nodata value stays NaN in a mosaic by '${method}'`, async (t) => {
    const floats = { bands: [{ type: 'Float32', nodata: undefined }] } as never;
    const files = await filesOf(t, {
      'a.tif': gridAt(0, 100, [[1, Number.NaN]], floats),
      'b.tif': gridAt(20, 100, [[3]], floats),
    });
    const { file } = await joinedFiles(t, files, { ...TIFF, transformations: mosaicOf(method) });
    t.deepEqual(await rowsOf(file), [[1, Number.NaN, 3]]);
  });

test('the nodata value of 64-bit integers is no integer that was rounded', async (t) => {
  const lowest = -(2n ** 63n);
  const integers = (x: number, values: readonly bigint[]): Grid => ({
    ...gridAt(x, 100, [values.map(Number)]),
    bands: [{ type: 'Float64', integer64: 'Int64', nodata: Number(lowest), exactNodata: lowest }],
    async *rows() {
      const exact = BigInt64Array.from(values);
      yield { firstRow: 0, rowCount: 1, samples: Float64Array.from(exact, Number), exact };
    },
  });
  const rounded = 'Integers above 2^53 were rounded to 53 bits.';
  for (const [value, lost] of [
    [7n, []],
    [2n ** 60n + 1n, [`b.tif: ${rounded}`]],
  ] as const) {
    const files = await filesOf(t, { 'a.tif': integers(0, [1n, lowest]), 'b.tif': integers(20, [lowest, value]) });
    const { file, result } = await joinedFiles(t, files, { ...TIFF, transformations: mosaicOf('first') });
    t.deepEqual(await rowsOf(file), [[1, Number(lowest), Number(lowest), Number(value)]]);
    t.deepEqual(result.receipt.lost, lost);
  }
});

test('a bad file among many ends the mosaic with a sentence that names it', async (t) => {
  const files = await three(t);
  await writeFile(files[1]!, 'no raster');
  const error = await t.throwsAsync(joinedFiles(t, files, { ...TIFF, transformations: mosaicOf('first') }));
  t.regex(error!.message, /^b\.tif: /);
});

test('several files without a mosaic or a stack, and one that is not first, are refused', async (t) => {
  const files = await three(t);
  await t.throwsAsync(joinedFiles(t, files, { ...TIFF, transformations: [] }), { message: /^There are 3 files\./ });
  const late = [{ type: 'calculateStatisticsTransformation' }, ...mosaicOf('first')];
  await t.throwsAsync(joinedFiles(t, files, { ...TIFF, transformations: late }), { message: /first transformation/ });
});

test('transformations after the mosaic see one grid', async (t) => {
  const clip = { geometry: 'POLYGON ((10 100, 30 100, 30 80, 10 80, 10 100))' };
  const transformations = [...mosaicOf('last'), { type: 'spatialFilterTransformation', spatialFilter: clip }];
  const { file, result } = await joinedFiles(t, await three(t), { ...TIFF, transformations });
  t.deepEqual(await rowsOf(file), [
    [20, 30],
    [40, 50],
  ]);
  t.is(result.recordsWritten, 4);
});

test('the greatest number of files in a row: one ends where the next begins', (t) => {
  const at = (row: number, height: number) => ({ column: 0, row, width: 1, height });
  t.is(mostAcross([]), 0);
  t.is(mostAcross([at(0, 5), at(5, 5), at(10, 1)]), 1);
  t.is(mostAcross([at(4, 2), at(0, 5), at(5, 5)]), 2);
  t.is(mostAcross([at(0, 9), at(0, 9), at(8, 9)]), 3);
});

test('a row that crosses more files than may be open is read, in several blocks of rows', async (t) => {
  const count = MOST_OPEN + 3;
  // a row of the mosaic is larger than 1 MiB, so that files close between the blocks of 8 rows
  const [width, height] = [4096, 16];
  const value = (n: number, row: number, column: number) => (n * height + row) * 10 + (column % 10);
  const grid = (n: number) => {
    const rows = Array.from({ length: height }, (_, row) => Array.from({ length: width }, (__, c) => value(n, row, c)));
    return gridAt(n * width * 10, 100, rows);
  };
  const files = await filesOf(t, Object.fromEntries(Array.from({ length: count }, (_, n) => [`${n}.tif`, grid(n)])));
  const { file } = await joinedFiles(t, files, { ...TIFF, transformations: mosaicOf('max') });
  for (const [row, values] of (await rowsOf(file)).entries()) {
    t.is(values.length, count * width);
    t.is(
      values.findIndex((one, column) => one !== value(Math.floor(column / width), row, column % width)),
      -1,
    );
  }
});

test('a mosaic of text files has the type of all their values', async (t) => {
  const text = (x: number, value: number) =>
    `ncols 1\nnrows 1\nxllcorner ${x}\nyllcorner 0\ncellsize 1\nNODATA_value -9\n${value}\n`;
  const files = await filesOf(t, { 'a.asc': text(0, 7), 'b.asc': text(2, 1.5) });
  const asked = { reader: 'AsciiGridReader', writer: 'GeoTiffWriter', transformations: mosaicOf('first') };
  const { file } = await joinedFiles(t, files, asked);
  t.deepEqual(await rowsOf(file), [[7, -9, 1.5]]);
  t.is(file.items[0]?.type, 'Float64');
  const whole = await joinedFiles(t, files.slice(0, 1), asked);
  t.is(whole.file.items[0]?.type, 'Int32');
});
