import test, { type ExecutionContext } from 'ava';
import { FAIL_FAST } from '../../src/platform/async/maintenance-run.ts';
import { loggedUrl } from '../../src/platform/telemetry/log.ts';
import { forgetShares } from '../../src/shares/clean-up.ts';
import { newDataset } from '../world/content.ts';
import { newProject, sharePath } from '../world/transfers.ts';
import { type Answer, type User, world } from '../world.ts';

const w = world(test);

interface Shared {
  owner: User;
  projectId: string;
  datasetId: string;
  id: string;
  /** Path of the link. */
  link: string;
}

async function owned() {
  const tenantId = await w.tenant();
  const owner = await w.account({ tenantId, role: 'Owner' });
  const projectId = await newProject(w.as(owner), 'Secret project');
  const datasetId = await newDataset(w, projectId, owner, { name: 'Valley', content: 'the bytes of the valley' });
  return { tenantId, owner, projectId, datasetId };
}

async function share(t: ExecutionContext, more: object = {}): Promise<Shared> {
  const { owner, projectId, datasetId } = await owned();
  return { owner, projectId, datasetId, ...(await link(t, owner, datasetId, more)) };
}

async function link(t: ExecutionContext, owner: User, datasetId: string, more: object = {}) {
  const made = await w.as(owner).post(`/api/metadata/dataset/${datasetId}/share`, more);
  t.is(made.status, 201, JSON.stringify(made.body));
  return { id: made.body.id as string, link: sharePath(made.body.url) };
}

/** What is equal for all links that are not open. */
const closed = ({ status, headers, body }: Answer) => ({
  status,
  headers: Object.keys(headers).sort(),
  body: { ...body, instance: '', traceId: '' },
});
const UNKNOWN = '/api/share/AAAAAAAAAAAAAAAAAAAAAA';

async function isClosed(t: ExecutionContext, path: string, why: string) {
  for (const suffix of ['', '/download']) {
    const answer = closed(await w.nobody.get(path + suffix));
    t.deepEqual(answer, closed(await w.nobody.get(UNKNOWN + suffix)), why);
    t.is(answer.status, 404);
  }
}
const isOpen = async (t: ExecutionContext, path: string) => t.is((await w.nobody.get(path)).status, 200);

test('a link shows name, description, publisher, expiry and citation, and nothing else', async (t) => {
  const { owner, projectId, datasetId, id, link: path } = await share(t, { name: 'Consultants' });
  const { status, body, headers } = await w.nobody.get(path);
  t.is(status, 200);
  t.deepEqual(Object.keys(body).sort(), ['citation', 'downloads', 'expiresAt', 'name', 'preview', 'publisher']);
  t.like(body, { name: 'Valley', downloads: 'None' });
  t.regex(body.citation.text, /^.+ \(\d{4}\): Valley \[dataset\]\. http.+\/s\/.{22}$/);
  t.like(headers, { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', 'x-robots-tag': 'noindex' });
  for (const secret of [owner.userId, owner.id, projectId, 'Secret project', datasetId, id, 'Consultants'])
    t.false(JSON.stringify([body, headers]).includes(secret), secret);
});

test('what a citation quotes cannot leave its place in BibTeX', async (t) => {
  const { owner, projectId } = await owned();
  const datasetId = await newDataset(w, projectId, owner, { name: 'a} & \\input{x}' });
  const { link: path } = await link(t, owner, datasetId);
  const { bibtex } = (await w.nobody.get(path)).body.citation;
  t.true(bibtex.includes('title = {a\\} \\& \\textbackslash{}input\\{x\\}}'), bibtex);
});

test('the token has 128 bits, is shown once, stored as a hash, and hidden in the log', async (t) => {
  const { owner, datasetId, link: path } = await share(t);
  const token = path.split('/').at(-1)!;
  t.is(Buffer.from(token, 'base64url').length, 16);
  const list = await w.as(owner).get(`/api/metadata/dataset/${datasetId}/share`);
  t.false(JSON.stringify(list.body).includes(token));
  const stored = await w.sql('select s.*, a.details from dataset_shares s join audit a on a.subject = s.id::text');
  t.false(JSON.stringify(stored).includes(token));
  for (const url of [
    path,
    `${path}/download?x=1`,
    path.replace('share', '%73hare'),
    path.replace('/share/', '/%2573hare/'),
    path.replace('/api/share/', '/s/'),
    path.replace('/api/share/', '/%73/'),
  ])
    t.false(loggedUrl(url).includes(token), loggedUrl(url));
  t.is(loggedUrl('/api/share/a/download?x=1'), '/api/share/[secret]/download?x=1');
  t.is(loggedUrl('/api/shares/a%20b?x=1'), '/api/shares/a%20b?x=1');
});

test('a link is downloaded only as it allows, in ranges, and never as a page', async (t) => {
  const { owner, datasetId, link: none } = await share(t);
  const refused = await w.nobody.get(`${none}/download`);
  t.deepEqual([refused.status, refused.body.code], [403, 'DownloadNotAllowed']);
  const { link: path } = await link(t, owner, datasetId, { downloads: 'original' });
  const whole = await w.app.inject(`${path}/download`);
  t.deepEqual([whole.statusCode, whole.body], [200, 'the bytes of the valley']);
  t.like(whole.headers, {
    'content-security-policy': 'sandbox',
    'content-disposition': 'attachment; filename="Valley.tif"',
  });
  const part = await w.app.inject({ url: `${path}/download`, headers: { range: 'bytes=4-8' } });
  t.deepEqual([part.statusCode, part.body], [206, 'bytes']);
});

test('time series have no stored file to share', async (t) => {
  const { owner, projectId } = await owned();
  const [row] = await w.sql<{ id: string }>(
    `insert into datasets (project_id, name, dataset_type, dataset_format, storage_size, created_by, updated_by)
     values ($1, 'Gauges', 'timeseries', 'ts', 0, $2, $2) returning id`,
    [projectId, owner.userId],
  );
  const refused = await w.as(owner).post(`/api/metadata/dataset/${row!.id}/share`, { downloads: 'Original' });
  t.deepEqual([refused.status, refused.body.code], [400, 'NoBytes']);
  const { link: path } = await link(t, owner, row!.id, { downloads: 'Formats' });
  const download = await w.nobody.get(`${path}/download`);
  t.deepEqual([download.status, download.body.code], [400, 'NoBytes']);
  t.false(JSON.stringify(download.body).includes(row!.id));
});

test('links that are unknown, ended, expired, or whose dataset is deleted or purged are one and the same 404', async (t) => {
  const client = (user: User) => w.as(user);
  const ended = await share(t, { downloads: 'Original' });
  await isOpen(t, ended.link);
  t.is((await client(ended.owner).delete(`/api/metadata/share/${ended.id}`)).status, 204);
  await isClosed(t, ended.link, 'ended');

  const expired = await share(t, { downloads: 'Original' });
  await w.sql('update dataset_shares set expires_at = now() where id = $1', [expired.id]);
  await isClosed(t, expired.link, 'expired');

  const deleted = await share(t, { downloads: 'Original' });
  await client(deleted.owner).delete(`/api/metadata/dataset/${deleted.datasetId}`);
  await isClosed(t, deleted.link, 'deleted');
  t.is((await client(deleted.owner).delete(`/api/metadata/share/${deleted.id}`)).status, 204, 'ended in the bin');

  const purged = await share(t, { downloads: 'Original' });
  await client(purged.owner).delete(`/api/metadata/project/${purged.projectId}`);
  await isClosed(t, purged.link, 'below a deleted project');
  await w.sql('delete from datasets where id = $1', [purged.datasetId]);
  await isClosed(t, purged.link, 'purged');
  t.is((await w.sql('select from dataset_shares where id = $1', [purged.id])).length, 0);

  for (const odd of [`${UNKNOWN}A`, '/api/share/x', `/api/share/${ended.id}`, '/api/share/%2525'])
    await isClosed(t, odd, odd);
});

test('a restored dataset has its links again', async (t) => {
  const { owner, datasetId, link: path } = await share(t);
  await w.as(owner).delete(`/api/metadata/dataset/${datasetId}`);
  await isClosed(t, path, 'deleted');
  await w.sql('update datasets set deleted_at = null, deleted_by = null where id = $1', [datasetId]);
  await isOpen(t, path);
});

test('a move within the tenant keeps links; one to another tenant ends them, also after the way back', async (t) => {
  const { owner, projectId, datasetId, id, link: path } = await share(t);
  const move = (to: string) => w.sql('update datasets set project_id = $1 where id = $2', [to, datasetId]);
  await move(await newProject(w.as(owner), 'Another'));
  await isOpen(t, path);
  const elsewhere = await owned();
  await move(elsewhere.projectId);
  await isClosed(t, path, 'moved');
  t.deepEqual((await w.as(elsewhere.owner).get(`/api/metadata/dataset/${datasetId}/share`)).body.data, []);
  await move(projectId);
  await isClosed(t, path, 'moved back');
  const trail = await w.sql(`select action, tenant_id from audit where subject = $1 order by id`, [id]);
  t.deepEqual(trail, [
    { action: 'share.create', tenant_id: owner.tenantId },
    { action: 'share.end', tenant_id: owner.tenantId },
  ]);
});

test('a link is open only while its creator may grant access', async (t) => {
  const { owner, projectId, datasetId } = await owned();
  const creator = await w.account({ tenantId: owner.tenantId });
  const members = (role: string) =>
    w.sql(
      'insert into project_members (project_id, user_id, role) values ($1, $2, $3) on conflict (project_id, user_id) do update set role = $3',
      [projectId, creator.userId, role],
    );
  await members('Owner');
  const { link: path } = await link(t, creator, datasetId);
  await isOpen(t, path);
  await members('Contributor');
  await isClosed(t, path, 'a Contributor');
  await members('Owner');
  await isOpen(t, path);
  await w.sql('update accounts set enabled = false where user_id = $1', [creator.userId]);
  await isClosed(t, path, 'disabled');
  await w.sql('update accounts set enabled = true where user_id = $1', [creator.userId]);
  await isOpen(t, path);
});

test('an API key may make links; they end with the key', async (t) => {
  const { owner, datasetId } = await owned();
  const { body: key } = await w.as(owner).post('/api/iam/key', { name: 'k', role: 'Owner' });
  const headers = { 'svc-open-api-key': key.key };
  const made = await w.nobody.post(`/api/metadata/dataset/${datasetId}/share`, {}, headers);
  t.is(made.status, 201);
  t.is(made.body.createdBy, key.id);
  await isOpen(t, sharePath(made.body.url));
  const { body: lower } = await w.as(owner).post('/api/iam/key', { name: 'l', role: 'Contributor' });
  const refused = await w.nobody.post(
    `/api/metadata/dataset/${datasetId}/share`,
    {},
    { 'svc-open-api-key': lower.key },
  );
  t.is(refused.status, 403);
  await w.as(owner).delete(`/api/iam/key/${key.id}`);
  await isClosed(t, sharePath(made.body.url), 'revoked key');
});

test('two who end a link at once end it once', async (t) => {
  const { owner, id } = await share(t);
  const end = () => w.as(owner).delete(`/api/metadata/share/${id}`);
  const answers = await Promise.all([end(), end(), end()]);
  t.deepEqual(
    answers.map(({ status }) => status),
    [204, 204, 204],
  );
  t.is((await w.sql(`select from audit where subject = $1 and action = 'share.end'`, [id])).length, 1);
});

test('a link lives for 30 days unless it says otherwise, and for a year at most', async (t) => {
  const { owner, datasetId } = await owned();
  const make = (body: object) => w.as(owner).post(`/api/metadata/dataset/${datasetId}/share`, body);
  const DAY_MS = 86_400_000;
  const later = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString();
  const { body } = await make({});
  t.is(Math.round((Date.parse(`${body.expiresAt}Z`) - Date.now()) / DAY_MS), 30);
  t.is((await make({ expiresAt: later(365) })).status, 201);
  for (const expiresAt of [later(367), later(-1), 'soon']) {
    const refused = await make({ expiresAt });
    t.is(refused.status, 400);
    t.truthy(refused.body.errors.expiresAt);
  }
});

test('a dataset has 100 open links at most', async (t) => {
  const { owner, datasetId, id } = await share(t);
  await w.sql(
    `insert into dataset_shares (dataset_id, hash, downloads, expires_at, created_by)
     select $1::uuid, sha256(($1::text || n)::bytea), 'None', now() + interval '1 day', $2 from generate_series(1, 99) n`,
    [datasetId, owner.userId],
  );
  const make = () => w.as(owner).post(`/api/metadata/dataset/${datasetId}/share`, {});
  t.like((await make()).body, { status: 409, code: 'TooManyShares' });
  await w.as(owner).delete(`/api/metadata/share/${id}`);
  const answers = await Promise.all([make(), make()]);
  t.deepEqual(answers.map(({ status }) => status).sort(), [201, 409]);
});

test('a browser is counted once a day, without its address', async (t) => {
  const { owner, datasetId, id, link: path } = await share(t, { downloads: 'Original' });
  const open = (remoteAddress: string, agent: string, suffix = '') =>
    w.app.inject({ url: path + suffix, remoteAddress, headers: { 'user-agent': agent } });
  await Promise.all([open('192.0.2.7', 'A'), open('192.0.2.7', 'A'), open('192.0.2.7', 'A', '/download')]);
  await open('192.0.2.7', 'B');
  await open('192.0.2.8', 'A');
  // of an IPv6 network, which one household has
  await Promise.all([open('2001:db8::1', 'A'), open('2001:db8::2', 'A')]);
  const shown = async () => (await w.as(owner).get(`/api/metadata/dataset/${datasetId}/share`)).body.data[0];
  t.is((await shown()).opens, 4);
  t.truthy((await shown()).lastOpenedAt);
  const rows = await w.sql<{ browser: Buffer }>('select browser from share_opens where share_id = $1', [id]);
  t.is(rows.length, 4);
  // the next day
  await w.sql(`insert into share_days (day, salt) values (current_date - 1, sha256('x')) on conflict do nothing`);
  await w.sql(`update share_opens set day = current_date - 1 where share_id = $1`, [id]);
  await open('192.0.2.7', 'A');
  t.is((await shown()).opens, 5);
  await forgetShares(w.db, FAIL_FAST);
  t.is((await w.sql('select from share_opens where share_id = $1', [id])).length, 1);
  t.is((await w.sql('select from share_days where day < current_date')).length, 0);
});

test('an Owner lists the links of the tenant; old ones are deleted', async (t) => {
  const one = await share(t, { name: 'first' });
  await share(t);
  const { body } = await w.as(one.owner).get('/api/iam/share');
  t.is(body.data.length, 1);
  t.like(body.data[0], { id: one.id, datasetId: one.datasetId, datasetName: 'Valley', name: 'first', opens: 0 });
  await w.as(one.owner).delete(`/api/metadata/share/${one.id}`);
  await forgetShares(w.db, FAIL_FAST);
  const [ended] = (await w.as(one.owner).get(`/api/metadata/dataset/${one.datasetId}/share`)).body.data;
  t.is(ended.endedBy, one.owner.userId);
  t.truthy(ended.endedAt);
  await w.sql(`update dataset_shares set ended_at = now() - interval '91 days' where id = $1`, [one.id]);
  await forgetShares(w.db, FAIL_FAST);
  t.deepEqual((await w.as(one.owner).get('/api/iam/share')).body.data, []);
});
