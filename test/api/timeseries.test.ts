import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import pg from 'pg';
import { LEVEL, newSeries, newSeriesDataset, SCHEMA } from '../world/series.ts';
import { type Client, world } from '../world.ts';

const w = world(test);

const CSV = { 'content-type': 'text/csv' };
const upload = (client: Client, series: string, text: string | Buffer, query = '') =>
  client.post(`${series}/upload/csv${query}`, text, CSV);
const valuesOf = async (client: Client, series: string, query = '') =>
  (await client.get(`${series}/values${query}`)).body.data;
const at = (text: string) => `2026-01-24T${text}.0000000`;

test('a new time series dataset is visible before the response is sent', async (t) => {
  const owner = await w.account();
  const client = w.as(owner);
  const { id, url, made, projectId } = await newSeriesDataset(client);
  t.deepEqual(made, { id, items: [], timeSeriesProperties: SCHEMA, metadata: { River: null } });
  const record = (await client.get(`/api/metadata/dataset/${id}`)).body;
  t.like(record, { name: 'gauges', datasetType: 'timeseries', datasetFormat: 'ts', storageSize: 0, projectId });
  await newSeries(client, url);
  await newSeries(client, url);
  t.deepEqual((await client.get(url)).body, { ...made, items: [LEVEL] });
  const list = await client.get(`/api/metadata/project/${projectId}/dataset/list`);
  t.deepEqual(
    list.body.data.map((one: { id: string }) => one.id),
    [id],
  );
  t.is((await client.post('/api/ts/dataset', { datasetProperties: { name: 'x' } })).status, 400);
});

test('values are returned in order of time, by interval with both ends included', async (t) => {
  const client = w.as(await w.account());
  const { id, url } = await newSeriesDataset(client);
  const series = await newSeries(client, url, { id: 'a~1' });
  t.is(
    (
      await upload(
        client,
        series,
        '2026-01-24T08:00:00;2.5\n2026-01-24 07:00:00;1\r\n\r\n"2026-01-24T090000.123456";\n',
      )
    ).status,
    204,
  );
  t.deepEqual(await valuesOf(client, series), [
    [at('07:00:00'), 1],
    [at('08:00:00'), 2.5],
    ['2026-01-24T09:00:00.1234560', null],
  ]);
  t.deepEqual(await valuesOf(client, series, '?from=2026-01-24T08:00:00&to=2026-01-24T080000'), [
    [at('08:00:00'), 2.5],
  ]);
  t.is((await client.get(`${series}/values?from=2026-01-25&to=2026-01-24`)).status, 400);
  const { temporalInformation, storageSize } = (await client.get(`/api/metadata/dataset/${id}`)).body;
  t.deepEqual(temporalInformation, { startTime: at('07:00:00'), endTime: '2026-01-24T09:00:00.1234560' });
  t.true(storageSize > 0);
});

test('a value at an existing time overwrites it; the last one in a body wins', async (t) => {
  const client = w.as(await w.account());
  const series = await newSeries(client, (await newSeriesDataset(client)).url);
  await upload(client, series, '2026-01-24;1\n2026-01-25;2\n2026-01-24;3\n');
  await client.post(`${series}/upload/json`, [
    ['2026-01-25', 4],
    ['2026-01-26', 5],
    ['2026-01-26', 6],
  ]);
  t.deepEqual(
    (await valuesOf(client, series)).map((row: unknown[]) => row[1]),
    [3, 4, 6],
  );
});

test('CSV options are applied: delimiter, decimal separator, columns, quotes, byte order mark, Latin-1', async (t) => {
  const client = w.as(await w.account());
  const { url } = await newSeriesDataset(client);
  const series = await newSeries(client, url);
  const query = '?datetimeIndex=2&valueIndex=0&delimiter=%7C&decimalSeparator=,';
  t.is((await upload(client, series, '\ufeff1,5|"a|""b""\nc"|2026-01-24\n2|x|2026-01-25', query)).status, 204);
  t.deepEqual(
    (await valuesOf(client, series)).map((row: unknown[]) => row[1]),
    [1.5, 2],
  );
  t.is((await upload(client, series, '1.5|x|2026-01-24', query)).status, 400);
  t.is((await upload(client, series, '1;2', '?delimiter=;&decimalSeparator=;')).status, 400);
  const text = await newSeries(client, url, { item: { ...LEVEL, dataType: 'Text' } });
  t.is((await upload(client, text, Buffer.from('2026-01-24;\xe9t\xe9\n', 'latin1'))).status, 204);
  t.is((await upload(client, text, Buffer.from('2026-01-25;été\n'))).status, 204);
  t.is((await upload(client, text, Buffer.from('2026-01-26\t"a; ""b"""\n'), '?delimiter=%5Ct')).status, 204);
  t.deepEqual(
    (await valuesOf(client, text)).map((row: unknown[]) => row[1]),
    ['été', 'été', 'a; "b"'],
  );
});

test('an invalid line is 400 with its number, and no row is written', async (t) => {
  const client = w.as(await w.account());
  const series = await newSeries(client, (await newSeriesDataset(client)).url);
  for (const [text, line] of [
    ['2026-01-24;1\n\n2026-01-32;2\n', 3],
    ['2026-01-24;1\n2026-01-25;x\n', 2],
    ['2026-01-24;NaN\n', 1],
    ['2026-01-24;1e999\n', 1],
    ['2026-01-24\n', 1],
    ['2026-01-24;1\n2026-01-25;"2\n', 2],
  ] as const) {
    const { status, body } = await upload(client, series, text);
    t.is(status, 400, text);
    t.true(body.detail.startsWith(`Line ${line}:`), body.detail);
  }
  const answer = await client.post(`${series}/upload/json`, [
    ['2026-01-24', 1],
    ['2026-01-25', 'x'],
  ]);
  t.is(answer.status, 400);
  t.regex(answer.body.detail, /^Row 2: 'x'/);
  t.deepEqual(await valuesOf(client, series), []);
  t.is((await client.post(`${series}/upload/csv`, '{}', { 'content-type': 'application/json' })).status, 415);
});

test('values of each type are returned exactly', async (t) => {
  const client = w.as(await w.account());
  const { url } = await newSeriesDataset(client);
  const cases = {
    Text: ['é"\n', '', '1'],
    Date: [at('08:00:00'), '1969-12-31T23:59:59.9999990'],
    Int16: [-32768, 32767, 0],
    Int32: [-2147483648, 2147483647],
    Single: [0.1, 1e-45, 3.4028235e38, 16777216, -0.30000004],
    Double: [0.1, 5e-324, 1.7976931348623157e308, 123.456789012345],
  };
  for (const [dataType, values] of Object.entries(cases)) {
    const series = await newSeries(client, url, { item: { ...LEVEL, dataType } });
    const rows = [...values, null].map((value, day) => [`2026-01-${String(day + 1).padStart(2, '0')}`, value]);
    t.is((await client.post(`${series}/upload/json`, rows)).status, 204, dataType);
    t.deepEqual(
      (await valuesOf(client, series)).map((row: unknown[]) => row[1]),
      [...values, null],
      dataType,
    );
  }
  const whole = await newSeries(client, url, { item: { ...LEVEL, dataType: 'Int64' } });
  const body = '[["2026-01-01",9223372036854775807],["2026-01-02",-9007199254740993]]';
  t.is((await client.post(`${whole}/upload/json`, body, { 'content-type': 'application/json' })).status, 204);
  await upload(client, whole, '9999-12-31T23:59:59.999999;-9223372036854775808\n');
  t.is(
    (await client.get(`${whole}/values`)).raw.toString(),
    '{"data":[["2026-01-01T00:00:00.0000000",9223372036854775807],["2026-01-02T00:00:00.0000000",-9007199254740993],["9999-12-31T23:59:59.9999990",-9223372036854775808]]}',
  );
  t.is((await upload(client, whole, '2026-01-01;9223372036854775808')).status, 400);
});

test('an absent body is an empty list', async (t) => {
  const client = w.as(await w.account());
  const { url } = await newSeriesDataset(client);
  const series = await newSeries(client, url);
  const read = await client.post(`${url}/timeseries/values`);
  t.deepEqual([read.status, read.body], [200, { data: [] }]);
  const json = { 'content-type': 'application/json' };
  for (const body of [undefined, '', '[]', '{}', '{"data":[]}', '{"data":null}', 'null'])
    t.is((await client.post(`${series}/upload/json`, body, json)).status, 204, body);
  for (const body of ['{"rows":[]}', '1', '"text"', '{"data":1}'])
    t.is((await client.post(`${series}/upload/json`, body, json)).status, 400, body);
  t.deepEqual(await valuesOf(client, series), []);
});

test('a JSON body of many rows is streamed: each row is read once, and an error in a late row has its number', async (t) => {
  const client = w.as(await w.account());
  const { url } = await newSeriesDataset(client);
  const series = await newSeries(client, url);
  const json = { 'content-type': 'application/json' };
  const send = (body: string) => client.post(`${series}/upload/json`, body, json);
  const start = Date.parse('2026-01-01T00:00:00Z');
  const row = (n: number) => `["${new Date(start + n * 1000).toISOString().slice(0, 19)}", ${n}]`;
  const rows = Array.from({ length: 30_000 }, (_, n) => row(n));
  t.is((await send(`{"note": ["a, [b]"], "d\\u0061ta": [${rows.join(' ,\n')} ]}`)).status, 204);
  const read = await valuesOf(client, series);
  t.deepEqual([read.length, read[29_999][1]], [30_000, 29_999]);
  const wrong = await send(`[${[...rows, '["yesterday",1]'].join(',')}]`);
  t.deepEqual([wrong.body.code, wrong.body.detail], ['InvalidRow', 'Row 30001: "yesterday" is not a time.']);
  for (const [body, code] of [
    [`[${rows.join(',')},]`, 'MalformedJson'],
    [`[${' '.repeat(20_000)},${rows.join(',')}]`, 'MalformedJson'],
    [`[${rows.join(',')}`, 'MalformedJson'],
    [`[${rows.join(',')}}`, 'MalformedJson'],
    [`{"data":[${rows.join(',')}],"data":[]}`, 'MalformedJson'],
    [`[["2026-01-01",${'0,'.repeat(20_000)}0]]`, 'TooManyMembers'],
    [`{"data":[],"more":[${'0,'.repeat(20_000)}0]}`, 'TooManyMembers'],
  ] as const)
    t.is((await send(body)).body.code, code, body.slice(0, 40));
});

test('data fields and flags are stored with the values; unknown flags are refused', async (t) => {
  const client = w.as(await w.account());
  const { url } = await newSeriesDataset(client);
  const flags = [
    { id: 1, name: 'good', level: 0 },
    { id: 7, name: 'bad', level: 2 },
  ];
  const series = await newSeries(client, url, {
    dataFields: [
      { name: 'measured', dataType: 'DateTime' },
      { name: 'quality', dataType: 'Flag', flags },
    ],
  });
  t.is((await upload(client, series, '2026-01-24;1;7\n2026-01-25;2;\n2026-01-26;3;good', '?flagIndex=2')).status, 204);
  t.is((await client.post(`${series}/upload/json`, { data: [['2026-01-27', 4, '2026-01-28', 7]] })).status, 204);
  t.deepEqual(await valuesOf(client, series), [
    [at('00:00:00'), 1, null, 7],
    [at('00:00:00').replace('24', '25'), 2, null, null],
    [at('00:00:00').replace('24', '26'), 3, null, 1],
    [at('00:00:00').replace('24', '27'), 4, at('00:00:00').replace('24', '28'), 7],
  ]);
  const refused = await upload(client, series, '2026-01-24;1;8', '?flagIndex=2');
  t.is(refused.status, 400);
  t.regex(refused.body.detail, /Line 1: '8' is not a flag of 'quality'/);
  const plain = await newSeries(client, url);
  t.is((await upload(client, plain, '2026-01-24;1;8', '?flagIndex=2')).status, 400);
});

test('random overwrites and deletions of intervals match a simple model', async (t) => {
  const client = w.as(await w.account());
  const { id, url } = await newSeriesDataset(client);
  const series = await newSeries(client, url);
  const plain = new Map<string, number | null>();
  let state = 7;
  const random = (below: number) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state % below;
  };
  const time = (minute: number) => `${new Date(Date.UTC(2026, 0, 1) + minute * 60_000).toISOString().slice(0, 19)}`;
  for (let round = 0; round < 12; round++) {
    const [start, count, step] = [random(30_000), [1, 300, 9000][round % 3] as number, 1 + random(3)];
    const minutes = Array.from({ length: count }, (_, at) => start + at * step);
    if (round % 2) minutes.reverse();
    const lines = minutes.map((minute) => {
      const value = random(50) === 0 ? null : random(100_000) / (round % 3 === 1 ? 7 : 100);
      plain.set(time(minute), value);
      return `${time(minute)};${value ?? ''}`;
    });
    t.is((await upload(client, series, lines.join('\n'))).status, 204);
    const [from, to] = [random(40_000), random(5000)];
    t.is((await client.delete(`${series}/values?from=${time(from)}&to=${time(from + to)}`)).status, 204);
    for (const each of plain.keys()) if (each >= time(from) && each <= time(from + to)) plain.delete(each);
    const wanted = [...plain]
      .sort(([one], [two]) => (one < two ? -1 : 1))
      .map(([each, value]) => [`${each}.0000000`, value]);
    t.deepEqual(await valuesOf(client, series), wanted, `round ${round}`);
    const part = wanted.filter(([each]) => String(each) >= time(9000) && String(each) <= `${time(12_000)}.0000000`);
    t.deepEqual(await valuesOf(client, series, `?from=${time(9000)}&to=${time(12_000)}`), part);
  }
  const [sizes] = await w.sql<{ blocks: string; bytes: string }>(
    'select count(*) as blocks, sum(length(data)) as bytes from ts_blocks',
  );
  t.is((await client.get(`/api/metadata/dataset/${id}`)).body.storageSize >= 0, true);
  t.true(Number(sizes?.blocks) > 1);
  t.is((await client.delete(`${series}/values`)).status, 204);
  t.deepEqual(await valuesOf(client, series), []);
  const empty = (await client.get(`/api/metadata/dataset/${id}`)).body;
  t.is(empty.storageSize, 0);
  t.is(empty.temporalInformation, undefined);
});

test('values written one by one, in either direction, are packed into shared blocks', async (t) => {
  const client = w.as(await w.account());
  const { id, url } = await newSeriesDataset(client);
  const series = await newSeries(client, url);
  const days = [...Array(20).keys()].map((day) => `2026-01-${String(day + 1).padStart(2, '0')}`);
  for (const day of [...days.slice(0, 10).reverse(), ...days.slice(10)]) await upload(client, series, `${day};1`);
  t.is((await valuesOf(client, series)).length, 20);
  const rows = await w.sql('select from ts_blocks b join ts_series s on s.key = b.series_key where s.dataset_id = $1', [
    id,
  ]);
  t.is(rows.length, 1);
});

test('a long upload whose database connection breaks is rolled back completely', async (t) => {
  const client = w.as(await w.account());
  const { id, url } = await newSeriesDataset(client);
  const series = await newSeries(client, url);
  await upload(client, series, '2026-01-24;1\n');
  const before = (await client.get(`/api/metadata/dataset/${id}`)).body;
  // several runs of the spool
  const start = Date.parse('2026-01-24T00:00:00Z');
  const lines = Array.from(
    { length: 300_000 },
    (_, n) => `${new Date(start + n * 60_000).toISOString().slice(0, 19)};${n % 7}`,
  );
  const csv = lines.join('\n');
  const holder = new pg.Client(w.url);
  await holder.connect();
  try {
    // the last statement of the upload waits for this row, when all values are written
    await holder.query('begin');
    await holder.query('select from cache_generations where resource = $1 for update', [`timeseries:${id}`]);
    const { rows } = await holder.query('select pg_backend_pid() as pid');
    const answer = upload(client, series, csv);
    for (;;) {
      const cut = await w.sql(
        'select pg_terminate_backend(pid) from pg_stat_activity where $1 = any(pg_blocking_pids(pid))',
        [rows[0].pid],
      );
      if (cut.length > 0) break;
      await sleep(20);
    }
    await holder.query('rollback');
    const { status, body } = await answer;
    t.true(status >= 500, JSON.stringify(body));
    t.is(typeof body.detail, 'string');
  } finally {
    await holder.end();
  }
  t.deepEqual((await valuesOf(client, series)).length, 1);
  t.deepEqual((await client.get(`/api/metadata/dataset/${id}`)).body, before);
  t.is((await upload(client, series, csv)).status, 204);
  const year = await valuesOf(client, series, '?from=2026-08-20T07:59:00');
  t.deepEqual(year.at(-1), ['2026-08-20T07:59:00.0000000', 299_999 % 7]);
});
