import test from 'ava';
import { enrol, VERSION_4 } from '../world/move-copy.ts';
import { newProject, untilEnd } from '../world/transfers.ts';
import { workHere } from '../world/worker-here.ts';
import { world } from '../world.ts';

const w = world(test);

test('a copy into another tenant has series and values; a move keeps them', async (t) => {
  const [sourceTenant, targetTenant] = [await w.tenant(), await w.tenant()];
  const owner = await w.account({ tenantId: sourceTenant, role: 'Owner' });
  await enrol(w, targetTenant, owner, 'Owner');
  const client = w.as(owner);
  const projectId = await newProject(client, 'From');
  const there = await client.post('/api/metadata/project', { name: 'To' }, { 'svc-tenant-id': targetTenant });
  const target = { targetProjectId: there.body.id, targetTenantId: targetTenant };
  const made = await client.post(
    '/api/ts/dataset',
    { datasetProperties: { name: 'gauges' } },
    { 'svc-project-id': projectId },
  );
  const { id } = made.body;
  const item = { name: 'Level', unit: 'eumUmeter', item: 'eumIWaterLevel', dataType: 'Double' };
  for (const tsId of ['z', 'a']) {
    await client.post(`/api/ts/dataset/${id}/timeseries`, { id: tsId, item });
    const answer = await client.post(
      `/api/ts/dataset/${id}/timeseries/${tsId}/upload/csv`,
      `2026-01-24;${tsId.length}.5`,
      {
        'content-type': 'text/csv',
      },
    );
    t.is(answer.status, 204);
  }
  const worker = await workHere(w);
  try {
    const run = async (verb: string) => {
      const { body } = await client.post(`/api/metadata/dataset/${id}/${verb}`, target, VERSION_4);
      const ended = await untilEnd(client, body.id);
      t.is(ended.status, 'Completed', JSON.stringify(ended));
    };
    await run('copy');
    await run('move');
  } finally {
    await worker.stop();
  }
  const list = await client.get(`/api/metadata/project/${target.targetProjectId}/dataset/list`, {
    'svc-tenant-id': targetTenant,
  });
  t.is(list.body.data.length, 2);
  for (const dataset of list.body.data) {
    t.true(dataset.storageSize > 0);
    const url = `/api/ts/dataset/${dataset.id}/timeseries`;
    const series = (await client.get(`${url}/list`)).body.data.map((one: { id: string }) => one.id);
    t.deepEqual(series, ['z', 'a']);
    const { data } = (await client.post(`${url}/values`, ['a', 'z'])).body;
    t.deepEqual(data[0], [['2026-01-24T00:00:00.0000000', 1.5]]);
    t.is(data[1].length, 1);
  }
});
