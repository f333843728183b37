import test from 'ava';
import { ConversionError } from '../../src/files/errors.ts';
import { sridOf } from '../../src/files/geo/crs/crs.ts';
import { bandsOf, converted } from './files.ts';
import { gridOf, valuesOf } from './grids.ts';
import { placed, tiffFile } from './tiff-file.ts';

const to = (outputSrid: unknown, inputSrid?: unknown) => [{ type: 'crsTransformation', outputSrid, inputSrid }];
const slope = (size: number, value: (x: number, y: number) => number | string) =>
  `ncols ${size}\nnrows ${size}\nxllcorner 300000\nyllcorner 5900000\ncellsize 100\nNODATA_value -9999\n${Array.from({ length: size }, (_, y) => Array.from({ length: size }, (_, x) => value(x, y)).join(' ')).join('\n')}\n`;
const toTiff = { reader: 'AsciiGridReader', writer: 'GeoTiffWriter' };

test('a grid is reprojected to another coordinate system, and the receipt says how', async (t) => {
  const text = slope(50, (x, y) => (x + y / 4).toFixed(2));
  const result = await converted(t, text, { ...toTiff, transformations: to('EPSG:3857', 25832) });
  const grid = await gridOf(t, result.bytes);
  t.is(sridOf(grid.crs!), 'EPSG:3857');
  t.is(grid.bands[0]?.type, 'Float32');
  t.is(grid.bands[0]?.nodata, -9999);
  t.is(result.receipt.crs?.from, 'EPSG:25832');
  t.is(result.receipt.crs?.to, 'EPSG:3857');
  t.regex(result.receipt.crs!.operation!, /\.$/);
  t.true(result.receipt.lost.some((sentence) => sentence.includes('resampled')));
  t.is(result.recordsRead, 2500);
  t.is(result.recordsWritten, grid.width * grid.height);
  const { before, after } = result.receipt.statistics;
  t.is(bandsOf(before)[0]?.empty, 0);
  t.true(bandsOf(after)[0]!.empty > 0 && bandsOf(after)[0]!.values > 2000);
  t.true(Math.abs(bandsOf(after)[0]!.mean! - bandsOf(before)[0]!.mean!) < 1);
  t.is(result.spatialInformation?.srid, 3857);
  t.deepEqual(
    result.progress,
    result.progress.toSorted((a, b) => a - b),
  );
});

test('integers take the value of the nearest cell', async (t) => {
  const values = new Set(['3', '70', '-9999']);
  const text = slope(40, (x) => (x < 20 ? 3 : 70));
  const { bytes } = await converted(t, text, { ...toTiff, transformations: to(4326, 'EPSG:25832') });
  const grid = await gridOf(t, bytes);
  t.is(grid.bands[0]?.type, 'Int32');
  t.true((await valuesOf(grid)).every((value) => values.has(String(value))));
});

test('the same coordinate system leaves the cells unchanged', async (t) => {
  const text = slope(10, (x, y) => x * y);
  const plain = await converted(t, text, { ...toTiff, readerParameters: { SRID: 25832 } });
  const same = await converted(t, text, { ...toTiff, transformations: to(25832, 25832) });
  t.deepEqual(same.bytes, plain.bytes);
  t.deepEqual(same.receipt.lost, []);
});

test('crsTransformation makes a rotated grid storable as an ASCII grid', async (t) => {
  const values = Array.from({ length: 400 }, () => 5);
  const matrix = [70, 70, 0, 500000, 70, -70, 0, 5900000, 0, 0, 0, 0, 0, 0, 0, 1];
  const file = tiffFile({ width: 20, height: 20, values, tags: { 34264: [12, matrix], 42113: [2, '0'] } });
  const { text } = await converted(t, file, {
    reader: 'GeoTiffReader',
    writer: 'AsciiGridWriter',
    transformations: to(25832, 25832),
  });
  const cells = text.trim().split('\n').slice(6).join(' ').split(' ');
  t.true(cells.filter((cell) => cell === '5').length > 150);
  t.true(cells.every((cell) => cell === '5' || cell === '0'));
  t.true(cells.includes('0'));
});

test('crsTransformation without a known coordinate system ends with an error', async (t) => {
  const error = await t.throwsAsync(
    converted(
      t,
      slope(3, () => 1),
      { ...toTiff, transformations: to(3857) },
    ),
    { instanceOf: ConversionError },
  );
  t.regex(error!.message, /not known, so it cannot be reprojected to EPSG:3857/);
});

test('several bands are reprojected together', async (t) => {
  const values = Array.from({ length: 2 * 30 * 30 }, (_, n) => (n % 2 === 0 ? 1.5 : 200.25));
  const file = tiffFile({
    width: 30,
    height: 30,
    samples: 2,
    bits: 32,
    format: 3,
    values,
    tags: placed(500000, 5900000, 50),
  });
  const { bytes } = await converted(t, file, {
    reader: 'GeoTiffReader',
    writer: 'GeoTiffWriter',
    transformations: to(3857, 25832),
  });
  const grid = await gridOf(t, bytes);
  t.is(grid.bands.length, 2);
  for (const [band, value] of [
    [0, 1.5],
    [1, 200.25],
  ] as const) {
    const cells = await valuesOf(grid, band);
    t.true(cells.every((cell) => cell === value || Number.isNaN(cell)));
    t.true(cells.filter((cell) => cell === value).length > 800);
  }
});

test('statistics leave out infinite values, which JSON cannot store', async (t) => {
  const text = 'ncols 3\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 1\n1.5 inf 2.5\n';
  const { receipt } = await converted(t, text, toTiff);
  t.deepEqual(bandsOf(receipt.statistics.before), [{ band: 1, values: 3, empty: 0, minimum: 1.5 }]);
  t.deepEqual(JSON.parse(JSON.stringify(receipt)), receipt);
});

test('the receipt counts cells that already have the nodata value that reprojection chose', async (t) => {
  const text = slope(20, (x, y) => (x === 3 && y === 4 ? -9999 : x)).replace('NODATA_value -9999\n', '');
  const { receipt } = await converted(t, text, { ...toTiff, transformations: to(3857, 25832) });
  t.regex(receipt.lost.join('\n'), /Band 1 had no nodata value and got -9999. 1 of its cells have/);
  const without = slope(20, (x) => x).replace('NODATA_value -9999\n', '');
  const sound = await converted(t, without, { ...toTiff, transformations: to(3857, 25832) });
  t.false(sound.receipt.lost.some((sentence) => sentence.includes('had no nodata value')));
});
