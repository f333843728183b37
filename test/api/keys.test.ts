import { randomUUID } from 'node:crypto';
import test from 'ava';
import { makeProject } from '../world/projects.ts';
import { type Answer, ownWorld, type User } from '../world.ts';

const w = ownWorld(test, { 'loginDelay.first': '1ms' });
const url = '/api/iam/key';
const ANY = { name: 'Robot', role: 'Owner' };

const administrator = async () => w.as(await w.administrator());
const owner = async (tenantId?: string) => w.account({ tenantId: tenantId ?? (await w.tenant()), role: 'Owner' });
async function newKey(user: User, more: Record<string, unknown> = {}) {
  const { status, body } = await w.as(user).post(url, { ...ANY, ...more });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body as { id: string; key: string; tenantId: string };
}
let clients = 0;
/** Each from an address of its own: failed logins of one address are answered later and later. */
const withKey = (
  key: string,
  headers: Record<string, string> = {},
  remoteAddress = `10.1.${clients >> 8}.${clients++ & 255}`,
) => {
  const send = (method: 'GET' | 'POST' | 'DELETE' | 'PUT', path: string, payload?: object) =>
    w.nobody.send({ method, url: path, remoteAddress, headers: { 'svc-open-api-key': key, ...headers }, payload });
  return {
    get: (path: string) => send('GET', path),
    delete: (path: string) => send('DELETE', path),
    post: (path: string, body: object) => send('POST', path, body),
    put: (path: string, body: object) => send('PUT', path, body),
  };
};
const idsOf = ({ body }: Answer): string[] => body.data.map((each: { id: string }) => each.id);

test('POST /api/iam/key answers 201 with a uuid-formed secret, which is shown once and stored as SHA-256', async (t) => {
  const user = await owner();
  const wanted = {
    name: ' Robot ',
    role: 'contributor',
    expiresAt: '2099-12-31',
    allowedNetworks: ['10.0.0.0/8', '::1'],
  };
  const { status, headers, body } = await w.as(user).post(url, wanted);
  t.is(status, 201);
  t.is(headers['cache-control'], 'no-store');
  const { id, key, createdAt, ...rest } = body;
  t.regex(key, /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/);
  t.regex(createdAt, /^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{7}$/);
  t.deepEqual(rest, { ...wanted, name: 'Robot', role: 'Contributor', tenantId: user.tenantId });

  const listed = await w.as(user).get(url);
  t.is(listed.status, 200);
  t.deepEqual(listed.body.data, [{ ...rest, id, createdAt, createdBy: user.userId }]);
  t.false(JSON.stringify(listed.body).includes(key));
  const [row] = await w.sql(
    `select to_jsonb(k)::text as text, hash = sha256($2::bytea) as hashed from api_keys k where id = $1`,
    [id, key],
  );
  t.true(row?.hashed);
  t.false(String(row?.text).includes(key));
});

test('a key needs a name and a role (Owner, Contributor or Reader); the error names the wrong member', async (t) => {
  const client = w.as(await owner());
  for (const [body, member] of [
    [{ role: 'Owner' }, 'name'],
    [{ name: ' ', role: 'Owner' }, 'name'],
    [{ name: 'x' }, 'role'],
    [{ name: 'x', role: 'King' }, 'role'],
    [{ ...ANY, expiresAt: 'tomorrow' }, 'expiresAt'],
    [{ ...ANY, allowedNetworks: ['10.0.0.0/8', '10.0.0.0/33'] }, 'allowedNetworks[1]'],
  ] as const) {
    const answer = await client.post(url, body);
    t.is(answer.status, 400);
    t.deepEqual(Object.keys(answer.body.errors), [member]);
  }
});

test('keys are managed by Owners of the tenant and by administrators, who may name any tenant', async (t) => {
  const tenantId = await w.tenant();
  const user = await owner(tenantId);
  const member = await w.account({ tenantId });
  const stranger = await owner();
  const { id } = await newKey(user);
  t.is((await w.as(member).post(url, ANY)).status, 403);
  t.is((await w.as(member).get(url)).status, 403);
  t.is((await w.as(member).delete(`${url}/${id}`)).status, 404);
  t.is((await w.as(stranger).delete(`${url}/${id}`)).status, 404);
  t.false(idsOf(await w.as(stranger).get(url)).includes(id));
  t.is((await w.as(stranger).get(url, { 'svc-tenant-id': tenantId })).status, 403);

  const admin = await administrator();
  const there = { 'svc-tenant-id': tenantId };
  const made = await admin.post(url, ANY, there);
  t.is(made.body.tenantId, tenantId);
  t.deepEqual(idsOf(await admin.get(url, there)).sort(), [id, made.body.id].sort());
  t.is((await admin.delete(`${url}/${id}`)).status, 204);
  t.is((await w.as(user).delete(`${url}/${made.body.id}`)).status, 204);
  t.is((await w.as(user).delete(`${url}/${made.body.id}`)).status, 404);
  t.is((await admin.post(url, ANY, { 'svc-tenant-id': randomUUID() })).status, 404);
  const nonsense = { 'svc-tenant-id': 'no tenant' };
  for (const { status } of [await admin.post(url, ANY, nonsense), await admin.get(url, nonsense)]) t.is(status, 403);
});

test('a key belongs to the tenant: it works, shows its maker and is revoked by others after its maker has left', async (t) => {
  const tenantId = await w.tenant();
  const [maker, other] = [await owner(tenantId), await owner(tenantId)];
  const { id, key } = await newKey(maker);
  t.is(
    (await w.as(other).post(`/api/iam/tenant/${tenantId}/member`, { userId: maker.userId, role: 'Member' })).status,
    200,
  );
  t.is((await w.as(maker).post(url, ANY)).status, 403, 'at once');
  t.is((await (await administrator()).delete(`/api/accounts/${maker.id}`)).status, 204);
  const headers = { 'svc-open-api-key': key };
  t.is((await w.nobody.get('/api/metadata/project/list', headers)).status, 200);
  const [shown] = (await w.as(other).get(url)).body.data;
  t.like(shown, { id, createdBy: maker.userId });
  t.is((await w.as(other).delete(`${url}/${id}`)).status, 204);
  t.is((await w.nobody.get('/api/metadata/project/list', headers)).status, 401);
});

test('svc-open-api-key authenticates, under every prefix and with its accompanying headers', async (t) => {
  const { key, id, tenantId } = await newKey(await owner());
  for (const prefix of ['svc-', 'dhi-', 'Svc-']) {
    const headers = {
      [`${prefix}open-api-key`]: key,
      [`${prefix}service-id`]: 'metadata',
      [`${prefix}customer-guid`]: tenantId,
    };
    const answer = await w.nobody.get('/api/iam/principal/me', headers);
    t.is(answer.status, 200, prefix);
    t.deepEqual(answer.body, { id, name: 'Robot', role: 'Member', tenantId });
  }
  t.is((await withKey(key.toUpperCase()).get('/api/iam/principal/me')).status, 200, 'uuids have no letter case');
});

test('a key has its role on every project of its tenant, as the principal with its id', async (t) => {
  const user = await owner();
  const projectId = (await makeProject(w, user)).id;
  const expected = {
    Owner: { canDelete: true, canUpdateContent: true, canReadContent: true },
    Contributor: { canDelete: false, canUpdateContent: true, canReadContent: true },
    Reader: { canDelete: false, canUpdateContent: false, canReadContent: true },
  };
  for (const [role, capabilities] of Object.entries(expected)) {
    const client = withKey((await newKey(user, { role })).key);
    t.like((await client.get(`/api/metadata/project/${projectId}/capabilities`)).body, capabilities);
    t.true(idsOf(await client.get('/api/metadata/project/list')).includes(projectId));
  }
  const reader = withKey((await newKey(user, { role: 'Reader' })).key);
  t.is((await reader.delete(`/api/metadata/project/${projectId}`)).status, 403);
  t.is((await withKey((await newKey(user)).key).delete(`/api/metadata/project/${projectId}`)).status, 204);
});

test('a key has no access to other tenants', async (t) => {
  const user = await owner();
  const projectId = (await makeProject(w, user)).id;
  const foreign = withKey((await newKey(await owner())).key);
  t.is((await foreign.get(`/api/metadata/project/${projectId}`)).status, 404);
  t.false(idsOf(await foreign.get('/api/metadata/project/list')).includes(projectId));
  const named = withKey((await newKey(await owner())).key, { 'svc-tenant-id': user.tenantId });
  t.is((await named.get('/api/metadata/project/list')).status, 403);
});

test('a key has no groups and is never a tenant Owner or administrator: it creates no keys and no members', async (t) => {
  const root = await w.administrator();
  const { key, tenantId } = await newKey(root);
  const client = withKey(key);
  t.is((await client.get('/api/accounts')).status, 403);
  t.is((await client.get('/api/usergroups')).status, 403);
  t.is((await client.post(url, ANY)).status, 403);
  t.is((await client.get(url)).status, 403);
  t.is((await client.get(`/api/iam/tenant/${tenantId}/member`)).status, 404);
  t.is((await client.put(`/api/iam/tenant/${tenantId}`, { name: 'Mine' })).status, 403);
  const { userId } = await w.account();
  t.is((await client.post(`/api/iam/tenant/${tenantId}/member`, { userId, role: 'Owner' })).status, 404);
  const my = await client.get('/api/iam/tenant/my');
  t.deepEqual(
    my.body.data.map(({ id, role }: Record<string, string>) => ({ id, role })),
    [{ id: tenantId, role: 'Member' }],
  );
});

test('a key that creates a project becomes its Owner, as a principal of type OpenAPIAccount', async (t) => {
  const user = await owner();
  const { id, key } = await newKey(user, { role: 'Contributor' });
  const friend = await w.account({ tenantId: user.tenantId });
  const members = [{ userId: friend.userId, role: 'Reader' }];
  const made = await withKey(key).post('/api/metadata/project', { name: 'By a robot', members });
  t.is(made.status, 201);
  t.is(made.body.createdBy, id);
  t.deepEqual(made.body.members, [
    { userId: id, role: 'Owner', principalType: 'OpenAPIAccount' },
    { userId: friend.userId, role: 'Reader', principalType: 'UserIdentity' },
  ]);
  t.is((await withKey(key).delete(`/api/metadata/project/${made.body.id}`)).status, 204, 'its own project');
  const reader = withKey((await newKey(user, { role: 'Reader' })).key);
  t.is((await reader.post('/api/metadata/project', { name: 'x' })).status, 403);
});

test('a key of the tenant can be a member; one of another tenant is unknown', async (t) => {
  const user = await owner();
  const own = await newKey(user, { role: 'Reader' });
  const foreign = await newKey(await owner());
  const make = (userId: string) =>
    w.as(user).post('/api/metadata/project', { name: 'x', members: [{ userId, role: 'Contributor' }] });
  const made = await make(own.id);
  t.is(made.body.members[1].principalType, 'OpenAPIAccount');
  const capabilities = await withKey(own.key).get(`/api/metadata/project/${made.body.id}/capabilities`);
  t.true(capabilities.body.canUpdateContent);
  const refused = await make(foreign.id);
  t.is(refused.status, 400);
  t.deepEqual(Object.keys(refused.body.errors), ['members[0].userId']);
});

test('deleting a key removes its memberships and keeps the contents that it created', async (t) => {
  const user = await owner();
  const { id, key } = await newKey(user);
  const { body } = await withKey(key).post('/api/metadata/project', { name: 'Stays' });
  t.is((await w.as(user).delete(`${url}/${id}`)).status, 204);
  const left = await w.as(user).get(`/api/metadata/project/${body.id}`);
  t.like(left.body, { createdBy: id, members: [] });
});

test('an unknown, expired or revoked key is 401, in the same words', async (t) => {
  const user = await owner();
  const { id, key: revoked } = await newKey(user);
  t.is((await withKey(revoked).get('/api/iam/principal/me')).status, 200);
  await w.as(user).delete(`${url}/${id}`);
  const { key: expired } = await newKey(user, { expiresAt: '2020-01-01T00:00:00Z' });
  const soon = new Date(Date.now() + 2000).toISOString();
  const { key: passing } = await newKey(user, { expiresAt: soon });
  const about = withKey(passing);
  const { status } = await about.get('/api/iam/principal/me');
  // on a machine that is busy it may have run out on its way
  if (Date.now() < Date.parse(soon)) t.is(status, 200);
  while (Date.now() < Date.parse(soon)) await new Promise((resolve) => setTimeout(resolve, 50));
  t.is((await about.get('/api/iam/principal/me')).status, 401, 'although it was taken a moment ago');
  for (const key of [randomUUID(), 'no uuid', expired, revoked]) {
    const answer = await withKey(key).get('/api/iam/principal/me');
    t.is(answer.status, 401);
    t.is(answer.headers['www-authenticate'], 'Bearer');
    t.is(answer.body.detail, 'The API key is unknown, expired or revoked.');
  }
});

test('wrong keys do not count as failed logins of their client address', async (t) => {
  const user = await owner();
  const remoteAddress = '198.51.100.99';
  const { key: expired } = await newKey(user, { expiresAt: '2020-01-01' });
  for (const key of [randomUUID(), expired, randomUUID()])
    t.is((await withKey(key, {}, remoteAddress).get('/api/iam/principal/me')).status, 401);
  const { key } = await newKey(user, { allowedNetworks: ['10.0.0.0/8'] });
  t.is((await withKey(key, {}, remoteAddress).get('/api/iam/principal/me')).status, 403);
  t.deepEqual(await w.sql("select from login_failures where client = 'v4 c6336463'"), []);
});

test('a key used outside of its networks is 403; an IPv4-mapped IPv6 address counts as IPv4', async (t) => {
  const { key } = await newKey(await owner(), { allowedNetworks: ['192.0.2.0/24', '2001:db8::/32', '198.51.100.7'] });
  for (const [address, status] of [
    ['192.0.2.200', 200],
    ['::ffff:192.0.2.1', 200],
    ['2001:db8:1::1', 200],
    ['198.51.100.7', 200],
    ['198.51.100.8', 403],
    ['192.0.3.1', 403],
    ['2001:db9::1', 403],
    ['127.0.0.1', 403],
  ] as const)
    t.is((await withKey(key, {}, address).get('/api/iam/principal/me')).status, status, address);
  const forwarded = withKey(key, { 'x-forwarded-for': '192.0.2.1' }, '203.0.113.9');
  t.is((await forwarded.get('/api/iam/principal/me')).status, 403, 'nobody says himself where he comes from');
});

test('a key together with a bearer token, or an unknown service id, is 400', async (t) => {
  const user = await owner();
  const { key } = await newKey(user);
  const both = withKey(key, { authorization: `Bearer ${await w.tokenOf(user)}` });
  t.is((await both.get('/api/iam/principal/me')).status, 400);
  t.is((await withKey('wrong', { authorization: 'Bearer wrong' }).get('/api/iam/principal/me')).status, 400);
  t.is((await withKey(key, { 'svc-service-id': 'kitchen' }).get('/api/iam/principal/me')).status, 400);
  for (const service of 'metadata raw timeseries md gis tiles iam pubsub sharing job engine'.split(' '))
    t.is((await withKey(key, { 'svc-service-id': service }).get('/api/iam/principal/me')).status, 200, service);
});

test('two different keys in one request are an error that does not repeat them', async (t) => {
  const { key } = await newKey(await owner());
  const answer = await withKey(key, { 'dhi-open-api-key': randomUUID() }).get('/api/iam/principal/me');
  t.is(answer.status, 400);
  t.false(JSON.stringify(answer.body).includes(key));
});

test('the last use of a key is stored at most once a minute', async (t) => {
  const user = await owner();
  const { id, key } = await newKey(user);
  const used = async () => (await w.as(user).get(url)).body.data[0];
  t.is((await used()).lastUsedAt, undefined);
  await withKey(key, {}, '192.0.2.1').get('/api/iam/principal/me');
  const first = await used();
  t.is(first.lastUsedFrom, '192.0.2.1');
  const versions = async () => (await w.sql('select xmin::text from api_keys where id = $1', [id]))[0]?.xmin;
  const before = await versions();
  await Promise.all(Array.from({ length: 20 }, () => withKey(key, {}, '192.0.2.2').get('/api/iam/principal/me')));
  t.is(await versions(), before, 'no write per request');
  await w.sql(`update api_keys set last_used_at = last_used_at - interval '61 seconds' where id = $1`, [id]);
  // any change of keys makes this process look again
  await newKey(user);
  await withKey(key, {}, '192.0.2.2').get('/api/iam/principal/me');
  t.is((await used()).lastUsedFrom, '192.0.2.2');
});

test('the response with a new key cannot be replayed: 409 ReplayUnavailable', async (t) => {
  const client = w.as(await owner());
  const headers = { 'idempotency-key': randomUUID() };
  const made = await client.post(url, ANY, headers);
  t.is(made.status, 201);
  const again = await client.post(url, ANY, headers);
  t.is(again.status, 409);
  t.is(again.body.code, 'ReplayUnavailable');
  const stored = await w.sql(`select to_jsonb(i)::text as text from idempotency_keys i`);
  t.false(JSON.stringify(stored).includes(made.body.key));
});

test('creating and revoking a key writes audit rows with actor and last use, without the secret', async (t) => {
  const user = await owner();
  const { id, key, tenantId } = await newKey(user, { allowedNetworks: ['192.0.2.0/24'] });
  await withKey(key, {}, '192.0.2.77').get('/api/iam/principal/me');
  await w.as(user).delete(`${url}/${id}`);
  const rows = await w.sql('select * from audit where subject = $1 order by id', [id]);
  t.is(rows.length, 2);
  for (const [at, action] of ['key.create', 'key.revoke'].entries())
    t.like(rows[at], { action, account_id: user.id, tenant_id: tenantId, address: '127.0.0.1' });
  t.like(rows[1]?.details, {
    name: 'Robot',
    role: 'Owner',
    allowedNetworks: ['192.0.2.0/24'],
    lastUsedFrom: '192.0.2.77',
  });
  const all = await w.sql('select to_jsonb(a)::text as text from audit a');
  t.false(JSON.stringify(all).includes(key));
});

test('actions of a key are audited under its id, and support Idempotency-Key', async (t) => {
  const { id, key } = await newKey(await owner());
  const headers = { 'idempotency-key': randomUUID() };
  const client = withKey(key, headers);
  const [one, two] = [
    await client.post('/api/metadata/project', { name: 'Once' }),
    await client.post('/api/metadata/project', { name: 'Once' }),
  ];
  t.is(two.headers['idempotent-replayed'], 'true');
  t.is(one.body.id, two.body.id);
  t.is(one.body.createdBy, id);
});
