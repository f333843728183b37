import test from 'ava';
import type { Grid } from '../../src/files/data/grid.ts';
import type { MultiArray } from '../../src/files/data/multi-array.ts';
import { offsetOf } from '../../src/files/data/time-axis.ts';
import { ConversionError, RequestError } from '../../src/files/errors.ts';
import { parseSrid } from '../../src/files/geo/crs/crs.ts';
import { csvOf, valuesAt, valuesTable } from '../../src/files/preview.ts';
import { flatMesh, hourly, layeredMesh, sigmaZMesh, value } from '../formats/meshes.ts';
import { degrees, featuresOf, go, placesOf } from './made.ts';

test('a point has the values of the cell that contains it, at the steps of an interval', async (t) => {
  const request = { points: [[12.3, 58.9] as const], from: '2026-01-24T08:00:00', to: '2026-01-24T20:00:00' };
  t.deepEqual(await valuesAt(degrees(), request, go), {
    kind: 'steps',
    time: { times: ['2026-01-24T08:00:00', '2026-01-24T14:00:00', '2026-01-24T20:00:00'] },
    steps: [0, 1, 2],
    items: [
      { id: '0', name: 'depth', unit: 'm' },
      { id: '1', name: 'speed', unit: 'm/s' },
    ],
    points: [
      {
        point: [12.3, 58.9],
        inside: true,
        values: [
          [null, 112, 212],
          [507, 557, 607],
        ],
      },
    ],
  });
});

test('a point outside of the data has no values, and longitudes may be a turn away', async (t) => {
  const points = [
    [9.9, 59],
    [12.3 + 360, 58.9],
    [12.3, 90],
  ] as const;
  const answer = await valuesAt(degrees(), { points, items: ['depth'], from: '2026-01-25T20:00:00' }, go);
  t.deepEqual(answer.kind === 'steps' && answer.points.map(({ inside, values }) => [inside, values]), [
    [false, [[null]]],
    [true, [[612]]],
    [false, [[null]]],
  ]);
});

test('layers count from the bottom, the highest is taken unless one is named', async (t) => {
  const layered = degrees({ layers: { count: 3, first: 0, spacing: 1 } });
  const at = async (layer?: number) => {
    const request = { points: [[10.5, 59.5] as const], items: ['0'], to: '2026-01-24T08:00:00' };
    const answer = await valuesAt(layered, layer === undefined ? request : { ...request, layer }, go);
    return answer.kind === 'steps' && answer.points[0]!.values[0]![0];
  };
  t.deepEqual([await at(), await at(0), await at(1)], [100, 0, 50]);
  await t.throwsAsync(at(3), { instanceOf: RequestError, message: /There is no layer 3.* layers 0 to 2/ });
});

test('elements of a mesh have their value, items of nodes are linear between the nodes', async (t) => {
  // Element 1 has the nodes 1, 2, 6 at (100, 0), (200, 0), (200, 100); a quarter of the way from each side.
  const points = await placesOf([500_150, 6_000_020], [500_350, 6_000_020], [500_199, 6_000_001]);
  const request = { points, from: '2026-01-24T14:00:00', to: '2026-01-24T14:00:00' };
  const answer = await valuesAt(flatMesh(), request, go);
  if (answer.kind !== 'steps') return t.fail();
  t.deepEqual(
    answer.points.map(({ inside }) => inside),
    [true, false, true],
  );
  const [depth, , salinity] = answer.points[0]!.values;
  t.deepEqual(depth, [value(0, 1, 1)]);
  // 0.5 · node 1 + 0.3 · node 2 + 0.2 · node 6
  t.true(Math.abs(salinity![0]! - (value(2, 1, 0) + 0.5 * 1 + 0.3 * 2 + 0.2 * 6)) < 1e-2, String(salinity));
  t.deepEqual(answer.points[1]!.values, [[null], [null], [null]]);
});

test('layers of a mesh have the values of their own elements', async (t) => {
  const points = await placesOf([500_180, 6_000_020]);
  const read = async (mesh: ReturnType<typeof layeredMesh>, layer: number) => {
    const answer = await valuesAt(mesh, { points, items: ['depth'], to: '2026-01-24T08:00:00', layer }, go);
    return answer.kind === 'steps' && answer.points[0]!.values[0]![0];
  };
  t.deepEqual([await read(layeredMesh(), 0), await read(layeredMesh(), 1)], [0, 1]);
  t.deepEqual([await read(sigmaZMesh(), 0), await read(sigmaZMesh(), 2)], [0, 2]);
});

test('cells of an array have values, evenly spaced or curvilinear, in the layers of their first dimension', async (t) => {
  const axis = (name: string, count: number) => ({ name, values: Float64Array.from({ length: count }, (_, n) => n) });
  const array: MultiArray = {
    kind: 'array',
    crs: parseSrid(4326),
    axes: [axis('z', 2), axis('y', 2), axis('x', 3)],
    placement: { by: 'affine', x: 2, y: 1, affine: [10, 1, 0, 60, 0, -1] },
    items: [
      { name: 'salinity', type: 'Float64', axes: [0, 1, 2], overTime: true },
      { name: 'depth', type: 'Float64', axes: [1, 2], overTime: false },
    ],
    async read(item, _step, start, shape) {
      const [z, y, x] = item === 0 ? start : [0, ...start];
      const [nz, ny, nx] = item === 0 ? shape : [1, ...shape];
      const values: number[] = [];
      for (let k = z!; k < z! + nz!; k++)
        for (let j = y!; j < y! + ny!; j++)
          for (let i = x!; i < x! + nx!; i++) values.push(item * 1000 + k * 100 + j * 10 + i);
      return Float64Array.from(values);
    },
  };
  const read = async (data: MultiArray, item: string, layer: number) => {
    const answer = await valuesAt(data, { points: [[12.5, 58.5]], items: [item], layer }, go);
    return answer.kind === 'steps' && answer.points[0]!.values[0];
  };
  const corners = Array.from({ length: 12 }, (_, n) => [10 + (n % 4), 60 - Math.floor(n / 4)] as const);
  const curved: MultiArray = {
    ...array,
    placement: {
      by: 'nodes',
      x: 2,
      y: 1,
      nodeX: Float64Array.from(corners, ([x]) => x),
      nodeY: Float64Array.from(corners, ([, y]) => y),
    },
  };
  for (const data of [array, curved]) {
    t.deepEqual(await read(data, 'salinity', 0), [12]);
    t.deepEqual(await read(data, 'salinity', 1), [112]);
    t.deepEqual(await read(data, 'depth', 0), [1012]);
  }
  const { placement: _, ...loose } = array;
  await t.throwsAsync(read(loose, 'depth', 0), { instanceOf: ConversionError, message: /has no cells on the map/ });
});

test('features lie at a point if they are within a tolerance in metres', async (t) => {
  const fields = [
    { name: 'name', type: 'string' },
    { name: 'id', type: 'integer64' },
  ] as const;
  const data = featuresOf(fields, [
    { place: [12, 55], values: ['here', 2n ** 60n] },
    { place: [12.001, 55], values: ['64 m east', 1] },
    { place: [12, 55.001], values: ['111 m north', null] },
  ]);
  const names = async (tolerance: number) => {
    const answer = await valuesAt(data, { points: [[12, 55]], tolerance }, go);
    return answer.kind === 'features' && answer.points[0]!.features.map(({ values }) => values[0]);
  };
  t.deepEqual(await names(0), ['here']);
  t.deepEqual(await names(63), ['here']);
  t.deepEqual(await names(65), ['here', '64 m east']);
  t.deepEqual(await names(112), ['here', '64 m east', '111 m north']);
  const answer = await valuesAt(data, { points: [[12, 55]], items: ['id'] }, go);
  t.deepEqual(answer, {
    kind: 'features',
    fields: [{ id: '1', name: 'id' }],
    points: [{ point: [12, 55], features: [{ id: 100, values: [String(2n ** 60n)] }], more: false }],
  });
  t.is(
    (await csvOf(valuesTable(answer))).toString(),
    'longitude,latitude,id,id_2\r\n12,55,100,1152921504606846976\r\n',
  );
});

test('polygons are found by points inside of them, and not by those in their holes', async (t) => {
  const ring = (side: number) => [
    12 - side,
    55 - side,
    12 + side,
    55 - side,
    12 + side,
    55 + side,
    12 - side,
    55 + side,
    12 - side,
    55 - side,
  ];
  const data = {
    ...featuresOf([], []),
    async *chunks() {
      const coordinates = Float64Array.from([...ring(1), ...ring(0.5)]);
      yield [{ values: [], geometry: { type: 'Polygon' as const, coordinates, parts: Uint32Array.of(0, 5) } }];
    },
  };
  const points = [
    [12.7, 55],
    [12.2, 55],
    [13.2, 55],
  ] as const;
  const answer = await valuesAt(data, { points }, go);
  t.deepEqual(
    answer.points.map((one) => 'features' in one && one.features.length),
    [1, 0, 0],
  );
});

test('an answer has at most 10,000 values', async (t) => {
  const long = degrees({ time: { ...hourly, count: 5001 } as Grid['time'] & {} });
  await t.throwsAsync(valuesAt(long, { points: [[10.5, 59.5]] }, go), {
    instanceOf: RequestError,
    message: /10,002 values \(1 point, 2 items, 5,001 steps of 5,001\); the maximum is 10,000/,
  });
  await t.notThrowsAsync(valuesAt(long, { points: [[10.5, 59.5]], items: ['depth'] }, go));
});

test('wrong requests are told with the value', async (t) => {
  const refused = async (more: object, message: RegExp) =>
    t.throwsAsync(valuesAt(degrees(), { points: [[10.5, 59.5]], ...more }, go), { instanceOf: RequestError, message });
  await refused({ items: ['height'] }, /There is no item 'height'. There are the items 0 'depth', 1 'speed'/);
  await refused({ items: ['7'] }, /There is no item 7/);
  await refused({ from: 'yesterday' }, /from is 'yesterday', which is no time/);
  await refused({ from: '2026-02-01', to: '2026-01-01' }, /from \(2026-02-01\) is after to \(2026-01-01\)/);
  await refused({ points: [[10, 91]] }, /10,91 is no place/);
  await refused({ layer: 0.5 }, /layer must be a whole number from 0, not 0.5/);
  const twice = degrees({ bands: degrees().bands.map((band) => ({ ...band, name: 'depth' })) });
  await t.throwsAsync(valuesAt(twice, { points: [[10, 60]], items: ['depth'] }, go), {
    message: "2 items are named 'depth'. Name one of them by its id: 0, 1.",
  });
  const { crs: _, ...nowhere } = degrees();
  await t.throwsAsync(valuesAt(nowhere, { points: [[10, 60]] }, go), {
    instanceOf: ConversionError,
    message: /no place on the map/,
  });
});

test('cancelled work ends', async (t) => {
  let calls = 0;
  const cancel = () => {
    if (++calls > 3) throw new Error('cancelled');
  };
  await t.throwsAsync(valuesAt(degrees(), { points: [[10.5, 59.5]] }, cancel), { message: 'cancelled' });
  t.is(calls, 4);
});

test('a relative axis has offsets in its unit', async (t) => {
  const { start: _, ...relative } = hourly;
  const data = degrees({ time: relative as typeof hourly });
  const answer = await valuesAt(data, { points: [[10.5, 59.5]], items: ['0'], from: '6', to: '12.5' }, go);
  t.deepEqual(answer.kind === 'steps' && answer.time, {
    offsets: [offsetOf(hourly, 1), offsetOf(hourly, 2)],
    unit: 'hour',
  });
  await t.throwsAsync(valuesAt(data, { points: [[10.5, 59.5]], from: '2026-01-01' }, go), {
    message: /times of the data are relative: give a number of hours/,
  });
  t.is(
    (await csvOf(valuesTable(answer))).toString(),
    'longitude,latitude,time [hour],depth [m]\r\n10.5,59.5,6,100\r\n10.5,59.5,12,200\r\n',
  );
});
