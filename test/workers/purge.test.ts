import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { copyRequest, newProject, start, untilEnd, upload } from '../world/transfers.ts';
import { sharedWorker } from '../world/worker-here.ts';
import { type Client, type User, world } from '../world.ts';

const w = world(test, { 'recycleBin.retention': '180d' });
const worker = sharedWorker(w);
const BIN = '/api/recycle-bin';

async function imported(client: Client, projectId: string): Promise<string> {
  const { body } = await start(client, copyRequest(projectId, await upload(w, client, 'some bytes')));
  const ended = await untilEnd(client, body.id);
  if (ended.status !== 'Completed') throw new Error(ended.errorMessage);
  return ended.importResults[0].datasetId;
}
async function until(what: () => Promise<boolean>) {
  for (let tries = 0; tries < 300; tries++) {
    if (await what()) return;
    await sleep(100);
  }
  throw new Error('It takes too long.');
}
const blobOf = async (id: string) =>
  (await w.sql<{ blob: string }>('select blob from datasets where id = $1', [id]))[0]?.blob as string;
const gone = (blob: string) => async () => (await w.blobs.info(blob)) === undefined;
const administrator = async () => w.as(await w.administrator());
const aged = (ids: string[], days: number) =>
  w.sql(`update recycle_bin set deleted_at = now() - $2 * interval '1 day' where id = any($1)`, [ids, days]);

test('a purge deletes rows at once and blobs by a job; transfers stay visible to their starters', async (t) => {
  await worker();
  const user: User = await w.account();
  const client = w.as(user);
  const projectId = await newProject(client);
  const id = await imported(client, projectId);
  const blob = await blobOf(id);
  const converted = await client.post(`/api/metadata/dataset/${id}/download-convert`, {
    readerName: 'FileReader',
    writerName: 'FileWriter',
  });
  t.is(converted.status, 200, JSON.stringify(converted.body));
  await untilEnd(client, converted.body.id);
  await client.delete(`/api/metadata/dataset/${id}`);
  t.is((await client.delete(`${BIN}/dataset/${id}`)).status, 204);
  t.is((await client.get(`${BIN}/dataset/${id}`)).status, 404);
  await until(gone(blob));
  const told = (await client.get(`/api/conversion/transfer/${converted.body.id}`)).body;
  t.like(told, { status: 'Completed', exportParameters: { datasetId: id } });
  await client.delete(`/api/project/${projectId}`);
  t.is((await client.delete(`${BIN}/project/${projectId}`)).status, 204);
  t.like((await client.get(`/api/conversion/transfer/${converted.body.id}`)).body, { projectId });
  const own = await client.get('/api/conversion/transfer/list-summaries');
  t.is(own.body.data.length, 2);
});

test('removing a project with transfers waiting below it succeeds; they end with its error message and write nothing', async (t) => {
  const client = w.as(await w.account());
  const projectId = await newProject(client);
  const { body } = await start(client, {
    ...copyRequest(projectId, await upload(w, client, 'late')),
    memoryRequestMb: 1024,
  });
  await client.delete(`/api/project/${projectId}`);
  const purged = await client.delete(`${BIN}/project/${projectId}`);
  t.is(purged.status, 204);
  await worker();
  const ended = await untilEnd(client, body.id);
  if (ended.status === 'Error') t.is(ended.errorMessage, 'The project was deleted.');
  t.deepEqual(await w.sql('select id from datasets where project_id = $1', [projectId]), []);
});

test('a dataset locked by a transfer is not removed: 409', async (t) => {
  await worker();
  const client = w.as(await w.account());
  const projectId = await newProject(client);
  const id = await imported(client, projectId);
  await client.delete(`/api/metadata/dataset/${id}`);
  const [holder] = await w.sql<{ id: string }>('select id from transfers where project_id = $1', [projectId]);
  await w.sql('insert into dataset_readers (dataset_id, transfer_id) values ($1, $2)', [id, holder?.id]);
  const refused = await client.delete(`${BIN}/dataset/${id}`);
  t.like(refused, { status: 409, body: { code: 'DatasetLocked' } });
  await w.sql('delete from dataset_readers where dataset_id = $1', [id]);
  t.is((await client.delete(`${BIN}/dataset/${id}`)).status, 204);
});

test('the sweep deletes items after 180 days in the recycle bin, or after the period of their tenant', async (t) => {
  await worker();
  const root = await administrator();
  const short = await w.tenant();
  t.is((await root.put(`/api/iam/tenant/${short}`, { recycleBinDays: 30 })).status, 200);
  const [usual, other] = [await w.account(), await w.account({ tenantId: short })];
  const make = async (user: User, days: number) => {
    const client = w.as(user);
    const projectId = await newProject(client);
    const id = await imported(client, projectId);
    const blob = await blobOf(id);
    await client.delete(`/api/project/${projectId}`);
    await aged([projectId], days);
    return { projectId, id, blob, client };
  };
  const [old, young] = [await make(usual, 181), await make(usual, 179)];
  const [oldThere, youngThere] = [await make(other, 31), await make(other, 29)];
  t.is((await root.post('/api/admin/cron/sweepRecycleBin/run')).status, 202);
  for (const { projectId, client, blob } of [old, oldThere]) {
    await until(async () => (await client.get(`${BIN}/project/${projectId}`)).status === 404);
    await until(gone(blob));
  }
  for (const { projectId, client } of [young, youngThere]) {
    t.is((await client.put(`${BIN}/project/${projectId}/restore`)).status, 204);
  }
  const events = await w.sql<{ data: object }>(
    'select data, user_id from events where resource_id = any($1) and transaction_id is null',
    [[old.projectId, old.id]],
  );
  t.deepEqual(await w.sql('select action, account_id, details from audit where subject = $1', [old.projectId]), [
    { action: 'project.purge', account_id: null, details: { name: 'River', reason: 'Retention' } },
  ]);
  t.is(events.length, 2);
  for (const event of events) {
    t.like(event, { data: { Reason: 'Retention' }, user_id: null });
    t.false('UserId' in event.data);
  }
});

test('Owners of a tenant may not set the retention of its recycle bin', async (t) => {
  const owner = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const url = `/api/iam/tenant/${owner.tenantId}`;
  t.is((await w.as(owner).put(url, { recycleBinDays: 1 })).status, 403);
  t.is((await (await administrator()).put(url, { recycleBinDays: 0 })).status, 400);
  t.is((await (await administrator()).put(url, { recycleBinDays: 90 })).body.recycleBinDays, 90);
  t.is(
    (await w.as(owner).put(url, { name: 'Same', recycleBinDays: 90 })).status,
    200,
    'what was read may be sent back',
  );
  t.false('recycleBinDays' in (await (await administrator()).put(url, { recycleBinDays: 'default' })).body);
});
