import { randomUUID } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import pg from 'pg';
import { KeyStore } from '../../src/platform/keys/key-store.ts';
import { Signer } from '../../src/platform/keys/signing-keys.ts';
import { newDataset, subproject } from '../world/content.ts';
import { until } from '../world/hooks.ts';
import { leaveEarly } from '../world/leave-early.ts';
import { newStore } from '../world/stores.ts';
import { local, newProject } from '../world/transfers.ts';
import { ownWorld, type User } from '../world.ts';

const w = ownWorld(test, { 'uploads.maxSize': '1000000' });

/** Access that a token of the security service grants to an address. */
async function token(user: User, query: string): Promise<string> {
  const { status, body } = await w.as(user).get(`/api/security/sastoken?${query}`);
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return body.data;
}
const addressOf = (id: string, query: string) => `/api/blob/dataset/${id}?${query}`;
const put = (url: string, content: string, headers: Record<string, string> = {}) =>
  w.nobody.put(url, Buffer.from(content), { 'x-ms-blob-type': 'BlockBlob', ...headers });
const text = async (url: string) => String((await w.nobody.get(url)).raw);

async function scene() {
  const [owner, reader] = [await w.account(), await w.account()];
  const projectId = await newProject(w.as(owner), 'River', [{ user: reader, role: 'Reader' }]);
  const id = await newDataset(w, projectId, owner);
  const url = addressOf(id, await token(owner, `projectId=${projectId}&resourceId=${id}`));
  return { owner, reader, projectId, id, url };
}

test('a dataset token allows GET, ranges, HEAD and PUT', async (t) => {
  const { url } = await scene();
  t.is(await text(url), 'the bytes');
  t.is((await w.nobody.get(url, { 'x-ms-range': 'bytes=0-2' })).status, 206);
  const head = await w.nobody.send({ method: 'HEAD', url });
  t.is(head.headers['content-length'], '9');
  t.is((await put(url, 'other bytes')).status, 201);
  t.is(await text(url), 'other bytes');
  t.is((await w.nobody.delete(url)).status, 403);
});

test('a copy whose client leaves before it begins changes nothing', async (t) => {
  const [source, target] = [await scene(), await scene()];
  await put(source.url, 'other bytes');
  const { origin } = new URL(await w.listen());
  const headers = { 'x-ms-copy-source': `${origin}${source.url}` };
  const [left] = await leaveEarly(w.app.server, `${origin}${target.url}`, { method: 'PUT', headers });
  await until(() => left?.response.writableEnded === true);
  t.is(await text(target.url), 'the bytes');
});

test('a token with readOnly grants reading only, of a dataset and of a project, also to those who may write', async (t) => {
  const { owner, projectId, id } = await scene();
  for (const resource of [`projectId=${projectId}&resourceId=${id}`, `projectId=${projectId}`]) {
    const url = addressOf(id, await token(owner, `${resource}&readOnly=true`));
    t.is(await text(url), 'the bytes');
    t.is((await put(url, 'other bytes')).status, 403);
  }
  const url = addressOf(id, await token(owner, `projectId=${projectId}&resourceId=${id}&readOnly=false`));
  t.is((await put(url, 'other bytes')).status, 201);
});

test('PUT on a dataset replaces its content and updates size, rowVersion and updatedAt; name and metadata stay', async (t) => {
  const { owner, id, url } = await scene();
  const before = (await w.as(owner).get(`/api/metadata/dataset/${id}`)).body;
  const answer = await put(url, 'other bytes');
  const after = (await w.as(owner).get(`/api/metadata/dataset/${id}`)).body;
  t.is(after.storageSize, 11);
  t.not(after.rowVersion, before.rowVersion);
  t.true(after.updatedAt > before.updatedAt);
  t.deepEqual({ ...after, storageSize: 9, rowVersion: before.rowVersion, updatedAt: before.updatedAt }, before);
  t.is((await w.nobody.get(url)).headers.etag, answer.headers.etag);
});

test('large files are uploaded in blocks', async (t) => {
  const { url } = await scene();
  for (const [id, part] of [
    ['Yg==', 'world'],
    ['YQ==', 'hello '],
  ]) {
    t.is((await w.nobody.put(`${url}&comp=block&blockid=${encodeURIComponent(id!)}`, Buffer.from(part!))).status, 201);
  }
  t.is(await text(url), 'the bytes');
  const list = '<BlockList><Latest>YQ==</Latest><Latest>Yg==</Latest></BlockList>';
  t.is((await w.nobody.put(`${url}&comp=blocklist`, Buffer.from(list))).status, 201);
  t.is((await w.nobody.put(`${url}&comp=blocklist`, Buffer.from(list))).status, 201, 'again, after a lost answer');
  t.is(await text(url), 'hello world');
});

test('a download that overlaps a replacement of the content gets the old content', async (t) => {
  const { id, url } = await scene();
  const [{ blob }] = (await w.sql<{ blob: string }>('select blob from datasets where id = $1', [id])) as [
    { blob: string },
  ];
  const reading = await w.blobs.read(blob);
  await put(url, 'other bytes');
  t.is(Buffer.concat(await reading.toArray()).toString(), 'the bytes');
  t.truthy(await w.blobs.info(blob), 'the sweep removes what no row names');
});

test('concurrent PUTs do not mix content; with If-Match exactly one succeeds', async (t) => {
  const { url, id } = await scene();
  const { etag } = (await w.nobody.get(url)).headers as { etag: string };
  const contents = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(1000));
  const matched = await Promise.all(contents.map((content) => put(url, content, { 'if-match': etag })));
  t.deepEqual(matched.map((answer) => answer.status).sort(), [201, 412, 412, 412]);
  await Promise.all(contents.map((content) => put(url, content)));
  t.true(contents.includes(await text(url)));
  t.is((await put(url, 'late', { 'if-match': etag })).headers['x-ms-error-code'], 'ConditionNotMet');
  const rows = await w.sql('select row_version::int as v from datasets where id = $1', [id]);
  t.deepEqual(rows, [{ v: 6 }]);
});

test('If-None-Match: * writes a file without content once, and is 409 on any other file', async (t) => {
  const { owner, projectId, url } = await scene();
  const onlyNew = { 'if-none-match': '*' };
  const refused = await put(url, 'x', onlyNew);
  t.is(refused.status, 409);
  t.is(refused.headers['x-ms-error-code'], 'BlobAlreadyExists');
  const empty = await newDataset(w, projectId, owner, { content: '' });
  const fill = addressOf(empty, await token(owner, `projectId=${projectId}&resourceId=${empty}`));
  const answers = await Promise.all(['one', 'two'].map((content) => put(fill, content, onlyNew)));
  t.deepEqual(answers.map((answer) => answer.status).sort(), [201, 409]);
});

test('a wrong or expired token is 403, a deleted dataset 404, a locked one 409; a Reader’s token cannot write', async (t) => {
  const { owner, reader, projectId, id, url } = await scene();
  t.is((await w.nobody.get(url.replace(/sig=[^&]*/, 'sig=x'))).status, 403);
  t.is((await put(url.replace('sp=rcw', 'sp=cw'), 'x')).status, 403);
  const other = await newDataset(w, projectId, owner);
  t.is((await w.nobody.get(url.replace(id, other))).status, 403);
  const short = await token(owner, `projectId=${projectId}&resourceId=${id}&expiration=0:00:00.001`);
  t.is((await w.nobody.get(addressOf(id, short))).status, 403);
  const reading = addressOf(id, await token(reader, `projectId=${projectId}&resourceId=${id}`));
  t.is(await text(reading), 'the bytes');
  t.is((await put(reading, 'x')).status, 403);

  await w.sql('update datasets set locked_by = $1 where id = $2', [randomUUID(), id]);
  const locked = await put(url, 'x');
  t.is(locked.status, 409);
  t.is(locked.headers['x-ms-error-code'], 'DatasetLocked');
  await w.sql('update datasets set locked_by = null where id = $1', [id]);
  await w.sql('insert into dataset_readers (transfer_id, dataset_id) values ($1, $2)', [randomUUID(), id]);
  t.is((await put(url, 'x')).status, 409, 'a transfer reads it');
  await w.sql('delete from dataset_readers where dataset_id = $1', [id]);
  await w.as(owner).delete(`/api/metadata/dataset/${id}`);
  t.is((await w.nobody.get(url)).status, 404);
  t.is((await put(url, 'x')).status, 404);
});

test.serial(
  'a dataset deleted or locked during an upload keeps its content, and the upload is discarded',
  async (t) => {
    const { url, id, owner } = await scene();
    const before = await Array.fromAsync(w.blobs.list('dataset/'));
    const interrupted = async (meanwhile: () => Promise<unknown>) => {
      async function* body() {
        yield Buffer.from('first ');
        await meanwhile();
        yield Buffer.from('last');
      }
      return w.app.inject({ method: 'PUT', url, payload: Readable.from(body()) });
    };
    const locked = await interrupted(() =>
      w.sql('update datasets set locked_by = $1 where id = $2', [randomUUID(), id]),
    );
    t.is(locked.statusCode, 409);
    await w.sql('update datasets set locked_by = null where id = $1', [id]);
    t.is(await text(url), 'the bytes');
    const deleted = await interrupted(() => w.as(owner).delete(`/api/metadata/dataset/${id}`));
    t.is(deleted.statusCode, 404);
    t.is((await Array.fromAsync(w.blobs.list('dataset/'))).length, before.length);
  },
);

test('a folder token is valid only for files below the folder', async (t) => {
  const { owner, projectId, id } = await scene();
  const folder = await subproject(w.as(owner), projectId, { name: 'a', inheritsMembers: true });
  const deeper = await subproject(w.as(owner), folder, { name: 'b', inheritsMembers: true });
  const file = await newDataset(w, deeper, owner);
  const query = await token(owner, `projectId=${projectId}&resourceId=${folder}`);
  t.is(await text(addressOf(file, query)), 'the bytes');
  t.is((await put(addressOf(file, query), 'new')).status, 201);
  for (const elsewhere of [id, randomUUID(), 'nonsense']) {
    t.is((await w.nobody.get(addressOf(elsewhere, query))).status, 403, elsewhere);
  }
  t.is((await w.nobody.get(`/api/blob/export/${file}?${query}`)).status, 403);
  const whole = await token(owner, `projectId=${projectId}`);
  t.is(await text(addressOf(file, whole)), 'new');
  t.is((await w.nobody.get(addressOf(file, query.replace(folder, projectId)))).status, 403);
  await w.as(owner).delete(`/api/metadata/dataset/${file}`);
  t.is((await w.nobody.get(addressOf(file, query))).status, 404);
});

test('a folder token excludes items with explicit members or with denying permissions', async (t) => {
  const { owner, projectId } = await scene();
  const closed = await subproject(w.as(owner), projectId, { name: 'closed' });
  const [inside, denied] = [await newDataset(w, closed, owner), await newDataset(w, projectId, owner)];
  const permissions = [{ principals: ['Editors'], operation: 'read', type: 'Denied' }];
  const changed = await w
    .as(owner)
    .put(`/api/metadata/project/${projectId}/dataset`, { id: denied, name: 'denied', permissions });
  t.is(changed.status, 200);
  const query = await token(owner, `projectId=${projectId}`);
  t.is((await w.nobody.get(addressOf(inside, query))).status, 403);
  t.is((await w.nobody.get(addressOf(denied, query))).status, 403);
});

test('revoke-grants of a dataset voids all earlier signatures for it, and no others', async (t) => {
  const { owner, reader, projectId, id, url } = await scene();
  const folder = await token(owner, `projectId=${projectId}`);
  const other = await newDataset(w, projectId, owner);
  const listed = (await w.as(reader).get(`/api/metadata/project/${projectId}/dataset/list?includeSasTokens=true`)).body;
  const prepared = await w.as(reader).get(`/api/filesync/prepare-download?id=${id}`, { 'svc-project-id': projectId });
  const signed = [
    url,
    addressOf(id, folder),
    addressOf(id, listed.data.find((one: { id: string }) => one.id === id).sasToken),
    local(prepared.body.data[0].url),
    local((await w.as(reader).get(`/api/raw/dataset/${id}`)).body.data),
  ];
  const beside = [
    addressOf(other, folder),
    addressOf(other, await token(owner, `projectId=${projectId}&resourceId=${other}`)),
  ];
  for (const each of [...signed, ...beside]) t.is(await text(each), 'the bytes', each);

  t.is((await w.as(owner).post(`/api/metadata/dataset/${id}/revoke-grants`)).status, 204);
  for (const each of signed) {
    const answer = await w.nobody.get(each);
    t.deepEqual([answer.status, answer.headers['x-ms-error-code']], [403, 'AuthenticationFailed'], each);
  }
  t.is((await put(url, 'x')).status, 403);
  t.is((await w.nobody.send({ method: 'HEAD', url })).status, 403);
  const source = { 'x-ms-copy-source': `http://localhost${url}` };
  t.is((await w.nobody.put(beside[1]!, undefined, source)).status, 403, 'neither does it copy from there');
  for (const each of beside) t.is(await text(each), 'the bytes');
  t.is(await text(addressOf(id, await token(owner, `projectId=${projectId}`))), 'the bytes');
  t.is(await text(addressOf(id, await token(owner, `projectId=${projectId}&resourceId=${id}`))), 'the bytes');
  const audit = await w.sql(
    `select account_id, tenant_id from audit where action = 'dataset.grants.revoke' and subject = $1`,
    [id],
  );
  t.deepEqual(audit, [{ account_id: owner.id, tenant_id: owner.tenantId }]);
});

test('revoke-grants of a project voids all earlier signatures for the project, its folders and their datasets', async (t) => {
  const { owner, projectId, url } = await scene();
  const folder = await subproject(w.as(owner), projectId, { name: 'a', inheritsMembers: true });
  const deeper = await subproject(w.as(owner), folder, { name: 'b', inheritsMembers: true });
  const file = await newDataset(w, deeper, owner);
  const tokens = () =>
    Promise.all(
      [
        `projectId=${projectId}`,
        ...[folder, deeper, file].map((id) => `projectId=${id === file ? deeper : projectId}&resourceId=${id}`),
      ].map((query) => token(owner, query)),
    );
  const actions = [{ type: 'PathActionCreateIfNotExists', path: 'a/', isFolder: true }];
  const made = await w.as(owner).post(`/api/hierarchy/project/${projectId}/`, { actions });
  const before = [...(await tokens()), made.body.results[0].sasToken].map((query) => addressOf(file, query));
  for (const each of before) t.is(await text(each), 'the bytes');

  t.is((await w.as(owner).post(`/api/metadata/project/${folder}/revoke-grants`)).status, 204);
  for (const each of before) t.is((await w.nobody.get(each)).status, 403, each);
  t.is(await text(url), 'the bytes', 'what lies beside the folder');
  for (const query of await tokens()) t.is(await text(addressOf(file, query)), 'the bytes');
  t.is((await w.sql(`select from audit where action = 'project.grants.revoke' and subject = $1`, [folder])).length, 1);
});

test('revoke-grants of a project and a move of its datasets to another tenant do not deadlock', async (t) => {
  const { owner, projectId } = await scene();
  const moving = new pg.Client(w.url);
  await moving.connect();
  t.teardown(() => moving.end());
  await moving.query('begin');
  // as the end of such a move does: the trees, then a generation
  await moving.query('select from projects where id = $1 for no key update', [projectId]);
  const { rows } = await moving.query('select pg_backend_pid() as pid');
  const waiting = () => w.sql('select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))', [rows[0].pid]);
  const answer = w.as(owner).post(`/api/metadata/project/${projectId}/revoke-grants`);
  while ((await waiting()).length === 0) await sleep(10);
  await moving.query('update grant_generations set generation = generation + 1');
  await moving.query('commit');
  t.is((await answer).status, 204);
});

test('grants voided by revoke-grants of a project stay void when its datasets and folders move', async (t) => {
  const { owner, projectId: root } = await scene();
  const call = async (method: 'POST' | 'DELETE', url: string, body?: object, headers: Record<string, string> = {}) => {
    const answer = await w.as(owner).send({ method, url, headers, ...(body ? { payload: body } : {}) });
    t.true(answer.status < 300, `${method} ${url}: ${answer.status} ${JSON.stringify(answer.body)}`);
  };
  const folder = (name: string, parent = root) => subproject(w.as(owner), parent, { name, inheritsMembers: true });
  const [leaked, aside, elsewhere] = [await folder('leaked'), await folder('aside'), await newProject(w.as(owner))];
  const [moved, placed, binned] = [
    await folder('moved', leaked),
    await folder('placed', leaked),
    await subproject(w.as(owner), leaked, { name: 'binned' }),
  ];
  const ways: Record<string, (id: string) => Promise<void>> = {
    'a dataset is moved': (id) =>
      call('POST', `/api/metadata/dataset/${id}/move`, { targetProjectId: elsewhere }, { 'api-version': '3' }),
    'a dataset is moved by its path': () => byPath('leaked/file', 'aside/file'),
    'a dataset is restored elsewhere': async (id) => {
      await call('DELETE', `/api/metadata/dataset/${id}`);
      await call('POST', `/api/recycle-bin/dataset/${id}/restore`, { targetProjectId: aside });
    },
    'a folder is moved': () => call('POST', `/api/metadata/project/${moved}/move`, { targetProjectId: aside }),
    'a folder is moved by its path': () => byPath('leaked/placed', 'aside/placed'),
    'a folder is restored as a root': async () => {
      await call('DELETE', `/api/metadata/project/${binned}`);
      await call('POST', `/api/recycle-bin/project/${binned}/restore`, {});
    },
  };
  const byPath = (path: string, newPath: string) =>
    call('POST', `/api/hierarchy/project/${root}`, { actions: [{ type: 'PathActionMove', path, newPath }] });
  const places = [leaked, leaked, leaked, moved, placed, binned];
  const signed: { how: string; id: string; urls: string[] }[] = [];
  for (const [at, how] of Object.keys(ways).entries()) {
    const place = places[at] as string;
    const id = await newDataset(w, place, owner, { name: how.endsWith('dataset is moved by its path') ? 'file' : how });
    const own = await token(owner, `projectId=${place}&resourceId=${id}`);
    const ofFolder = place === leaked ? [] : [await token(owner, `projectId=${root}&resourceId=${place}`)];
    signed.push({ how, id, urls: [own, ...ofFolder].map((query) => addressOf(id, query)) });
  }

  await call('POST', `/api/metadata/project/${leaked}/revoke-grants`);
  for (const { how, id, urls } of signed) {
    await ways[how]?.(id);
    for (const url of urls) t.is((await w.nobody.get(url)).status, 403, how);
    const { projectId } = (await w.as(owner).get(`/api/metadata/dataset/${id}`)).body;
    t.not(projectId, leaked, how);
    for (const query of [`projectId=${projectId}`, `projectId=${projectId}&resourceId=${id}`])
      t.is(await text(addressOf(id, await token(owner, query))), 'the bytes', how);
  }
});

test.serial('an upload in progress when grants are revoked does not replace the content', async (t) => {
  const { owner, id, url } = await scene();
  const temporary = join(w.folder, 'blobs/.temporary');
  const parts = () => readdir(temporary).catch(() => []);
  const others = new Set(await parts());
  async function* body() {
    yield Buffer.from('half');
    // the grant was looked at, and half of the bytes have come
    while ((await parts()).every((part) => others.has(part))) await sleep(5);
    t.is((await w.as(owner).post(`/api/metadata/dataset/${id}/revoke-grants`)).status, 204);
    yield Buffer.from('half');
  }
  t.is((await w.nobody.put(url, Readable.from(body()))).status, 403);
  const { projectId } = (await w.as(owner).get(`/api/metadata/dataset/${id}`)).body;
  t.is(await text(addressOf(id, await token(owner, `projectId=${projectId}&resourceId=${id}`))), 'the bytes');
});

test('a Contributor can change content but not revoke grants', async (t) => {
  const { owner, projectId, id } = await scene();
  const contributor = await w.account();
  await w
    .as(owner)
    .post(`/api/metadata/project/${projectId}/member`, { userId: contributor.userId, role: 'Contributor' });
  for (const url of [`/api/metadata/dataset/${id}/revoke-grants`, `/api/metadata/project/${projectId}/revoke-grants`])
    t.is((await w.as(contributor).post(url)).status, 403);
});

test('addresses of earlier formats, which name no issuer, are refused', async (t) => {
  const { id } = await scene();
  const signer = await Signer.open(w.db, new KeyStore(), 'address');
  const grant = { sp: 'r', se: '2100-01-01T00:00:00Z' };
  for (const [sv, generation] of [
    ['1', []],
    ['2', [1]],
  ] as const) {
    const signed = JSON.stringify([...generation, 'dataset', id, grant.sp, grant.se, null, null]);
    const { kid, signature } = await signer.sign(signed);
    const si = [kid, ...generation].join('.');
    const query = new URLSearchParams({ sv, sr: 'b', ...grant, si, sig: signature.toString('base64url') });
    t.is((await w.nobody.get(addressOf(id, String(query)))).status, 403);
  }
});

test('a link ends when its issuer loses the right to read or write, immediately in this process', async (t) => {
  const { owner, projectId, id } = await scene();
  const member = await w.account();
  const client = w.as(owner);
  const members = `/api/metadata/project/${projectId}/member`;
  const become = async (role: string) =>
    t.true((await client.post(members, { userId: member.userId, role })).status < 300);
  await become('Contributor');
  const queries = [`projectId=${projectId}&resourceId=${id}`, `projectId=${projectId}`];
  const links = await Promise.all(queries.map(async (query) => addressOf(id, await token(member, query))));
  links.push(local((await w.as(member).get(`/api/raw/dataset/${id}`)).body.data));
  const [listed] = (await w.as(member).get(`/api/metadata/project/${projectId}/dataset/list?includeSasTokens=true`))
    .body.data;
  links.push(addressOf(id, listed.sasToken));
  const statuses = (work: (url: string) => Promise<{ status: number }>) =>
    Promise.all(links.map(async (url) => (await work(url)).status));
  const reads = () => statuses((url) => w.nobody.get(url));
  const writes = () => statuses((url) => put(url, 'other bytes'));
  t.deepEqual(await reads(), [200, 200, 200, 200]);
  t.deepEqual(await writes(), [201, 201, 403, 403]);
  await become('Reader');
  t.deepEqual(await reads(), [200, 200, 200, 200]);
  t.deepEqual(await writes(), [403, 403, 403, 403]);
  t.is((await client.delete(`${members}/${member.userId}`)).status, 204);
  t.deepEqual(await reads(), [403, 403, 403, 403]);
  const refused = await w.nobody.get(links[0]!);
  t.is(refused.headers['x-ms-error-code'], 'AuthenticationFailed');
  await become('Contributor');
  t.deepEqual(await reads(), [200, 200, 200, 200]);
});

test('links, also for uploads, end when the account or API key of their issuer is deleted', async (t) => {
  const { owner, projectId, id } = await scene();
  const root = w.as(await w.administrator());
  const gone = await w.account();
  const members = `/api/metadata/project/${projectId}/member`;
  await w.as(owner).post(members, { userId: gone.userId, role: 'Reader' });
  const read = addressOf(id, await token(gone, `projectId=${projectId}`));
  const upload = local((await w.as(gone).get('/api/conversion/transfer/upload-url')).body.data);
  t.is((await w.nobody.get(read)).status, 200);
  t.is((await put(upload, 'x')).status, 201);
  t.is((await root.delete(`/api/accounts/${gone.id}`)).status, 204);
  t.is((await w.nobody.get(read)).status, 403);
  t.is((await put(upload, 'y')).status, 403);

  const issuer = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const project = await newProject(w.as(issuer));
  const dataset = await newDataset(w, project, issuer);
  const made = await w
    .as(issuer)
    .post('/api/iam/key', { tenantId: issuer.tenantId, name: 'sync', role: 'Contributor' });
  t.is(made.status, 201, JSON.stringify(made.body));
  const key = { 'svc-open-api-key': made.body.key };
  const answer = await w.nobody.get(`/api/security/sastoken?projectId=${project}&resourceId=${dataset}`, key);
  const link = addressOf(dataset, answer.body.data);
  t.is((await put(link, 'x')).status, 201);
  t.is((await w.as(issuer).delete(`/api/iam/key/${made.body.id}`)).status, 204);
  t.is((await put(link, 'y')).status, 403);
  t.is((await w.nobody.get(link)).status, 403);
});

test('a link to write lives for 7 days at most, one to read for a year; issuing is audited', async (t) => {
  const { owner, reader, projectId, id } = await scene();
  const ask = (user: User, query: string) =>
    w.as(user).get(`/api/security/sastoken?projectId=${projectId}&resourceId=${id}&${query}`);
  const refused = await ask(owner, 'expiration=8.0:00:00');
  t.like(refused.body, { status: 400, code: 'LinkTooLong' });
  t.regex(refused.body.detail, /7 days.* readOnly=true/);
  t.is((await ask(owner, 'expiration=7.0:00:00')).status, 200);
  t.is((await ask(owner, 'expiration=365.0:00:00&readOnly=true')).status, 200);
  t.is((await ask(reader, 'expiration=365.0:00:00')).status, 200);
  t.is((await ask(owner, 'expiration=366.0:00:00&readOnly=true')).body.code, 'LinkTooLong');
  const actions = { actions: [], sasTokenExpiration: '8.0:00:00' };
  t.is((await w.as(owner).post(`/api/hierarchy/project/${projectId}`, actions)).body.code, 'LinkTooLong');
  const audited = await w.sql(
    `select account_id, details->>'permission' as permission, details->>'kind' as kind from audit
     where action = 'grant.issue' and subject = $1 order by time`,
    [id],
  );
  t.deepEqual(audited.slice(1), [
    { account_id: owner.id, permission: 'rcw', kind: 'dataset' },
    { account_id: owner.id, permission: 'r', kind: 'dataset' },
    { account_id: reader.id, permission: 'r', kind: 'dataset' },
  ]);
});

test('a grant has only parameters that blob clients preserve, and changing any of them invalidates it', async (t) => {
  const { owner, projectId, id, url } = await scene();
  const KEPT = 'sv ss sr sp st se sip spr sig si rscc rscd rsce rscl rsct'.split(' ');
  const raw = local((await w.as(owner).get(`/api/raw/dataset/${id}`)).body.data);
  for (const each of [url, raw, addressOf(id, await token(owner, `projectId=${projectId}`))])
    for (const name of new URL(each, 'http://x').searchParams.keys()) t.true(KEPT.includes(name), name);
  const higher = url.replace(/(si=[0-9a-f-]+\.)(\d+)/, (_, start, generation) => `${start}${Number(generation) + 1}`);
  t.not(higher, url);
  t.is((await w.nobody.get(higher)).status, 403);
});

test('a token is issued only for visible datasets of the named project', async (t) => {
  const { owner, projectId, id } = await scene();
  const get = async (query: string, headers = {}) =>
    (await w.as(owner).get(`/api/security/sastoken?${query}`, headers)).status;
  const other = await newProject(w.as(owner));
  t.is(await get(`projectId=${other}&resourceId=${id}`), 404);
  t.is(await get(`projectId=${projectId}&resourceId=${other}`), 404);
  t.is(await get(`projectId=${projectId}&resourceId=${randomUUID()}`), 404);
  t.is(await get(`resourceId=${id}`), 400);
  t.is(await get(`resourceId=${id}`, { 'svc-project-id': projectId }), 200);
  for (const duration of ['1:00:00', '2.12:00:00', '2 days, 1:00:00', '0:00:00.5']) {
    t.is(await get(`projectId=${projectId}&expiration=${duration}`), 200, duration);
  }
  for (const duration of ['', '0:00:00', '60', '-1:00:00', '366.00:00:00', '1:60:00']) {
    t.is(await get(`projectId=${projectId}&expiration=${duration}`), 400, duration);
  }
});

test('prepare-download returns an address for each named dataset, or for all in the project of the header', async (t) => {
  const { owner, projectId, id } = await scene();
  const second = await newDataset(w, projectId, owner, { name: 'second', content: '2' });
  const header = { 'svc-project-id': projectId };
  const get = (query: string, headers = {}) => w.as(owner).get(`/api/filesync/prepare-download${query}`, headers);
  const all = (await get('', header)).body.data;
  t.deepEqual(
    all.map((row: { id: string; name: string }) => [row.id, row.name]),
    [
      [second, 'second'],
      [id, 'terrain'],
    ],
  );
  const [one] = (await get(`?id=${id}`, header)).body.data;
  t.is(await text(local(one.url)), 'the bytes');
  t.is((await get(`?id=${id}&id=${second}`, header)).body.data.length, 2);
  t.is((await get(`?id=${id}&id=${randomUUID()}`, header)).status, 404);
  t.is((await get(`?id=${id}`)).status, 400);
  t.is((await get(`?id=${id}`, { 'svc-project-id': 'nonsense' })).status, 404);
});

test('staging-urls returns the requested number of addresses, from 1 to 100', async (t) => {
  const user = await w.account();
  const { body } = await w.as(user).get('/api/raw/staging-urls?count=100');
  t.is(new Set(body.data.map(({ url }: { url: string }) => url)).size, 100);
  t.is((await put(local(body.data[99].url), 'x')).status, 201);
  for (const query of ['', '?count=0', '?count=101']) {
    t.is((await w.as(user).get(`/api/raw/staging-urls${query}`)).status, 400);
  }
});

test('services are found by name, and all have the public base address', async (t) => {
  const user = await w.account();
  const { data } = (await w.as(user).get('/api/data/services')).body;
  t.true(data.includes('metadata'));
  for (const name of data) {
    const answer = await w.as(user).get(`/api/services/${name}/baseuri`, { host: 'platform.example' });
    t.deepEqual(answer.body, { data: 'http://platform.example/api' });
  }
  t.is((await w.as(user).get('/api/services/nonsense/baseuri')).status, 404);
});

test('a link with write rights changes no item and removes no step of a multidimensional dataset', async (t) => {
  const owner = await w.account();
  const projectId = await newProject(w.as(owner));
  const id = await newStore(w, projectId, owner, 'levels');
  const query = (await token(owner, `projectId=${projectId}&resourceId=${id}`)).replace(/^\?/, '');
  t.is((await w.nobody.get(`/api/md/dataset/${id}?${query}`)).status, 200);
  const item = `/api/md/dataset/${id}/item/0`;
  t.is((await w.nobody.send({ method: 'PATCH', url: `${item}?${query}`, payload: { name: 'x' } })).status, 401);
  t.is((await w.nobody.delete(`/api/md/dataset/${id}/timestep?timestepIndex=0&${query}`)).status, 401);
  t.deepEqual(await w.sql('select from transfers where output_dataset_id = $1', [id]), []);
});

test('an unsupported route is 501 NotImplemented as a problem for any method and body; supported routes beside it are not', async (t) => {
  const user = await w.account();
  for (const [method, url] of [
    ['GET', '/api/conversion/exporter/list'],
    ['POST', `/api/conversion/project/${randomUUID()}/file/upload`],
    ['GET', '/api/sharing/anything'],
    ['DELETE', '/api/filesync'],
    ['PUT', '/api/compute/a/b'],
  ] as const) {
    const headers = { authorization: `Bearer ${await w.tokenOf(user)}`, 'content-type': 'multipart/form-data' };
    const answer = await w.app.inject({ method, url, headers });
    t.is(answer.statusCode, 501, url);
    t.is(answer.json().code, 'NotImplemented');
    t.true(answer.json().detail.includes(url));
  }
  t.is((await w.as(user).post(`/api/raw/dataset/${randomUUID()}`)).status, 405);
  t.is((await w.as(user).get(`/api/raw/dataset/${randomUUID()}`)).status, 404);
});
