import test, { type ExecutionContext } from 'ava';
import { sql } from '../../src/db.ts';
import { fileColumns } from '../../src/series/files/columns.ts';
import { boundedTexts } from '../../src/series/files/union.ts';
import { read } from '../formats/read.ts';
import { LEVEL, newSeries, newSeriesDataset } from '../world/series.ts';
import { type Client, world } from '../world.ts';

const w = world(test);

const QUALITY = {
  name: 'quality',
  dataType: 'Flag',
  flags: [
    { id: 1, name: 'good' },
    { id: 9, name: 'bad' },
  ],
};
const REMARK = { name: 'remark', dataType: 'Text' };
const at = (text: string) => `2026-01-24T${text}`;

interface Gauges {
  client: Client;
  url: string;
  ribe: string;
}

/** Two levels with gaps at different times, of single and double precision, with data fields; and texts. */
async function gauges(): Promise<Gauges> {
  const client = w.as(await w.account());
  const { url } = await newSeriesDataset(client);
  const ribe = await newSeries(client, url, { id: 'ribe', dataFields: [QUALITY, REMARK] });
  const vejle = await newSeries(client, url, { id: 'vejle', item: { ...LEVEL, dataType: 'Single' } });
  const weather = await newSeries(client, url, {
    id: 'weather',
    item: { ...LEVEL, name: 'Weather', dataType: 'Text' },
  });
  const rows = {
    [ribe]: [
      [at('08:00:00'), 1.5, 1, 'by hand, "dry"'],
      [at('09:00:00.25'), null, 9, null],
      [at('10:00:00'), 2.25, null, null],
    ],
    [vejle]: [
      [at('08:00:00'), 0.1],
      [at('11:00:00'), 7],
    ],
    [weather]: [[at('10:00:00'), 'rain']],
  };
  for (const [series, data] of Object.entries(rows)) {
    const { status, body } = await client.post(`${series}/upload/json`, { data });
    if (status !== 204) throw new Error(JSON.stringify(body));
  }
  return { client, url, ribe };
}

async function seriesIn(t: ExecutionContext, bytes: Buffer) {
  const { data } = await read(t, 'series', 'NetCdfReader', bytes);
  const values: number[][] = data.items.map(() => []);
  const times: number[] = [];
  for await (const chunk of data.chunks()) {
    times.push(...chunk.offsets);
    for (const [n, one] of chunk.values.entries()) values[n]!.push(...Array.from(one, Number));
  }
  const start = (data.time.start ?? 0) / 1000;
  return { items: data.items, times: times.map((time) => new Date((start + time) * 1000).toISOString()), values };
}

test('values of a series come as CSV, Parquet and NetCDF with data fields and units', async (t) => {
  const { client, ribe } = await gauges();
  const csv = await client.get(`${ribe}/values?f=csv`);
  t.is(csv.status, 200, JSON.stringify(csv.body));
  t.is(csv.headers['content-type'], 'text/csv; charset=utf-8');
  t.is(csv.headers['content-disposition'], 'attachment; filename="gauges.csv"');
  t.is(
    csv.raw.toString(),
    [
      'time,Level [m],quality,remark',
      '2026-01-24T08:00:00,1.5,1,"by hand, ""dry"""',
      '2026-01-24T09:00:00.250,,9,',
      '2026-01-24T10:00:00,2.25,,',
      '',
    ].join('\r\n'),
  );
  const parquet = await client.get(`${ribe}/values`, { accept: 'application/vnd.apache.parquet' });
  t.is(parquet.headers['content-disposition'], 'attachment; filename="gauges.parquet"');
  const { data } = await read(t, 'features', 'GeoParquetReader', parquet.raw);
  const found: unknown[][] = [];
  for await (const chunk of data.chunks()) found.push(...chunk.map(({ values }) => [...values]));
  t.deepEqual(
    data.fields.map(({ name }) => name),
    ['time', 'Level [m]', 'quality', 'remark'],
  );
  t.deepEqual(
    found.map(([time, ...cells]) => [Date.parse(`${time}Z`), ...cells.map((cell) => cell ?? null)]),
    (await client.get(`${ribe}/values`)).body.data.map(([time, ...cells]: unknown[]) => [
      Date.parse(`${time}Z`),
      ...cells,
    ]),
  );
  const netcdf = await client.get(`${ribe}/values?f=netcdf`);
  t.is(netcdf.headers['content-type'], 'application/netcdf', JSON.stringify(netcdf.body));
  t.deepEqual(JSON.parse(String(netcdf.headers.lost)), ["'remark' was left out: its values are no numbers."]);
  const { items, times, values } = await seriesIn(t, netcdf.raw);
  t.deepEqual(
    items.map(({ name, unit, eum }) => [name, unit, eum]),
    [
      ['Level', 'm', { item: 100_000, unit: 1000 }],
      ['quality', undefined, undefined],
    ],
  );
  t.deepEqual(
    times,
    ['08:00:00.000', '09:00:00.250', '10:00:00.000'].map((text) => `${at(text)}Z`),
  );
  t.deepEqual(values, [
    [1.5, Number.NaN, 2.25],
    [1, 9, Number.NaN],
  ]);
});

test('several series have a column each, over all their times in the interval', async (t) => {
  const { client, url } = await gauges();
  const ask = (query: string, ids = ['vejle', 'ribe', 'weather']) =>
    client.post(`${url}/timeseries/values${query}`, ids);
  const csv = await ask(`?f=csv&from=${at('09:00:00.25')}`);
  t.is(
    csv.raw.toString(),
    [
      'time,"Level, vejle [m]","Level, ribe [m]","Level, ribe, quality","Level, ribe, remark",Weather [m]',
      '2026-01-24T09:00:00.250,,,9,,',
      '2026-01-24T10:00:00,,2.25,,,rain',
      '2026-01-24T11:00:00,7,,,,',
      '',
    ].join('\r\n'),
  );
  const { items, times, values } = await seriesIn(t, (await ask(`?f=netcdf&to=${at('10:00:00')}`)).raw);
  t.deepEqual(
    items.map(({ name }) => name),
    ['Level, vejle', 'Level, ribe', 'Level, ribe, quality'],
  );
  t.is(times.length, 3);
  t.deepEqual(values, [
    [Math.fround(0.1), Number.NaN, Number.NaN],
    [1.5, Number.NaN, 2.25],
    [1, 9, Number.NaN],
  ]);
  const json = await ask('');
  t.is(json.body.data.length, 3);
  t.is((await ask('?f=csv', ['ribe', 'none'])).status, 404);
  t.is((await ask('?f=csv', ['ribe', 'ribe'])).raw.toString().split('\r\n')[0], 'time,Level [m],quality,remark');
});

test('what a file cannot hold is refused with a sentence', async (t) => {
  const { client, url, ribe } = await gauges();
  const texts = await client.get(`${url}/timeseries/weather/values?f=netcdf`);
  t.is(texts.status, 422);
  t.regex(texts.body.detail, /no numbers, which NetCDF needs/);
  const none = await client.get(`${ribe}/values?f=csv&from=2027-01-01`);
  t.is(none.raw.toString(), 'time,Level [m],quality,remark\r\n');
  for (const f of ['parquet', 'netcdf']) t.is((await client.get(`${ribe}/values?f=${f}&from=2027-01-01`)).status, 200);
  t.is((await client.get(`${ribe}/values?f=xlsx`)).status, 400);
  const other = w.as(await w.account());
  for (const f of ['csv', 'parquet', 'netcdf']) t.is((await other.get(`${ribe}/values?f=${f}`)).status, 404);
});

test('a file of too many values is a problem that names the export', async (t) => {
  const client = w.as(await w.account());
  const { url } = await newSeriesDataset(client);
  // 100 times of its own for each of 50 series are 5,000 rows of 50 · 21 columns
  const ids = Array.from({ length: 50 }, (_, n) => `s${n}`);
  const fields = Array.from({ length: 20 }, (_, n) => ({ name: `f${n}`, dataType: 'Double' }));
  const wide = await Promise.all(ids.map((id) => newSeries(client, url, { id, dataFields: fields })));
  const start = Date.UTC(2026, 0, 1);
  for (const [n, series] of wide.entries()) {
    const data = Array.from({ length: 100 }, (_, row) => [
      new Date(start + 1000 * (100 * n + row)).toISOString().slice(0, 23),
      row,
      ...fields.map(() => null),
    ]);
    t.is((await client.post(`${series}/upload/json`, { data })).status, 204);
  }
  const answer = await client.post(`${url}/timeseries/values?f=csv`, ids);
  t.is(answer.status, 413);
  t.regex(String(answer.headers['content-type']), /^application\/problem\+json/);
  t.regex(answer.body.detail, /more than 5000000 values.*POST \/api\/conversion\/download-convert/);
});

test.serial('a file that waited is refused if the dataset was deleted meanwhile', async (t) => {
  const { client, url, ribe } = await gauges();
  const unlock = Promise.withResolvers<void>();
  const locked = Promise.withResolvers<void>();
  const lock = w.db.transaction(async (tx) => {
    await tx.query(sql.unsafe`lock table ts_blocks in access exclusive mode`);
    locked.resolve();
    await unlock.promise;
  });
  await locked.promise;
  // all threads of a tenant wait for the lock, and the others for them
  const files = Array.from({ length: 5 }, () => client.get(`${ribe}/values?f=csv`));
  const blocked = async () =>
    (
      await w.sql<{ n: number }>(
        "select count(*)::int as n from pg_locks where not granted and relation = 'ts_blocks'::regclass",
      )
    )[0]!.n;
  while ((await blocked()) < 2) await client.get(url);
  t.is((await client.delete(url.replace('/ts/', '/metadata/'))).status, 204);
  unlock.resolve();
  await lock;
  const statuses = (await Promise.all(files)).map(({ status }) => status);
  t.is(statuses.filter((status) => status === 200).length, 2);
  t.is(statuses.filter((status) => status === 404).length, 3);
});

test('a file of texts that are long, but take little room in the database, is refused', async (t) => {
  const [log] = fileColumns([{ id: 'log', item: { ...LEVEL, dataType: 'Text' }, dataFields: [] } as never]);
  const rows = async (count: number) => {
    const texts = Array<string>(count).fill('x'.repeat(100_000));
    const part = { times: new Float64Array(count), columns: [texts] };
    return Array.fromAsync(boundedTexts([{ times: part.times, parts: [part] }], [log!]));
  };
  t.is((await rows(2684)).length, 1);
  await t.throwsAsync(rows(2685), { message: /texts of the file would have more than 268435456 characters/ });
});
