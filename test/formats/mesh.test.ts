import test from 'ava';
import type { Inspection } from '../../src/files/convert/inspection.ts';
import { inspectMesh } from '../../src/files/convert/kinds/inspect-mesh.ts';
import type { ItemFigures } from '../../src/files/data/item-statistics.ts';
import { CELL_SHAPES, type Mesh } from '../../src/files/data/mesh.ts';
import type { MultiArray } from '../../src/files/data/multi-array.ts';
import { stepsOf } from '../../src/files/data/time-axis.ts';
import { parseSrid } from '../../src/files/geo/crs/crs.ts';
import { expected, flatMesh, hourly, itemNames, layeredMesh, numbers, sigmaZMesh, value } from './meshes.ts';
import { passed } from './transformed.ts';

const box = (west: number, south: number, east: number, north: number) =>
  `POLYGON ((${west} ${south}, ${east} ${south}, ${east} ${north}, ${west} ${north}, ${west} ${south}))`;
const within = (geometry: string, SRID?: number) => [
  { type: 'spatialFilterTransformation', spatialFilter: { geometry, ...(SRID === undefined ? {} : { SRID }) } },
];
const layers = (verticalFilter: object) => [{ type: 'verticalFilterTransformation', verticalFilter }];

/** Every value of every step. */
async function same(mesh: Mesh, places: (item: number) => readonly number[], steps = [0, 1, 2, 3, 4, 5, 6]) {
  const found: number[][] = [];
  const wanted: number[][] = [];
  for (let item = 0; item < 3; item++)
    for (let step = 0; step < stepsOf(mesh); step++) {
      found.push(numbers(await mesh.values(item, step)));
      wanted.push(expected(item, steps[step]!, places(item)));
    }
  return [found, wanted] as const;
}

test('a spatial filter keeps mesh elements whose centre is inside, with nodes renumbered', async (t) => {
  // The centres of the two triangles lie at x 500166.7 and 500133.3.
  const { lost } = await passed(t, flatMesh(), within(box(500_060, 5_999_000, 500_180, 6_001_000)), async (mesh) => {
    t.deepEqual([...mesh.shapes], [CELL_SHAPES.triangle, CELL_SHAPES.triangle]);
    t.deepEqual([...mesh.connectivity], [0, 1, 3, 0, 3, 2]);
    t.deepEqual([...mesh.offsets], [0, 3, 6]);
    t.deepEqual([...mesh.nodes].slice(0, 6), [500_100, 6_000_000, -1, 500_200, 6_000_000, -2]);
    t.deepEqual([...mesh.nodeIds!], [20, 30, 60, 70]);
    t.deepEqual([...mesh.nodeCodes!], [1, 2, 1, 3]);
    t.deepEqual([...mesh.cellIds!], [8, 9]);
    t.deepEqual(...(await same(mesh, (item) => (item === 2 ? [1, 2, 5, 6] : [1, 2]))));
  });
  t.deepEqual(lost, []);
  await t.throwsAsync(
    passed(t, flatMesh(), within(box(0, 0, 1, 1)), async () => {}),
    { message: /None of the 4 element centres lies inside/ },
  );
});

test('a spatial filter in degrees is transformed to the coordinate system of the mesh', async (t) => {
  // The west half in WGS 84; UTM zone 33 has its central meridian, 15° east, at 500000 m.
  await passed(t, flatMesh(), within(box(14, 50, 15.0015, 60), 4326), async (mesh) => {
    t.deepEqual([...mesh.cellIds!], [7]);
  });
});

test('a spatial filter keeps or drops whole columns of a layered mesh', async (t) => {
  await passed(t, layeredMesh(), within(box(500_150, 5_999_000, 500_300, 6_001_000)), async (mesh) => {
    t.deepEqual([...mesh.layers!.columns], [0, 2]);
    t.deepEqual(...(await same(mesh, (item) => (item === 2 ? [0, 1, 2, 3, 4, 5, 6, 7, 8] : [0, 1]))));
    t.deepEqual(numbers(await mesh.heights!(3)), [-17, -7, 3, -17, -7, 3, -17, -7, 3]);
  });
});

test('a vertical filter counts layers from 0 at the bottom; one layer gives a 2D mesh', async (t) => {
  for (const filter of [
    { type: 'VerticalIndexFilter', from: 1, to: 1 },
    { type: 'VerticalValueFilter', from: -5, to: -5 },
  ])
    await passed(t, layeredMesh(), layers(filter), async (mesh) => {
      t.is(mesh.layers, undefined);
      t.is(mesh.heights, undefined);
      t.deepEqual([...mesh.shapes], [CELL_SHAPES.triangle, CELL_SHAPES.triangle]);
      t.deepEqual([...mesh.connectivity], [0, 1, 2, 0, 2, 3]);
      t.deepEqual(
        [...mesh.nodes].filter((_, n) => n % 3 === 2),
        [-10, -10, -10, -10],
      );
      t.deepEqual(...(await same(mesh, (item) => (item === 2 ? [1, 4, 7, 10] : [1, 3]))));
    });
  await passed(t, layeredMesh(), layers({ type: 'VerticalIndexFilter', from: 0 }), async (mesh) => {
    t.deepEqual(mesh.layers, { maximum: 2, sigma: 2, columns: Uint32Array.of(0, 2, 4) });
    t.deepEqual(numbers(await mesh.heights!(2)).slice(0, 3), [-18, -8, 2]);
  });
  for (const [filter, message] of [
    [{ type: 'VerticalIndexFilter', from: 2 }, /layers 0 to 1/],
    [{ type: 'VerticalValueFilter', from: 0 }, /centres lie between -15 and -5/],
  ] as const)
    await t.throwsAsync(
      passed(t, layeredMesh(), layers(filter), async () => {}),
      { message },
    );
  await t.throwsAsync(
    passed(t, flatMesh(), layers({ type: 'VerticalIndexFilter', from: 0 }), async () => {}),
    { message: /mesh has no layers/ },
  );
});

test('layers of a sigma-z mesh count from the top down: the top layer is the last', async (t) => {
  await passed(t, sigmaZMesh(), layers({ type: 'VerticalIndexFilter', from: 2, to: 2 }), async (mesh) => {
    t.deepEqual(...(await same(mesh, (item) => (item === 2 ? [2, 6, 10, 14] : [2, 4]))));
  });
  // Only one column reaches down to layer 0.
  await passed(t, sigmaZMesh(), layers({ type: 'VerticalIndexFilter', from: 0, to: 1 }), async (mesh) => {
    t.deepEqual(mesh.layers, { maximum: 2, sigma: 0, columns: Uint32Array.of(0, 2, 3) });
    t.deepEqual(...(await same(mesh, (item) => (item === 2 ? [0, 1, 2, 4, 5, 6, 8, 9, 10, 13, 14] : [0, 1, 3]))));
  });
  await passed(t, sigmaZMesh(), layers({ type: 'VerticalIndexFilter', from: 1 }), async (mesh) => {
    t.deepEqual(mesh.layers, { maximum: 2, sigma: 1, columns: Uint32Array.of(0, 2, 4) });
  });
});

test('temporal, item and spatial filters combine on a mesh', async (t) => {
  const steps = [
    ...within(box(500_060, 5_999_000, 500_180, 6_001_000)),
    { type: 'temporalFilterTransformation', temporalFilter: { type: 'TemporalIndexListFilter', indices: [6, 2] } },
    { type: 'itemFilterTransformation', itemFilter: { names: ['salinity'] } },
  ];
  await passed(t, flatMesh(), steps, async (mesh) => {
    t.deepEqual(
      mesh.items.map(({ name }) => name),
      ['salinity'],
    );
    for (const [step, source] of [6, 2].entries())
      t.deepEqual(numbers(await mesh.values(0, step)), expected(2, source, [1, 2, 5, 6]));
  });
});

test('spectra keep all components when elements are filtered', async (t) => {
  const frequency = { name: 'frequency', values: Float64Array.of(0.1, 0.2) };
  const direction = { name: 'direction', values: Float64Array.of(0, 120, 240) };
  const mesh: Mesh = {
    ...flatMesh(),
    items: [{ name: 'energy', type: 'Float32', location: 'cell', components: [direction, frequency] }],
    // The element is fastest.
    values: async (_item, step) => Float32Array.from({ length: 4 * 6 }, (_, n) => 1000 * step + n),
  };
  await passed(t, mesh, within(box(500_060, 5_999_000, 500_180, 6_001_000)), async (part) => {
    t.deepEqual(
      numbers(await part.values(0, 5)),
      [1, 2, 5, 6, 9, 10, 13, 14, 17, 18, 21, 22].map((n) => 5000 + n),
    );
  });
});

test('reprojection moves the nodes of a mesh; heights and values stay', async (t) => {
  const result = await passed(t, layeredMesh(), [{ type: 'crsTransformation', outputSrid: 4326 }], async (mesh) => {
    const [x, y, z] = mesh.nodes;
    // 100 m east of the central meridian of zone 33.
    t.true(Math.abs(x! - 15.001_524) < 1e-5 && Math.abs(y! - 54.1475) < 1e-3, `${x} ${y}`);
    t.is(z, -20);
    t.deepEqual(numbers(await mesh.heights!(1)).slice(0, 3), [-19, -9, 1]);
    t.deepEqual(...(await same(mesh, (item) => Array.from({ length: item === 2 ? 12 : 4 }, (_, n) => n))));
  });
  t.is(result.crs?.from, 'EPSG:32633');
  t.is(result.crs?.to, 'EPSG:4326');
  t.truthy(result.crs?.operation);
  const { crs: _, ...placeless } = flatMesh();
  await t.throwsAsync(
    passed(t, placeless, [{ type: 'crsTransformation', outputSrid: 4326 }], async () => {}),
    { message: /coordinate system of the input is not known/ },
  );
  const far: Mesh = { ...flatMesh(), crs: { authority: 'EPSG', code: 4326 }, nodes: new Float64Array(24).fill(200) };
  await t.throwsAsync(
    passed(t, far, [{ type: 'crsTransformation', outputSrid: 25832 }], async () => {}),
    { message: /^Node 1 at \(200, 200\) cannot be transformed to/ },
  );
});

test('the receipt counts elements and curvilinear cells that cross the antimeridian in degrees', async (t) => {
  // In EPSG:3832 180° is 30° east of the middle; here it lies between the second and the third of four columns of
  // nodes.
  const west = 30 * 111_319.490_793 - 150;
  const pacific = parseSrid(3832);
  const moved = (mesh: Mesh, by: number): Mesh => ({
    ...mesh,
    crs: pacific,
    nodes: mesh.nodes.map((one, n) => (n % 3 === 0 ? one - 500_000 + by : one)),
  });
  const sentence = (things: string) =>
    `${things} cross the antimeridian (longitude 180°). They are not split there, so some programs draw them across the whole map.`;
  const lostOf = async (data: Mesh | MultiArray, outputSrid: number) =>
    (await passed(t, data, [{ type: 'crsTransformation', outputSrid }], async () => {})).lost;
  t.deepEqual(await lostOf(moved(flatMesh(), west), 4326), [sentence('2 elements')]);
  t.deepEqual(await lostOf(moved(flatMesh(), west - 1000), 4326), []);
  t.deepEqual(await lostOf(moved(flatMesh(), west), 3857), []);
  const degrees = (longitudes: number[]): Mesh => ({
    ...flatMesh(),
    crs: parseSrid(4326),
    nodes: flatMesh().nodes.map((one, n) => (n % 3 === 0 ? longitudes[(n / 3) % 4]! : n % 3 === 1 ? 10 : one)),
  });
  t.deepEqual(await lostOf(degrees([179, 179.5, -179.9, -179]), 3857), [sentence('2 elements')]);
  t.deepEqual(await lostOf(degrees([179, 179.5, 180.1, 181]), 3857), [sentence('2 elements')]);
  t.deepEqual(await lostOf(degrees([358, 359, 0, 1]), 3857), []);

  const array: MultiArray = {
    kind: 'array',
    crs: pacific,
    axes: [
      { name: 'y', values: Float64Array.of(0, 1) },
      { name: 'x', values: Float64Array.of(0, 1, 2) },
    ],
    placement: {
      by: 'nodes',
      x: 1,
      y: 0,
      nodeX: Float64Array.from({ length: 12 }, (_, n) => west + 100 * (n % 4)),
      nodeY: Float64Array.from({ length: 12 }, (_, n) => 100 * Math.floor(n / 4)),
    },
    items: [],
    read: async () => new Float32Array(0),
  };
  t.deepEqual(await lostOf(array, 4326), [sentence('2 cells')]);
  t.deepEqual(await lostOf(array, 3857), []);
});

test('statistics of a mesh are one row per item over all steps and places', async (t) => {
  const { properties, recordsRead, spatialInformation } = await passed(
    t,
    flatMesh(),
    [{ type: 'calculateStatisticsTransformation' }],
    async (mesh) => {
      // A writer that goes step by step.
      for (let step = 0; step < 7; step++) for (let item = 0; item < 3; item++) await mesh.values(item, step);
    },
  );
  const rows = properties!.statistics as ItemFigures[];
  for (const [item, row] of rows.entries()) {
    const places = item === 2 ? 8 : 4;
    const values = Array.from({ length: 7 * places }, (_, n) =>
      Math.fround(value(item, Math.floor(n / places), n % places)),
    );
    const mean = values.reduce((sum, one) => sum + one, 0) / values.length;
    const deviation = Math.sqrt(values.reduce((sum, one) => sum + (one - mean) ** 2, 0) / values.length);
    t.like(row, {
      name: itemNames[item],
      unit: 'm',
      values: 7 * places,
      empty: 0,
      minimum: values[0],
      maximum: values.at(-1),
    });
    t.true(Math.abs(row.mean! - mean) < 1e-6 && Math.abs(row.standardDeviation! - deviation) < 1e-6);
  }
  t.is(recordsRead, 7 * (4 + 4 + 8));
  t.regex(spatialInformation!.location!, /^POLYGON \(\(15 54\.14/);
});

test('inspection of a mesh shows nodes, elements, layers, time, items and extent', async (t) => {
  const inspection: Inspection = { size: 0, format: 'dfsu', reader: 'DfsuReader', kind: 'mesh' as const, remarks: [] };
  await inspectMesh(sigmaZMesh(), inspection, { signal: new AbortController().signal });
  t.like(inspection, { nodes: 16, elements: 5, layers: 3, sigmaLayers: 1 });
  t.deepEqual(inspection.time, {
    steps: 7,
    axis: 'calendar',
    spacing: 'equidistant',
    unit: 'hour',
    first: '2026-01-24T08:00:00',
    last: '2026-01-25T20:00:00',
    interval: 6,
  });
  t.like(inspection.items![1], {
    name: 'velocity',
    unit: 'm',
    type: 'Float32',
    values: 35,
    minimum: 100_000,
    maximum: 106_004,
  });
  t.deepEqual(inspection.extent, { west: 500_100, south: 6_000_000, east: 500_200, north: 6_000_100 });
  t.true(Math.abs(inspection.extentWgs84!.west - 15.0015) < 1e-4);
  const relative = { ...hourly, start: undefined } as never;
  await inspectMesh({ ...flatMesh(), time: relative }, inspection, {
    signal: new AbortController().signal,
  });
  t.like(inspection.time, { axis: 'relative', first: 0, last: 36 });
});

test('inspection draws the last step of a mesh, and the top layer of several', async (t) => {
  const { signal } = new AbortController();
  const profile: Mesh = { ...layeredMesh(), section: 'profile' };
  for (const mesh of [flatMesh(), layeredMesh(), { ...flatMesh(), items: [] }, profile]) {
    const png = await inspectMesh(
      mesh,
      { size: 0, format: 'dfsu', reader: 'DfsuReader', kind: 'mesh' as const, remarks: [] },
      { picture: {}, signal },
    );
    t.is(Buffer.from(png!).toString('latin1', 1, 4), 'PNG');
  }
  // An even picture at the last step is another one than a picture of slopes.
  const even = (step: number): Mesh => ({
    ...flatMesh(),
    values: async (_item, at) => Float32Array.from({ length: 8 }, (_, n) => (at === step ? 0 : n)),
  });
  const [last, first] = await Promise.all(
    [6, 0].map((step) =>
      inspectMesh(
        even(step),
        { size: 0, format: 'dfsu', reader: 'DfsuReader', kind: 'mesh' as const, remarks: [] },
        { picture: {}, signal },
      ),
    ),
  );
  t.true(last!.length < first!.length, 'the picture shows the last step');
});
