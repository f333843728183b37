import test, { type ExecutionContext } from 'ava';
import { ConversionError } from '../../src/files/errors.ts';
import { collection, feature, geometryOf } from './features.ts';
import { converted } from './files.ts';
import { gridOf, valuesOf } from './grids.ts';

const toAscii = { reader: 'XyzReader', writer: 'AsciiGridWriter' };

async function geoTiffOf(t: ExecutionContext, text: string) {
  const { bytes } = await converted(t, text, {
    reader: 'XyzReader',
    writer: 'GeoTiffWriter',
    readerParameters: { SRID: 25832 },
  });
  return { grid: await gridOf(t, bytes) };
}

test('lattice points, in any order, become cell centres; cells without a point are nodata', async (t) => {
  const { text } = await converted(t, '14 7 1\n10 5 2\n12 3 3.5\n14 3 4\n10 7 5\n14 5 6\n', toAscii);
  t.is(
    text,
    'ncols 3\nnrows 3\nxllcorner 9\nyllcorner 2\ncellsize 2\nNODATA_value -9999\n5 -9999 1\n2 -9999 6\n-9999 3.5 4\n',
  );
});

test('cells need not be square; z and fields become bands, with the coordinate system of the points', async (t) => {
  const { grid } = await geoTiffOf(t, 'x y z depth\n10 5 1 7.5\n40 5 2 8\n10 3 3 9\n40 3 4 nan\n');
  t.deepEqual([...grid.affine], [-5, 30, 0, 6, 0, -2]);
  t.deepEqual(
    grid.bands.map(({ name, type }) => [name, type]),
    [
      ['Z', 'Float32'],
      ['depth', 'Float32'],
    ],
  );
  t.deepEqual(await valuesOf(grid), [1, 2, 3, 4]);
  t.deepEqual(await valuesOf(grid, 1), [7.5, 8, 9, Number.NaN]);
  t.like(grid.crs, { code: 25832 });
});

test('values that Float32 cannot represent are written as Float64', async (t) => {
  const { grid } = await geoTiffOf(t, '0 0 0.1\n1 0 123.456\n0 1 1\n1 1 0.123456789\n');
  t.is(grid.bands[0]!.type, 'Float64');
  t.deepEqual(await valuesOf(grid), [1, 0.123456789, 0.1, 123.456]);
  t.is((await geoTiffOf(t, '0 0 0.1\n1 0 123.456\n')).grid.bands[0]!.type, 'Float32');
});

test('rounded coordinates, such as thirds of a degree, form a lattice', async (t) => {
  const lines = Array.from(
    { length: 900 },
    (_, n) => `${((n % 30) / 120).toFixed(6)} ${(Math.floor(n / 30) / 120).toFixed(6)} ${n}`,
  );
  const { grid } = await geoTiffOf(t, lines.join('\n'));
  t.is(grid.width, 30);
  t.is(grid.height, 30);
  t.true(Math.abs(grid.affine[1] - 1 / 120) < 1e-7);
  t.is((await valuesOf(grid))[29 * 30], 0);
});

test('a single row gets square cells', async (t) => {
  const { grid } = await geoTiffOf(t, '0 7 1\n5 7 2\n15 7 4\n');
  t.deepEqual([...grid.affine], [-2.5, 5, 0, 9.5, 0, -5]);
  t.deepEqual(await valuesOf(grid), [1, 2, Number.NaN, 4]);
});

for (const [fault, text, message] of [
  ['distances that differ', '0 0 1\n10 0 2\n25.5 0 3\n0 1 4', /no regular lattice: distances in x differ/],
  ['distances in y that differ', '0 0 1\n0 10 2\n0 24 3\n1 0 4', /distances in y differ|no regular lattice/],
  ['points that are scattered', '0 0 1\n1 977 2\n1009 13 3\n', /no regular lattice/],
  ['two points in a cell', '0 0 1\n1 0 2\n0 0 3\n', /Two points lie at 0, 0/],
  ['one place', '5 5 1\n', /All points have the same coordinates/],
] as const)
  test(`points that form no lattice are refused with an error: ${fault}`, async (t) => {
    const error = await t.throwsAsync(converted(t, text, toAscii), { instanceOf: ConversionError });
    t.regex(error!.message, message);
  });

test('features other than points, points without numbers and empty data are refused', async (t) => {
  const asked = { reader: 'GeoJsonReader', writer: 'GeoTiffWriter' };
  for (const [features, message] of [
    [
      [
        feature(
          geometryOf('LineString', [
            [0, 0],
            [1, 1],
          ]),
          { n: 1 },
        ),
      ],
      /Feature 1 is a LineString/,
    ],
    [[feature(null, { n: 1 })], /Feature 1 is a row without a place/],
    [[feature(geometryOf('Point', [0, 0]), { name: 'a' })], /neither heights nor fields of numbers/],
    [[], /neither heights nor fields|The input has no points/],
  ] as const)
    await t.throwsAsync(converted(t, collection([...features]), asked), { instanceOf: ConversionError, message });
});

test('numeric fields of points without heights become bands', async (t) => {
  const json = collection([
    feature(geometryOf('Point', [0, 0]), { name: 'a', n: 1 }),
    feature(geometryOf('Point', [1, 0]), { name: 'b', n: 2 }),
  ]);
  const { bytes } = await converted(t, json, { reader: 'GeoJsonReader', writer: 'GeoTiffWriter' });
  const grid = await gridOf(t, bytes);
  t.is(grid.bands.length, 1);
  t.deepEqual(await valuesOf(grid), [1, 2]);
});
