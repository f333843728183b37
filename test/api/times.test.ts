import test from 'ava';
import { newProject } from '../world/transfers.ts';
import { world } from '../world.ts';

const w = world(test);

test('The year 0000, which the database does not have, is refused in every time of a request; the year 0001 is not', async (t) => {
  const admin = w.as(await w.administrator());
  const seller = w.as(await w.account({ roles: 'BackOffice' }));
  const tenantId = await w.tenant();
  const owner = w.as(await w.account({ tenantId, role: 'Owner' }));
  const account = await w.account({ tenantId });
  const lot = {
    tenantId,
    credits: 1,
    salesOrderId: 'S',
    billingReference: { billingReference: 'R', billingReferenceType: 'EXT' },
  };
  const wrong = ['0000-01-01', '0000-12-31T235959', '0000-02-29T00:00:00.5Z', ' 0000-01-01 '];
  for (const time of wrong) {
    const encoded = encodeURIComponent(time);
    const answers = {
      at: [
        await owner.get(`/api/iam/credit/${tenantId}?at=${encoded}`),
        await owner.post(`/api/iam/credit/details?at=${encoded}`, { tenantId }),
        await owner.post(`/api/iam/credit/details/extended?at=${encoded}`, { tenantId }),
        await admin.post(`/api/iam/credit/unassigned?at=${encoded}`, {}),
        await admin.post(`/api/iam/credit/unassigned/details?at=${encoded}`, {}),
      ],
      expiresAt: [
        await seller.post('/api/iam/credit', { ...lot, expiresAt: time }),
        await owner.post('/api/iam/key', { name: 'k', role: 'Owner', expiresAt: time }),
      ],
      lockedDateEnd: [await admin.put('/api/accounts', { id: account.id, locked: true, lockedDateEnd: time })],
      after: [await admin.get(`/api/audit/list?after=${encoded}`)],
      from: [await owner.get(`/api/conversion/transfer/list-summaries?from=${encoded}`)],
      to: [await owner.get(`/api/conversion/transfer/list-summaries?to=${encoded}`)],
      since: [await admin.get(`/api/admin/failure?since=${encoded}`)],
    };
    for (const [member, all] of Object.entries(answers))
      for (const [n, { status, body }] of all.entries()) {
        t.is(status, 400, `${member} ${n} ${time}`);
        t.deepEqual(Object.keys(body.errors), [member], `${member} ${n} ${time}`);
        t.true(body.errors[member][0].includes(`'${time}'`) || body.errors[member][0].includes(`'${time.trim()}'`));
      }
  }
  t.is((await owner.get(`/api/iam/credit/${tenantId}?at=0001-01-01`)).status, 200);
  t.is((await owner.get('/api/conversion/transfer/list-summaries?from=0001-01-01')).status, 200);
});

test('Data may lie in the year 0000, and is read by times of that year', async (t) => {
  const client = w.as(await w.account());
  const headers = { 'svc-project-id': await newProject(client, 'Long ago') };
  const { body: made } = await client.post('/api/ts/dataset', { datasetProperties: { name: 'old' } }, headers);
  const url = `/api/ts/dataset/${made.id}/timeseries`;
  const item = { name: 'Level', unit: 'eumUmeter', item: 'eumIWaterLevel', dataType: 'Double' };
  t.is((await client.post(url, { id: 'old', item })).status, 201);
  const csv = '0000-06-01T00:00:00;1\n0001-06-01T00:00:00;2\n';
  const uploaded = await client.post(`${url}/old/upload/csv`, csv, { 'content-type': 'text/csv' });
  t.is(uploaded.status, 204, JSON.stringify(uploaded.body));
  const { status, body } = await client.get(`${url}/old/values?from=0000-01-01&to=0000-12-31`);
  t.is(status, 200);
  t.deepEqual(body.data, [['0000-06-01T00:00:00.0000000', 1]]);
});
