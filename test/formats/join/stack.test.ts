import test, { type ExecutionContext } from 'ava';
import { dateInName } from '../../../src/files/convert/join/file-date.ts';
import type { Series } from '../../../src/files/data/series.ts';
import type { TimeAxis } from '../../../src/files/data/time-axis.ts';
import { timeOf } from '../../../src/files/data/time-axis.ts';
import { flatMesh } from '../meshes.ts';
import { filesOf, gridAt, joinedFiles, rowsOf, stackBy } from './joined.ts';

const TIFF_TO_DFS2 = { reader: 'GeoTiffReader', writer: 'Dfs2Writer' };
const DFS2 = { reader: 'Dfs2Reader', writer: 'Dfs2Writer' };
const hour = 3_600_000;
const start = Date.UTC(2026, 0, 24);

const axis = (first: number, count: number): TimeAxis => ({
  spacing: 'equidistant',
  unit: 'hour',
  start: start + first * hour,
  count,
  offset: 0,
  interval: 1,
});
const timesOf = ({ data }: { data: unknown }): number[] => {
  const { time } = data as { time: TimeAxis };
  const count = time.spacing === 'equidistant' ? time.count : time.offsets.length;
  return Array.from({ length: count }, (_, step) => (timeOf(time, step) - start) / hour);
};

const rain = { bands: [{ name: 'rain' }] };

test('rasters are stacked by the dates in their names, sorted', async (t) => {
  const files = await filesOf(t, {
    'rain_20260124T0300.tif': gridAt(0, 100, [[3, -9999]], rain),
    'rain_20260124_000000.tif': gridAt(0, 100, [[0, 10]], rain),
    'rain_2026-01-24T01:00.tif': gridAt(0, 100, [[1, 11]], rain),
  });
  const { file, result } = await joinedFiles(t, files, { ...TIFF_TO_DFS2, transformations: stackBy('time') });
  t.deepEqual(timesOf(file), [0, 1, 3]);
  t.deepEqual(await rowsOf(file, 0, 0), [[0, 10]]);
  t.deepEqual(await rowsOf(file, 0, 1), [[1, 11]]);
  t.deepEqual((await rowsOf(file, 0, 2)).flat()[0], 3);
  t.is(result.receipt.inputs?.length, 3);
  t.is(result.temporalInformation?.startTime, '2026-01-24T00:00:00.0000000');
});

test('times inside the files win over dates in their names; evenly spaced steps are equidistant', async (t) => {
  const files = await filesOf(t, {
    'b_19990101.dfs2': gridAt(0, 100, [[3]], { ...rain, time: axis(3, 1) }),
    'a.dfs2': gridAt(0, 100, [[0]], { ...rain, time: axis(0, 3), more: [[[1]], [[2]]] }),
  });
  const { file } = await joinedFiles(t, files, { ...DFS2, transformations: stackBy('time') });
  t.deepEqual(timesOf(file), [0, 1, 2, 3]);
  t.is((file.data as { time: TimeAxis }).time.spacing, 'equidistant');
  t.deepEqual(
    await Promise.all([0, 1, 2, 3].map((step) => file.values(0, step).then((values) => values[0]))),
    [0, 1, 2, 3],
  );
});

for (const [what, files, sentence] of [
  ['without a time', { 'a_20260124.tif': [[1]], 'b.tif': [[2]] }, /^b\.tif: It has no time inside, and no date/],
  ['with several dates', { 'a_20260124_20260125.tif': [[1]] }, /^a_20260124_20260125\.tif: Its name has several dates/],
  [
    'with equal times',
    { 'a_20260124.tif': [[1]], 'b_2026-01-24.tif': [[2]] },
    /^a_.* and b_.* both have a step at 2026-01-24T00:00:00/,
  ],
  [
    'with other cells',
    { 'a_20260124.tif': [[1]], 'b_20260125.tif': [[1, 2]] },
    /^b_20260125\.tif: It has 2 × 1 cells.*1 × 1/,
  ],
] as const)
  test(`files ${what} are refused by name`, async (t) => {
    const made = Object.entries(files).map(([name, rows]) => [name, gridAt(0, 100, rows, rain)]);
    const paths = await filesOf(t, Object.fromEntries(made));
    const error = await t.throwsAsync(joinedFiles(t, paths, { ...TIFF_TO_DFS2, transformations: stackBy('time') }));
    t.regex(error!.message, sentence);
  });

test('files with other items are not stacked by time', async (t) => {
  const files = await filesOf(t, {
    'a_20260124.tif': gridAt(0, 100, [[1]], rain),
    'b_20260125.tif': gridAt(0, 100, [[1]], { bands: [{ name: 'wind' }] }),
  });
  const error = await t.throwsAsync(joinedFiles(t, files, { ...TIFF_TO_DFS2, transformations: stackBy('time') }));
  t.regex(error!.message, /^b_20260125\.tif: It does not have an item 'rain'/);
});

test('items of all files are stacked; equal names get the name of the file', async (t) => {
  const bands = (name: string) => ({ bands: [{ name }] });
  const files = await filesOf(t, {
    'a.tif': gridAt(0, 100, [[1, 2]], bands('depth')),
    'b.tif': gridAt(0, 100, [[3, 4]], bands('speed')),
    'c.tif': gridAt(0, 100, [[5, 6]], bands('depth')),
  });
  const { file, result } = await joinedFiles(t, files, {
    reader: 'GeoTiffReader',
    writer: 'GeoTiffWriter',
    transformations: stackBy('items'),
  });
  t.deepEqual(
    file.items.map(({ name }) => name),
    ['depth, a', 'speed', 'depth, c'],
  );
  t.deepEqual(await Promise.all([0, 1, 2].map((item) => rowsOf(file, item))), [[[1, 2]], [[3, 4]], [[5, 6]]]);
  t.true(result.receipt.remarks.some((one) => one.startsWith("a.tif: Its item 'depth' is called 'depth, a'")));
});

test('steps of files must agree to stack their items', async (t) => {
  const files = await filesOf(t, {
    'a.dfs2': gridAt(0, 100, [[0]], { ...rain, time: axis(0, 2), more: [[[1]]] }),
    'b.dfs2': gridAt(0, 100, [[0]], { ...rain, time: axis(1, 2), more: [[[1]]] }),
  });
  const error = await t.throwsAsync(joinedFiles(t, files, { ...DFS2, transformations: stackBy('items') }));
  t.regex(
    error!.message,
    /^b\.dfs2: It has 2 steps from 2026-01-24T01:00:00 .*, and the first file 2 steps from 2026-01-24T00:00:00/,
  );
});

test('meshes with the same elements are stacked by time', async (t) => {
  const at = (day: number) => {
    const mesh = flatMesh();
    const items = mesh.items.slice(0, 2);
    return {
      ...mesh,
      items,
      time: { ...axis(24 * day, 2), interval: 6 } as TimeAxis,
      values: async (item: number, step: number) => (await mesh.values(item, step)).map((value) => value + day),
    };
  };
  const files = await filesOf(t, { 'late.dfsu': at(1), 'early.dfsu': at(0) });
  const { file } = await joinedFiles(t, files, {
    reader: 'DfsuReader',
    writer: 'DfsuWriter',
    transformations: stackBy('time'),
  });
  t.deepEqual(timesOf(file), [0, 6, 24, 30]);
  for (const [step, day, inFile] of [
    [0, 0, 0],
    [1, 0, 1],
    [2, 1, 0],
    [3, 1, 1],
  ] as const) {
    const wanted = await at(day).values(1, inFile);
    t.deepEqual([...((await file.values(1, step)) as Float32Array)], [...(wanted as Float32Array)]);
  }
  const other = flatMesh();
  other.nodes[0]! += 50;
  const [moved] = await filesOf(t, { 'moved.dfsu': { ...other, items: other.items.slice(0, 2) } });
  const error = await t.throwsAsync(
    joinedFiles(t, [files[0]!, moved!], {
      reader: 'DfsuReader',
      writer: 'DfsuWriter',
      transformations: stackBy('time'),
    }),
  );
  t.regex(error!.message, /^moved\.dfsu: Node 1 lies at .* in the first file, and at .* in this one/);
});

const series = (names: readonly string[], first: number, values: readonly (readonly number[])[]): Series => ({
  kind: 'series',
  items: names.map((name) => ({ name, type: 'Float64', nodata: -1e-30 })),
  time: axis(first, values[0]!.length),
  async *chunks() {
    const offsets = Float64Array.from(values[0]!.keys());
    yield { firstStep: 0, offsets, values: values.map((one) => Float64Array.from(one)) };
  },
});
const allOf = async (t: ExecutionContext, files: readonly string[], by: string) => {
  const { file } = await joinedFiles(t, files, {
    reader: 'Dfs0Reader',
    writer: 'Dfs0Writer',
    transformations: stackBy(by),
  });
  const values = await Promise.all(file.items.map(async (_, item) => [...((await file.values(item)) as Float64Array)]));
  return { times: timesOf(file), names: file.items.map(({ name }) => name), values };
};

test('series are stacked by time and by items', async (t) => {
  const inTime = await filesOf(t, {
    'b.dfs0': series(['q', 'h'], 2, [
      [3, 4],
      [30, 40],
    ]),
    'a.dfs0': series(['h', 'q'], 0, [
      [10, 20],
      [1, 2],
    ]),
  });
  t.deepEqual(await allOf(t, inTime, 'time'), {
    times: [0, 1, 2, 3],
    names: ['q', 'h'],
    values: [
      [1, 2, 3, 4],
      [10, 20, 30, 40],
    ],
  });
  const beside = await filesOf(t, { 'a.dfs0': series(['h'], 0, [[10, 20]]), 'b.dfs0': series(['q'], 0, [[1, 2]]) });
  t.deepEqual(await allOf(t, beside, 'items'), {
    times: [0, 1],
    names: ['h', 'q'],
    values: [
      [10, 20],
      [1, 2],
    ],
  });
  const woven = await filesOf(t, { 'a.dfs0': series(['h'], 0, [[1, 2]]), 'b.dfs0': series(['h'], 0.5, [[3, 4]]) });
  await t.throwsAsync(allOf(t, woven, 'time'), { message: /overlap in time/ });
});

test('dates in names of files', (t) => {
  const at = (text: string) => Date.parse(`${text}Z`);
  for (const [name, wanted] of [
    ['rain_202601.tif', at('2026-01-01T00:00:00')],
    ['rain20260124.tif', at('2026-01-24T00:00:00')],
    ['r-20260124-0615-x.tif', at('2026-01-24T06:15:00')],
    ['20260124_061530.tif', at('2026-01-24T06:15:30')],
    ['2026-01-24T06-15-30Z.nc', at('2026-01-24T06:15:30')],
    ['tile_20260230.tif', undefined],
    ['tile_123456789.tif', undefined],
    ['tile_12.tif', undefined],
  ] as const)
    t.is(dateInName(name), wanted, name);
});
