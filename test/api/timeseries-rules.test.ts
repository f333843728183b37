import { once } from 'node:events';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { newProject } from '../world/transfers.ts';
import { type Client, world } from '../world.ts';

const w = world(test);

const LEVEL = { name: 'Level', unit: 'eumUmeter', item: 'eumIWaterLevel', dataType: 'Double' };
const CSV = { 'content-type': 'text/csv' };

async function newGauge(client: Client, projectId: string) {
  const made = await client.post(
    '/api/ts/dataset',
    {
      timeSeriesSchema: {
        properties: [
          { name: 'station', dataType: 'text' },
          { name: 'number', dataType: 'Long' },
          { name: 'since', dataType: 'DateTime' },
        ],
      },
      datasetProperties: { name: 'gauges' },
    },
    { 'svc-project-id': projectId },
  );
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  const url = `/api/ts/dataset/${made.body.id}`;
  const added = await client.post(`${url}/timeseries`, { id: 'gauge', item: LEVEL });
  if (added.status !== 201) throw new Error(JSON.stringify(added.body));
  return { id: made.body.id as string, url, series: `${url}/timeseries/gauge` };
}

const scene = async () => {
  const owner = await w.account();
  const client = w.as(owner);
  const projectId = await newProject(client, 'Gauges');
  return { owner, client, projectId, ...(await newGauge(client, projectId)) };
};

test('reads are cached until the next write of the dataset', async (t) => {
  const { client, series, projectId, id, url } = await scene();
  const first = await client.get(`${series}/values`);
  t.regex(String(first.headers['cache-control']), /must-revalidate, max-age=600/);
  const { etag } = first.headers as { etag: string };
  t.is((await client.get(`${series}/values`)).headers.etag, etag);
  t.is((await client.get(`${series}/values`, { 'if-none-match': etag })).status, 304);
  t.is((await client.post(`${series}/upload/csv`, '2026-01-24;1', CSV)).status, 204);
  const second = await client.get(`${series}/values`, { 'if-none-match': etag });
  t.is(second.status, 200);
  t.is(second.body.data.length, 1);
  t.is((await client.delete(`${series}/values?to=2026-01-24`)).status, 204);
  t.deepEqual((await client.get(`${series}/values`)).body.data, []);
  t.deepEqual((await client.get(url)).body.metadata, {});
  await client.put(`/api/metadata/project/${projectId}/dataset`, { id, name: 'g', metadata: { new: 1 } });
  t.deepEqual((await client.get(url)).body.metadata, { new: 1 }, 'a change of the record is seen, too');
});

test('a cached response is not served to an account that lost its role', async (t) => {
  const { client, series, projectId } = await scene();
  const reader = await w.account();
  await client.post(`/api/metadata/project/${projectId}/member`, { userId: reader.userId, role: 'Reader' });
  t.is((await w.as(reader).get(`${series}/values`)).status, 200);
  t.is((await w.as(reader).delete(`${series}/values`)).status, 403);
  await client.delete(`/api/metadata/project/${projectId}/member/${reader.userId}`);
  t.is((await w.as(reader).get(`${series}/values`)).status, 404);
});

test('invalid series definitions are refused', async (t) => {
  const { client, url, series } = await scene();
  const refusal = async (wanted: object) => {
    const { status, body } = await client.post(`${url}/timeseries`, { item: LEVEL, ...wanted });
    return `${status} ${body.detail}`;
  };
  t.regex(await refusal({ id: 'gauge' }), /^409 .*'gauge'/);
  t.regex(await refusal({ id: 'a/b' }), /^400/);
  t.regex(await refusal({ item: { ...LEVEL, unit: 'eumUfurlong' } }), /^400 .*eumUfurlong/);
  t.regex(await refusal({ item: { ...LEVEL, item: 'x' } }), /^400 .*'x'/);
  t.regex(await refusal({ properties: { nope: 1 } }), /^400 .*'nope'/);
  t.regex(await refusal({ properties: { number: 1.5 } }), /^400 .*Long/);
  t.regex(await refusal({ dataFields: [{ name: 'f', dataType: 'Text', flags: [{ id: 1, name: 'x' }] }] }), /^400/);
  const schema = (properties: object[]) => client.put(`${url}/schema/properties`, { properties });
  t.is((await schema([{ name: 'station', dataType: 'Long' }])).status, 409);
  t.is(
    (
      await schema([
        { name: 'station', dataType: 'Text' },
        { name: 'flood', dataType: 'Boolean' },
      ])
    ).status,
    204,
  );
  t.is((await client.put(series, { properties: { flood: true, station: null } })).status, 204);
  t.is((await client.put(`${series}/property`, { property: 'number', value: 5 })).status, 204);
  t.is((await client.put(`${series}/property`, { property: 'number', value: '5' })).status, 400);
  t.deepEqual((await client.get(series)).body.properties, { flood: true, station: null, number: 5 });
  t.is((await client.get(`${url}/timeseries/none`)).status, 404);
  t.is((await client.delete(series)).status, 204);
  t.deepEqual((await client.get(`${url}/timeseries/list`)).body.data, []);
});

test('series are found by item and properties', async (t) => {
  const { client, url } = await scene();
  const add = (id: string, name: string, properties: object) =>
    client.post(`${url}/timeseries`, { id, item: { ...LEVEL, name }, properties });
  await add('a', 'Level of Ribe', { station: 'Ribe', number: 9, since: '2026-01-24' });
  await add('b', 'Flow', { station: 'Esbjerg', number: 10, since: '2026-01-25T00:00:00' });
  const find = async (...conditions: [string, string, unknown][]) => {
    const list = conditions.map(([name, operator, value]) => ({
      type: 'AttributeQueryCondition',
      name,
      operator,
      value,
    }));
    const one = await client.post(`${url}/timeseries/query`, { conditions: list });
    const two = await client.post(`${url}/timeseries/query`, list);
    t.deepEqual(one.body.data, two.body.data);
    return one.body.data?.map(({ id }: { id: string }) => id) ?? one.status;
  };
  t.deepEqual(await find(), ['gauge', 'a', 'b']);
  t.deepEqual(await find(['Item', 'StartsWith', 'Level']), ['gauge', 'a']);
  t.deepEqual(await find(['Item', 'Contains', 'Ribe']), ['a']);
  t.deepEqual(await find(['number', 'GreaterThan', 9]), ['b']);
  t.deepEqual(await find(['number', 'LessThanOrEqual', 10], ['station', 'Equal', 'Ribe']), ['a']);
  t.deepEqual(await find(['station', 'NotEqual', 'Ribe']), ['gauge', 'b']);
  t.deepEqual(await find(['since', 'GreaterThanOrEqual', '2026-01-25']), ['b']);
  t.is(await find(['nope', 'Equal', 1]), 400);
  t.is(await find(['number', 'Contains', 1]), 400);
  t.is(await find(['number', 'Equal', 'x']), 400);
});

test('values of several series are returned in the order of the request', async (t) => {
  const { client, url, series } = await scene();
  await client.post(`${url}/timeseries`, { id: 'b', item: LEVEL });
  await client.post(`${series}/upload/csv`, '2026-01-24;1\n2026-01-25;2', CSV);
  const read = (ids: string[]) => client.post(`${url}/timeseries/values?from=2026-01-25`, ids);
  t.deepEqual((await read(['b', 'gauge'])).body.data, [[], [['2026-01-25T00:00:00.0000000', 2]]]);
  t.is((await read(['b', 'c'])).status, 404);
});

test('a time series dataset has no file content: routes for it are 400 or leave it out', async (t) => {
  const { client, id, projectId } = await scene();
  const raw = await client.get(`/api/raw/dataset/${id}`);
  t.is(raw.status, 400);
  t.regex(raw.body.detail, /TSReader/);
  const grant = (await client.get(`/api/security/sastoken?projectId=${projectId}&resourceId=${id}`)).body.data;
  t.is((await w.nobody.get(`/api/blob/dataset/${id}?${grant}`)).status, 400);
  t.is((await w.nobody.put(`/api/blob/dataset/${id}?${grant}`, Buffer.from('x'))).status, 400);
  const prepared = await client.get('/api/filesync/prepare-download', { 'svc-project-id': projectId });
  t.deepEqual(prepared.body, { data: [] });
  for (const [verb, body] of [
    ['convert', { readerName: 'FileReader', writerName: 'FileWriter', outputDatasetData: { name: 'x' } }],
    ['convert', { writerName: 'FileWriter', outputDatasetData: { name: 'x' } }],
    ['download-convert', { readerName: 'FileReader', writerName: 'FileWriter' }],
  ] as const)
    t.is((await client.post(`/api/metadata/dataset/${id}/${verb}`, body)).status, 400, verb);
});

test('time series cannot be changed while a transfer locks the dataset', async (t) => {
  const { client, id, series } = await scene();
  const transfer = '0192f7a0-6c1e-7d3a-9b52-3f1e8a7c4d10';
  await w.sql('insert into dataset_readers (dataset_id, transfer_id) values ($1, $2)', [id, transfer]);
  const refused = await client.post(`${series}/upload/csv`, '2026-01-24;1', CSV);
  t.is(refused.status, 409);
  t.is(refused.body.code, 'DatasetLocked');
  t.is((await client.delete(`${series}/values`)).status, 409);
  t.is((await client.get(`${series}/values`)).status, 200);
  await w.sql('delete from dataset_readers where dataset_id = $1', [id]);
  await w.sql('update datasets set locked_by = $2 where id = $1', [id, transfer]);
  t.is((await client.post(`${series}/upload/csv`, '2026-01-24;1', CSV)).status, 409);
});

test('deleting to the recycle bin keeps the values; a purge removes them', async (t) => {
  const { client, id, series, url } = await scene();
  await client.post(`${series}/upload/csv`, '2026-01-24;1', CSV);
  t.is((await client.delete(`/api/metadata/dataset/${id}`)).status, 204);
  t.is((await client.get(`${series}/values`)).status, 404);
  t.is((await client.put(`/api/recycle-bin/dataset/${id}/restore`)).status < 300, true);
  t.is((await client.get(`${series}/values`)).body.data.length, 1);
  await client.delete(`/api/metadata/dataset/${id}`);
  t.true((await client.delete(`/api/recycle-bin/dataset/${id}`)).status < 300);
  t.is((await client.get(url)).status, 404);
  const left = await w.sql('select from ts_series where dataset_id = $1', [id]);
  t.is(left.length, 0);
});

test('two concurrent uploads to one series store both sets of values', async (t) => {
  const { client, series } = await scene();
  const lines = (odd: number) =>
    Array.from({ length: 5000 }, (_, at) => new Date(Date.UTC(2026, 0, 1, 0, 2 * at + odd)).toISOString().slice(0, 19))
      .map((time) => `${time};${odd}`)
      .join('\n');
  const answers = await Promise.all([0, 1].map((odd) => client.post(`${series}/upload/csv`, lines(odd), CSV)));
  t.deepEqual(
    answers.map(({ status }) => status),
    [204, 204],
  );
  const { data } = (await client.get(`${series}/values`)).body;
  t.is(data.length, 10_000);
  t.true(data.every((row: number[], at: number) => row[1] === at % 2));
});

test('Idempotency-Key on an upload of CSV: a repetition writes nothing, another body is 422', async (t) => {
  const { client, series } = await scene();
  const send = (text: string, key: string, query = '') =>
    client.post(`${series}/upload/csv${query}`, text, { ...CSV, 'idempotency-key': key });
  const first = Array.from({ length: 20_000 }, (_, n) => `${new Date(n * 60_000).toISOString()};1`).join('\n');
  t.is((await send(first, 'one')).status, 204);
  t.is((await send('1970-01-01T00:00:00Z;2', 'two')).status, 204);
  const again = await send(first, 'one');
  t.is(again.status, 204);
  t.is(again.headers['idempotent-replayed'], 'true');
  const { data } = (await client.get(`${series}/values?to=1970-01-01T00:00:00Z`)).body;
  t.is(data[0][1], 2, 'the repetition does not write over what came later');
  for (const [text, query] of [
    [`${first}\n`, ''],
    [first.replace(/1$/, '3'), ''],
    ['', ''],
    [first, '?delimiter=%3B'],
  ] as const) {
    const other = await send(text, 'one', query);
    t.deepEqual([other.status, other.body?.code], [422, 'IdempotencyKeyReused']);
  }

  t.is((await send('1970-01-01T00:00:00Z;x', 'three')).status, 400);
  t.is((await send('1970-01-01T00:00:00Z;3', 'three')).status, 204, 'a refusal leaves no key');
});

test('an upload of CSV that breaks off leaves no Idempotency-Key and no values; a streamed one is repeated', async (t) => {
  const { owner, client, series } = await scene();
  const address = await w.listen();
  const key = 'streamed';
  const authorization = `Bearer ${await w.tokenOf(owner)}`;
  const send = () => {
    const headers = { ...CSV, authorization, 'idempotency-key': key };
    return request(`${address}${series}/upload/csv`, { method: 'POST', headers });
  };
  const lines = (from: number) => Array.from({ length: 5000 }, (_, n) => `${from + n}-01-01;1\n`).join('');
  const broken = send();
  broken.on('error', () => {});
  broken.write(lines(1000));
  for (let tries = 0; tries < 600; tries++) {
    const claimed = await w.sql('select from idempotency_claims where user_id = $1', [owner.userId]);
    if (claimed.length > 0) break;
    await sleep(20);
  }
  broken.destroy();
  for (const replayed of [undefined, 'true']) {
    for (let tries = 0; ; tries++) {
      const whole = send();
      whole.on('error', () => {});
      const answered = once(whole, 'response');
      for (const from of [1000, 3000]) {
        whole.write(lines(from));
        await sleep(50);
      }
      whole.end();
      const [answer] = await answered;
      answer.resume();
      // until the request that broke off is noticed
      if (answer.statusCode === 409 && tries < 100) continue;
      t.is(answer.statusCode, 204);
      t.is(answer.headers['idempotent-replayed'], replayed);
      break;
    }
    t.is((await client.get(`${series}/values?limit=10000`)).body.data.length, 7000);
  }
});
