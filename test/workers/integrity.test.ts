import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import pg from 'pg';
import { checkIntegrity } from '../../src/operations/integrity/integrity.ts';
import { openKnownStore } from '../../src/transfers/store/known-store.ts';
import { storeSettings } from '../../src/transfers/store/owner.ts';
import { machines } from '../cli/machine.ts';
import { newDataset } from '../world/content.ts';
import { makeFolder, makeProject } from '../world/projects.ts';
import { newSeries, newSeriesDataset } from '../world/series.ts';
import { ASCII_GRID, copyRequest, start, untilEnd, upload } from '../world/transfers.ts';
import { environmentOf } from '../world/worker.ts';
import { switchedWorker } from '../world/worker-here.ts';
import { type Client, ownWorld, type User } from '../world.ts';

const w = ownWorld(test, { 'credits.prices': 'GeoTiffWriter=1' });
const worker = switchedWorker(w, { 'credits.prices': 'GeoTiffWriter=1' });
const machine = machines(w);
const BIN = '/api/recycle-bin';
const PNG = Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1').toString('base64');

async function check(more: { repairs?: boolean; readsAll?: boolean } = {}) {
  const store = await openKnownStore(w.db, storeSettings(w.config));
  return checkIntegrity({ db: w.db, store, repairs: false, readsAll: true, ...more });
}

/** A statement past triggers and foreign keys, as a restore, or somebody with rights of the superuser, may send it. */
const damage = (statement: string) =>
  w.sql(`set session_replication_role = replica; ${statement}; reset session_replication_role`);

interface Scene {
  user: User;
  client: Client;
  tenantId: string;
  rootId: string;
  folderId: string;
}

async function scene(): Promise<Scene> {
  const tenantId = await w.tenant();
  const user = await w.account({ tenantId, role: 'Owner' });
  const seller = w.as(await w.account({ roles: 'BackOffice' }));
  const sold = await seller.post('/api/iam/credit', {
    credits: 1000,
    billingReference: { billingReference: 'R', billingReferenceTag: 'note', billingReferenceType: 'EXT' },
    salesOrderId: 'SO',
    expiresAt: '2999-12-31',
    tenantId,
  });
  if (sold.status >= 300) throw new Error(JSON.stringify(sold.body));
  const root = await makeProject(w, user, { name: 'Elbe' });
  const folder = await makeFolder(w, user, root.id);
  return { user, client: w.as(user), tenantId, rootId: root.id, folderId: folder.id };
}

/** Imports a grid; gives the id of the transfer. */
async function startImport(client: Client, projectId: string, wish: object = {}): Promise<string> {
  const request = {
    originalFileName: 'terrain.asc',
    readerName: 'AsciiGridReader',
    writerName: 'AsciiGridWriter',
    ...wish,
  };
  const { status, body } = await start(client, copyRequest(projectId, await upload(w, client, ASCII_GRID), request));
  if (status >= 300) throw new Error(JSON.stringify(body));
  return body.id as string;
}

async function startExport(client: Client, datasetId: string): Promise<string> {
  const { status, body } = await client.post(`/api/metadata/dataset/${datasetId}/download-convert`, {
    writerName: 'GeoTiffWriter',
  });
  if (status >= 300) throw new Error(JSON.stringify(body));
  return body.id as string;
}

/** One of each thing that people do, until the end of its transfers. */
async function live({ user, client, rootId, folderId }: Scene, n: number): Promise<string> {
  const child = await makeProject(w, user, {
    parentId: rootId,
    name: `Saale ${n}`,
    permissions: [{ principals: [user.id], operation: 'read', type: 'Allowed' }],
  });
  const grandchild = await makeFolder(w, user, child.id, `Unstrut ${n}`);
  await client.put(`/api/metadata/project/${child.id}/thumbnail`, { thumbnailBase64: PNG });
  const imported = await untilEnd(client, await startImport(client, grandchild.id));
  const datasetId = imported.importResults[0].datasetId as string;
  const exported = untilEnd(client, await startExport(client, datasetId));
  await client.post(`/api/metadata/project/${child.id}/move`, { targetProjectId: folderId });
  await client.delete(`/api/metadata/project/${grandchild.id}`);
  await client.put(`${BIN}/project/${grandchild.id}/restore`);
  const { url } = await newSeriesDataset(client);
  const series = await newSeries(client, url, { id: `level-${n}` });
  await client.post(`${series}/upload/csv`, '2026-01-24T08:00:00;2.5\n2026-01-24T09:00:00;3\n', {
    'content-type': 'text/csv',
  });
  await exported;
  const gone = await untilEnd(client, await startImport(client, grandchild.id));
  await client.delete(`/api/metadata/dataset/${gone.importResults[0].datasetId}`);
  return datasetId;
}

test.serial('a busy platform has no findings', async (t) => {
  const people = await Promise.all([scene(), scene()]);
  await worker.start();
  for (const one of people) await live(one, 0);
  let busy = true;
  const work = Promise.all(
    people.map(async (one) => {
      for (let n = 1; busy; n++) await live(one, n);
    }),
  );
  try {
    for (const readsAll of [true, false, true]) t.like(await check({ readsAll }), { findings: [], repaired: [] });
  } finally {
    busy = false;
    await work;
  }
  t.deepEqual(await check({ repairs: true }), { findings: [], repaired: [], remarks: [] });
});

test.serial('each damage is found by its rule, and what can be derived is repaired', async (t) => {
  const { user, client, tenantId, rootId, folderId } = await scene();
  await worker.start();
  const made = { user, client, tenantId, rootId, folderId };
  const datasetId = await live(made, 1000);
  // that of `live` ends as cancelled if the deletion of its project is faster
  const charged = await untilEnd(client, await startExport(client, datasetId));
  t.is(charged.status, 'Completed');
  await worker.stop();
  const project = (more: object = {}) =>
    makeProject(w, user, { parentId: rootId, name: `P ${Math.random()}`, ...more });
  const dataset = (name: string, content = 'the bytes') =>
    newDataset(w, rootId, user, { name: `${name} ${Math.random()}`, content });
  const blobOf = async (id: string) =>
    (await w.sql<{ blob: string }>('select blob from datasets where id = $1', [id]))[0]?.blob ?? '';
  const path = (blob: string) => join(w.folder, 'blobs', blob);
  const nil = '00000000-0000-4000-8000-000000000001';
  const expected: { rule: string; id: string; repaired: boolean }[] = [];
  const planted = (rule: string, id: string, repaired = false) => void expected.push({ rule, id, repaired });

  const inCircle = await project();
  const below = await makeProject(w, user, { parentId: inCircle.id, name: 'below' });
  await damage(`update projects set parent_id = '${below.id}' where id = '${inCircle.id}'`);
  planted('project-circle', inCircle.id);
  planted('project-circle', below.id);

  const astray = await project();
  await damage(`update projects set path = array['${rootId}', '${folderId}', id]::uuid[] where id = '${astray.id}'`);
  planted('project-path', astray.id, true);

  const foreign = await project();
  await damage(`update projects set tenant_id = '${await w.tenant()}' where id = '${foreign.id}'`);
  planted('project-tenant', foreign.id);

  const heir = await makeFolder(w, user, rootId, 'heir');
  await damage(
    ['projects', 'search_entries']
      .map((table) => `update ${table} set member_source_id = '${folderId}' where id = '${heir.id}'`)
      .join('; '),
  );
  planted('member-source', heir.id, true);

  const both = await makeFolder(w, user, rootId, 'both');
  await damage(
    `insert into project_members (project_id, user_id, role) values ('${both.id}', '${user.userId}', 'Reader')`,
  );
  planted('inherited-members', both.id);

  const granting = await project({ permissions: [{ principals: [user.id], operation: 'read', type: 'Allowed' }] });
  await damage(`update permission_grants set denied = true where project_id = '${granting.id}'`);
  planted('permission-grants', granting.id, true);

  const pictured = await project({ thumbnailBase64: PNG });
  await damage(`update project_thumbnails set content = 'GIF89a' where project_id = '${pictured.id}'`);
  planted('thumbnail', pictured.id);

  const [unlisted, listed] = [await project(), await project()];
  await client.delete(`/api/metadata/project/${unlisted.id}`);
  await damage(`delete from recycle_bin where id = '${unlisted.id}'`);
  await damage(`update projects set deleted_at = null, deleted_by = null where id = '${listed.id}'; insert into recycle_bin
    (id, item_type, tenant_id, container_id, own_source_id, container_source_id, name, storage_size, weight, deleted_at, deleted_by)
    values ('${listed.id}', 'Project', '${tenantId}', '${rootId}', '${listed.id}', '${rootId}', 'x', 0, 1, now(), '${user.userId}')`);
  planted('recycle-bin', unlisted.id, true);
  planted('recycle-bin', listed.id, true);

  const [unfound, renamed] = [await dataset('unfound'), await dataset('renamed')];
  await damage(`delete from search_entries where id = '${unfound}'`);
  await damage(`update datasets set name = 'another name' where id = '${renamed}'`);
  await damage(
    `insert into search_entries (id, project_id, kind, name, words, tenant_id, member_source_id)
      values ('${nil}', '${rootId}', 'Dataset', 'x', '', '${nil}', '${rootId}')`,
  );
  // the entry of the project with another tenant differs, too
  for (const id of [unfound, renamed, nil, foreign.id]) planted('search-entry', id, true);

  const [series] = await w.sql<{ key: string }>(
    'select key from ts_series where first is not null order by key desc limit 1',
  );
  await damage(`update ts_series set bytes = bytes + 1 where key = ${series?.key}`);
  planted('series-extent', String(series?.key), true);
  const [overlapped] = await w.sql<{ key: string; first: string; bytes: string }>(
    'select key, first, bytes from ts_series where first is not null order by key limit 1',
  );
  await damage(
    `insert into ts_blocks select series_key, last, last, 1, '' from ts_blocks where series_key = ${overlapped?.key}`,
  );
  const [block] = await w.sql<{ first: string }>(
    `select max(first) as first from ts_blocks where series_key = ${overlapped?.key}`,
  );
  planted('series-blocks', `${overlapped?.key}/${block?.first}`);

  const orphaned = await startImport(client, rootId);
  const jobless = await startImport(client, rootId);
  await damage(
    `update transfers set status = 'InProgress', attempt = 1, worker_pool = 'pool-gone', deadline = now(), started_at = now() where id = '${orphaned}'`,
  );
  await damage(`delete from graphile_worker._private_jobs where key in ('${orphaned}', '${jobless}')`);
  await damage(
    `insert into transfer_counts values ('${tenantId}', '${user.userId}', 'Pending', -1), ('${tenantId}', '${user.userId}', 'InProgress', 1)`,
  );
  planted('transfer-worker', orphaned);
  planted('transfer-job', jobless, true);

  const ended = await w.sql<{ id: string; type: string }>(
    `select id, type from transfers where tenant_id = '${tenantId}' and status = 'Completed' order by type, id`,
  );
  const [firstImport, secondImport] = ended.filter(({ type }) => type === 'Import').map(({ id }) => id);
  await damage(`update transfers set attempt = 0 where id = '${firstImport}'`);
  planted('transfer-fence', String(firstImport));
  await damage(`update transfers set output_dataset_id = null where id = '${secondImport}'`);
  planted('transfer-output', String(secondImport));
  await damage(`insert into transfer_counts values ('${tenantId}', '${user.userId}', 'Error', 3)`);
  planted('transfer-counts', `${tenantId}/${user.userId}/Error`, true);

  const locked = await dataset('locked');
  await damage(`update datasets set locked_by = '${firstImport}' where id = '${locked}'`);
  planted('dataset-lock', locked, true);
  await damage(`insert into dataset_readers values ('${locked}', '${secondImport}')`);
  planted('dataset-reader', `${locked}/${secondImport}`, true);
  const reading = await startExport(client, datasetId);
  await damage(`delete from dataset_readers where transfer_id = '${reading}'`);
  planted('input-lock', `${datasetId}/${reading}`, true);

  const [event] = await w.sql<{ id: string }>(
    'select id from events where "offset" is not null order by "offset" limit 1',
  );
  await damage(`update events set "offset" = 1000000000 where id = '${event?.id}'`);
  planted('event-offset', String(event?.id));
  // the API would publish the event
  const publisher = new pg.Client({ connectionString: w.url });
  await publisher.connect();
  t.teardown(() => publisher.end());
  await publisher.query("select pg_advisory_lock(hashtextextended('events publishing', 0))");
  const { body: hook } = await client.post('/api/eventing/webhook', { url: 'https://hooks.example/in' });
  await damage(
    `insert into events (id, type, source, data, time) values ('${nil}', 'x', 'y', '{}', now() - interval '1 day')`,
  );
  planted('event-publication', nil);
  await damage(`insert into deliveries (webhook_id, event_id) values ('${hook.id}', '${nil}')`);
  planted('delivery', `${hook.id}/${nil}`);
  await damage(`update transfer_metrics_position set "offset" = 2000000000; insert into transfer_metrics_position
    select 2000000000 where not exists (select from transfer_metrics_position)`);
  planted('metrics-position', '2000000000', true);

  const revoked = await project();
  const [{ generation } = { generation: '0' }] = await w.sql<{ generation: string }>(
    'select generation from grant_generations',
  );
  await damage(`update projects set min_grant_generation = ${Number(generation) + 5} where id = '${revoked.id}'`);
  planted('grant-generation', generation, true);

  await damage(`update credit_holds set spent = 0 where operation_id = '${charged.id}'`);
  planted('credit-hold', charged.id);
  await damage(`update credit_entries set request_id = 'another' where pool_id = '${tenantId}' and seq = 1`);
  planted('ledger', '');

  const kept = await dataset('kept');
  await damage(`insert into blob_deletions (name) values ('${await blobOf(kept)}')`);
  planted('blob-deletion', await blobOf(kept), true);
  const [lost, cut, flipped] = [await dataset('lost'), await dataset('cut'), await dataset('flipped')];
  await rm(path(await blobOf(lost)));
  await writeFile(path(await blobOf(cut)), 'short');
  await writeFile(path(await blobOf(flipped)), 'thf bytes');
  for (const id of [lost, cut]) planted('blob', await blobOf(id));
  planted('blob-digest', await blobOf(flipped));

  const drawn = await dataset('drawn');
  await damage(`update dataset_thumbnails set content = 'dataset/another' where dataset_id = '${drawn}'`);
  planted('dataset-thumbnail', drawn, true);

  const previewed = await blobOf(await dataset('previewed'));
  await damage(`insert into previews (blob, state, progress, store, store_format, store_size)
    values ('${previewed}', 'ready', 1, 'preview/gone', 'gis', 7), ('dataset/gone', 'building', 0, null, null, null)`);
  planted('preview-store', 'preview/gone', true);
  planted('preview-content', 'dataset/gone', true);

  const without = await dataset('without');
  await damage(
    `update datasets set project_id = '${nil}' where id = '${without}'; update search_entries set project_id = '${nil}' where id = '${without}'; update dataset_thumbnails set project_id = '${nil}' where dataset_id = '${without}'`,
  );
  planted('search-entry', without, true);
  planted('foreign-key', 'datasets_project_id_fkey');

  const key = ({ rule, id }: { rule: string; id: string }) => (rule === 'ledger' ? rule : `${rule} ${id}`);
  const found = await check();
  const known = new Set(expected.map(key));
  for (const one of found.findings) if (!known.has(key(one))) t.log(key(one), one.message);
  t.deepEqual(found.findings.map(key).sort(), expected.map(key).sort());
  t.deepEqual(found.repaired, []);

  const { run } = await machine(t);
  const env = { ...environmentOf(w, {}), PLATFORM_URL: '' };
  const seen = await run(['integrity', '--json', '--read', '--fix'], { env });
  t.is(seen.code, 1, seen.err);
  const report = JSON.parse(seen.out);
  t.deepEqual(
    report.findings.map(key).sort(),
    expected
      .filter(({ repaired }) => !repaired)
      .map(key)
      .sort(),
  );
  t.deepEqual(
    report.repaired.map(key).sort(),
    expected
      .filter(({ repaired }) => repaired)
      .map(key)
      .sort(),
  );
  t.true(expected.length > 20);
});
