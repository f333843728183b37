import { once } from 'node:events';
import { readdir, truncate } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import pg from 'pg';
import { type CarryScene, carryScene, enrol, VERSION_4 } from '../world/move-copy.ts';
import { local, newProject, untilEnd } from '../world/transfers.ts';
import { startWorker } from '../world/worker.ts';
import { workHere } from '../world/worker-here.ts';
import { type Client, world } from '../world.ts';

/**
 * Moves and copies to their end. What must happen between start and commit happens while no worker runs, or while the
 * commit waits.
 */
const w = world(test);
const settings = { 'worker.concurrency': '2', 'log.level': 'fatal' };
const started = new Set<{ stop(): Promise<void> }>();
test.afterEach.always(async () => {
  for (const worker of started) await worker.stop();
  started.clear();
});

async function work() {
  const worker = await workHere(w, settings);
  started.add(worker);
  return worker;
}

/** A worker that can be killed. */
async function mortal() {
  const worker = await startWorker(w, settings);
  started.add(worker);
  return worker;
}

const transfer = (id: string, rest = '') => `/api/conversion/transfer/${id}${rest}`;
const dataset = (id: string, rest = '') => `/api/metadata/dataset/${id}${rest}`;
const textOf = async (client: Client, id: string) =>
  (await w.nobody.get(local((await client.get(`/api/raw/dataset/${id}`)).body.data))).raw.toString();
const countIn = async (projectId: string) =>
  (await w.sql('select from datasets where project_id = $1', [projectId])).length;

/** The dataset at the source, without the members that show locks. */
const stateOf = async ({ datasetId }: CarryScene) =>
  (await w.sql('select * from datasets where id = $1', [datasetId]))[0];

test.serial('a move keeps id and createdAt, and leaves nothing in the source tenant', async (t) => {
  const scene = await carryScene(w);
  const { ask, client, source, target, datasetId } = scene;
  const stranger = w.as(await w.account({ tenantId: source.tenantId, role: 'Owner' }));
  const before = (await client.get(dataset(datasetId))).body;
  const permissions = [{ principals: ['Editors'], operation: 'read', type: 'Allowed' }];
  const change = { ...before, permissions };
  t.is((await client.put(`/api/metadata/project/${source.projectId}/dataset`, change)).status, 200);
  const signed = local((await stranger.get(`/api/raw/dataset/${datasetId}`)).body.data);
  const folder = (await stranger.get(`/api/security/sastoken?projectId=${source.projectId}`)).body.data;
  await work();

  const { body } = await ask('move');
  const ended = await untilEnd(client, body.id);
  t.is(ended.status, 'Completed', ended.errorMessage);
  t.deepEqual(ended.importResults, [{ projectId: target.projectId, datasetId }]);
  t.is(ended.progress, 100);
  const after = (await client.get(dataset(datasetId))).body;
  for (const member of ['id', 'createdAt', 'createdBy', 'name', 'description', 'metadata', 'properties', 'storageSize'])
    t.deepEqual(after[member], before[member], member);
  t.like(after, { projectId: target.projectId, permissions: [] });
  t.not(after.rowVersion, before.rowVersion);
  t.is(await textOf(client, datasetId), 'the bytes');

  t.is((await stranger.get(dataset(datasetId))).status, 404);
  t.deepEqual((await stranger.get(`/api/metadata/project/${source.projectId}/dataset/list`)).body.data, []);
  t.is((await w.nobody.get(signed)).status, 403, 'what was signed in the source tenant');
  t.is(
    (await w.nobody.get(`/api/blob/dataset/${datasetId}?${folder}`)).status,
    403,
    "the grant of the source's folder",
  );
  const finished = await w.sql(
    `select tenant_id as "tenantId", project_id as "projectId" from events
     where resource_id = $1 and type like '%finished%' order by "offset"`,
    [body.id],
  );
  t.deepEqual(finished, [target, source]);
  const log = (await client.get(transfer(body.id, '/log'))).body.data;
  t.true(log.some(({ message }: { message: string }) => message === 'Moved.'));
  t.is((await client.delete(dataset(datasetId))).status, 204, 'it is not locked any more');
});

test.serial('addresses signed during a move to another tenant are invalid there', async (t) => {
  const { ask, client, source, datasetId } = await carryScene(w);
  const stranger = w.as(await w.account({ tenantId: source.tenantId, role: 'Owner' }));
  const signedAs = async (user: Client) => {
    const [raw, sas, listed, folder] = await Promise.all([
      user.get(`/api/raw/dataset/${datasetId}`),
      user.get(`/api/security/sastoken?projectId=${source.projectId}&resourceId=${datasetId}`),
      user.get(`/api/metadata/project/${source.projectId}/dataset/list?includeSasTokens=true`),
      user.get(`/api/security/sastoken?projectId=${source.projectId}`),
    ]);
    const queries = [sas.body.data, listed.body.data[0].sasToken, folder.body.data];
    return [local(raw.body.data), ...queries.map((query) => `/api/blob/dataset/${datasetId}?${query}`)];
  };
  const { id } = (await ask('move')).body;
  const holder = new pg.Client({ connectionString: w.url });
  await holder.connect();
  const signed: string[] = [];
  try {
    // the commit of the move, which has put the dataset into its new place already, waits to free the readers of the
    // dataset
    await holder.query('begin; lock table dataset_readers in share row exclusive mode');
    await work();
    const waits = `select from pg_locks where relation = 'dataset_readers'::regclass and not granted`;
    while ((await w.sql(waits)).length === 0) await sleep(20);
    signed.push(...(await signedAs(stranger)), ...(await signedAs(client)));
    for (const url of signed) t.is((await w.nobody.get(url)).status, 200, 'it has not moved yet');
  } finally {
    await holder.end();
  }
  t.is((await untilEnd(client, id)).status, 'Completed');
  for (const url of signed) {
    const answer = await w.nobody.get(url);
    t.deepEqual([answer.status, answer.headers['x-ms-error-code']], [403, 'AuthenticationFailed'], url);
    t.is((await w.nobody.put(url, Buffer.from('x'))).status, 403);
  }
  t.is(await textOf(client, datasetId), 'the bytes', 'what is signed now opens it');
});

test.serial('a grant of a folder includes datasets that are moved into it from another tenant later', async (t) => {
  const { ask, client, target, datasetId } = await carryScene(w);
  const query = (await client.get(`/api/security/sastoken?projectId=${target.projectId}`)).body.data;
  await work();
  t.is((await untilEnd(client, (await ask('move')).body.id)).status, 'Completed');
  t.is((await w.nobody.get(`/api/blob/dataset/${datasetId}?${query}`)).status, 200);
});

test.serial('an upload that is in progress during a move to another tenant does not become its content', async (t) => {
  const { ask, client, source, datasetId } = await carryScene(w);
  const query = (await client.get(`/api/security/sastoken?projectId=${source.projectId}&resourceId=${datasetId}`)).body;
  const folder = (await client.get(`/api/security/sastoken?projectId=${source.projectId}`)).body;
  const { port } = new URL(await w.listen());
  const blobs = async () => (await Array.fromAsync(w.blobs.list('dataset/'))).length;
  const before = await blobs();
  const puts = [query, folder].map(({ data }) => {
    const path = `/api/blob/dataset/${datasetId}?${data}`;
    const put = request({ host: '127.0.0.1', port, path, method: 'PUT', headers: { 'content-length': 8 } });
    put.write('half');
    return { put, answer: once(put, 'response') };
  });
  const temporary = join(w.folder, 'blobs/.temporary');
  for (let tries = 0; tries < 1000 && (await readdir(temporary)).length < 2; tries++) await sleep(5);
  await work();
  t.is((await untilEnd(client, (await ask('move')).body.id)).status, 'Completed');
  for (const { put, answer } of puts) {
    put.end('half');
    const [{ statusCode, headers }] = await answer;
    t.deepEqual([statusCode, headers['x-ms-error-code']], [403, 'AuthenticationFailed']);
  }
  t.is(await textOf(client, datasetId), 'the bytes');
  t.is(await blobs(), before, 'what came is removed');
});

test.serial('a copy is an independent dataset with a new id; the source is unchanged', async (t) => {
  const scene = await carryScene(w);
  const { ask, client, target, datasetId, owner } = scene;
  const before = await stateOf(scene);
  const original = (await client.get(dataset(datasetId))).body;
  await work();
  const [first, second] = [await ask('copy'), await ask('copy')];
  const ends = [await untilEnd(client, first.body.id), await untilEnd(client, second.body.id)];
  const ids = ends.map(({ importResults }) => importResults[0].datasetId as string);
  t.is(new Set([...ids, datasetId]).size, 3);
  t.deepEqual(ends[0].importResults, [{ projectId: target.projectId, datasetId: ids[0] }]);
  const copy = (await client.get(dataset(ids[0]!))).body;
  for (const member of ['name', 'description', 'metadata', 'properties', 'tags', 'datasetFormat', 'storageSize'])
    t.deepEqual(copy[member], original[member], member);
  t.true(copy.createdAt > original.createdAt);
  t.is(copy.createdBy, owner.userId);
  t.deepEqual(await stateOf(scene), before);
  t.is((await client.delete(dataset(datasetId))).status, 204);
  t.is(await textOf(client, ids[0]!), 'the bytes', 'it has bytes of its own');
  t.is(await countIn(target.projectId), 2, 'namesakes are fine');
});

for (const verb of ['move', 'copy'] as const) {
  test.serial(
    `a ${verb} whose starter is an Owner of both tenants no longer ends as Error and changes nothing`,
    async (t) => {
      const scene = await carryScene(w);
      const { ask, client, owner, source, target } = scene;
      for (const { tenantId } of [source, target]) {
        const before = await stateOf(scene);
        const { id } = (await ask(verb)).body;
        const other = await w.account({ tenantId, role: 'Owner' });
        await enrol(w, tenantId, owner, 'Member');
        const worker = await work();
        const ended = await untilEnd(client, id);
        t.is(ended.status, 'Error');
        t.is(
          ended.errorMessage,
          `The account that started this transfer is no longer an Owner of tenant '${tenantId}'.`,
        );
        t.deepEqual(await stateOf(scene), before);
        t.is(await countIn(target.projectId), 0);
        await worker.stop();
        await enrol(w, tenantId, owner, 'Owner');
        t.is((await w.as(other).get(transfer(id))).status, 200);
      }
      const { data } = (await client.get('/api/conversion/transfer/list-summaries?status=Error&limit=1')).body;
      const again = await client.post(transfer(data[0].id, '/retry'));
      t.is(again.status, 202, JSON.stringify(again.body));
      await work();
      t.is((await untilEnd(client, again.body.id)).status, 'Completed', 'a retry by an Owner');
      t.is(await countIn(target.projectId), 1);
    },
  );

  test.serial(`a ${verb} whose project was deleted, at either end, ends as Error and changes nothing`, async (t) => {
    for (const end of ['source', 'target'] as const) {
      const scene = await carryScene(w);
      const { ask, client } = scene;
      const before = await stateOf(scene);
      const { id } = (await ask(verb)).body;
      t.is((await client.delete(`/api/metadata/project/${scene[end].projectId}`)).status, 204);
      const worker = await work();
      const ended = await untilEnd(client, id);
      t.deepEqual([ended.status, ended.errorMessage], ['Error', 'The project was deleted.'], end);
      t.deepEqual(await stateOf(scene), before);
      t.is(await countIn(scene.target.projectId), 0);
      await worker.stop();
    }
  });

  test.serial(`a ${verb} whose source was removed for ever ends as Error`, async (t) => {
    const { ask, client, source, target } = await carryScene(w);
    const { id } = (await ask(verb)).body;
    t.is((await client.delete(`/api/metadata/project/${source.projectId}`)).status, 204);
    t.is((await client.delete(`/api/recycle-bin/project/${source.projectId}`)).status, 204);
    await work();
    const ended = await untilEnd(client, id);
    t.deepEqual([ended.status, ended.errorMessage], ['Error', 'The project was deleted.']);
    t.is(await countIn(target.projectId), 0);
  });

  test.serial(`a ${verb} whose worker dies during its commit is performed once, by another worker`, async (t) => {
    const scene = await carryScene(w);
    const { ask, client, target, datasetId } = scene;
    const gate = await holdTree(target.projectId);
    const first = await mortal();
    const { id } = (await ask(verb)).body;
    await gate.reached();
    first.process.kill('SIGKILL');
    await first.ended;
    started.delete(first);
    await work();
    await running(client, id, 2);
    await gate.open();
    const ended = await untilEnd(client, id);
    t.is(ended.status, 'Completed', ended.errorMessage);
    t.is(await countIn(target.projectId), 1);
    const [made] = ended.importResults;
    t.is(verb === 'move', made.datasetId === datasetId);
    t.is(await textOf(client, made.datasetId), 'the bytes');
    t.is((await w.sql("select from events where resource_id = $1 and type like '%finished%'", [id])).length, 2);
    t.is((await client.delete(dataset(datasetId))).status, 204);
  });

  test.serial(`a ${verb} that is cancelled while it commits ends within seconds and changes nothing`, async (t) => {
    const scene = await carryScene(w);
    const { ask, client, target } = scene;
    const before = await stateOf(scene);
    const gate = await holdTree(target.projectId);
    await work();
    const { id } = (await ask(verb)).body;
    await gate.reached();
    t.is((await client.post(transfer(id, '/cancel'))).status, 202);
    const ended = await untilEnd(client, id);
    t.deepEqual([ended.status, ended.errorMessage], ['Error', 'Cancelled.']);
    await gate.open();
    await sleep(300);
    t.deepEqual(await stateOf(scene), before);
    t.is(await countIn(target.projectId), 0);
    t.is((await client.get(transfer(id))).body.status, 'Error', 'an end is for ever');
    t.is((await ask(verb)).status, 200, 'nothing is locked');
  });
}

test.serial('a copy that is cancelled, or loses its worker, while bytes are copied leaves none of them', async (t) => {
  const { ask, client, target, datasetId } = await carryScene(w);
  const [{ blob = '' } = {}] = await w.sql<{ blob: string }>('select blob from datasets where id = $1', [datasetId]);
  // long enough to be stopped on its way, though there is next to nothing on the disk
  await truncate(join(w.folder, 'blobs', blob), 600_000_000);
  const temporary = join(w.folder, 'blobs/.temporary');
  const copying = async () => {
    for (let tries = 0; tries < 6000 && (await readdir(temporary)).length === 0; tries++) await sleep(5);
  };
  const worker = await mortal();
  // however late the cancellation comes, the copy is not over
  const gate = await holdTree(target.projectId);
  const cancelled = (await ask('copy')).body.id;
  await copying();
  t.is((await client.post(transfer(cancelled, '/cancel'))).status, 202);
  const ended = await untilEnd(client, cancelled);
  t.deepEqual([ended.status, ended.errorMessage], ['Error', 'Cancelled.']);
  await gate.open();
  for (let tries = 0; tries < 600 && (await readdir(temporary)).length > 0; tries++) await sleep(10);
  t.deepEqual(await readdir(temporary), []);
  const left = async () =>
    (await Array.fromAsync(w.blobs.list('dataset/'))).filter(({ name }) => name.includes(cancelled));
  for (let tries = 0; tries < 600 && (await left()).length > 0; tries++) await sleep(20);

  const { id } = (await ask('copy')).body;
  await copying();
  worker.process.kill('SIGKILL');
  await worker.ended;
  started.delete(worker);
  await truncate(join(w.folder, 'blobs', blob), 9);
  await work();
  t.is((await untilEnd(client, id)).status, 'Completed');
  t.is(await countIn(target.projectId), 1);
  t.deepEqual(await left(), [], 'nothing of the cancelled one');
});

test.serial('a move whose starter was disabled ends as Error and changes nothing', async (t) => {
  const scene = await carryScene(w);
  const before = await stateOf(scene);
  const { id } = (await scene.ask('move')).body;
  const other = w.as(await w.account({ tenantId: scene.source.tenantId, role: 'Owner' }));
  await w.sql('update accounts set enabled = false where user_id = $1', [scene.owner.userId]);
  await work();
  const ended = await untilEnd(other, id);
  t.is(ended.status, 'Error');
  t.regex(ended.errorMessage, /is no longer an Owner/);
  t.deepEqual(await stateOf(scene), before);
});

test.serial('concurrent moves in both directions all end, and the dataset is in one place', async (t) => {
  const { client, datasetId, source, target, ask } = await carryScene(w);
  await work();
  for (let round = 0; round < 3; round++) {
    const there = (await ask('move', {}, '')).body;
    t.is((await untilEnd(client, there.id)).status, 'Completed');
    const back = await client.post(
      dataset(datasetId, '/move'),
      { targetProjectId: source.projectId, targetTenantId: source.tenantId },
      { ...VERSION_4, prefer: 'wait=30' },
    );
    t.is(back.body.status, 'Completed', 'Prefer: wait keeps the answer until the end');
  }
  t.deepEqual([await countIn(source.projectId), await countIn(target.projectId)], [1, 0]);
});

test.serial('within a tenant a move keeps permissions and signed addresses', async (t) => {
  const { client, datasetId, source, ask } = await carryScene(w);
  const beside = await newProject(client, 'Beside');
  const signed = local((await client.get(`/api/raw/dataset/${datasetId}`)).body.data);
  await work();
  const { id } = (await ask('move', { targetProjectId: beside, targetTenantId: source.tenantId })).body;
  t.is((await untilEnd(client, id)).status, 'Completed');
  t.is((await client.get(dataset(datasetId))).body.projectId, beside);
  t.is((await w.nobody.get(signed)).status, 200);
  const told = await w.sql("select from events where resource_id = $1 and type like '%finished%'", [id]);
  t.is(told.length, 1, 'one tenant is told once');
});

/** Keeps commits into a project waiting, as somebody who changes its tree does. */
async function holdTree(projectId: string) {
  const client = new pg.Client({ connectionString: w.url, application_name: 'gate' });
  await client.connect();
  await client.query('begin');
  await client.query('select from projects where id = $1 for update', [projectId]);
  return {
    async reached() {
      for (let tries = 0; tries < 600; tries++) {
        const [{ waiting = 0 } = {}] = await w.sql<{ waiting: number }>(
          `select count(*)::int as waiting from pg_stat_activity
           where datname = current_database() and (select pid from pg_stat_activity where application_name = 'gate' and datname = current_database()) = any(pg_blocking_pids(pid))`,
        );
        if (waiting > 0) return;
        await sleep(50);
      }
      throw new Error('No commit waits.');
    },
    async open() {
      await client.query('commit');
      await client.end();
    },
  };
}

async function running(client: Client, id: string, attempt: number) {
  for (let tries = 0; tries < 600; tries++) {
    const { body } = await client.get(transfer(id));
    if (body.status === 'InProgress' && body.attempt === attempt) return;
    await sleep(50);
  }
  throw new Error(`No attempt ${attempt}.`);
}
