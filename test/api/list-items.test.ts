import test from 'ava';
import { newDataset } from '../world/content.ts';
import { newProject } from '../world/transfers.ts';
import { ownWorld } from '../world.ts';

const w = ownWorld(test);
/** What JSON escapes, and what lists use to pack items. */
const AWKWARD = 'a "b" \\ c\u001f\u0001\n\té 水 \u{1f30a} \u2028 </script>';

test('items of dataset lists equal the single records, for all kinds of text', async (t) => {
  const [owner, reader] = [await w.account(), await w.account()];
  const client = w.as(owner);
  const projectId = await newProject(client, 'River', [{ user: reader, role: 'Reader' }]);
  const plain = await newDataset(w, projectId, owner, { name: '1 plain' });
  const awkward = await newDataset(w, projectId, owner, { name: '2', datasetFormat: 'of "quotes" \\' });
  const large = await newDataset(w, projectId, owner, { name: '3 large' });
  const members = {
    description: AWKWARD,
    metadata: { [AWKWARD]: [AWKWARD, null, 1.5e-7, true, {}] },
    properties: { depth: { '2': 1, '10': -0.25 } },
    tags: [AWKWARD, '{}', ''],
    temporalInformation: { startTime: '2026-01-24T08:17:02Z' },
    spatialInformation: { location: 'POINT (9 54.5)', srid: 25832 },
    permissions: [{ principals: [AWKWARD.slice(0, 4)], operation: 'read', type: 'Allowed' }],
  };
  for (const [id, more] of [
    [awkward, { name: '2 a "b" \\ é 水 \u{1f30a}', ...members }],
    [large, { name: '3 large', ...members, metadata: { text: AWKWARD.repeat(1000) } }],
  ] as const) {
    const { status, body } = await client.put(`/api/metadata/project/${projectId}/dataset`, { id, ...more });
    t.is(status, 200, JSON.stringify(body));
  }
  await w.sql(
    `update datasets set created_at = '2026-01-02 03:04:05+00', updated_at = '2026-01-02 03:04:05.600+00' where id = $1`,
    [plain],
  );
  for (const user of [owner, reader]) {
    const { body } = await w.as(user).get(`/api/metadata/project/${projectId}/dataset/list`);
    const records = [];
    for (const id of [plain, awkward, large]) records.push((await w.as(user).get(`/api/metadata/dataset/${id}`)).body);
    t.deepEqual(body.data, records);
    t.is('permissions' in body.data[1], user === owner);
    t.like(body.data[0], { createdAt: '2026-01-02T03:04:05.0000000', updatedAt: '2026-01-02T03:04:05.6000000' });
    const signed = await w
      .as(user)
      .get(`/api/metadata/project/${projectId}/dataset/list?includeSasTokens=true&limit=2`);
    t.deepEqual(
      signed.body.data.map(({ sasToken, ...item }: { sasToken: string }) => [typeof sasToken, item]),
      records.slice(0, 2).map((item) => ['string', item]),
    );
  }
});

test('items of transfer lists equal the single transfers, for all kinds of text', async (t) => {
  const tenantId = await w.tenant();
  const owner = await w.account({ tenantId, role: 'Owner' });
  const projectId = await newProject(w.as(owner));
  const insert = (members: string, ...values: unknown[]) =>
    w.sql(
      `insert into transfers (tenant_id, project_id, created_by, updated_by, account_id, type, request, memory_mb, format, ${members})
       values ($1, $2, $3, $3, 'x', 'Conversion', '{"readerName":"FileReader","writerName":"FileWriter","inputName":"x","readerParameters":{},"writerParameters":{},"transformations":[],"outputDatasetData":{}}', 4096, $4,
         ${values.map((_, n) => `$${n + 5}`).join(', ')})`,
      [tenantId, projectId, owner.userId, AWKWARD, ...values],
    );
  await insert('status', 'Pending');
  await insert('status, progress, finished_at, error_message', 'Error', 33.3, '2026-01-02 03:04:05+00', AWKWARD);
  await insert('status, progress, finished_at', 'Completed', 100, '2026-01-02 03:04:05.678901+00');
  const { body } = await w.as(owner).get('/api/conversion/transfer/list');
  t.is(body.totalCount, 3);
  const summaries = (await w.as(owner).get('/api/conversion/transfer/list-summaries')).body.data;
  for (const [n, item] of body.data.entries()) {
    const record = (await w.as(owner).get(`/api/conversion/transfer/${item.id}`)).body;
    const names = ['id', 'createdAt', 'createdBy', 'type', 'format', 'status', 'name'];
    const of = (wanted: string[]) =>
      Object.fromEntries(wanted.filter((name) => name in record).map((name) => [name, record[name]]));
    t.deepEqual(summaries[n], of(names));
    t.deepEqual(item, of([...names, 'projectId', 'progress', 'finishedAt', 'errorMessage']));
  }
  t.deepEqual(
    (await w.as(owner).get('/api/conversion/transfer/list?offset=1&limit=1')).body.data,
    body.data.slice(1, 2),
  );
});

test('an Owner also lists transfers outside of their tenants, and their number', async (t) => {
  const [tenantId, other] = [await w.tenant(), await w.tenant()];
  const owner = await w.account({ tenantId, role: 'Owner' });
  const elsewhere = await w.account({ tenantId: other, role: 'Owner' });
  const projectId = await newProject(w.as(owner));
  const far = await newProject(w.as(elsewhere), 'far', [{ user: owner, role: 'Reader' }]);
  const listed = async () => {
    const { body } = await w.as(owner).get('/api/conversion/transfer/list?limit=2');
    t.is(body.data.length, Math.min(2, body.totalCount));
    return [body.totalCount, body.data[0]?.projectId];
  };
  const insert = (tenant: string, project: string, user: string) =>
    w.sql(
      `insert into transfers (tenant_id, project_id, created_by, updated_by, account_id, type, format, request, memory_mb)
       values ($1, $2, $3, $3, 'x', 'Conversion', 'file', '{}', 4096)`,
      [tenant, project, user],
    );
  t.deepEqual(await listed(), [0, undefined]);
  await insert(other, far, elsewhere.userId);
  t.deepEqual(await listed(), [1, far]);
  await insert(tenantId, projectId, owner.userId);
  t.deepEqual(await listed(), [2, projectId]);
  await insert(other, far, elsewhere.userId);
  t.deepEqual(await listed(), [3, far]);
});
