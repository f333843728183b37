import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { parseTransformations } from '../../src/files/convert/steps/transformations.ts';
import type { Data } from '../../src/files/data/data.ts';
import type { FeatureCollection } from '../../src/files/data/feature-collection.ts';
import type { Affine, Grid, LayerAxis } from '../../src/files/data/grid.ts';
import type { TimeAxis } from '../../src/files/data/time-axis.ts';
import { parseSrid } from '../../src/files/geo/crs/crs.ts';
import { ConversionError, convertFile, openFile, RequestError } from '../../src/files/main.ts';
import { collection, feature, geometryOf } from './features.ts';
import { flatMesh, hourly, layeredMesh, value as meshValue } from './meshes.ts';
import { folderOf, passed } from './transformed.ts';

interface Sketch {
  width: number;
  height: number;
  values: (column: number, row: number, band: number, step: number, layer: number) => number;
  affine?: Affine;
  srid?: number;
  bands?: readonly string[];
  time?: TimeAxis;
  layers?: LayerAxis;
}

/** A grid of cells of 1 × 1 from (0, 0) up to its upper left corner, read in blocks of two rows; −1 is no data. */
function gridOf({ width, height, values, srid, bands = ['depth'], time, layers, ...more }: Sketch): Grid {
  return {
    kind: 'grid',
    width,
    height,
    affine: more.affine ?? [0, 1, 0, height, 0, -1],
    ...(srid === undefined ? {} : { crs: parseSrid(srid) }),
    ...(time === undefined ? {} : { time }),
    ...(layers === undefined ? {} : { layers }),
    bands: bands.map((name) => ({ name, unit: 'm', type: 'Float32', nodata: -1 })),
    async *rows({ band, step, layer }, { first, end } = { first: 0, end: height }) {
      for (let firstRow = first - (first % 2); firstRow < end; firstRow += 2) {
        const rowCount = Math.min(2, height - firstRow);
        const samples = Float32Array.from({ length: rowCount * width }, (_, n) =>
          values(n % width, firstRow + Math.floor(n / width), band, step, layer),
        );
        yield { firstRow, rowCount, samples };
      }
    },
  };
}

/** Rows 1 2 3 4, 5 6 7 8, 9 10 11 12 from the top. */
const twelve = (more: Partial<Sketch> = {}) =>
  gridOf({ width: 4, height: 3, values: (column, row) => 4 * row + column + 1, ...more });

const box = (west: number, south: number, east: number, north: number) =>
  `((${west} ${south}, ${east} ${south}, ${east} ${north}, ${west} ${north}, ${west} ${south}))`;

async function rowsOf(
  t: ExecutionContext,
  data: Data,
  zonalStatistics: object,
  sideInputs?: Parameters<typeof passed>[4],
) {
  let rows: Record<string, unknown>[] = [];
  let made: FeatureCollection | undefined;
  const step = { type: 'zonalStatisticsTransformation', zonalStatistics };
  const look = async (features: Data) => {
    if (features.kind !== 'features') throw new Error(features.kind);
    made = features;
    rows = [];
    for await (const chunk of features.chunks())
      for (const { values } of chunk)
        rows.push(Object.fromEntries(features.fields.map(({ name }, n) => [name, values[n]])));
  };
  await passed<Data>(t, data, [step], look, sideInputs);
  return { rows, made: made! };
}

/** Statistics of one zone in WKT. */
async function statisticsOf(t: ExecutionContext, data: Data, geometry: string, more: object = {}) {
  const { rows } = await rowsOf(t, data, { zones: { geometry }, ...more });
  t.is(rows.length, 1);
  return rows[0]!;
}

/** A file of zones with the fields id and name. */
async function zonesFile(t: ExecutionContext, geometries: unknown[], more: object = {}) {
  const path = join(await folderOf(t), 'zones.geojson');
  const features = geometries.map((geometry, n) => feature(geometry, { id: n + 1, name: `zone ${'abc'[n]}` }));
  await writeFile(path, collection(features, more));
  return { zones: { path }, sideInputs: { [path]: { path, name: 'zones.geojson' } } };
}

const rectangle = (west: number, south: number, east: number, north: number) => [
  [
    [west, south],
    [east, south],
    [east, north],
    [west, north],
    [west, south],
  ],
];
const all = ['count', 'sum', 'mean', 'min', 'max', 'std', 'median', 'p25'];

const near = (t: ExecutionContext, row: Record<string, unknown>, expected: Record<string, number>) => {
  for (const [name, number] of Object.entries(expected))
    t.true(Math.abs((row[name] as number) - number) < 1e-9, `${name}: ${row[name]} instead of ${number}`);
};

test('cells whose centre lies in the zone count once', async (t) => {
  // 5, 6, 9 and 10; the zone reaches the centres of neither the first row nor the third column
  const row = await statisticsOf(t, twelve(), `POLYGON ${box(0.2, 0.3, 2.4, 2.4)}`, { statistics: all });
  near(t, row, { count: 4, sum: 30, mean: 7.5, min: 5, max: 10, std: Math.sqrt(4.25), median: 7.5, p25: 5.75 });
});

test('a centre on the right outline is inside, one on the left outline outside, as with GDAL', async (t) => {
  const row = await statisticsOf(t, twelve(), `POLYGON ${box(0.5, 0, 2.5, 3)}`, { statistics: ['count', 'sum'] });
  t.deepEqual(row, { count: 6, sum: 2 + 3 + 6 + 7 + 10 + 11 });
});

test('with coverage cells count by the part that the zone covers', async (t) => {
  const row = await statisticsOf(t, twelve(), `POLYGON ${box(0.5, 0, 2.25, 1.5)}`, {
    weights: 'Coverage',
    statistics: ['count', 'sum', 'mean', 'min', 'max', 'std'],
  });
  const parts = [
    [9, 0.5],
    [10, 1],
    [11, 0.25],
    [5, 0.25],
    [6, 0.5],
    [7, 0.125],
  ] as const;
  const count = parts.reduce((sum, [, part]) => sum + part, 0);
  const sum = parts.reduce((total, [value, part]) => total + value * part, 0);
  const squares = parts.reduce((total, [value, part]) => total + part * (value - sum / count) ** 2, 0);
  near(t, row, { count, sum, mean: sum / count, min: 5, max: 11, std: Math.sqrt(squares / count) });
});

test('with coverage percentiles are weighted, and equal values are joined', async (t) => {
  const grid = gridOf({ width: 4, height: 1, values: (column) => [10, 20, 20, 30][column]! });
  const row = await statisticsOf(t, grid, `POLYGON ${box(0.5, 0, 4, 1)}`, {
    weights: 'coverage',
    statistics: ['median', 'p00', 'p100', 'p10'],
  });
  // 10, 20 and 30 with the weights 0.5, 2 and 1 lie at 0, 3 and 7
  near(t, row, { median: 20 + (10 * 0.5) / 4, p00: 10, p100: 30, p10: 10 + (10 * 0.7) / 3 });
  const plain = await statisticsOf(t, grid, `POLYGON ${box(0, 0, 4, 1)}`, { statistics: ['median', 'p75'] });
  near(t, plain, { median: 20, p75: 22.5 });
});

test('cells without data never count; a zone without data has a count of 0 and no other values', async (t) => {
  const grid = twelve({ values: (column, row) => (column === 1 ? -1 : row === 2 ? Number.NaN : column) });
  const row = await statisticsOf(t, grid, `POLYGON ${box(0, 0, 3, 3)}`, { statistics: all });
  near(t, row, { count: 4, sum: 4, mean: 1, min: 0, max: 2, median: 1 });
  const none = { count: 0, mean: null, min: null, max: null };
  t.deepEqual(await statisticsOf(t, grid, `POLYGON ${box(1, 0, 2, 3)}`), none, 'no data');
  t.deepEqual(await statisticsOf(t, grid, `POLYGON ${box(-5, 0, -1, 3)}`), none, 'beside the grid');
  t.deepEqual(await statisticsOf(t, grid, `POLYGON ${box(3.1, 1.1, 3.2, 1.2)}`), none, 'between centres');
});

test('zones have holes and several parts', async (t) => {
  const grid = gridOf({ width: 6, height: 6, values: () => 1 });
  const outer = box(0, 0, 5, 5).slice(0, -1);
  for (const weights of ['centre', 'coverage']) {
    const count = async (wkt: string) => (await statisticsOf(t, grid, wkt, { weights, statistics: ['count'] })).count;
    t.is(await count(`POLYGON ${outer}, ${box(1, 1, 3, 3).slice(1, -1)})`), 21);
    const turned = '(1 1, 1 3, 3 3, 3 1, 1 1)';
    t.is(await count(`POLYGON ${outer}, ${turned})`), 21, 'in either direction');
    t.is(await count(`MULTIPOLYGON (${box(0, 0, 1, 6)}, ${box(4, 0, 6, 1)})`), 8);
  }
});

test('parts of cells add up to the area of the zone, whatever its shape and the direction of the grid', async (t) => {
  let seed = 7;
  const random = () => {
    seed = (seed * 16_807) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  for (let n = 0; n < 40; n++) {
    const turn = n % 2 === 0 ? 0 : random() * 6;
    const [cos, sin] = [2 * Math.cos(turn), 2 * Math.sin(turn)];
    const grid = gridOf({
      width: 60,
      height: 60,
      values: () => 3,
      affine: [500 - 30 * cos - 30 * sin, cos, sin, 600 - 30 * sin + 30 * cos, sin, -cos],
    });
    const count = 5 + (n % 20);
    const angles = Array.from({ length: count }, (_, k) => (2 * Math.PI * (k + random())) / count);
    const corners = angles.map((angle) => {
      const radius = 20 * random() + 1;
      return [500 + radius * Math.cos(angle), 600 + radius * Math.sin(angle)] as const;
    });
    const area = Math.abs(
      corners.reduce((sum, [x, y], k) => {
        const [nextX, nextY] = corners[(k + 1) % corners.length]!;
        return sum + (x - 500) * (nextY - 600) - (nextX - 500) * (y - 600);
      }, 0) / 2,
    );
    const ring = [...corners, corners[0]!].map((corner) => corner.join(' ')).join(', ');
    const row = await statisticsOf(t, grid, `POLYGON ((${ring}))`, {
      weights: 'coverage',
      statistics: ['count', 'sum'],
    });
    t.true(
      Math.abs((row.count as number) * 4 - area) < 1e-7 * area + 1e-9,
      `${row.count} for ${area / 4} in case ${n}`,
    );
    t.true(Math.abs((row.sum as number) - 3 * (row.count as number)) < 1e-9);
  }
});

test('zones of a file keep their fields, overlap, and get a field per statistic', async (t) => {
  const { zones, sideInputs } = await zonesFile(t, [
    geometryOf('Polygon', rectangle(0, 0, 2, 2)),
    geometryOf('Polygon', rectangle(0, 0, 4, 1)),
    null,
  ]);
  const grid = twelve({ srid: 4326 });
  const { rows, made } = await rowsOf(t, grid, { zones, statistics: ['max', 'count', 'MAX'] }, sideInputs);
  t.deepEqual(rows, [
    { id: 1, name: 'zone a', max: 10, count: 4 },
    { id: 2, name: 'zone b', max: 12, count: 4 },
    { id: 3, name: 'zone c', max: null, count: 0 },
  ]);
  t.like(made.crs, { code: 4326 });
  t.is(made.count, 3);
});

test('several items have fields of their own; several steps have a feature each, with its time', async (t) => {
  const time: TimeAxis = { ...hourly, count: 2 } as TimeAxis;
  const grid = twelve({ bands: ['depth', 'speed'], time, values: (_column, _row, band, step) => 10 * band + step });
  const geometry = `POLYGON ${box(0, 0, 2, 2)}`;
  const { rows } = await rowsOf(t, grid, { zones: { geometry }, statistics: ['mean'] });
  t.deepEqual(rows, [
    { time: '2026-01-24T08:00:00', 'depth mean': 0, 'speed mean': 10 },
    { time: '2026-01-24T14:00:00', 'depth mean': 1, 'speed mean': 11 },
  ]);
  const relative: TimeAxis = { spacing: 'equidistant', unit: 'hour', count: 2, offset: 0, interval: 1 };
  const other = await rowsOf(t, twelve({ time: relative }), { zones: { geometry } });
  t.is(other.rows[1]!.time, 1, 'hours, as in the data');
});

test('layers have fields of their own', async (t) => {
  const layers = { count: 2, first: 0, spacing: 1 };
  const grid = twelve({ layers, values: (_column, _row, _band, _step, layer) => layer + 5 });
  const row = await statisticsOf(t, grid, `POLYGON ${box(0, 0, 2, 2)}`, { statistics: ['mean'] });
  t.deepEqual(row, { 'depth, layer 0 mean': 5, 'depth, layer 1 mean': 6 });
});

test('elements of a mesh weigh by their area within the zone', async (t) => {
  const mesh = { ...flatMesh(), crs: parseSrid(25832), items: flatMesh().items.slice(0, 1) };
  const { time: _, ...still } = mesh;
  // half of the first quad, and of the lower triangle the part up to 150, which is 3/4 of it below the diagonal
  const zone = `POLYGON ${box(500_050, 6_000_000, 500_200, 6_000_050)}`;
  const statistics = ['count', 'sum', 'mean', 'min', 'max'];
  const row = await statisticsOf(t, still, zone, { weights: 'coverage', statistics });
  const [quad, lower, upper] = [50 * 50, (100 * 50 + 50 * 50) / 2, (50 * 50) / 2];
  const count = quad + lower + upper;
  const sum = [quad, lower, upper].reduce((total, area, n) => total + area * meshValue(0, 0, n), 0);
  near(t, row, { count, sum, mean: sum / count, min: 0, max: 2 });
  const centre = await statisticsOf(t, still, `POLYGON ${box(499_000, 6_000_040, 500_140, 6_001_000)}`, { statistics });
  // the centres of the quad and the upper triangle
  near(t, centre, { count: 15_000, sum: 10_000 * meshValue(0, 0, 0) + 5000 * meshValue(0, 0, 2), min: 0, max: 2 });
});

test('parts of elements add up to the area of a zone with a long outline', async (t) => {
  const size = 12;
  const nodes = Array.from({ length: (size + 1) ** 2 }, (_, n) => [n % (size + 1), Math.floor(n / (size + 1)), 0]);
  const cells = Array.from({ length: size * size }, (_, n) => {
    const first = Math.floor(n / size) * (size + 1) + (n % size);
    return [first, first + 1, first + size + 2, first + size + 1];
  });
  const mesh: Data = {
    kind: 'mesh',
    nodes: Float64Array.from(nodes.flat()),
    shapes: new Uint8Array(cells.length).fill(9),
    connectivity: Uint32Array.from(cells.flat()),
    offsets: Uint32Array.from({ length: cells.length + 1 }, (_, n) => 4 * n),
    items: [{ name: 'one', type: 'Float32', location: 'cell' }],
    values: async () => new Float32Array(cells.length).fill(1),
  };
  const count = 500;
  const ring = Array.from({ length: count + 1 }, (_, n) => {
    const angle = (2 * Math.PI * (n % count)) / count;
    const radius = n % 2 === 0 ? 5 : 3;
    return `${6 + radius * Math.cos(angle)} ${6 + radius * Math.sin(angle)}`;
  });
  const row = await statisticsOf(t, mesh, `POLYGON ((${ring.join(', ')}))`, { weights: 'coverage' });
  near(t, row, { count: (count / 2) * 5 * 3 * Math.sin((2 * Math.PI) / count), mean: 1 });
});

test('columns of a layered mesh have a field per layer', async (t) => {
  const { time: _, ...mesh } = layeredMesh();
  const zone = `POLYGON ${box(500_000, 6_000_000, 500_300, 6_000_100)}`;
  const items = mesh.items.slice(0, 1);
  const row = await statisticsOf(t, { ...mesh, items }, zone, { statistics: ['min', 'max'], weights: 'coverage' });
  t.deepEqual(
    Object.keys(row),
    [0, 1].flatMap((k) => [`depth, layer ${k} min`, `depth, layer ${k} max`]),
  );
  // cells of a column stand side by side: 0 and 1, 2 and 3
  t.deepEqual(Object.values(row), [0, 2, 1, 3]);
});

test('longitudes are found in either convention', async (t) => {
  const grid = gridOf({
    width: 36,
    height: 18,
    srid: 4326,
    affine: [0, 10, 0, 90, 0, -10],
    values: (column) => column,
  });
  const row = await statisticsOf(t, grid, `POLYGON ${box(-20, 0, 20, 10)}`, { statistics: ['count', 'min', 'max'] });
  t.deepEqual(row, { count: 4, min: 0, max: 35 });
});

test('zones in another system, of lines or without features are refused', async (t) => {
  const refused = (data: Data, given: object, sideInputs?: Parameters<typeof passed>[4]) =>
    t.throwsAsync(rowsOf(t, data, given, sideInputs), { instanceOf: ConversionError });
  const grid = twelve({ srid: 25832 });
  const geometry = `POLYGON ${box(0, 0, 1, 1)}`;
  const { zones, sideInputs } = await zonesFile(t, [geometryOf('Polygon', rectangle(0, 0, 1, 1))]);
  t.regex((await refused(grid, { zones }, sideInputs))!.message, /EPSG:25832.*EPSG:4326.*crsTransformation/);
  t.regex((await refused(grid, { zones: { geometry, SRID: 4326 } }))!.message, /crsTransformation/);
  await t.notThrowsAsync(rowsOf(t, grid, { zones: { geometry: `SRID=25832;${geometry}` } }));
  const lines = await zonesFile(t, [geometryOf('LineString', rectangle(0, 0, 1, 1)[0])]);
  const line = await refused(twelve(), { zones: lines.zones }, lines.sideInputs);
  t.regex(line!.message, /Zone 1 is a LineString/);
  const { zones: named, sideInputs: files } = await zonesFile(t, [geometryOf('Polygon', rectangle(0, 0, 1, 1))]);
  const field = await refused(twelve(), { zones: named, id: 'code' }, files);
  t.is(field!.message, "The zones have no field 'code'. They have 'id', 'name'.");
});

test('a writer of series gets a series per zone and statistic, named by a field', async (t) => {
  const folder = await folderOf(t);
  const grid = join(folder, 'depth.asc');
  await writeFile(grid, 'ncols 2\nnrows 1\nxllcorner 0\nyllcorner 0\ncellsize 1\nNODATA_value -1\n4 -1\n');
  const { zones } = await zonesFile(t, [
    geometryOf('Polygon', rectangle(0, 0, 1, 1)),
    geometryOf('Polygon', rectangle(1, 0, 2, 1)),
  ]);
  const series = async (more: object) => {
    const path = join(folder, 'zones.dfs0');
    const zonalStatistics = { zones, statistics: ['mean', 'count'], ...more };
    await convertFile(grid, path, {
      transformations: [{ type: 'zonalStatisticsTransformation', zonalStatistics }],
    });
    await using file = await openFile(path);
    const { data } = file;
    if (data.kind !== 'series') throw new Error(data.kind);
    const values: Record<string, (number | bigint)[]> = {};
    for await (const chunk of data.chunks())
      for (const [n, { name }] of data.items.entries()) values[name!] = [...chunk.values[n]!];
    return values;
  };
  const named = await series({ id: 'name' });
  t.deepEqual(named['zone a, mean'], [4]);
  t.deepEqual(named['zone a, count'], [1]);
  t.deepEqual(named['zone b, count'], [0]);
  t.not(named['zone b, mean']![0], 4);
  t.deepEqual(Object.keys(await series({})), ['1, mean', '1, count', '2, mean', '2, count']);
});

test('a request is checked when it is sent', (t) => {
  const refusal = (zonalStatistics: unknown) => {
    const given = [{ type: 'zonalStatisticsTransformation', zonalStatistics }];
    return Object.entries(t.throws(() => parseTransformations(given), { instanceOf: RequestError })!.errors ?? {});
  };
  const zones = { geometry: `POLYGON ${box(0, 0, 1, 1)}` };
  const path = 'transformations[0].zonalStatistics';
  t.deepEqual(refusal({}), [[`${path}.zones`, [`${path}.zones is required.`]]]);
  const [[at, [sentence]]] = refusal({ zones, statistics: ['average'] }) as [[string, string[]]];
  t.is(at, `${path}.statistics`);
  t.regex(sentence!, /must be a list of count, sum, .* not \["average"\]/);
  t.is(refusal({ zones, statistics: ['p101'] })[0]![0], `${path}.statistics`);
  t.is(refusal({ zones, weights: 'area' })[0]![0], `${path}.weights`);
  t.is(refusal({ zones: { geometry: 'POINT (1 1)' } })[0]![0], `${path}.zones.geometry`);
  t.is(refusal({ zones: { ...zones, datasetId: 'x' } })[0]![0], `${path}.zones.datasetId`);
});
