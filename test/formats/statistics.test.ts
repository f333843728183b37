import test from 'ava';
import type { FeatureStatistics } from '../../src/files/data/feature-statistics.ts';
import type { GridStatistics } from '../../src/files/data/grid-statistics.ts';
import { collection, feature, geometryOf, jsonToJson } from './features.ts';
import { bandsOf, converted } from './files.ts';
import { placed, tiffFile } from './tiff-file.ts';

const calculate = [{ type: 'CALCULATESTATISTICSTRANSFORMATION' }];
const toTiff = { reader: 'AsciiGridReader', writer: 'GeoTiffWriter' };
const grid = (rows: string) => `ncols 4\nnrows 2\nxllcorner 0\nyllcorner 0\ncellsize 1\nNODATA_value -9999\n${rows}\n`;

test('calculateStatistics describes the output and changes no data', async (t) => {
  const text = grid('1 2 3 4\n5 -9999 7.5 8');
  const plain = await converted(t, text, toTiff);
  const told = await converted(t, text, { ...toTiff, transformations: calculate });
  t.deepEqual(told.bytes, plain.bytes);
  t.is(plain.properties, undefined);
  const values = [1, 2, 3, 4, 5, 7.5, 8];
  const mean = values.reduce((sum, value) => sum + value) / 7;
  const deviation = Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 7);
  const { bands, ...size } = told.properties!.statistics as GridStatistics;
  t.deepEqual(size, { kind: 'grid', width: 4, height: 2 });
  t.like(bands[0], { band: 1, values: 7, empty: 1, minimum: 1, maximum: 8, mean });
  t.true(Math.abs(bands[0]!.standardDeviation! - deviation) < 1e-15);
  t.deepEqual(told.receipt.statistics.after, told.properties!.statistics);
});

test('the standard deviation of large numbers with small differences is accurate', async (t) => {
  const values = Array.from({ length: 90_000 }, (_, n) => 1e9 + (n % 3));
  const file = tiffFile({
    width: 300,
    height: 300,
    bits: 64,
    format: 3,
    values,
    tags: placed(0, 300, 1),
    rowsPerStrip: 7,
  });
  const { properties } = await converted(t, file, {
    reader: 'GeoTiffReader',
    writer: 'GeoTiffWriter',
    transformations: calculate,
  });
  const [band] = bandsOf(properties?.statistics as GridStatistics);
  t.is(band?.mean, 1e9 + 1);
  t.true(Math.abs(band!.standardDeviation! - Math.sqrt(2 / 3)) < 1e-12, String(band!.standardDeviation));
});

test('statistics have the names and units of the written bands, and no others', async (t) => {
  const notes =
    '<GDALMetadata><Item name="DESCRIPTION" sample="1" role="description">depth</Item><Item name="UNITTYPE" sample="1" role="unittype">m</Item></GDALMetadata>';
  const file = tiffFile({
    width: 2,
    height: 1,
    samples: 2,
    values: [0, 10, 1, 11],
    tags: { ...placed(0, 1, 1), 42112: [2, notes] },
  });
  const { properties } = await converted(t, file, {
    reader: 'GeoTiffReader',
    writer: 'AsciiGridWriter',
    transformations: [...calculate, { type: 'itemFilterTransformation', itemFilter: { itemIndices: [1] } }],
  });
  t.deepEqual(bandsOf(properties?.statistics as GridStatistics), [
    {
      band: 1,
      name: 'depth',
      unit: 'm',
      values: 2,
      empty: 0,
      minimum: 10,
      maximum: 11,
      mean: 10.5,
      standardDeviation: 0.5,
    },
  ]);
});

test('statistics of features describe each field according to its type', async (t) => {
  const rows = [
    { depth: 1, name: 'abc', wet: true, day: '2024-03-01' },
    { depth: 2.5, name: 'é', wet: false, day: '2023-12-31' },
    { depth: null, name: '', wet: true, day: null },
  ];
  const text = collection(rows.map((row, n) => feature(n === 2 ? null : geometryOf('Point', [n, n]), row)));
  const { properties, receipt } = await converted(t, text, { ...jsonToJson, transformations: calculate });
  t.like(properties?.statistics, { kind: 'features', features: 3, minimum: [0, 0], maximum: [1, 1] });
  const statistics = properties!.statistics as FeatureStatistics;
  const fields = statistics.fields!;
  t.deepEqual(
    fields.map(({ type: _, ...rest }) => rest),
    [
      { name: 'depth', values: 2, empty: 1, minimum: 1, maximum: 2.5, mean: 1.75, standardDeviation: 0.75 },
      { name: 'name', values: 3, empty: 0, shortest: 0, longest: 3 },
      { name: 'wet', values: 3, empty: 0, trueValues: 2 },
      fields[3]!.type === 'date'
        ? { name: 'day', values: 2, empty: 1, minimum: '2023-12-31', maximum: '2024-03-01' }
        : { name: 'day', values: 2, empty: 1, shortest: 10, longest: 10 },
    ],
  );
  t.deepEqual(receipt.statistics.after, statistics);
});
