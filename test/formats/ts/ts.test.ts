import test from 'ava';
import type { Series } from '../../../src/files/data/series.ts';
import { decodeBlock, encodeBlock, openBlock } from '../../../src/files/formats/ts/block.ts';
import { kindsOf } from '../../../src/files/formats/ts/definition.ts';
import type { Cell, Rows } from '../../../src/files/formats/ts/rows.ts';
import { SeriesFile } from '../../../src/files/formats/ts/series-file.ts';
import { jsonOfCell, type SeriesColumn } from '../../../src/series/cells.ts';
import { dayText, formatTime } from '../../../src/series/clock.ts';
import { RowText } from '../../../src/series/row-text.ts';
import { randomOf } from '../../world/random.ts';
import { dfsBytes, type TestFile } from '../dfs/dfs-bytes.ts';
import { type Asked, converted } from '../files.ts';
import { memory } from '../read.ts';
import { written } from '../written.ts';
import { held, seriesFile } from './series-files.ts';

const DELETED = Math.fround(-1e-35);
const toStore = { reader: 'Dfs0Reader', writer: 'TSWriter' };
const fromStore = { reader: 'TSReader', writer: 'Dfs0Writer', writerParameters: { WriteAsFloat: false } };

/** The series of a file that TSWriter made, with their rows. */
async function stored(bytes: Uint8Array) {
  const file = await SeriesFile.open(memory(bytes));
  const series = [];
  for (const [n, { present: _, blocks: __, ...definition }] of file.series.entries()) {
    const rows: Cell[][] = [];
    for await (const { data } of file.blocks(n)) {
      const { times, columns } = decodeBlock(data, kindsOf(definition));
      for (const [at, time] of times.entries())
        rows.push([
          new Date(Number(time / 1000n)).toISOString().slice(0, -1),
          ...columns.map((cells) => cells[at] as Cell),
        ]);
    }
    series.push({ ...definition, rows });
  }
  return { schema: file.schema, series };
}

const hourly = { start: ['2020-02-28', '22:00:00'] as [string, string], unit: 1402, interval: 1 };
const gauge = (over: Partial<TestFile> = {}): TestFile => ({
  time: hourly,
  items: [
    { name: 'Level', eum: [100000, 1000], valueKind: 0, steps: [[1.25], [DELETED], [1.5]] },
    { name: 'Rain', eum: [100004, 1002], type: 'Float64', valueKind: 2, steps: [[0.1], [0.3], [-1e-255]] },
  ],
  ...over,
});

test('a DFS0 file gives a series for each item, and these give it back with items, types, times and delete values', async (t) => {
  const bytes = dfsBytes(gauge());
  const there = await converted(t, bytes, {
    ...toStore,
    writerParameters: { TimeSeriesProperties: [{ name: 'station', dataType: 'Text' }] },
  });
  const { schema, series } = await stored(there.bytes);
  t.deepEqual(schema, [{ name: 'station', dataType: 'Text' }]);
  t.deepEqual(
    series.map(({ item, rows }) => ({ ...item, rows })),
    [
      {
        name: 'Level',
        unit: 'eumUmeter',
        item: 'eumIWaterLevel',
        dataType: 'Single',
        timeSeriesType: 'Instantaneous',
        rows: [
          ['2020-02-28T22:00:00.000', 1.25],
          ['2020-02-28T23:00:00.000', null],
          ['2020-02-29T00:00:00.000', 1.5],
        ],
      },
      {
        name: 'Rain',
        unit: 'eumUmillimeter',
        item: 'eumIRainfall',
        dataType: 'Double',
        timeSeriesType: 'StepAccumulated',
        rows: [
          ['2020-02-28T22:00:00.000', 0.1],
          ['2020-02-28T23:00:00.000', 0.3],
          ['2020-02-29T00:00:00.000', null],
        ],
      },
    ],
  );
  t.like(there.temporalInformation, { startTime: '2020-02-28T22:00:00.0000000', interval: 'PT1H' });
  t.deepEqual(there.receipt.lost, []);
  const back = await converted(t, there.bytes, fromStore);
  t.deepEqual(await held(t, back.bytes), await held(t, bytes));
  t.deepEqual(back.receipt.lost, []);
});

test('times at any distance are read back to the microsecond, and values of several blocks in order', async (t) => {
  const times = [0.25, 0.250001, 3600.5, 86_400, 40_000_000.000_003];
  const uneven = { start: hourly.start, times };
  const steps = times.map((_, n) => [n / 3]);
  const bytes = dfsBytes(gauge({ time: uneven, items: [{ name: 'Level', type: 'Float64', steps }] }));
  const back = await converted(t, (await converted(t, bytes, toStore)).bytes, fromStore);
  t.deepEqual(await held(t, back.bytes), await held(t, bytes));

  const many = Array.from({ length: 10_000 }, (_, n) => [Math.fround(Math.sin(n))]);
  const long = dfsBytes(gauge({ items: [{ name: 'Level', steps: many }] }));
  const store = await converted(t, long, toStore);
  t.is((await SeriesFile.open(memory(store.bytes))).series[0]!.blocks, 3);
  t.deepEqual(await held(t, (await converted(t, store.bytes, fromStore)).bytes), await held(t, long));
});

test('a relative axis counts from 1970, quantities outside of EUM are undefined, and the receipt says both', async (t) => {
  const items = [{ name: 'Odd', eum: [123456, 9] as [number, number], steps: [[1], [2]] }];
  const there = await converted(
    t,
    dfsBytes({ time: { start: undefined as never, unit: 1400, interval: 60 }, items }),
    toStore,
  );
  const { series } = await stored(there.bytes);
  t.like(series[0]!.item, { item: 'eumIItemUndefined', unit: 'eumUUnitUndefined' });
  t.deepEqual(
    series[0]!.rows.map(([time]) => time),
    ['1970-01-01T00:00:00.000', '1970-01-01T00:01:00.000'],
  );
  t.regex(there.receipt.lost.join(), /no identifier.*count from 1970-01-01/);
});

test('names are trimmed, and the receipt says so', async (t) => {
  const items = [
    { name: ' Level ', eum: [100000, 1000] as [number, number], steps: [[1]] },
    { name: 'Flow', eum: [100000, 1000] as [number, number], steps: [[2]] },
  ];
  const { bytes, receipt } = await converted(t, dfsBytes(gauge({ items })), toStore);
  t.deepEqual(
    (await stored(bytes)).series.map(({ item }) => item.name),
    ['Level', 'Flow'],
  );
  t.deepEqual(receipt.lost, ["The name ' Level ' became 'Level': names of series have no blanks around them."]);
});

const mixed = () =>
  seriesFile([
    {
      name: 'Level',
      id: 'ribe',
      rows: [
        ['2020-01-01T00:00:00', 1],
        ['2020-01-01T02:00:00', null],
        ['2020-01-01T03:00:00', 3],
      ],
    },
    {
      name: 'Level',
      id: 'skive',
      dataType: 'Single',
      rows: [
        ['2020-01-01T01:00:00', 10],
        ['2020-01-01T03:00:00', 30],
      ],
    },
    { name: 'Count', id: 'count', dataType: 'Int64', rows: [['2020-01-01T03:00:00', 7n]] },
    { name: 'Note', id: 'note', dataType: 'Text', rows: [['2019-01-01T00:00:00', 'dry']] },
    { name: 'Flow', id: 'empty', rows: [] },
  ]);

test('series of different times become items over the union of their times; ids distinguish equal names', async (t) => {
  const { bytes, receipt } = await converted(t, await mixed(), fromStore);
  const hour = 3_600_000;
  const start = Date.parse('2020-01-01T00:00:00Z');
  const dfs = await held(t, bytes);
  t.deepEqual(
    dfs.items.map(({ name, type }) => [name, type]),
    [
      ['Level, ribe', 'Float64'],
      ['Level, skive', 'Float32'],
      ['Count', 'Float64'],
      ['Flow', 'Float64'],
    ],
  );
  t.is(dfs.spacing, 'equidistant');
  t.deepEqual(
    dfs.times,
    [0, 1, 2, 3].map((n) => start + n * hour),
  );
  t.deepEqual(dfs.columns, [
    [1, -1e-255, -1e-255, 3],
    [DELETED, 10, DELETED, 30],
    [-1e-255, -1e-255, -1e-255, 7],
    [-1e-255, -1e-255, -1e-255, -1e-255],
  ]);
  t.deepEqual(receipt.lost, ["Series 'Note' with values of type Text or Date, which are no numbers, were left out."]);

  const chosen = { ...fromStore, readerParameters: { TimeSeriesIds: ['skive'] } };
  const one = await held(t, (await converted(t, await mixed(), chosen)).bytes);
  t.deepEqual(
    [one.items[0]!.name, one.times, one.columns],
    ['Level, skive'.slice(0, 5), [start + hour, start + 3 * hour], [[10, 30]]],
  );
  const named = { ...fromStore, readerParameters: { AllowedItemNames: ['Nothing'] } };
  await t.throwsAsync(converted(t, await mixed(), named), { message: /None of the 5 series was chosen/ });
});

test('from store to store nothing is lost, and a filter does not fill up series of different times', async (t) => {
  const same: Asked = { reader: 'TSReader', writer: 'TSWriter' };
  const fields = [{ name: 'remark', dataType: 'Text' as const }];
  const whole = await seriesFile(
    [
      {
        name: 'Level',
        id: 'a',
        dataFields: fields,
        properties: { station: 'Ribe' },
        rows: [['2020-01-01T00:00:00', 1, 'ice']],
      },
    ],
    { schema: [{ name: 'station', dataType: 'Text' }] },
  );
  const copied = await converted(t, whole, same);
  t.deepEqual(await stored(copied.bytes), await stored(whole));
  t.deepEqual(copied.receipt.lost, []);

  const transformations = [
    {
      type: 'TemporalFilterTransformation',
      temporalFilter: { type: 'TemporalValueFilter', from: '2020-01-01T01:00:00' },
    },
    { type: 'ItemFilterTransformation', itemFilter: { itemIndices: [0, 1] } },
  ];
  const { series } = await stored((await converted(t, await mixed(), { ...same, transformations })).bytes);
  t.deepEqual(
    series.map(({ rows }) => rows),
    [
      [
        ['2020-01-01T02:00:00.000', null],
        ['2020-01-01T03:00:00.000', 3],
      ],
      [
        ['2020-01-01T01:00:00.000', 10],
        ['2020-01-01T03:00:00.000', 30],
      ],
    ],
  );
  const lost = (await converted(t, whole, fromStore)).receipt.lost;
  t.deepEqual(lost, [
    "Data fields were left out: Series 'Level' had them.",
    "Properties were left out: Series 'Level' had them.",
  ]);
});

test('an append writes only the new rows, matched to series by name', async (t) => {
  const existing = {
    format: 'ts',
    content: await seriesFile([
      {
        name: 'Level',
        id: 'ribe',
        dataType: 'Single',
        dataFields: [{ name: 'remark', dataType: 'Text' }],
        rows: [['2020-02-28T21:00:00', 9, 'ice']],
      },
      { name: 'Note', dataType: 'Text', rows: [['2020-02-28T21:00:00', 'dry']] },
      { name: 'Twice', id: 'one', rows: [] },
      { name: 'Twice', id: 'two', rows: [] },
      { name: 'Count', dataType: 'Int16', rows: [] },
    ]),
  };
  const file = (items: TestFile['items'], time = hourly) => dfsBytes({ time, items });
  const level = (...values: number[]) => ({
    name: 'Level',
    eum: [100000, 1000] as [number, number],
    steps: values.map((one) => [one]),
  });
  const asked = { ...toStore, existing };
  const added = await converted(t, file([level(1, DELETED)]), {
    ...asked,
    transformations: [{ type: 'CalculateStatisticsTransformation' }],
  });
  const { series } = await stored(added.bytes);
  t.is(series.length, 1);
  t.is(series[0]!.id, 'ribe');
  t.deepEqual(series[0]!.rows, [
    ['2020-02-28T22:00:00.000', 1, null],
    ['2020-02-28T23:00:00.000', null, null],
  ]);
  t.like(added.receipt.appended, { present: 2, added: 2 });
  t.like((added.properties!.statistics as object[])[0], { name: 'Level', values: 2, minimum: 1, maximum: 9 });

  const refused = async (bytes: Buffer, message: RegExp) => {
    await t.throwsAsync(converted(t, bytes, asked), { message });
  };
  await refused(
    file([level(1)], { ...hourly, start: ['2020-02-28', '21:00:00'] }),
    /step at 2020-02-28T21:00:00, which is not after 2020-02-28T21:00:00/,
  );
  await refused(file([{ name: 'Depth', steps: [[1]] }]), /no series with the item 'Depth'; it has 'Level', 'Note'/);
  await refused(file([{ name: 'Twice', steps: [[1]] }]), /several series with the item 'Twice' \(one, two\)/);
  await refused(file([{ name: 'Note', steps: [[1]] }]), /values of type Text, not numbers/);
  await refused(file([level(1), level(2)]), /several items 'Level'/);
  await refused(
    file([{ ...level(1), eum: [100004, 1002] }]),
    /EUM item 100000 and unit 1000 in the dataset, and 100004/,
  );
  await refused(
    file([{ name: 'Count', eum: [100000, 1000], steps: [[1.5]] }]),
    /value 1.5 of 'Count' at 2020-02-28T22:00:00 is no Int16/,
  );
});

test('steps out of order are refused, the last of equal times wins, and infinite values are left empty', async (t) => {
  const axis = (offsets: number[]): Series => ({
    kind: 'series',
    items: [{ name: 'Level', type: 'Float64' }],
    time: { spacing: 'nonEquidistant', unit: 'second', start: 0, offsets: Float64Array.from(offsets) },
    async *chunks() {
      yield {
        firstStep: 0,
        offsets: Float64Array.from(offsets),
        values: [Float64Array.from(offsets, (_, n) => (n === 3 ? Infinity : n))],
      };
    },
  });
  const { content, lost } = await written(t, axis([0, 1, 1, 2]), 'TSWriter');
  t.deepEqual(
    (await stored(content)).series[0]!.rows.map(([, value]) => value),
    [0, 2, null],
  );
  t.regex(lost.join(), /1 steps had the time of the one before.*1 values of 'Level' are not finite/);
  await t.throwsAsync(written(t, axis([0, 2, 1]), 'TSWriter'), {
    message: /step at 1970-01-01T00:00:01 follows the one at 1970-01-01T00:00:02/,
  });
});

test('values of a DFS0 file that are not a number are left empty, which is reported; delete values are not', async (t) => {
  const steps = [[1.25], [Number.NaN], [-1e-35], [Number.NaN]];
  const there = await converted(t, dfsBytes(gauge({ items: [{ name: 'Level', steps }] })), toStore);
  const { rows } = (await stored(there.bytes)).series[0]!;
  t.deepEqual(
    rows.map(([, value]) => value),
    [1.25, null, null, null],
  );
  t.deepEqual(there.receipt.lost, ["2 values of 'Level' are not finite and were left empty."]);
});

test('NaN of data without another nodata value is no loss', async (t) => {
  for (const nodata of [{}, { nodata: Number.NaN }]) {
    const series: Series = {
      kind: 'series',
      items: [{ name: 'Level', type: 'Float64', ...nodata }],
      time: { spacing: 'equidistant', unit: 'second', start: 0, count: 2, offset: 0, interval: 1 },
      async *chunks() {
        yield { firstStep: 0, offsets: Float64Array.of(0, 1), values: [Float64Array.of(1, Number.NaN)] };
      },
    };
    t.deepEqual((await written(t, series, 'TSWriter')).lost, []);
  }
});

test('a file that is not a time series dataset is refused', async (t) => {
  await t.throwsAsync(converted(t, 'ncols 3', { reader: 'TSReader', writer: 'Dfs0Writer' }), {
    message: /TSReader reads datasets of time series, not files/,
  });
});

/** Cells of each type, among them those whose text is easily wrong. */
const cellsToWrite: readonly { column: Omit<SeriesColumn, 'name'>; some: (pick: () => number) => Cell }[] = [
  { column: { kind: 'f64', dataType: 'Double', flags: [] }, some: (pick) => Math.round(pick() * 4e6 - 2e6) / 1000 },
  { column: { kind: 'f64', dataType: 'Double', flags: [] }, some: (pick) => (pick() - 0.5) * 10 ** (60 * pick() - 30) },
  { column: { kind: 'f64', dataType: 'Double', flags: [] }, some: (pick) => (pick() < 0.5 ? -0 : 2.5) },
  { column: { kind: 'f64', dataType: 'Double', flags: [] }, some: (pick) => (pick() < 0.5 ? 0.000_001 : 1e7) },
  {
    column: { kind: 'f32', dataType: 'Single', flags: [] },
    some: (pick) => Math.fround(Math.round(pick() * 3e6) / 10 ** Math.floor(7 * pick())),
  },
  { column: { kind: 'f32', dataType: 'Single', flags: [] }, some: (pick) => Math.fround(pick() * 1e30) },
  { column: { kind: 'i16', dataType: 'Int16', flags: [] }, some: (pick) => Math.floor(pick() * 65_536) - 32_768 },
  { column: { kind: 'i32', dataType: 'Int32', flags: [] }, some: (pick) => Math.floor(pick() * 2 ** 32) - 2 ** 31 },
  {
    column: { kind: 'i64', dataType: 'Int64', flags: [] },
    some: (pick) => BigInt(Math.floor(pick() * 2 ** 52)) << 10n,
  },
  { column: { kind: 'i64', dataType: 'DateTime', flags: [] }, some: (pick) => BigInt(Math.floor(pick() * 2 ** 52)) },
  {
    column: {
      kind: 'i32',
      dataType: 'Flag',
      flags: [
        { id: 7, name: 'ice' },
        { id: 9, name: 'gap' },
      ] as never,
    },
    some: (pick) => Math.floor(2 * pick()),
  },
  {
    column: { kind: 'text', dataType: 'Text', flags: [] },
    some: (pick) => ['', 'Über "Ribe"', 'ø'.repeat(300), '\u{1f30a}\n', 'x'.repeat(17)][Math.floor(5 * pick())]!,
  },
];

test('the text of a day is that of its date, also in leap years and before 1970', (t) => {
  const pick = randomOf(16);
  const days = Array.from({ length: 20_000 }, () => Math.floor(pick() * 4_000_000) - 1_000_000);
  for (const day of [...days, -719_528, -719_529, 2_932_896, 2_932_897, 0, -1, 59, 60, 11_016, 11_017, -25_509])
    if (dayText(day) !== new Date(day * 86_400_000).toISOString().slice(0, -13)) t.fail(`${day}: ${dayText(day)}`);
  t.pass();
});

test('rows are written as JSON byte by byte as their cells and times are one by one', (t) => {
  const pick = randomOf(15);
  const columns = cellsToWrite.map(({ column }, n): SeriesColumn => ({ name: `${n}`, ...column }));
  const kinds = columns.map(({ kind }) => kind);
  // the last two are beyond the numbers of JavaScript
  for (const [start, step] of [
    [-62_135_596_800_000_000n, 3_600_000_000n],
    [1_769_241_600_123_456n, 1n],
    [-7n, 86_400_000_001n],
    [9_007_199_254_000_000n, 60_000_000n],
    [253_402_300_790_000_000n, 1_500_000n],
  ] as const) {
    const rows: Rows = {
      times: Array.from({ length: 97 }, (_, n) => start + 2n * BigInt(n) * step + (n % 5 === 0 ? 1n : 0n)),
      columns: cellsToWrite.map(({ some }) => Array.from({ length: 97 }, () => (pick() < 0.2 ? null : some(pick)))),
    };
    const block = openBlock(encodeBlock(rows, kinds, 0, 97), kinds);
    const text = new RowText(columns);
    for (const [from, to] of [
      [0, 96],
      [13, 60],
      [96, 96],
    ] as const) {
      const expected = rows.times.slice(from, to + 1).map((time, n) => {
        const cells = columns.map((column, c) => jsonOfCell(rows.columns[c]![from + n]!, column));
        return `["${formatTime(time)}",${cells.join(',')}]`;
      });
      const rest = text.of(block, rows.times[from]!, rows.times[to]!).toString();
      t.is(rest.length, expected.join(',').length);
      t.true(rest === expected.join(','), `${start}`);
    }
    t.is(text.of(block, start - 9n, start - 1n).length, 0);
    t.is(text.of(block, rows.times[96]! + 1n, rows.times[96]! + 2n).length, 0);
  }
});
