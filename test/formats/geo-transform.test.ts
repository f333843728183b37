import test from 'ava';
import type { Inspection } from '../../src/files/convert/inspection.ts';
import { inspectPlace } from '../../src/files/convert/kinds/inspect-place.ts';
import { FormatError } from '../../src/files/errors.ts';
import { parseSrid } from '../../src/files/geo/crs/crs.ts';
import { operationSentence } from '../../src/files/geo/crs/operation.ts';
import { transformer } from '../../src/files/geo/crs/transform.ts';
import { outlineWkt } from '../../src/files/geo/vector/outline.ts';

/** Source, target, x, y and the result of pyproj 3.7.2 (PROJ 9.5.1, no grids, always_xy). */
const known = [
  [27700, 4326, 400000, 300000, -2.0014331155108924, 52.59779243083379],
  [28992, 4326, 155000, 463000, 5.3872035084137675, 52.15517230119224],
  [25832, 4326, 500000, 5500000, 9.0, 49.65254292355683],
  [4326, 25832, 9.5, 52.25, 534133.62367779, 5788962.280633821],
  [4326, 3857, 10, 55, 1113194.9079327357, 7361866.113051188],
  [5514, 4326, -740000, -1043000, 14.46012881787189, 50.09101731117563],
  [31467, 25832, 3500000, 5500000, 499924.8338665288, 5498239.501109305],
  [2056, 4326, 2600000, 1200000, 7.43863242087181, 46.9510827718711],
  [3035, 4326, 4321000, 3210000, 10.0, 52.0],
  [3031, 4326, 1000000, 1000000, 45.0, -77.03740063459344],
  [2193, 4326, 1600000, 5400000, 173.0, -41.551664523452835],
  [2263, 4326, 1000000, 200000, -73.94318506826245, 40.71561647872389],
  [31370, 4326, 150000, 170000, 4.36875214090419, 50.840411283117874],
  [2154, 4326, 700000, 6600000, 3.0000000000000004, 46.499999999999986],
] as const;

test('coordinates agree with PROJ to the last digits, x always being easting or longitude', async (t) => {
  for (const [from, to, x, y, expectedX, expectedY] of known) {
    using transform = await transformer(parseSrid(from), parseSrid(to));
    const xs = Float64Array.of(x);
    const ys = Float64Array.of(y);
    t.is(transform.forward(xs, ys), 0);
    const close = Math.abs(expectedX) > 1000 ? 1e-6 : 1e-11;
    t.true(Math.abs(xs[0]! - expectedX) < close, `${from} → ${to}: ${xs[0]} is not ${expectedX}`);
    t.true(Math.abs(ys[0]! - expectedY) < close, `${from} → ${to}: ${ys[0]} is not ${expectedY}`);
  }
});

test('many points are transformed there and back within a tenth of a millimetre', async (t) => {
  using there = await transformer(parseSrid(4326), parseSrid(25832));
  using back = await transformer(parseSrid(25832), parseSrid(4326));
  const count = 50_001;
  const x = Float64Array.from({ length: count }, (_, i) => 6 + (6 * (i % 223)) / 223);
  const y = Float64Array.from({ length: count }, (_, i) => 47 + (8 * i) / count);
  const [x0, y0] = [x.slice(), y.slice()];
  t.is(there.forward(x, y), 0);
  t.is(back.forward(x, y), 0);
  let worst = 0;
  for (let i = 0; i < count; i++) worst = Math.max(worst, Math.abs(x[i]! - x0[i]!), Math.abs(y[i]! - y0[i]!));
  t.true(worst < 1e-9, `${worst} degrees`);
});

test('a point that cannot be transformed becomes NaN and is counted, without effect on the others', async (t) => {
  using transform = await transformer(parseSrid(4326), parseSrid(3857));
  const x = Float64Array.of(10, Number.NaN, 10, Number.POSITIVE_INFINITY);
  const y = Float64Array.of(55, 50, 1e6, 50);
  t.is(transform.forward(x, y), 3);
  t.deepEqual([...x.subarray(1)], [Number.NaN, Number.NaN, Number.NaN]);
  t.deepEqual([...y.subarray(1)], [Number.NaN, Number.NaN, Number.NaN]);
  t.true(Math.abs(x[0]! - 1113194.9079327357) < 1e-6);
});

test('the result names the operation, its accuracy, and better ones that need a grid file', async (t) => {
  using british = await transformer(parseSrid(27700), parseSrid(4326));
  british.forward(Float64Array.of(400000), Float64Array.of(300000));
  const taken = british.operation();
  t.deepEqual(taken.names, ['Inverse of British National Grid + OSGB36 to WGS 84 (6)']);
  t.is(taken.accuracy, 2);
  t.false(taken.ballpark);
  t.true(taken.better.some(({ grid, accuracy }) => /OSTN/.test(grid) && accuracy <= 1));
  t.regex(operationSentence(taken), /accuracy 2 m.*needs the grid file .*OSTN/);

  using gauss = await transformer(parseSrid(31467), parseSrid(25832));
  gauss.forward(Float64Array.of(3500000), Float64Array.of(5500000));
  t.true(gauss.operation().better.length > 0);

  using zones = await transformer(parseSrid(25832), parseSrid(25833));
  zones.forward(Float64Array.of(800000), Float64Array.of(5500000));
  t.deepEqual(zones.operation(), { names: [], accuracy: 0, ballpark: false, better: [] });
});

test('an unknown or unreadable coordinate system is refused before any transformation', async (t) => {
  await t.throwsAsync(transformer({ authority: 'EPSG', code: 99999 }, parseSrid(4326)), {
    message: 'The coordinate system EPSG:99999 is not known.',
  });
  await t.throwsAsync(transformer({ wkt: 'GEOGCS["x"]' }, parseSrid(4326)), { instanceOf: FormatError });
});

test('a closed transformer refuses, and closing twice does no harm', async (t) => {
  const transform = await transformer(parseSrid(4326), parseSrid(3857));
  transform.close();
  transform.close();
  t.throws(() => transform.forward(Float64Array.of(1), Float64Array.of(1)), { message: /is closed/ });
});

test('the outline of a grid is a closed polygon in longitude and latitude', async (t) => {
  const lattice = { width: 100, height: 50, affine: [500000, 100, 0, 5500000, 0, -100] } as const;
  const wkt = await outlineWkt(lattice, parseSrid(25832));
  const points = wkt!.slice('POLYGON (('.length, -2).split(', ');
  t.true(points.length > 4 && points.length < 20, `${points.length}`);
  t.is(points[0], '9 49.6525429');
  t.is(points.at(-1), points[0]);
  const beyond = { width: 10, height: 10, affine: [1e30, 1, 0, 0, 0, -1] } as const;
  t.is(await outlineWkt(beyond, parseSrid(25832)), undefined);
});

test('the outline of a few cells is their corners, and the sides of a large grid bend by less than 1/10,000 of it', async (t) => {
  const small = { width: 3, height: 2, affine: [590_000, 25, 0, 5_722_050, 0, -25] } as const;
  const corners = (await outlineWkt(small, parseSrid(25832)))!.split(', ');
  t.is(corners.length, 5);
  t.deepEqual(corners[0]!.replace('POLYGON ((', ''), corners[4]!.replace('))', ''));
  const [size, code] = [400_000, 25832];
  const large = { width: 1, height: 1, affine: [400_000, size, 0, 6_000_000, 0, -size] } as const;
  const wkt = await outlineWkt(large, parseSrid(code));
  const points = wkt!
    .slice('POLYGON (('.length, -2)
    .split(', ')
    .map((point) => point.split(' ').map(Number) as [number, number]);
  t.true(points.length < 40);
  using back = await transformer(parseSrid(4326), parseSrid(code));
  // The middle between two points lies on a side of the grid.
  for (const [n, [x1, y1]] of points.slice(1).entries()) {
    const [x, y] = [Float64Array.of((points[n]![0] + x1) / 2), Float64Array.of((points[n]![1] + y1) / 2)];
    back.forward(x, y);
    const off = Math.min(...[x[0]! - 400_000, x[0]! - 800_000, y[0]! - 6_000_000, y[0]! - 5_600_000].map(Math.abs));
    t.true(off < 2e-4 * size, `${off} m`);
  }
});

/** The points of the outline of a square grid of 100 × 100 cells with a corner at x, y. */
async function outlinePoints(code: number, x: number, y: number, side: number): Promise<number[][]> {
  const grid = { width: 100, height: 100, affine: [x, side / 100, 0, y, 0, -side / 100] } as const;
  const wkt = await outlineWkt(grid, parseSrid(code));
  const points = wkt!.slice('POLYGON (('.length, -2).split(', ');
  if (points[0] !== points.at(-1)) throw new Error(`The outline ends at ${points.at(-1)}, not at ${points[0]}.`);
  return points.map((point) => point.split(' ').map(Number));
}

const spanOf = (points: readonly (readonly number[])[], axis: number) => {
  const values = points.map((point) => point[axis]!);
  return [Math.min(...values), Math.max(...values)];
};

test('the longitudes of an outline run on across 180°', async (t) => {
  for (const [code, x, y] of [
    [32701, 100_000, 8_300_000],
    [32660, 600_000, 6_000_000],
  ] as const) {
    const points = await outlinePoints(code, x, y, 200_000);
    const [west, east] = spanOf(points, 0);
    t.true(west! > 178 && west! < 180 && east! > 180 && east! < 184, `${west} to ${east}`);
    t.true(points.length > 4 && points.length < 40, `${points.length}`);
  }
  // beyond 180° as a whole
  const [west, east] = spanOf(await outlinePoints(3832, 4_000_000, 1_000_000, 200_000), 0);
  t.true(west! > -175 && east! < -170, `${west} to ${east}`);
});

for (const [name, code, half, pole] of [
  ['south', 3031, 3_000_000, -90],
  ['north', 3413, 3_000_000, 90],
  // Its corners lie far on the other half of the earth.
  ['north', 6931, 9_000_000, 90],
] as const)
  test(`the outline of a grid over the ${name} pole goes from −180 to 180 and closes along the pole: ${code}`, async (t) => {
    const points = await outlinePoints(code, -half, half, 2 * half);
    t.deepEqual(spanOf(points, 0), [-180, 180]);
    const atPole = points.filter(([, latitude]) => latitude === pole);
    t.deepEqual(atPole, [
      [-180, pole],
      [180, pole],
      [-180, pole],
    ]);
    const [first, last] = [points[1]!, points.at(-3)!];
    t.deepEqual([first[0], last[0]], [-180, 180]);
    t.true(Math.abs(first[1]! - last[1]!) < 1e-6);
    for (let n = 2; n < points.length - 2; n++) {
      const step = points[n]![0]! - points[n - 1]![0]!;
      t.true(step >= 0 && step < 30, `${points[n - 1]} to ${points[n]}`);
    }
  });

test('an outline with a corner at a pole does not go around it', async (t) => {
  t.deepEqual(spanOf(await outlinePoints(3031, 0, 1_000_000, 1_000_000), 0), [0, 90]);
  t.deepEqual(spanOf(await outlinePoints(3031, -1_000_000, 0, 1_000_000), 0), [-180, -90]);
});

test('an outline around the earth is a box from −180 to 180', async (t) => {
  const half = 20_037_508.342789244;
  const points = await outlinePoints(3857, -half, half, 2 * half);
  t.deepEqual(spanOf(points, 0), [-180, 180]);
  t.is(points.length, 5);
});

test('the extent in degrees of inspected data runs on across 180°, and takes in a pole', async (t) => {
  const extentOf = async (code: number, x: number, y: number, side: number) => {
    const inspection = {} as Inspection;
    await inspectPlace(inspection, parseSrid(code), { width: 1, height: 1, affine: [x, side, 0, y, 0, -side] });
    return inspection.extentWgs84!;
  };
  const across = await extentOf(32701, 100_000, 8_300_000, 200_000);
  t.true(across.west > 179 && across.east > 180 && across.east < 182, JSON.stringify(across));
  t.like(await extentOf(3031, -1_000_000, 1_000_000, 2_000_000), { west: -180, south: -90, east: 180 });
});
