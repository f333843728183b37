import test from 'ava';
import { type CarryScene, carryScene, enrol, VERSION_4 } from '../world/move-copy.ts';
import { newProject, upload } from '../world/transfers.ts';
import { ownWorld } from '../world.ts';

/** Moves and copies of datasets without a worker: rights, errors and locks. */
const w = ownWorld(test);
const transfer = (id: string, rest = '') => `/api/conversion/transfer/${id}${rest}`;
const dataset = (id: string, rest = '') => `/api/metadata/dataset/${id}${rest}`;
const eventsOf = (id: string) =>
  w.sql<{ type: string; tenantId: string; projectId: string }>(
    `select type, tenant_id as "tenantId", project_id as "projectId" from events where resource_id = $1 order by "offset"`,
    [id],
  );

for (const verb of ['move', 'copy'] as const) {
  test(`${verb} answers with a transfer of type Conversion that names the dataset`, async (t) => {
    const { ask, client, owner, target, datasetId } = await carryScene(w);
    const { status, body } = await ask(verb);
    t.is(status, 200, JSON.stringify(body));
    t.like(body, { type: 'Conversion', format: 'geotiff', status: 'Pending', createdBy: owner.userId });
    const shown = (await client.get(transfer(body.id))).body;
    t.like(shown, { carry: verb, projectId: target.projectId, progress: 0 });
    t.is(shown.exportParameters.datasetId, datasetId);
    t.is(shown.importResults, undefined);
  });

  test(`${verb}: api-version must be sent`, async (t) => {
    const { client, datasetId, target } = await carryScene(w);
    const body = { targetProjectId: target.projectId, targetTenantId: target.tenantId };
    const answer = await client.post(dataset(datasetId, `/${verb}`), body);
    t.deepEqual([answer.status, answer.body.code], [400, 'ApiVersionUnspecified']);
    const inQuery = await client.post(dataset(datasetId, `/${verb}?api-version=4&dryRun=true`), body);
    t.is(inQuery.status, 200, JSON.stringify(inQuery.body));
  });

  test(`${verb} takes its body as application/json-patch+json, with members in any letter case`, async (t) => {
    const { client, datasetId, target } = await carryScene(w);
    const body = JSON.stringify({ TargetProjectId: target.projectId.toUpperCase(), TargetTenantId: target.tenantId });
    const headers = { ...VERSION_4, 'content-type': 'application/json-patch+json' };
    t.is((await client.post(dataset(datasetId, `/${verb}`), body, headers)).status, 200);
  });

  test(`${verb}: a target project outside of the target tenant is 404`, async (t) => {
    const { ask, source } = await carryScene(w);
    const elsewhere = await ask(verb, { targetTenantId: source.tenantId });
    t.is(elsewhere.status, 404);
    t.is((await ask(verb, { targetTenantId: await w.tenant() })).status, 404);
    t.is((await ask(verb, { targetProjectId: source.tenantId })).status, 404);
  });

  test(`${verb} needs the role Owner in both tenants; invisible items are 404`, async (t) => {
    const { owner, source, target, datasetId, client } = await carryScene(w);
    const ask = async (user: Parameters<typeof w.as>[0]) => {
      const body = { targetProjectId: target.projectId, targetTenantId: target.tenantId };
      return (await w.as(user).post(dataset(datasetId, `/${verb}`), body, VERSION_4)).status;
    };
    const ofSource = await w.account({ tenantId: source.tenantId, role: 'Owner' });
    t.is(await ask(ofSource), 404, 'sees no target');
    const ofTarget = await w.account({ tenantId: target.tenantId, role: 'Owner' });
    t.is(await ask(ofTarget), 404, 'sees no dataset');
    t.is(await ask(await w.administrator()), 404);

    const member = { userId: ofSource.userId, role: 'Owner' };
    t.is((await client.post(`/api/metadata/project/${target.projectId}/member`, member)).status, 200);
    t.is(await ask(ofSource), 403, 'Owner of the target project, not of its tenant');
    await enrol(w, target.tenantId, ofSource, 'Member');
    t.is(await ask(ofSource), 403);
    await enrol(w, target.tenantId, ofSource, 'Owner');
    t.is(await ask(ofSource), 200);
    t.is(
      (await client.post(`/api/iam/tenant/${source.tenantId}/member`, { userId: owner.userId, role: 'Member' })).status,
      200,
    );
    t.is(await ask(owner), 403, 'Owner of the project alone');
  });

  test(`${verb} needs the scope platform_metadata_conversion`, async (t) => {
    const { ask, owner } = await carryScene(w);
    await w.sql(`update accounts set metadata = '{"scopes": ["another"]}' where user_id = $1`, [owner.userId]);
    const { status, body } = await ask(verb);
    t.deepEqual([status, body.code], [403, 'InsufficientScope']);
    t.regex(body.detail, /platform_metadata_conversion/);
  });

  test(`${verb}: a tenant header does not hide the other tenant`, async (t) => {
    const { client, datasetId, source, target } = await carryScene(w);
    const body = { targetProjectId: target.projectId, targetTenantId: target.tenantId };
    for (const { tenantId } of [source, target]) {
      const headers = { ...VERSION_4, 'svc-tenant-id': tenantId };
      const answer = await client.post(dataset(datasetId, `/${verb}?dryRun=true`), body, headers);
      t.deepEqual(answer.body, { valid: true, warnings: [] });
    }
    const headers = { ...VERSION_4, 'svc-tenant-id': await w.tenant() };
    t.is((await client.post(dataset(datasetId, `/${verb}`), body, headers)).status, 403);
  });

  test(`${verb}: a dry run starts nothing and locks nothing`, async (t) => {
    const { ask, client, datasetId } = await carryScene(w);
    t.deepEqual((await ask(verb, {}, '?dryRun=true')).body, { valid: true, warnings: [] });
    t.is(
      (await w.sql('select from transfers where $1 in (input_dataset_id, output_dataset_id)', [datasetId])).length,
      0,
    );
    t.is((await client.delete(dataset(datasetId))).status, 204);
  });

  test(`${verb}: both tenants get events of start and end, each about its own project`, async (t) => {
    const { ask, client, source, target } = await carryScene(w);
    const { id } = (await ask(verb)).body;
    t.is((await client.post(transfer(id, '/cancel'))).status, 202);
    const events = await eventsOf(id);
    for (const name of ['started', 'finished']) {
      const told = events.filter(({ type }) => type.includes(name)).map(({ type: _, ...where }) => where);
      // told at one moment, in no order
      t.deepEqual(inOrder(told), inOrder([target, source]), name);
    }
    const owners = [
      await w.account({ tenantId: source.tenantId, role: 'Owner' }),
      await w.account({ tenantId: target.tenantId, role: 'Owner' }),
    ];
    for (const owner of owners) t.is((await w.as(owner).get(transfer(id))).body.errorMessage, 'Cancelled.');
    const members = [await w.account({ tenantId: source.tenantId }), await w.account({ tenantId: target.tenantId })];
    for (const member of members) t.is((await w.as(member).get(transfer(id))).status, 404);
  });

  test(`${verb}: a retry checks the same rights again`, async (t) => {
    const { ask, client, owner, source, target } = await carryScene(w);
    const { id } = (await ask(verb)).body;
    await client.post(transfer(id, '/cancel'));
    const other = await w.account({ tenantId: target.tenantId, role: 'Owner' });
    await enrol(w, target.tenantId, owner, 'Member');
    t.is((await client.post(transfer(id, '/retry'))).status, 403, 'a Member now');
    t.is((await w.as(other).post(transfer(id, '/retry'))).status, 404, 'the dataset is hidden from another tenant');
    await enrol(w, target.tenantId, owner, 'Owner');
    const again = await client.post(transfer(id, '/retry'), undefined, { 'svc-tenant-id': source.tenantId });
    t.is(again.status, 202, JSON.stringify(again.body));
    t.like((await client.get(transfer(again.body.id))).body, { carry: verb, retryOf: id, projectId: target.projectId });
  });
}

function inOrder<T extends { projectId: string }>(sides: readonly T[]): T[] {
  return sides.toSorted((a, b) => a.projectId.localeCompare(b.projectId));
}

test('a tenant header hides items of other tenants from retries and moves within a tenant', async (t) => {
  const { client, datasetId, source, target } = await carryScene(w);
  const copy = { readerName: 'FileReader', writerName: 'FileWriter' };
  const { id } = (await client.post(dataset(datasetId, '/download-convert'), copy)).body;
  t.is((await client.post(transfer(id, '/cancel'))).status, 202);
  const targetProjectId = await newProject(client, 'Beside');
  // the user has access only as an Owner of these tenants
  const both = await w.account({ tenantId: source.tenantId, role: 'Owner' });
  await enrol(w, target.tenantId, both, 'Owner');
  const ask = async (path: string, body: object | undefined, tenantId: string) =>
    (await w.as(both).post(path, body, { 'api-version': '3', 'svc-tenant-id': tenantId })).status;

  t.is(await ask(transfer(id, '/retry'), undefined, target.tenantId), 404);
  t.is(await ask(transfer(id, '/retry'), undefined, await w.tenant()), 403);
  t.is(await ask(dataset(datasetId, '/move'), { targetProjectId }, target.tenantId), 404);
  t.is(await ask(dataset(datasetId, '/move'), { targetProjectId }, source.tenantId), 204);
  t.is(await ask(transfer(id, '/retry'), undefined, source.tenantId), 202);
});

test('copy exists in version 4 only', async (t) => {
  const { client, datasetId, target } = await carryScene(w);
  const body = { targetProjectId: target.projectId, targetTenantId: target.tenantId };
  const answer = await client.post(dataset(datasetId, '/copy'), body, { 'api-version': '3' });
  t.deepEqual([answer.status, answer.body.code], [400, 'UnsupportedApiVersion']);
  t.is(answer.headers['api-supported-versions'], '4.0');
});

test('an API key does not count as tenant Owner', async (t) => {
  const { client, datasetId, source } = await carryScene(w);
  const targetProjectId = await newProject(client, 'Beside');
  const { body } = await client.post('/api/iam/key', { name: 'machine', role: 'Owner' });
  const headers = { ...VERSION_4, 'svc-open-api-key': body.key };
  const wish = { targetProjectId, targetTenantId: source.tenantId };
  t.is((await w.nobody.post(dataset(datasetId, '/copy'), wish, headers)).status, 403);
});

const put = async ({ client, source, datasetId }: CarryScene) => {
  const grant = await client.get(`/api/security/sastoken?projectId=${source.projectId}&resourceId=${datasetId}`);
  return w.nobody.put(`/api/blob/dataset/${datasetId}?${grant.body.data}`, Buffer.from('other'));
};
const convert = ({ client, datasetId }: CarryScene) =>
  client.post(dataset(datasetId, '/convert'), {
    readerName: 'FileReader',
    writerName: 'FileWriter',
    outputDatasetData: { name: 'x' },
  });
const update = async ({ client, datasetId }: CarryScene) =>
  client.post(dataset(datasetId, '/update'), {
    originalFileName: 'x',
    uploadUrl: await upload(w, client, 'x'),
    readerName: 'GeoTiffReader',
  });

test('a dataset being moved is locked against all other operations', async (t) => {
  const scene = await carryScene(w);
  const { ask, client, datasetId } = scene;
  const { id } = (await ask('move')).body;
  for (const [what, answer] of Object.entries({
    move: await ask('move'),
    copy: await ask('copy'),
    convert: await convert(scene),
    update: await update(scene),
    put: await put(scene),
    delete: await client.delete(dataset(datasetId)),
    'move within the tenant': await client.post(
      dataset(datasetId, '/move'),
      { targetProjectId: await newProject(client, 'Beside') },
      { 'api-version': '3' },
    ),
  })) {
    t.deepEqual([answer.status, answer.body.code], [409, 'DatasetLocked'], what);
  }
  await client.post(transfer(id, '/cancel'));
  t.is((await client.delete(dataset(datasetId))).status, 204, 'what has ended holds nothing');
});

test('a dataset being copied can be read, but not written, moved or deleted', async (t) => {
  const scene = await carryScene(w);
  const { ask, client, datasetId } = scene;
  const first = (await ask('copy')).body.id;
  const second = (await ask('copy')).body.id;
  const third = (await convert(scene)).body.id;
  for (const [what, answer] of Object.entries({
    move: await ask('move'),
    update: await update(scene),
    put: await put(scene),
    delete: await client.delete(dataset(datasetId)),
  })) {
    t.deepEqual([answer.status, answer.body.code], [409, 'DatasetLocked'], what);
  }
  for (const id of [first, second, third]) t.is((await client.post(transfer(id, '/cancel'))).status, 202);
  t.is((await ask('move')).status, 200);
});

test('of concurrent moves and copies, either one move or many copies succeed', async (t) => {
  const { ask } = await carryScene(w);
  const answers = await Promise.all(Array.from({ length: 12 }, (_, n) => ask(n % 2 ? 'copy' : 'move')));
  const begun = answers.filter(({ status }) => status === 200).length;
  t.true(answers.every(({ status }) => status === 200 || status === 409));
  const moves = answers.filter(({ status }, n) => status === 200 && n % 2 === 0).length;
  t.is(moves > 0 ? begun : moves, moves, 'a move is alone');
  t.true(begun > 0);
});

test('move needs the tenant in version 4, and refuses it in earlier versions', async (t) => {
  const { client, datasetId, target, ask } = await carryScene(w);
  const without = await ask('move', { targetTenantId: undefined });
  t.is(without.status, 400);
  t.regex(without.body.errors.targetTenantId[0], /required/);
  const body = { targetProjectId: target.projectId, targetTenantId: target.tenantId };
  const older = await client.post(dataset(datasetId, '/move'), body, { 'api-version': '3' });
  t.is(older.status, 400);
  t.regex(older.body.errors.targetTenantId[0], /api-version 4/);
  const tried = await client.post(
    dataset(datasetId, '/move?dryRun=true'),
    { targetProjectId: target.projectId },
    { 'api-version': '3' },
  );
  t.is(tried.status, 400);
});

test('up to version 3 a dataset moves within its tenant immediately', async (t) => {
  const { client, datasetId, target } = await carryScene(w);
  const beside = await newProject(client, 'Beside');
  const before = (await client.get(dataset(datasetId))).body;
  const move = (targetProjectId: string, version: string) =>
    client.post(dataset(datasetId, '/move'), { targetProjectId }, { 'api-version': version });
  t.is((await move(beside, '1')).status, 204);
  const after = (await client.get(dataset(datasetId))).body;
  t.like(after, { id: datasetId, projectId: beside, createdAt: before.createdAt, metadata: before.metadata });
  t.not(after.rowVersion, before.rowVersion);
  t.is((await move(beside, '2')).status, 204, 'where it is already nothing changes');
  t.is((await client.get(dataset(datasetId))).body.rowVersion, after.rowVersion);
  const other = await move(target.projectId, '3');
  t.is(other.status, 403);
  t.regex(other.body.detail, /another tenant/);
});

test('a move within the tenant needs canDeleteContent at the source and canCreateContent at the target', async (t) => {
  const { client, datasetId, source } = await carryScene(w);
  const beside = await newProject(client, 'Beside');
  const user = await w.account({ tenantId: source.tenantId });
  const give = async (projectId: string, role: string) =>
    t.is((await client.post(`/api/metadata/project/${projectId}/member`, { userId: user.userId, role })).status, 200);
  const move = async () =>
    (await w.as(user).post(dataset(datasetId, '/move'), { targetProjectId: beside }, { 'api-version': '3' })).status;
  t.is(await move(), 404, 'the dataset is not to be seen');
  await give(source.projectId, 'Contributor');
  t.is(await move(), 404, 'the target is not to be seen');
  await give(beside, 'Reader');
  t.is(await move(), 403);
  await give(beside, 'Contributor');
  await give(source.projectId, 'Reader');
  t.is(await move(), 403);
  await give(source.projectId, 'Contributor');
  t.is(await move(), 204);
});

test('a retry writes its file at the dataset’s current location', async (t) => {
  const { client, datasetId, source } = await carryScene(w);
  const { id } = (
    await client.post(dataset(datasetId, '/download-convert'), { writerName: 'FileWriter', readerName: 'FileReader' })
  ).body;
  await client.post(transfer(id, '/cancel'));
  const beside = await newProject(client, 'Beside');
  await client.post(dataset(datasetId, '/move'), { targetProjectId: beside }, { 'api-version': '3' });
  const again = await client.post(transfer(id, '/retry'));
  t.is(again.status, 202, JSON.stringify(again.body));
  t.is((await client.get(transfer(again.body.id))).body.projectId, beside);
  t.not(beside, source.projectId);
});
