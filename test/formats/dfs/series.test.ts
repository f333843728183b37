import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { inspect } from '../../../src/files/convert/inspect.ts';
import type { Data } from '../../../src/files/data/data.ts';
import type { Series } from '../../../src/files/data/series.ts';
import { offsetOf, stepCount, timeOf } from '../../../src/files/data/time-axis.ts';
import { RequestError } from '../../../src/files/errors.ts';
import { DfsFile } from '../../../src/files/formats/io/dfs/dfs-file.ts';
import { findReader } from '../../../src/files/formats/registry.ts';
import { converted } from '../files.ts';
import { block, dfsBytes, sourceOf, values } from './dfs-bytes.ts';
import { expected, sampleBytes, sampleTest } from './samples.ts';

const own = { reader: 'Dfs0Reader', writer: 'Dfs0Writer' };
const deleted = Math.fround(-1e-35);

async function seriesOf(t: ExecutionContext, bytes: Uint8Array, parameters = {}): Promise<Series> {
  const data: Data = await findReader('Dfs0Reader')!.read(await sourceOf(t, bytes), parameters, {
    signal: new AbortController().signal,
    scratch: tmpdir(),
    log() {},
    progress() {},
    reportLoss() {},
    remark() {},
    reportBadRecord() {},
    onEnd() {},
  });
  if (data.kind !== 'series') throw new Error(data.kind);
  return data;
}

async function columns(series: Series): Promise<number[][]> {
  const all: number[][] = series.items.map(() => []);
  for await (const { values: chunk } of series.chunks())
    for (const [n, column] of chunk.entries()) all[n]!.push(...Array.from(column, Number));
  return all;
}

function times(series: Series): number[] {
  const { time } = series;
  if (time.spacing === 'pulled') throw new Error('pulled');
  return Array.from({ length: stepCount(time) }, (_, step) =>
    time.start === undefined ? offsetOf(time, step) : timeOf(time, step),
  );
}

for (const { file, items, time } of expected.filter((one) => one.file.endsWith('.dfs0')))
  sampleTest(`${file} has the series of an independent reader, and is copied byte for byte`, async (t) => {
    const bytes = await sampleBytes(file);
    const series = await seriesOf(t, bytes);
    const all = await columns(series);
    for (const [n, item] of items.entries()) {
      t.like(series.items[n], { name: item.name, eum: { item: item.eumItem, unit: item.eumUnit } });
      const { type } = series.items[n]!;
      t.is(type?.toLowerCase(), item.dataType);
      const last = type === 'Float64' ? Float64Array.of(all[n]!.at(-1)!) : Float32Array.of(all[n]!.at(-1)!);
      t.is(createHash('sha256').update(last).digest('hex'), item.sha256Last);
    }
    t.is(times(series).length, time.steps);
    const result = await converted(t, bytes, own);
    t.true(result.bytes.equals(bytes));
    t.deepEqual(result.receipt.lost, []);
  });

const level = (more: object = {}, item: object = {}) =>
  dfsBytes({
    title: 'Gauges',
    time: { start: ['2020-01-01', '00:00:00'], interval: 3600 },
    items: [
      { name: 'Level', valueKind: 0, steps: [[1], [deleted], [3], [4]], ...item },
      { name: 'Rain', eum: [100004, 1002], type: 'Float64', valueKind: 2, steps: [[0.1], [0.2], [-1e-255], [0.4]] },
    ],
    ...more,
  });

const filtered = (temporalFilter: object) => [{ type: 'TemporalFilterTransformation', temporalFilter }];

test('items, value types, times and data types are kept when steps and items are selected', async (t) => {
  const { bytes, receipt, temporalInformation } = await converted(t, level(), {
    ...own,
    writerParameters: { WriteAsFloat: false },
    transformations: [
      ...filtered({ type: 'TemporalValueFilter', from: '2020-01-01T01:00:00', to: '2020-01-01T03:00:00' }),
      { type: 'ItemFilterTransformation', itemFilter: { names: ['Rain', 'Level'] } },
    ],
  });
  const series = await seriesOf(t, bytes);
  t.deepEqual(
    series.items.map(({ name, type, valueKind, unit, nodata }) => ({ name, type, valueKind, unit, nodata })),
    [
      { name: 'Rain', type: 'Float64', valueKind: 'stepAccumulated', unit: 'mm', nodata: -1e-255 },
      { name: 'Level', type: 'Float32', valueKind: undefined, unit: 'm', nodata: deleted },
    ],
  );
  t.deepEqual(await columns(series), [
    [0.2, -1e-255, 0.4],
    [deleted, 3, 4],
  ]);
  t.deepEqual(
    times(series),
    [1, 2, 3].map((hour) => Date.UTC(2020, 0, 1, hour)),
  );
  t.deepEqual(temporalInformation, {
    startTime: '2020-01-01T01:00:00.0000000',
    endTime: '2020-01-01T03:00:00.0000000',
    interval: 'PT1H',
  });
  t.deepEqual(receipt.lost, []);
  const kept = [{ type: 'ItemFilterTransformation', itemFilter: { names: ['Rain', 'Level'] } }];
  for (const asked of [{ writerParameters: { WriteAsFloat: true } }, { transformations: kept }]) {
    const single = await converted(t, level(), { ...own, ...asked });
    t.deepEqual(
      (await seriesOf(t, single.bytes)).items.map(({ type }) => type),
      ['Float32', 'Float32'],
    );
  }
});

test('times of the period are rounded to tenths of microseconds', async (t) => {
  const period = async (time: { offset?: number; interval: number }) => {
    const bytes = dfsBytes({
      time: { start: undefined, ...time },
      items: [{ name: 'Level', steps: [[1], [2], [3], [4]] }],
    });
    return (await converted(t, bytes, own)).temporalInformation;
  };
  // In doubles 3 × 0.3 s are less than 900 ms.
  t.deepEqual(await period({ interval: 0.3 }), {
    startTime: '1970-01-01T00:00:00.0000000',
    endTime: '1970-01-01T00:00:00.9000000',
    interval: 'PT0.3S',
  });
  t.deepEqual(await period({ offset: 0.12345678, interval: 20 }), {
    startTime: '1970-01-01T00:00:00.1234568',
    endTime: '1970-01-01T00:01:00.1234568',
    interval: 'PT20S',
  });
});

test('non-equidistant times stay exact; a relative axis stays relative', async (t) => {
  const steps = [[1], [2], [3], [4]];
  const uneven = dfsBytes({
    time: { start: ['2020-01-01', '00:00:00'], unit: 1402, times: [0.5, 2, 2.25, 7] },
    items: [{ name: 'Level', steps }],
  });
  const { bytes } = await converted(t, uneven, {
    ...own,
    transformations: filtered({ type: 'TemporalIndexListFilter', indices: [0, 2, 3] }),
  });
  const series = await seriesOf(t, bytes);
  t.deepEqual(
    times(series),
    [0.5, 2.25, 7].map((hour) => Date.UTC(2020, 0, 1) + hour * 3_600_000),
  );
  const relative = dfsBytes({
    time: { start: undefined, offset: 3, interval: 10 } as never,
    items: [{ name: 'Level', steps }],
  });
  const later = await converted(t, relative, {
    ...own,
    transformations: filtered({ type: 'TemporalIndexFilter', from: 1 }),
  });
  t.deepEqual(times(await seriesOf(t, later.bytes)), [13, 23, 33]);
  t.is((await seriesOf(t, later.bytes)).time.start, undefined);
});

test('series are filtered by position, and reprojected', async (t) => {
  const placed = (x: number, y: number) => ({ reference: [x, y, 2, deleted, deleted, deleted] });
  const file = dfsBytes({
    projection: ['LONG/LAT', 0, 0, 0],
    items: [
      { name: 'East', steps: [[1]], ...placed(12, 55) },
      { name: 'West', steps: [[2]], ...placed(8, 55) },
    ],
  });
  const box = {
    type: 'SpatialFilterTransformation',
    spatialFilter: { geometry: 'POLYGON ((10 50, 14 50, 14 60, 10 60, 10 50))', SRID: 4326 },
  };
  const { bytes, receipt } = await converted(t, file, {
    ...own,
    transformations: [box, { type: 'CrsTransformation', outputSrid: 32633 }],
  });
  const series = await seriesOf(t, bytes);
  t.deepEqual(
    series.items.map(({ name }) => name),
    ['East'],
  );
  t.true(Math.abs(series.items[0]!.position![0]! - 308124) < 1);
  t.regex(series.crs?.wkt ?? '', /WGS_1984_UTM_Zone_33N/);
  t.is(receipt.crs?.to, 'EPSG:32633');
  const error = await t.throwsAsync(
    converted(t, level(), { ...own, transformations: [box], readerParameters: { SRID: 4326 } }),
    {
      message: /'Level' has no position/,
    },
  );
  t.true(error instanceof RequestError);
});

test('statistics over time are a list of items', async (t) => {
  const { properties } = await converted(t, level(), {
    ...own,
    transformations: [{ type: 'CalculateStatisticsTransformation' }],
  });
  const [first] = properties!.statistics as readonly object[];
  t.like(first, { name: 'Level', unit: 'm', values: 3, empty: 1, minimum: 1, maximum: 4 });
});

test('a truncated file is read up to the last whole step, and the receipt reports it', async (t) => {
  const whole = level();
  const { bytes, receipt } = await converted(t, whole.subarray(0, -3), own);
  t.is(receipt.lost.length, 1);
  t.regex(
    receipt.lost[0]!,
    /declares 4 time steps, but the file ends at byte \d+, in step 4\. 3 whole steps were read\./,
  );
  t.deepEqual((await columns(await seriesOf(t, bytes)))[0], [1, deleted, 3]);
});

test('inspection recognizes the file by content and shows times, items and statistics', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'dfs-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const path = join(folder, 'gauge.bin');
  await writeFile(path, level());
  const { inspection } = await inspect({ path, scratch: folder, signal: new AbortController().signal });
  t.like(inspection, { looksLike: 'DFS0 file', format: 'dfs0', reader: 'Dfs0Reader', kind: 'series' });
  t.deepEqual(inspection.time, {
    steps: 4,
    axis: 'calendar',
    spacing: 'equidistant',
    unit: 'second',
    first: '2020-01-01T00:00:00',
    last: '2020-01-01T03:00:00',
    interval: 3600,
  });
  t.like(inspection.items![1], { name: 'Rain', type: 'Float64', values: 3, empty: 1, valueKind: 'stepAccumulated' });
});

test('statistics in a new file equal those of the DHI library', async (t) => {
  const { bytes } = await converted(t, level({ statisticsType: 1 }), {
    ...own,
    writerParameters: { WriteAsFloat: true },
  });
  t.true(bytes.includes(values('Float64', 4, 1, 1).subarray(5)), 'maximum, minimum and deleted values');
});

test('statistics type and axis unit are kept when a file is changed', async (t) => {
  for (const statisticsType of [1, 2]) {
    const item = {
      axis: block(31051, values('Int32', 1000)),
      more: statistics(statisticsType),
      steps: [[1], [2], [3]],
    };
    const file = dfsBytes({
      statisticsType,
      items: [
        { name: 'A', ...item },
        { name: 'B', ...item },
      ],
    });
    const { bytes } = await converted(t, file, {
      ...own,
      transformations: [{ type: 'ItemFilterTransformation', itemFilter: { names: ['B'] } }],
    });
    const { header } = await DfsFile.open(await sourceOf(t, bytes));
    t.is(header.statisticsType, statisticsType);
    t.is(header.items[0]!.axis.unit, 1000);
  }
});

const statistics = (type: number) =>
  type === 1 ? Buffer.alloc(0) : block(30003, values('Float64', ...Array(9).fill(0)));
