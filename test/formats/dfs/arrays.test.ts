import { tmpdir } from 'node:os';
import test, { type ExecutionContext } from 'ava';
import type { MultiArray } from '../../../src/files/data/multi-array.ts';
import { DfsFile } from '../../../src/files/formats/io/dfs/dfs-file.ts';
import { findReader } from '../../../src/files/formats/registry.ts';
import { converted } from '../files.ts';
import { read } from '../read.ts';
import { axes, block, CountedSource, dfsBytes, sourceOf, values } from './dfs-bytes.ts';

async function arrayOf(t: ExecutionContext, bytes: Uint8Array, n = 2): Promise<MultiArray> {
  const data = await findReader(`Dfs${n}Reader`)!.read(
    await sourceOf(t, bytes),
    {},
    {
      signal: new AbortController().signal,
      scratch: tmpdir(),
      log() {},
      progress() {},
      reportLoss() {},
      remark() {},
      reportBadRecord() {},
      onEnd() {},
    },
  );
  if (data.kind !== 'array') throw new Error(data.kind);
  return data;
}

const own = (n: number) => ({ reader: `Dfs${n}Reader`, writer: `Dfs${n}Writer` });
const later = [{ type: 'TemporalFilterTransformation', temporalFilter: { type: 'TemporalIndexFilter', from: 1 } }];

const uneven = {
  2: block(31056, values('Int32', 1000, 3, 2), values('Float64', 0, 1, 3, 7), values('Float64', 10, 20, 40)),
  3: block(
    31059,
    values('Int32', 1000, 3, 2, 2),
    values('Float64', 0, 1, 3, 7),
    values('Float64', 10, 20, 40),
    values('Float64', -9, -5, 0),
  ),
};
const corners = [0, 10, 20, 30, 1, 11, 21, 31, 3, 13, 23, 33];
const curvilinear = block(
  31061,
  values('Int32', 1000, 3, 2),
  values('Float64', ...corners.map((x) => x / 100 + 10)),
  values('Float64', ...corners.map((y) => y / 200 + 50)),
);

const file = (axis: Buffer, size: number, more: object = {}) =>
  dfsBytes({
    items: ['A', 'B'].map((name, item) => ({
      name,
      axis,
      steps: [0, 1].map((step) => Array.from({ length: size }, (_, n) => n + 100 * step + 1000 * item)),
    })),
    ...more,
  });

for (const n of [2, 3] as const)
  test(`a DFS${n} file with cells of unequal size is read as an array with cell edges, and written again`, async (t) => {
    const size = n === 2 ? 6 : 12;
    const bytes = file(uneven[n], size);
    const array = await arrayOf(t, bytes, n);
    t.deepEqual(
      array.axes.map(({ name }) => name),
      n === 2 ? ['y', 'x'] : ['z', 'y', 'x'],
    );
    t.deepEqual([...array.axes.at(-1)!.values], [0.5, 2, 5]);
    t.deepEqual([...array.axes.at(-2)!.edges!], [10, 20, 40]);
    t.true((await converted(t, bytes, own(n))).bytes.equals(bytes));
    const changed = await converted(t, bytes, {
      ...own(n),
      transformations: [...later, { type: 'ItemFilterTransformation', itemFilter: { names: ['B'] } }],
    });
    t.true(changed.bytes.includes(uneven[n]));
    const second = await arrayOf(t, changed.bytes, n);
    t.deepEqual(
      [...(await second.read(0, 0, Array(n).fill(0), n === 2 ? [2, 3] : [2, 2, 3]))],
      Array.from({ length: size }, (_, k) => 1100 + k),
    );
  });

test('blocks of an array contain its values in row-major order', async (t) => {
  const array = await arrayOf(t, file(uneven[3], 12), 3);
  t.deepEqual([...(await array.read(1, 1, [0, 1, 1], [2, 1, 2]))], [1104, 1105, 1110, 1111]);
  t.deepEqual([...(await array.read(0, 0, [1, 0, 0], [1, 2, 3]))], [6, 7, 8, 9, 10, 11]);
  t.deepEqual([...(await array.read(0, 0, [0, 0, 2], [2, 2, 1]))], [2, 5, 8, 11]);
});

test('curvilinear cells keep their corners, and reprojection moves them', async (t) => {
  const bytes = file(curvilinear, 6, { projection: ['LONG/LAT', 0, 0, 0] });
  const array = await arrayOf(t, bytes);
  if (array.placement?.by !== 'nodes') throw new Error('no corners');
  t.deepEqual([array.placement.x, array.placement.y], [1, 0]);
  t.is(array.placement.nodeX[5], 10.11);
  const changed = await converted(t, bytes, {
    ...own(2),
    transformations: [{ type: 'CrsTransformation', outputSrid: 32632 }],
  });
  const { header } = await DfsFile.open(new CountedSource(changed.bytes));
  t.is(header.items[0]!.axis.tag, 31061);
  const x = await header.items[0]!.axis.coordinates[0]!.load();
  t.true(x[0]! > 570_000 && x[0]! < 572_000, String(x[0]));
  t.regex(header.projection!.text, /UTM_Zone_32N/);
});

const area = (west: number, south: number, east: number, north: number) => ({
  type: 'SpatialFilterTransformation',
  spatialFilter: {
    geometry: `POLYGON ((${west} ${south}, ${east} ${south}, ${east} ${north}, ${west} ${north}, ${west} ${south}))`,
  },
});

test('a spatial filter keeps the curvilinear cells whose centres are inside, with their corners', async (t) => {
  const bytes = file(curvilinear, 6, { projection: ['LONG/LAT', 0, 0, 0] });
  // The centres of the cells: 10.055, 10.155, 10.255, and 10.07, 10.17, 10.27 in the second row.
  const changed = await converted(t, bytes, { ...own(2), transformations: [area(10.16, 50, 10.3, 51)] });
  const array = await arrayOf(t, changed.bytes);
  if (array.placement?.by !== 'nodes') throw new Error('no corners');
  t.deepEqual([...array.placement.nodeX], [10.1, 10.2, 10.3, 10.11, 10.21, 10.31, 10.13, 10.23, 10.33]);
  t.deepEqual([...(await array.read(1, 1, [0, 0], [2, 2]))], [Math.fround(-1e-35), 1102, 1104, 1105]);
  t.deepEqual([...(await array.read(1, 1, [1, 0], [1, 2]))], [1104, 1105]);
  await t.throwsAsync(converted(t, bytes, { ...own(2), transformations: [area(0, 0, 1, 1)] }), {
    message: /centre of none of the 6 cells/,
  });
  await t.throwsAsync(converted(t, file(uneven[2], 6), { ...own(2), transformations: [area(0, 0, 9, 90)] }), {
    message: /have no coordinates on a map/,
  });
});

/** Three columns, two rows, two layers: the corners of each level are displaced, and the layers are not flat. */
const levels = [0, 1, 2].flatMap((level) =>
  corners.map((corner) => [corner / 100 + 10 + level, corner, level] as const),
);
const inSpace = block(
  31062,
  values('Int32', 1000, 3, 2, 2),
  values('Float64', ...levels.map(([x]) => x)),
  values('Float64', ...levels.map(([, corner]) => corner / 200 + 50)),
  values('Float64', ...levels.map(([, corner, level]) => 5 * level - corner / 10)),
);

test('3D curvilinear cells keep all corners when read, reprojected, cropped and written as hexahedra', async (t) => {
  const bytes = file(inSpace, 12, { projection: ['LONG/LAT', 0, 0, 0] });
  const { placement } = await arrayOf(t, bytes, 3);
  if (placement?.by !== 'nodes') throw new Error('no corners');
  t.is(placement.nodeX.length, 36);
  t.is(placement.space!.z, 0);
  const place = async (given: Buffer) => {
    const { axis } = (await DfsFile.open(new CountedSource(given))).header.items[0]!;
    t.is(axis.tag, 31062);
    return {
      counts: axis.counts,
      corners: await Promise.all(axis.coordinates.map(async (one) => [...(await one.load())])),
    };
  };
  const reprojected = await place(
    (await converted(t, bytes, { ...own(3), transformations: [{ type: 'CrsTransformation', outputSrid: 32632 }] }))
      .bytes,
  );
  t.true(reprojected.corners[0]![24]! - reprojected.corners[0]![12]! > 60_000);
  t.deepEqual(reprojected.corners[2], [...placement.space!.nodeZ]);

  // The centres of the lower layer are half a degree further east than its lower corners, those of the upper one 1.5.
  const changed = await converted(t, bytes, { ...own(3), transformations: [area(10.66, 50, 10.8, 51)] });
  const left = await arrayOf(t, changed.bytes, 3);
  const none = Math.fround(-1e-35);
  t.deepEqual([...(await left.read(1, 1, [0, 0, 0], [2, 2, 2]))], [none, 1102, 1104, 1105, none, none, none, none]);
  const cropped = await place(changed.bytes);
  t.deepEqual(cropped.counts, [2, 2, 2]);
  const kept = [0, 1, 2].flatMap((level) => [1, 2, 3, 5, 6, 7, 9, 10, 11].map((n) => 12 * level + n));
  t.deepEqual(
    cropped.corners,
    [placement.nodeX, placement.nodeY, placement.space!.nodeZ].map((of) => kept.map((n) => of[n]!)),
  );

  const vtu = await converted(t, bytes, { ...own(3), writer: 'VtuWriter' });
  const { data: mesh } = await read(t, 'mesh', 'VtuReader', vtu.bytes);
  t.deepEqual([...mesh.shapes], new Array(12).fill(12));
  const node = (n: number) => [...mesh.nodes.subarray(3 * n, 3 * n + 3)];
  for (const n of [0, 5, 17, 35])
    t.deepEqual(node(n), [placement.nodeX[n], placement.nodeY[n], placement.space!.nodeZ[n]]);
  t.deepEqual([...mesh.connectivity.subarray(0, 8)], [0, 1, 5, 4, 12, 13, 17, 16]);
});

test('spectra have axes of frequency and direction, and no location', async (t) => {
  const spectrum = (dx: number) =>
    dfsBytes({
      items: [
        { name: 'Energy', eum: [110047, 5206], axis: axes.plane(3, 2, 0.05, 10, dx, 90), steps: [[1, 2, 3, 4, 5, 6]] },
      ],
    });
  const linear = await arrayOf(t, spectrum(0.5));
  t.deepEqual(
    linear.axes.map(({ name, unit }) => [name, unit]),
    [
      ['direction', 'degree'],
      ['frequency', 'Hz'],
    ],
  );
  const close = (one: Float64Array, other: number[]) =>
    t.true(
      one.every((value, n) => Math.abs(value - other[n]!) < 1e-6),
      String(one),
    );
  close(linear.axes[1]!.values, [0.05, 0.55, 1.05]);
  close(linear.axes[0]!.values, [10, 100]);
  close((await arrayOf(t, spectrum(2))).axes[1]!.values, [0.05, 0.1, 0.2]);
  t.true((await converted(t, spectrum(2), own(2))).bytes.equals(spectrum(2)));
  await t.throwsAsync(converted(t, spectrum(2), { reader: 'Dfs2Reader', writer: 'GeoTiffWriter' }), {
    message: /holds a multidimensional array; GeoTiffWriter takes grids/,
  });
});

test('items on different axes have separate dimensions', async (t) => {
  const bytes = dfsBytes({
    items: [
      { name: 'Discharge', axis: axes.line(2), steps: [[1, 2]] },
      {
        name: 'Level',
        axis: block(31053, values('Int32', 1000, 3), values('Float32', 0, 5, 6, 1, 7, 8, 4, 9, 9)),
        steps: [[3, 4, 5]],
      },
      { name: 'Rain', axis: axes.point, steps: [[9]] },
    ],
  });
  const array = await arrayOf(t, bytes, 1);
  t.deepEqual(
    array.items.map(({ axes: numbers }) => numbers),
    [[0], [1], []],
  );
  t.deepEqual([...array.axes[1]!.values], [0, 1, 4]);
  t.deepEqual([...(await array.read(2, 0, [], []))], [9]);
  const { receipt, bytes: again } = await converted(t, bytes, own(1));
  t.true(again.equals(bytes));
  t.like(receipt.statistics.after, { kind: 'array' });
  const one = await converted(t, bytes, { ...own(1), readerParameters: { AllowedItemNames: ['Discharge'] } });
  t.is((await DfsFile.open(new CountedSource(one.bytes))).header.items.length, 1);
});
