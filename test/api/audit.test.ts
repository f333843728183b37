import test from 'ava';
import { ownWorld, PASSWORD } from '../world.ts';

const w = ownWorld(test);
const list = '/api/audit/list';

interface AuditEntry {
  id: number;
  action: string;
  subject: string;
}

test('an audit entry has actor, action, object, address, request id and reason', async (t) => {
  const root = await w.administrator();
  const user = await w.account();
  await w.as(root).post(
    '/api/usergroups',
    { name: 'Told', users: [user.id] },
    {
      'x-request-id': 'told-1',
      'svc-audit-reason': 'Ticket 4711',
      'user-agent': `curl/8 \u0007${'x'.repeat(300)}`,
    },
  );
  const { status, body } = await w.as(root).get(`${list}?account=told&limit=1`);
  t.is(status, 200);
  const { id, time, ...entry } = body.data[0];
  t.is(typeof id, 'number');
  t.regex(time, /^\d{4}-\d\d-\d\dT[\d:]{8}\.\d{7}$/);
  t.deepEqual(entry, {
    action: 'group.create',
    accountId: root.id,
    subject: 'Told',
    address: '127.0.0.1',
    agent: `curl/8 ${'x'.repeat(249)}`,
    requestId: 'told-1',
    reason: 'Ticket 4711',
    details: { name: 'Told', users: [user.id], metadataKeys: [] },
  });
});

test('the filter account= takes a login id or a user id in any letter case, and finds actions by and on the account', async (t) => {
  const root = await w.administrator();
  const admin = w.as(root);
  const user = await w.account();
  const { body: tenant } = await admin.post('/api/iam/tenant', { name: 'Audited' });
  await admin.post(`/api/iam/tenant/${tenant.id}/member`, { userId: user.userId, role: 'Owner' });
  await w.as(user).put(`/api/iam/tenant/${tenant.id}`, { name: 'Renamed' }, { 'svc-tenant-id': tenant.id });
  for (const account of [user.id, user.id.toUpperCase(), user.userId]) {
    const { body } = await admin.get(`${list}?account=${account}`);
    t.deepEqual(
      body.data.map(({ action }: AuditEntry) => action),
      ['tenant.change', 'tenant.member.set', 'account.create'],
    );
  }
  t.deepEqual((await admin.get(`${list}?account=nobody`)).body, { data: [] });
});

test('after= takes a time or the id of an entry; other values are 400', async (t) => {
  const admin = w.as(await w.administrator());
  const user = await w.account();
  const mine = async (query: string): Promise<AuditEntry[]> =>
    (await admin.get(`${list}?account=${user.id}${query}`)).body.data;
  await admin.post(`/api/usergroups/user/${user.id}`, ['Editors']);
  const [second, first] = await mine('');
  t.deepEqual(
    (await mine(`&after=${first?.id}`)).map(({ id }) => id),
    [second?.id],
  );
  t.is((await mine('&after=2020-01-01')).length, 2);
  t.is((await mine('&after=2099-01-01T00:00:00Z')).length, 0);
  const refused = await admin.get(`${list}?after=yesterday`);
  t.is(refused.status, 400);
  t.deepEqual(Object.keys(refused.body.errors), ['after']);
});

test('Owners read the part of their tenant, without logins and changes of accounts', async (t) => {
  const root = w.as(await w.administrator());
  const newOwner = async () => w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const [user, other, member] = [await newOwner(), await newOwner(), await w.account()];
  const owner = w.as(user);
  const [tenant, elsewhere] = [`tenantId=${user.tenantId}`, `tenantId=${other.tenantId}`];
  await w.nobody.post('/api/tokens', { id: user.id, password: PASSWORD });
  await root.put('/api/accounts', { id: user.id, company: 'Hidden works' });
  const { body: key } = await owner.post('/api/iam/key', { name: 'crawler', role: 'Reader' });
  await owner.delete(`/api/iam/key/${key.id}`);
  await w.as(other).post('/api/iam/key', { name: 'other', role: 'Reader' });
  await w.sql(`insert into audit (action, subject, tenant_id) values ('later.action', 'x', '${user.tenantId}')`);
  const actions = async (query: string, client = owner) => {
    const { status, body } = await client.get(`${list}?${query}`);
    return status === 200 ? body.data.map(({ action }: AuditEntry) => action) : status;
  };
  t.deepEqual(await actions(tenant), ['key.revoke', 'key.create', 'tenant.member.set', 'tenant.create']);
  t.deepEqual(await actions(`${tenant}&action=key`), ['key.revoke', 'key.create']);
  t.deepEqual(await actions(`${tenant}&action=key.create`), ['key.create']);
  t.deepEqual(await actions(`${tenant}&action=key.c`), []);
  t.deepEqual(await actions(`${tenant}&before=2020-01-01`), []);
  t.is((await actions(`${tenant}&before=2099-01-01`)).length, 4);
  t.is(await actions(`${tenant}&before=tomorrow`), 400);
  t.is(await actions(elsewhere), 404);
  t.is(await actions('limit=1'), 403);
  t.is(await actions(`tenantId=${member.tenantId}`, w.as(member)), 404);
  t.true((await actions(tenant, root)).includes('account.change'));
  t.deepEqual((await actions(elsewhere, root))[0], 'key.create');
});

test('entries name what they are about and who acted, as far as the reader sees it', async (t) => {
  const administrator = await w.administrator();
  const root = w.as(administrator);
  const user = await w.account({ tenantId: await w.tenant('Upper board'), role: 'Owner', name: 'Ann Berg' });
  const [owner, tenantId] = [w.as(user), user.tenantId];
  const guest = await w.account({ name: 'Bo Guest' });
  const project = (await owner.post('/api/metadata/project', { name: 'Secret valley' })).body;
  await owner.post(`/api/metadata/project/${project.id}/member`, { userId: guest.userId, role: 'Reader' });
  await owner.get(`/api/security/sastoken?projectId=${project.id}&resourceId=${project.id}`);
  const { body: key } = await owner.post('/api/iam/key', { name: 'crawler', role: 'Owner' });
  const byKey = { 'svc-open-api-key': key.key };
  await w.nobody.get(`/api/security/sastoken?projectId=${project.id}&resourceId=${project.id}`, byKey);
  const { featureId } = (await root.post('/api/admin/feature', { name: 'Tide tables', type: 'Service' })).body;
  await root.put(`/api/admin/feature/${featureId}/tenant/${tenantId}/license`);
  await root.put(`/api/iam/tenant/${tenantId}`, { name: 'Lower board' });
  const named = async (client = owner) => {
    const { body } = await client.get(`${list}?tenantId=${tenantId}&limit=1000`);
    return body.data.map((row: Record<string, string>) => [row.action, row.subjectName, row.accountName]);
  };
  const seen = [
    ['tenant.change', 'Lower board', undefined],
    ['feature.license', 'Tide tables', undefined],
    ['grant.issue', 'Secret valley', 'crawler'],
    ['key.create', 'crawler', 'Ann Berg'],
    ['grant.issue', 'Secret valley', 'Ann Berg'],
    ['project.member.set', 'Bo Guest', 'Ann Berg'],
    ['tenant.member.set', 'Ann Berg', undefined],
    ['tenant.create', 'Lower board', undefined],
  ];
  t.deepEqual(await named(), seen);
  // an administrator knows accounts and tenants, and sees no project
  const known = (await named(root)).filter(([action]: string[]) => !action!.startsWith('account.'));
  t.deepEqual(
    known.map(([action, name]: string[]) => [action, name]),
    seen.map(([action, name]) => [action, action === 'grant.issue' ? undefined : name]),
  );
  t.false(JSON.stringify((await root.get(`${list}?action=grant`)).body).includes('Secret valley'));

  // what is gone keeps the name that its entry recorded
  await owner.delete(`/api/metadata/project/${project.id}/member/${guest.userId}`);
  await root.delete(`/api/accounts/${guest.id}`);
  await owner.delete(`/api/iam/key/${key.id}`);
  await root.delete(`/api/admin/feature/${featureId}/tenant/${tenantId}/license`);
  await owner.delete(`/api/metadata/project/${project.id}`);
  await owner.delete(`/api/recycle-bin/project/${project.id}`);
  t.deepEqual((await named()).slice(0, 5), [
    ['project.purge', 'Secret valley', 'Ann Berg'],
    ['feature.unlicense', 'Tide tables', undefined],
    ['key.revoke', 'crawler', 'Ann Berg'],
    ['project.member.remove', 'Bo Guest', 'Ann Berg'],
    ['tenant.change', 'Lower board', undefined],
  ]);
  t.deepEqual(
    (await named()).filter(([action]: string[]) => action === 'grant.issue'),
    [
      ['grant.issue', undefined, undefined],
      ['grant.issue', undefined, 'Ann Berg'],
    ],
  );
});

test('a project that went to another tenant has no name in the trail of the former one', async (t) => {
  const newOwner = async () => w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const [user, other] = [await newOwner(), await newOwner()];
  const owner = w.as(user);
  const { id } = (await owner.post('/api/metadata/project', { name: 'Before' })).body;
  await owner.get(`/api/security/sastoken?projectId=${id}&resourceId=${id}`);
  await w.sql('update projects set tenant_id = $1, name = $2 where id = $3', [other.tenantId!, 'Hidden after', id]);
  // a role in the project would stay, and with it the sight of it
  await w.sql('delete from project_members where project_id = $1', [id]);
  const text = JSON.stringify((await owner.get(`${list}?tenantId=${user.tenantId}`)).body);
  t.true(text.includes(id));
  t.false(text.includes('Hidden after'));
});

test('the audit trail is paged, newest first, each row once', async (t) => {
  const admin = w.as(await w.administrator());
  const user = await w.account();
  for (let i = 0; i < 4; i++) await admin.post(`/api/usergroups/user/${user.id}`, ['Editors']);
  const seen: number[] = [];
  let cursor: string | undefined;
  do {
    const at = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { body } = await admin.get(`${list}?account=${user.id}&limit=2${at}`);
    seen.push(...body.data.map(({ id }: AuditEntry) => id));
    cursor = body.cursor;
  } while (cursor !== undefined);
  t.is(seen.length, 5);
  t.deepEqual(
    seen,
    seen.toSorted((a, b) => b - a),
  );
  const { body } = await admin.get(`${list}?limit=1`);
  t.is((await admin.get(`${list}?account=x&cursor=${encodeURIComponent(body.cursor)}`)).status, 400);
});

test('a reason may contain any characters, is accepted under every header prefix, and is limited in length', async (t) => {
  const root = await w.administrator();
  const user = await w.account();
  const reasonFor = async (headers: Record<string, string>) => {
    const { status } = await w.as(root).post(`/api/usergroups/user/${user.id}`, ['Editors'], headers);
    if (status !== 204) return status;
    return (await w.as(root).get(`${list}?account=${user.id}&limit=1`)).body.data[0].reason;
  };
  const utf8 = Buffer.from('Änderung für 東京').toString('latin1');
  t.is(await reasonFor({ 'dhi-audit-reason': utf8 }), 'Änderung für 東京');
  t.is(await reasonFor({ 'svc-audit-reason': 'caf\u00e9' }), 'café', 'Latin-1');
  t.is(await reasonFor({ 'svc-audit-reason': ' ' }), undefined);
  t.is(await reasonFor({}), undefined);
  t.is(await reasonFor({ 'svc-audit-reason': 'x'.repeat(1001) }), 400);
});

test('every change of groups, tenants, members and keys over HTTP records its reason', async (t) => {
  const admin = w.as(await w.administrator());
  const user = await w.account();
  const headers = { 'svc-audit-reason': 'Because' };
  const tenant = (await admin.post('/api/iam/tenant', { name: 'x' }, headers)).body;
  const at = `/api/iam/tenant/${tenant.id}`;
  await admin.put(at, { name: 'y' }, headers);
  await admin.post(`${at}/member`, { userId: user.userId, role: 'Member' }, headers);
  await admin.delete(`${at}/member/${user.userId}`, headers);
  const key = await admin.post(
    '/api/iam/key',
    { name: 'k', role: 'Reader' },
    { ...headers, 'svc-tenant-id': tenant.id },
  );
  await admin.delete(`/api/iam/key/${key.body.id}`, headers);
  await admin.delete(at, headers);
  await admin.post('/api/usergroups', { id: 'Why' }, headers);
  await admin.put('/api/usergroups', { id: 'Why' }, headers);
  await admin.post(`/api/usergroups/user/${user.id}`, ['Why'], headers);
  await admin.delete(`/api/usergroups/user/${user.id}`, headers);
  await admin.delete('/api/usergroups/Why', headers);
  const rows = await w.sql<{ action: string }>(`select action from audit where reason = 'Because' order by id`);
  t.deepEqual(
    rows.map(({ action }) => action),
    [
      'tenant.create',
      'tenant.change',
      'tenant.member.set',
      'tenant.member.remove',
      'key.create',
      'key.revoke',
      'tenant.delete',
      'group.create',
      'group.change',
      'group.member.add',
      'group.member.remove',
      'group.delete',
    ],
  );
});

test('logins and failed logins are in the audit trail, with login id, address and program; a missing code is neither', async (t) => {
  const admin = w.as(await w.administrator());
  const user = await w.account();
  const agent = { 'user-agent': 'curl/8' };
  const logIn = (body: object, path = '/api/tokens') => w.nobody.post(path, body, agent);
  t.is((await logIn({ id: user.id, password: 'wrong' })).status, 400);
  t.is((await logIn({ id: user.id.toUpperCase(), password: PASSWORD })).status, 200);
  t.is((await admin.post('/api/accounts/validation', { id: user.id, password: PASSWORD }, agent)).status, 200);
  await admin.put('/api/accounts', { id: user.id, enabled: false });
  t.is((await logIn({ id: user.id, password: PASSWORD })).status, 400);
  const rows = (await admin.get(`${list}?account=${user.id}`)).body.data.filter(({ action }: AuditEntry) =>
    action.startsWith('login'),
  );
  t.deepEqual(
    rows.reverse().map((row: Record<string, unknown>) => [row.action, row.accountId, row.subject, row.details]),
    [
      ['login.failed', undefined, user.id, { reason: 'AccountValidationFailed' }],
      ['login', user.id, user.id, { via: 'token' }],
      ['login', user.id, user.id, { via: 'validation' }],
      ['login.failed', undefined, user.id, { reason: 'AccountDisabled' }],
    ],
  );
  for (const row of rows) t.like(row, { address: '127.0.0.1', agent: 'curl/8' });

  const unknown = `nobody-${'x'.repeat(300)}`;
  await logIn({ id: unknown, password: 'wrong' });
  const [failed] = (await admin.get(`${list}?account=${unknown.slice(0, 255)}`)).body.data;
  t.like(failed, { action: 'login.failed', subject: unknown.slice(0, 255) });
});

test('HTTP Basic, which logs in with each request, is audited once a day and address', async (t) => {
  const admin = w.as(await w.administrator());
  const user = await w.account();
  const authorization = `Basic ${Buffer.from(`${user.id}:${PASSWORD}`).toString('base64')}`;
  for (let n = 0; n < 3; n++) t.is((await w.nobody.get('/api/account/list', { authorization })).status, 403);
  const { body } = await admin.get(`${list}?account=${user.id}`);
  t.deepEqual(body.data.map((row: Record<string, unknown>) => [row.action, row.details]).slice(0, -1), [
    ['login', { via: 'basic' }],
  ]);
});
