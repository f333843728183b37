import test from 'ava';
import { sweep } from '../../src/transfers/queue/sweep.ts';
import { newDataset, subproject } from '../world/content.ts';
import { carryScene } from '../world/move-copy.ts';
import { copyRequest, newProject, start, upload } from '../world/transfers.ts';
import { type Client, ownWorld } from '../world.ts';

/** No worker runs here: what ends, ends by the deletion itself. */
const w = ownWorld(test);
const DELETED = 'The project was deleted.';

async function scene() {
  const user = await w.account();
  const client = w.as(user);
  return { user, client, projectId: await newProject(client) };
}

async function waiting(client: Client, projectId: string, more: object = {}): Promise<string> {
  const { status, body } = await start(client, copyRequest(projectId, await upload(w, client, 'words'), more));
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.id;
}

const shown = async (client: Client, id: string) => (await client.get(`/api/conversion/transfer/${id}`)).body;
const queued = (ids: string[]) => w.sql('select key from graphile_worker._private_jobs where key = any($1)', [ids]);
const remove = (path: string) => ({ actions: [{ type: 'PathActionDelete', path, isFolder: true }] });

test('deleting a project immediately ends the waiting transfers in it and in its subprojects, and no others', async (t) => {
  const { client, projectId } = await scene();
  const folder = await subproject(client, projectId, { name: 'Below', inheritsMembers: true });
  const elsewhere = await newProject(client, 'Elsewhere');
  const ids = [
    await waiting(client, projectId),
    await waiting(client, folder),
    await waiting(client, projectId, { requiredLabels: ['nobody-has-it'] }),
  ];
  const other = await waiting(client, elsewhere);
  t.is((await client.delete(`/api/metadata/project/${projectId}`)).status, 204);
  for (const id of ids) {
    t.like(await shown(client, id), { status: 'Error', errorMessage: DELETED, progress: 0 });
    const { data } = (await client.get(`/api/conversion/transfer/${id}/log`)).body;
    t.deepEqual(
      data.map(({ level, message }: { level: string; message: string }) => [level, message]),
      [['error', DELETED]],
    );
  }
  t.deepEqual(await queued(ids), []);
  const events = await w.sql<{ data: object; resource_id: string }>(
    `select data, resource_id from events where type like '%transferfinished%' and resource_id = any($1)`,
    [ids],
  );
  t.is(events.length, ids.length);
  for (const { data, resource_id } of events)
    t.like(data, { TransferId: resource_id, Status: 'Error', ErrorMessage: DELETED });
  t.is((await shown(client, other)).status, 'Pending');
  t.is((await queued([other])).length, 1);
});

test('requests that wait for a transfer of a deleted project are answered when it ends', async (t) => {
  const { client, projectId } = await scene();
  const id = await waiting(client, projectId);
  const answer = client.get(`/api/conversion/transfer/${id}`, { prefer: 'wait=60' });
  t.is((await client.delete(`/api/project/${projectId}`)).status, 204);
  t.like((await answer).body, { status: 'Error', errorMessage: DELETED });
});

test('deleting a subproject, by id or path, ends its waiting transfers but not those of its parent and siblings', async (t) => {
  for (const byPath of [false, true]) {
    const { client, projectId } = await scene();
    const folder = await subproject(client, projectId, { name: 'Gone', inheritsMembers: true });
    const deep = await subproject(client, folder, { name: 'Deep', inheritsMembers: true });
    const sibling = await subproject(client, projectId, { name: 'Stays', inheritsMembers: true });
    const gone = [await waiting(client, folder), await waiting(client, deep)];
    const stays = [await waiting(client, projectId), await waiting(client, sibling)];
    const { status } = byPath
      ? await client.post(`/api/hierarchy/project/${projectId}`, remove('Gone/'))
      : await client.delete(`/api/project/${folder}`);
    t.is(status, byPath ? 200 : 204);
    for (const id of gone) t.like(await shown(client, id), { status: 'Error', errorMessage: DELETED });
    for (const id of stays) t.is((await shown(client, id)).status, 'Pending');
  }
});

test('its datasets are unlocked, and after a restore the transfer can be retried', async (t) => {
  const { user, client, projectId } = await scene();
  const datasetId = await newDataset(w, projectId, user, { datasetFormat: 'file' });
  const copy = { readerName: 'FileReader', writerName: 'FileWriter' };
  const { body } = await client.post(`/api/metadata/dataset/${datasetId}/download-convert`, copy);
  t.is((await client.delete(`/api/project/${projectId}`)).status, 204);
  t.deepEqual(await w.sql('select * from dataset_readers where transfer_id = $1', [body.id]), []);
  t.is((await client.post(`/api/conversion/transfer/${body.id}/retry`)).status, 404, 'the project is gone');
  t.is((await client.put(`/api/recycle-bin/project/${projectId}/restore`)).status, 204);
  t.like(await shown(client, body.id), { status: 'Error', errorMessage: DELETED });
  const retried = await client.post(`/api/conversion/transfer/${body.id}/retry`);
  t.is(retried.status, 202, JSON.stringify(retried.body));
  t.is((await shown(client, retried.body.id)).status, 'Pending');
  t.is((await client.delete(`/api/metadata/dataset/${datasetId}`)).status, 409, 'the retry holds it');
});

test('transfers out of or into a deleted project end, with events on both sides', async (t) => {
  for (const side of ['source', 'target'] as const) {
    const { client, datasetId, ask, ...sides } = await carryScene(w);
    const { body } = await ask('move');
    const tenant = { 'svc-tenant-id': sides[side].tenantId };
    t.is((await client.delete(`/api/project/${sides[side].projectId}`, tenant)).status, 204);
    const [row] = await w.sql('select status, error_message from transfers where id = $1', [body.id]);
    t.deepEqual(row, { status: 'Error', error_message: DELETED });
    const told = await w.sql<{ tenant_id: string }>(
      `select tenant_id from events where resource_id = $1 and type like '%transferfinished%'`,
      [body.id],
    );
    t.deepEqual(told.map((event) => event.tenant_id).sort(), [sides.source.tenantId, sides.target.tenantId].sort());
    t.deepEqual(await w.sql('select id from datasets where id = $1 and locked_by is not null', [datasetId]), []);
  }
});

test('many waiting transfers end in one request', async (t) => {
  const { client, projectId } = await scene();
  const id = await waiting(client, projectId);
  await w.sql(
    `insert into transfers (id, tenant_id, project_id, type, format, request, created_by, account_id, updated_by, memory_mb)
     select gen_random_uuid(), tenant_id, project_id, type, format, request, created_by, account_id, updated_by, memory_mb
     from transfers, generate_series(1, 500) where id = $1`,
    [id],
  );
  t.is((await client.delete(`/api/project/${projectId}`)).status, 204);
  const rows = await w.sql<{ count: string }>(
    `select count(*) from transfers where project_id = $1 and status = 'Error' and error_message = $2`,
    [projectId, DELETED],
  );
  t.is(Number(rows[0]?.count), 501);
});

test.serial(
  'a transfer that cannot be ended does not keep other transfers of a lost worker from being recovered',
  async (t) => {
    const { client, projectId } = await scene();
    const ids = [await waiting(client, projectId), await waiting(client, projectId), await waiting(client, projectId)];
    const bad = ids[0] ?? '';
    await w.sql(
      `update transfers set status = 'InProgress', attempt = 1, worker_pool = 'nobody', deadline = now(),
       cancel_requested_at = case when id <> $2 then now() end where id = any($1)`,
      [ids, ids[2]],
    );
    await w.sql(`
    create function no_end() returns trigger language plpgsql as $$ begin raise exception 'no end'; end $$;
    create trigger no_end before update on transfers for each row
      when (new.status = 'Error' and new.id = '${bad}') execute function no_end()`);
    const swept = await sweep(w.db, { thorough: true, patience: 60_000 });
    t.deepEqual(
      swept?.failures.map(({ id }) => id),
      [bad],
    );
    t.like(await shown(client, ids[1] ?? ''), { status: 'Error', errorMessage: 'Cancelled.' });
    t.is((await shown(client, ids[2] ?? '')).status, 'Pending', 'it waits for another worker');
    await w.sql('drop trigger no_end on transfers');
  },
);

test.serial('a transfer started or requeued during the deletion ends with the next sweep', async (t) => {
  const { client, projectId } = await scene();
  const urls = await Promise.all(Array.from({ length: 8 }, () => upload(w, client, 'words')));
  const starts = urls.map((url) => start(client, copyRequest(projectId, url)));
  const [deleted, ...started] = await Promise.all([client.delete(`/api/project/${projectId}`), ...starts]);
  t.is(deleted?.status, 204);
  for (const { status } of started) t.true(status === 200 || status === 404 || status === 409, String(status));
  // state after a start that found the project and committed after its deletion
  const late = await scene();
  const lateId = await waiting(late.client, late.projectId, { requiredLabels: ['nobody-has-it'] });
  await w.sql('update projects set deleted_at = now(), deleted_by = $2 where id = $1', [
    late.projectId,
    late.user.userId,
  ]);
  // state after a worker died while running the transfer
  const lost = await scene();
  const lostId = await waiting(lost.client, lost.projectId);
  await w.sql(
    `update transfers set status = 'InProgress', attempt = 1, worker_pool = 'nobody', deadline = now() where id = $1`,
    [lostId],
  );
  t.is((await lost.client.delete(`/api/project/${lost.projectId}`)).status, 204);
  t.is((await shown(lost.client, lostId)).status, 'InProgress');
  await sweep(w.db, { thorough: true, patience: 60_000 });
  for (const id of [lateId, lostId])
    t.like(await shown(id === lateId ? late.client : lost.client, id), { status: 'Error', errorMessage: DELETED });
  t.deepEqual(await w.sql(`select id from transfers where project_id = $1 and status = 'Pending'`, [projectId]), []);
});
