import test, { type ExecutionContext } from 'ava';
import { fits } from '../../../src/files/convert/offers.ts';
import type { TransformationName } from '../../../src/files/convert/steps/transformations.ts';
import type { Grid } from '../../../src/files/data/grid.ts';
import { ConversionError, RequestError } from '../../../src/files/errors.ts';
import { findReader, findWriter } from '../../../src/files/formats/registry.ts';
import { areaOf, contoursOf, gridOf, NODATA, type Point, pointsOf, polygonArea, random, ringsOf } from './made.ts';
import { isInside, whyInvalid } from './validity.ts';

const itemFilter = (names: string[]) => ({ type: 'itemFilterTransformation', itemFilter: { names } });
const allSteps = { type: 'temporalFilterTransformation', temporalFilter: { type: 'TemporalIndexFilter', from: 0 } };

/** Vertices rounded to a millionth of a cell. */
const rounded = (coordinates: Float64Array) => pointsOf(coordinates).map((point) => point.map((v) => +v.toFixed(5)));

test('a contour is linear between the centres of cells, and level to the edges of the grid', async (t) => {
  const { collection, features } = await contoursOf(
    t,
    gridOf([
      [0, 0],
      [4, 8],
    ]),
    { levels: [2] },
  );
  t.deepEqual(collection.fields, [
    { name: 'level', type: 'real' },
    { name: 'item', type: 'string' },
  ]);
  t.is(collection.crs?.authority === 'EPSG' && collection.crs.code, 25832);
  t.deepEqual(
    features.map(({ values }) => values),
    [[2, 'depth']],
  );
  t.is(features[0]!.geometry!.type, 'LineString');
  // half way down in the first column, a quarter in the second; higher ground in the south is to the right
  t.deepEqual(
    rounded(features[0]!.geometry!.coordinates),
    [
      [1000, 1990],
      [1005, 1990],
      [1010, 1991.66667],
      [1015, 1992.5],
      [1020, 1992.5],
    ].filter(([x]) => x !== 1010),
  );
});

test('the mean of the four cells decides at a saddle', async (t) => {
  const lines = async (high: number) => {
    const { features } = await contoursOf(
      t,
      gridOf([
        [high, 0],
        [0, high],
      ]),
      { levels: [5] },
    );
    // the line that begins in the west: to the north around a high cell, or to the south around a low one
    const first = features
      .map(({ geometry }) => pointsOf(geometry!.coordinates))
      .find((all) => all.some(([x]) => x === 1000))!;
    return first.some(([, y]) => y === 2000);
  };
  t.true(await lines(8), 'the mean is 4: high cells are apart');
  t.false(await lines(12), 'the mean is 6: low cells are apart');
});

test('lines are joined over the whole grid and end where they begin around a hill', async (t) => {
  const hill = Array.from({ length: 41 }, (_, r) =>
    Array.from({ length: 61 }, (_, c) => 100 - Math.hypot(r - 20, c - 30)),
  );
  const { features } = await contoursOf(t, gridOf(hill), { levels: [90, 75] });
  t.deepEqual(features.map(({ values }) => values[0]).toSorted(), [75, 75, 90]);
  const ring = pointsOf(features.find(({ values }) => values[0] === 90)!.geometry!.coordinates);
  t.deepEqual(ring[0], ring.at(-1));
  for (const [x, y] of ring) t.true(Math.abs(Math.hypot(x - 1305, y - 1795) - 100) < 2);
  t.true(isInside([1305, 1795], ring));
});

/** Grids with steep and level parts, values on levels and cells without data. */
function hardGrids(): Grid[] {
  const next = random(7);
  const kinds = [
    () => next() * 8 - 1,
    () => Math.floor(next() * 6),
    () => Math.floor(next() * 3) + [0, 1e-12, -1e-12, 0.5][Math.floor(next() * 4)]!,
    () => (next() < 0.5 ? 0 : 1e20),
  ];
  return Array.from({ length: 60 }, (_, n) => {
    const [width, height] = [1 + Math.floor(next() * 9), 1 + Math.floor(next() * 9)];
    const share = [0, 0.1, 0.5][n % 3]!;
    return gridOf(
      Array.from({ length: height }, () =>
        Array.from({ length: width }, () => (next() < share ? NODATA : kinds[n % 4]!())),
      ),
    );
  });
}

async function rowsOf(grid: Grid): Promise<number[][]> {
  const rows: number[][] = [];
  for await (const { samples } of grid.rows({ band: 0, step: 0, layer: 0 })) rows.push(Array.from(samples));
  return rows;
}

test('polygons are valid, and those between all levels cover the cells with data', async (t) => {
  for (const [n, grid] of hardGrids().entries()) {
    const { features } = await contoursOf(t, grid, { levels: [-2, 0, 1, 2, 3, 1e10, 1e30], as: 'polygons' });
    for (const feature of features) t.is(whyInvalid(ringsOf(feature)), undefined, `grid ${n}`);
    const area = features.reduce((sum, feature) => sum + polygonArea(feature), 0);
    const expected = 100 * (await rowsOf(grid)).flat().filter((value) => value !== NODATA).length;
    t.true(Math.abs(area - expected) < 1e-3, `grid ${n}: ${area}, not ${expected}`);
  }
});

test('centres of cells lie in a polygon with their value', async (t) => {
  for (const [n, grid] of hardGrids().entries()) {
    if (n % 4 > 1) continue;
    const { features } = await contoursOf(t, grid, { interval: 1, base: 0.5, as: 'polygons' });
    for (const [row, values] of (await rowsOf(grid)).entries())
      for (const [column, value] of values.entries()) {
        const centre: Point = [1005 + 10 * column, 1995 - 10 * row];
        const found = features.filter((one) => ringsOf(one).every((ring, k) => isInside(centre, ring) === (k === 0)));
        const lower = Math.floor(value - 0.5) + 0.5;
        t.deepEqual(
          found.map((one) => one.values.slice(0, 2)),
          value === NODATA ? [] : [[lower, lower + 1]],
          `grid ${n}, ${centre}: ${value}`,
        );
      }
  }
});

test('values on a level lie in the polygon above it', async (t) => {
  const plain = Array.from({ length: 5 }, (_, r) =>
    Array.from({ length: 5 }, (_, c) => (r % 4 === 0 || c % 4 === 0 ? 0 : 3)),
  );
  const { features } = await contoursOf(t, gridOf(plain), { levels: [0, 3, 6], as: 'polygons' });
  const areas = features.map((one) => [one.values[0], Math.round(polygonArea(one))]);
  t.deepEqual(areas.toSorted(), [
    [0, 2100],
    [3, 400],
  ]);
});

/** Bilinear between the centres of a grid without gaps, level beyond the outer ones. */
async function interpolator(grid: Grid): Promise<(point: Point) => number> {
  const rows = await rowsOf(grid);
  const { width, height } = grid;
  return ([x, y]) => {
    const column = Math.min(width - 1, Math.max(0, (x - 1000) / 10 - 0.5));
    const row = Math.min(height - 1, Math.max(0, (2000 - y) / 10 - 0.5));
    const [c, r] = [
      Math.min(Math.floor(column), Math.max(0, width - 2)),
      Math.min(Math.floor(row), Math.max(0, height - 2)),
    ];
    const [u, v] = [column - c, row - r];
    const at = (k: number, m: number) => rows[Math.min(k, height - 1)]![Math.min(m, width - 1)]!;
    const along = (k: number) => (1 - u) * at(k, c) + u * at(k, c + 1);
    return (1 - v) * along(r) + v * along(r + 1);
  };
}

test('each vertex of a line has the value of its level', async (t) => {
  let vertices = 0;
  for (const grid of hardGrids().filter((_, n) => n % 3 === 0 && n % 4 !== 3)) {
    const valueAt = await interpolator(grid);
    for (const { geometry, values } of (await contoursOf(t, grid, { interval: 0.7, base: 0.1 })).features)
      for (const point of pointsOf(geometry!.coordinates)) {
        t.true(
          Math.abs(valueAt(point) - (values[0] as number)) < 1e-6,
          `${point}: ${valueAt(point)}, not ${values[0]}`,
        );
        vertices++;
      }
  }
  t.true(vertices > 500);
});

test('holes have polygons of their own inside', async (t) => {
  const pit = [1, 1, 1, 1, 1].map((_, r) =>
    [1, 1, 1, 1, 1].map((_, c) => (r % 4 === 0 || c % 4 === 0 ? 5 : r === 2 && c === 2 ? 5 : 1)),
  );
  const { features } = await contoursOf(t, gridOf(pit), { levels: [0, 3, 10], as: 'polygons' });
  t.deepEqual(features.map((one) => [one.values[0], ringsOf(one).length]).toSorted(), [
    [0, 2],
    [3, 1],
    [3, 2],
  ]);
});

test('turned and mirrored grids have the same contours in their own place', async (t) => {
  const rows = [
    [0, 0, 0],
    [0, 9, 0],
    [0, 0, 0],
  ];
  const placed = async (affine: Grid['affine']) => {
    const { features } = await contoursOf(t, gridOf(rows, { affine }), { levels: [3] });
    const polygons = await contoursOf(t, gridOf(rows, { affine }), { levels: [0, 3, 10], as: 'polygons' });
    for (const one of polygons.features) t.is(whyInvalid(ringsOf(one)), undefined);
    return ringsOf(features[0]!)[0]!;
  };
  const [plain, turned, mirrored] = [
    await placed([1000, 10, 0, 2000, 0, -10]),
    // columns run to the north, rows to the east
    await placed([1000, 0, 10, 2000, 10, 0]),
    await placed([1000, 10, 0, 2000, 0, 10]),
  ];
  const corners = (points: readonly Point[]) => points.map(([x, y]) => `${x.toFixed(6)} ${y.toFixed(6)}`).toSorted();
  t.deepEqual(corners(turned.map(([x, y]) => [y - 1000, 3000 - x])), corners(plain));
  t.deepEqual(corners(mirrored.map(([x, y]) => [x, 4000 - y])), corners(plain));
  // higher ground is to the right
  for (const ring of [plain, turned, mirrored]) t.true(areaOf(ring) < 0);
});

const overTime = (): Grid =>
  gridOf(
    [
      [0, 0],
      [0, 0],
    ],
    {
      bands: [
        { name: 'depth', type: 'Float64', nodata: NODATA },
        { name: 'level', type: 'Float64', nodata: NODATA },
      ],
      time: { spacing: 'equidistant', unit: 'hour', start: Date.UTC(2026, 0, 24, 8), count: 3, offset: 0, interval: 1 },
      valuesAt: ({ band, step }) => [
        [0, 0],
        [2 + band, 2 + step],
      ],
    },
  );

test('the first item and step count unless filters leave more, which have a time', async (t) => {
  const one = await contoursOf(t, overTime(), { levels: [1] });
  t.deepEqual(
    one.features.map(({ values }) => values),
    [[1, 'depth', '2026-01-24T08:00:00']],
  );
  t.is(one.lost.filter((sentence) => /first of 2 items, depth|first of 3 steps/.test(sentence)).length, 2);
  const all = await contoursOf(t, overTime(), { levels: [1] }, [itemFilter(['level', 'depth']), allSteps]);
  t.deepEqual(
    all.features.map(({ values }) => values.slice(1).join(' ')),
    ['level', 'depth'].flatMap((item) =>
      [8, 9, 10].map((hour) => `${item} 2026-01-24T${String(hour).padStart(2, '0')}:00:00`),
    ),
  );
  t.deepEqual(all.collection.fields.at(-1), { name: 'time', type: 'dateTime' });
});

async function refusal(t: ExecutionContext, contours: object, grid = gridOf([[0, 1]])): Promise<string> {
  const error = await t.throwsAsync(contoursOf(t, grid, contours));
  t.true(error instanceof RequestError || error instanceof ConversionError);
  return error!.message;
}

test('levels that are missing, doubled, too many or not numbers are refused with a sentence', async (t) => {
  t.regex(await refusal(t, {}), /either levels or interval/);
  t.regex(await refusal(t, { levels: [1], interval: 1 }), /either levels or interval/);
  t.regex(await refusal(t, { levels: [] }), /list of numbers/);
  t.regex(await refusal(t, { interval: 0 }), /positive number/);
  t.regex(await refusal(t, { levels: [1], as: 'polygons' }), /at least two levels/);
  t.regex(await refusal(t, { levels: [1], as: 'areas' }), /lines or polygons/);
  t.regex(
    await refusal(t, { levels: Array.from({ length: 10_001 }, (_, n) => n) }),
    /10001 levels; the maximum is 10000/,
  );
  t.regex(await refusal(t, { interval: 1e-6 }), /more than 100,000 levels/);
  t.regex(await refusal(t, { interval: 5 }, gridOf([[0, 1e35]])), /one of the values is 1e\+35/);
});

test('writers of grids follow contours only if these are rasterized', (t) => {
  const follows = (writer: string, ...names: TransformationName[]) =>
    fits(findReader('AsciiGridReader')!, findWriter(writer)!, names);
  for (const writer of ['AsciiGridWriter', 'GeoTiffWriter']) {
    t.false(follows(writer, 'ContoursTransformation'), writer);
    t.false(follows(writer, 'ContoursTransformation', 'ItemFilterTransformation'), writer);
    t.true(follows(writer, 'ContoursTransformation', 'RasterizeTransformation'), writer);
    t.true(follows(writer), writer);
  }
  for (const writer of ['GeoJsonWriter', 'DfsuWriter']) t.true(follows(writer, 'ContoursTransformation'), writer);
  t.true(fits(findReader('GeoJsonReader')!, findWriter('GeoTiffWriter')!, []));
});
