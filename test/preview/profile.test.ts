import test from 'ava';
import type { Grid } from '../../src/files/data/grid.ts';
import { RequestError } from '../../src/files/errors.ts';
import { csvOf, profile, profileTable } from '../../src/files/preview.ts';
import { flatMesh, value } from '../formats/meshes.ts';
import { degrees, go, placesOf } from './made.ts';

test('a profile has distances on the ellipsoid, and values between the centres of cells', async (t) => {
  // Geodesic length of a degree along the meridian from 58.5 to 59.5, by GeographicLib.
  const answer = await profile(
    degrees(),
    {
      line: [
        [11.5, 58.5],
        [11.5, 59.5],
      ],
      item: 'depth',
      step: 1,
      n: 5,
    },
    go,
  );
  // A degree is a little longer in the north.
  t.deepEqual(
    answer.values.map((one) => Number(one!.toFixed(3))),
    [111, 108.5, 106, 103.5, 101],
  );
  t.is(answer.time, '2026-01-24T14:00:00');
  t.true(Math.abs(answer.distances[4]! - 111_395.11336951) < 1e-6, String(answer.distances[4]));
  t.is(answer.distances[0], 0);
  t.true(Math.abs(answer.points[4]![1] - 59.5) < 1e-9);
  const [head, first] = (await csvOf(profileTable(answer))).toString().split('\r\n');
  t.is(head, 'distance [m],longitude,latitude,depth [m]');
  t.is(first, '0,11.5,58.5,111');
});

test('a profile has no values outside of the data, beside cells without data, and nearest ones of classes', async (t) => {
  const line = [
    [9.5, 58.5],
    [13.5, 58.5],
  ] as const;
  const { values } = await profile(degrees(), { line, item: 'depth', step: 0, n: 5 }, go);
  t.deepEqual(values, [null, 10, 11, null, 13]);
  const classes = degrees({ bands: [{ name: 'land use', type: 'Int16' }] });
  const { values: kept } = await profile(classes, { line, step: 0, n: 9 }, go);
  t.deepEqual(kept, [null, 10, 10, 11, 11, 12, 12, 13, 13]);
  const outside = await profile(
    degrees(),
    {
      line: [
        [0, 0],
        [1, 1],
      ],
      n: 3,
    },
    go,
  );
  t.deepEqual(outside.values, [null, null, null]);
});

test('a profile of a turned grid in a projection has the bilinear values of other programs', async (t) => {
  const [width, height] = [40, 30];
  const grid: Grid = {
    kind: 'grid',
    width,
    height,
    affine: [600_000, 866, 500, 5_520_000, -500, 866],
    crs: { authority: 'EPSG', code: 25832 },
    bands: [{ name: 'v', type: 'Float32' }],
    async *rows() {
      const samples = Float32Array.from(
        { length: width * height },
        (_, n) => ((n % width) * 37 + Math.floor(n / width) * 101) % 64,
      );
      yield { firstRow: 0, rowCount: height, samples };
    },
  };
  const line = [
    [10.6, 49.85],
    [10.9, 49.95],
  ] as const;
  const { values, distances } = await profile(grid, { line, n: 7 }, go);
  // lengths by PROJ's geodesics, places by PROJ, values by scipy's `map_coordinates`; the last place lies outside
  const expected = [17.5287, 10.5349, 37.4694, 36.3285, 39.1612, 36.0575];
  for (const [n, value] of expected.entries()) t.true(Math.abs(values[n]! - value) < 1e-3, `${values[n]} at ${n}`);
  t.is(values[6], null);
  t.true(Math.abs(distances[6]! - 24_254.06597) < 1e-3, `${distances[6]}`);
});

test('a profile of a mesh has the values of elements, or linear ones', async (t) => {
  const line = await placesOf([500_050, 6_000_050], [500_250, 6_000_050]);
  const cells = await profile(flatMesh(), { line, item: 'depth', step: 2, n: 5 }, go);
  t.deepEqual([cells.values[0], cells.values[4]], [value(0, 2, 0), value(0, 2, 3)]);
  const nodes = await profile(flatMesh(), { line, item: 'salinity', step: 2, n: 5 }, go);
  t.true(Math.abs(nodes.values[0]! - (value(2, 2, 0) + 2.5)) < 0.01, String(nodes.values));
  t.true(Math.abs(nodes.distances[4]! - 200) < 0.2, String(nodes.distances));
});

test('wrong profiles are told with the value', async (t) => {
  const refused = async (more: object, message: RegExp) =>
    t.throwsAsync(
      profile(
        degrees(),
        {
          line: [
            [10, 59],
            [11, 59],
          ],
          ...more,
        },
        go,
      ),
      { instanceOf: RequestError, message },
    );
  await refused({ n: 1001 }, /n must be a whole number of points from 2 to 1000, not 1001/);
  await refused({ line: [[10, 59]] }, /The line has 1 places; a profile needs 2 to 100/);
  await refused(
    {
      line: [
        [10, 59],
        [10, 59],
      ],
    },
    /has no length/,
  );
  await refused({ step: 7 }, /There is no step 7: the data have steps 0 to 6/);
});
