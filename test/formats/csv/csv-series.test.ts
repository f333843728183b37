import test, { type ExecutionContext } from 'ava';
import type { Series } from '../../../src/files/data/series.ts';
import { ConversionError, FormatError } from '../../../src/files/errors.ts';
import { converted } from '../files.ts';
import { read } from '../read.ts';
import { written } from '../written.ts';

async function series(t: ExecutionContext, text: string, parameters: Record<string, unknown> = {}) {
  const { data, ...said } = await read(t, 'series', 'CsvReader', text, parameters);
  const times: string[] = [];
  const values: number[][] = data.items.map(() => []);
  const start = data.time.start!;
  for await (const chunk of data.chunks()) {
    for (const offset of chunk.offsets) times.push(new Date(start + offset * 1000).toISOString().slice(0, 19));
    for (const [n, column] of chunk.values.entries()) values[n]!.push(...Array.from(column, Number));
  }
  return { ...said, data, times, values, names: data.items.map(({ name }) => name) };
}

const none = Number.NaN;

test('a time and columns of numbers are series, with units by EUM and UDUNITS in the header', async (t) => {
  const { data, names, times, values, lost, remarks } = await series(
    t,
    [
      'Date,Level [m],Flow (m3 s-1),"Rain, mm/h",Odd [furlong],flag',
      '2020-01-01 00:00,1.5,2,,4,ok',
      '2020-01-01 01:00,NaN,3,0.5,5,ok',
    ].join('\n'),
  );
  t.deepEqual(names, ['Level', 'Flow', 'Rain', 'Odd [furlong]']);
  t.deepEqual(
    data.items.map(({ unit, eum }) => [unit, eum?.unit]),
    [
      ['m', 1000],
      ['m^3/s', 1800],
      ['mm/hour', 2001],
      [undefined, undefined],
    ],
  );
  t.deepEqual(times, ['2020-01-01T00:00:00', '2020-01-01T01:00:00']);
  t.deepEqual(values, [
    [1.5, none],
    [2, 3],
    [none, 0.5],
    [4, 5],
  ]);
  t.like(data.time, { spacing: 'equidistant', count: 2, interval: 3600 });
  t.regex(lost.join(), /'flag'/);
  t.regex(remarks.join(), /The unit 'furlong' of 'Odd' is not known/);
});

for (const [form, cells, expected] of [
  ['days first', ['13.01.2020 00:15', '14.01.2020 00:15'], ['2020-01-13T00:15:00', '2020-01-14T00:15:00']],
  ['months first', ['1/13/2020 1:30 PM', '1/14/2020 1:30 PM'], ['2020-01-13T13:30:00', '2020-01-14T13:30:00']],
  ['names of months', ['01-Feb-2020', '02-Feb-2020'], ['2020-02-01T00:00:00', '2020-02-02T00:00:00']],
  ['a zone', ['2020-01-01T00:00:00+01:00', '2020-01-01T00:00:00Z'], ['2019-12-31T23:00:00', '2020-01-01T00:00:00']],
  ['the end of a day', ['2020-02-28 24:00', '2020-02-29 01:00'], ['2020-02-29T00:00:00', '2020-02-29T01:00:00']],
  ['basic form', ['20200101T0000', '20200101T0600'], ['2020-01-01T00:00:00', '2020-01-01T06:00:00']],
] as const)
  test(`times are read: ${form}`, async (t) => {
    const { times } = await series(t, `time;v\n${cells[0]};1\n${cells[1]};2\n`);
    t.deepEqual(times, expected);
  });

test('days and months that are not told apart ask for TimeFormat', async (t) => {
  const text = 'time,v\n03/04/2020 06:00,1\n04/04/2020 06:00,2\n';
  const error = await t.throwsAsync(series(t, text), { instanceOf: ConversionError });
  t.regex(error!.message, /column 'time'.*Give the parameter TimeFormat/);
  t.is((await series(t, text, { TimeFormat: 'dd/MM/yyyy HH:mm' })).times[0], '2020-04-03T06:00:00');
  t.is((await series(t, text, { TimeFormat: 'MM/dd/yyyy HH:mm' })).times[0], '2020-03-04T06:00:00');
  const packed = 'v,t\n1,202001311530\n';
  t.is((await series(t, packed, { Time: 't', TimeFormat: 'yyyyMMddHHmm' })).times[0], '2020-01-31T15:30:00');
  t.regex((await t.throwsAsync(series(t, text, { TimeFormat: 'QQ' })))!.message, /TimeFormat 'QQ'/);
});

test('rows of one value each are items over the union of their times', async (t) => {
  const text = 'time,variable,value\n2020-01-02,A [m],2\n2020-01-01,A [m],1\n2020-01-01,B,5\n2020-01-01,B,6\n';
  const { names, values, times, remarks } = await series(t, text);
  t.deepEqual(names, ['A', 'B']);
  t.deepEqual(times, ['2020-01-01T00:00:00', '2020-01-02T00:00:00']);
  t.deepEqual(values, [
    [1, 2],
    [6, none],
  ]);
  t.regex(remarks.join(), /1 values have the item and time of an earlier one/);
});

test('rows in another order are sorted by time', async (t) => {
  const { times, values, remarks } = await series(t, 'time,v\n2020-01-03,3\n2020-01-01,1\n2020-01-02,\n');
  t.deepEqual(times, ['2020-01-01T00:00:00', '2020-01-02T00:00:00', '2020-01-03T00:00:00']);
  t.deepEqual(values, [[1, none, 3]]);
  t.true(remarks.includes('Rows were sorted by time.'));
});

test('a text among numbers, and a text that is no time, end with the line', async (t) => {
  const rows = Array.from(
    { length: 1500 },
    (_, n) => `2020-01-01T00:${String(Math.floor(n / 60)).padStart(2, '0')}:${String(n % 60).padStart(2, '0')},${n}`,
  );
  const asked = { reader: 'CsvReader', writer: 'Dfs0Writer' };
  const text = `time,v\n${rows.join('\n')}\n2020-01-02,many\n`;
  await t.throwsAsync(converted(t, text, asked), {
    instanceOf: ConversionError,
    message: /^Line 1502 has 'many' in the column 'v'/,
  });
  const wrong = `time,v\n${rows.join('\n')}\nlater,1\n2020-01-03,2\n`;
  await t.throwsAsync(converted(t, wrong, asked), {
    instanceOf: FormatError,
    message: /^Line 1502 has 'later' in column 1/,
  });
  t.is((await converted(t, wrong, { ...asked, onBadRecord: 'skip' })).recordsSkipped, 1);
});

test('a table with a place holds points, with Kind=series the series', async (t) => {
  const text = 'time,lon,lat,v\n2020-01-01,9,54,1\n2020-01-02,9,54,2\n';
  const { data } = await read(t, 'features', 'CsvReader', text);
  t.deepEqual(
    data.fields.map(({ name, type }) => [name, type]),
    [
      ['time', 'date'],
      ['v', 'integer'],
    ],
  );
  t.deepEqual((await series(t, text, { Kind: 'series' })).names, ['lon', 'lat', 'v']);
  await t.throwsAsync(series(t, 'a,b\n1,2\n', { Kind: 'series' }), { message: /Give the parameter Time/ });
  await t.throwsAsync(series(t, 'a,b\n1,2\n', { Kind: 'points' }), { message: /Give the parameters X and Y/ });
});

test('series are written with units, without values that are missing, and read back', async (t) => {
  const data: Series = {
    kind: 'series',
    items: [
      { name: 'Level', unit: 'm', eum: { item: 100000, unit: 1000 }, type: 'Float32', nodata: Math.fround(-1e-35) },
      { name: 'Flow, "out"', type: 'Float64', valueKind: 'accumulated' },
    ],
    time: { spacing: 'equidistant', unit: 'second', start: Date.UTC(2020, 0, 1), count: 3, offset: 0, interval: 0.5 },
    async *chunks() {
      yield {
        firstStep: 0,
        offsets: Float64Array.of(0, 0.5, 1),
        values: [Float32Array.of(0.1, -1e-35, 16777216), Float64Array.of(0.1 + 0.2, Number.NaN, 1e300)],
      };
    },
  };
  const { content, lost } = await written(t, data, 'CsvWriter');
  t.is(
    content.toString(),
    [
      'time,Level [m],"Flow, ""out"""',
      '2020-01-01T00:00:00,0.1,0.30000000000000004',
      '2020-01-01T00:00:00.500,,',
      '2020-01-01T00:00:01,16777216,1e+300',
      '',
    ].join('\r\n'),
  );
  t.regex(lost.join(), /EUM quantities/);
  t.regex(lost.join(), /accumulated or means/);
  const back = await series(t, content.toString());
  t.deepEqual(back.values, [
    [0.1, none, 16777216],
    [0.1 + 0.2, none, 1e300],
  ]);
});

test('steps are appended to a table of series', async (t) => {
  const { text } = await converted(t, 'time,Level [m]\n2020-01-03,3\n', {
    reader: 'CsvReader',
    writer: 'CsvWriter',
    existing: { content: 'time,Level [m]\r\n2020-01-01T00:00:00,1\r\n2020-01-02T00:00:00,2\r\n', format: 'csv' },
  });
  t.is(text, 'time,Level [m]\r\n2020-01-01T00:00:00,1\r\n2020-01-02T00:00:00,2\r\n2020-01-03T00:00:00,3\r\n');
});
