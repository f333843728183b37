import test from 'ava';
import { PASSWORD, world } from '../world.ts';

const w = world(test);
const OTHER = 'Better-stapler-8';
const admin = async () => w.as(await w.administrator());
const login = (id: string, password = PASSWORD) => w.nobody.post('/api/tokens', { id, password });
const refresh = (token: string) => w.nobody.post('/api/tokens/refresh', token);

test('PUT replaces what an account says of its holder; states that are absent stay', async (t) => {
  const root = await admin();
  const { id, userId, tenantId } = await w.account({ id: 'Put.Me', userGroups: ['Editors'] });
  const full = {
    id: 'put.me',
    name: 'Putty',
    email: 'put@example.org',
    company: 'Waterworks',
    phoneNumber: '+45 1',
    roles: 'BackOffice, BackOffice,CreditSpender',
    metadata: { a: null },
    allowMePasswordChange: false,
    locked: true,
    lockedDateEnd: '2031-01-02T03:04:05',
  };
  const { status, body } = await root.put('/api/accounts', full);
  t.is(status, 200);
  t.deepEqual(body, {
    ...full,
    id,
    userId,
    tenantId,
    roles: 'BackOffice,CreditSpender',
    lockedDateEnd: '2031-01-02T03:04:05.0000000',
    activated: true,
    enabled: true,
    noOfUnsuccessfulLoginAttempts: 0,
    userGroups: ['Editors'],
  });
  const bare = await root.put('/api/accounts', { id, email: '' });
  t.deepEqual(bare.body, {
    id,
    userId,
    tenantId,
    name: id,
    roles: '',
    metadata: {},
    activated: true,
    enabled: true,
    locked: true,
    lockedDateEnd: '2031-01-02T03:04:05.0000000',
    allowMePasswordChange: false,
    noOfUnsuccessfulLoginAttempts: 0,
    userGroups: ['Editors'],
  });
  t.is((await root.put('/api/accounts', body)).status, 200, 'a whole record comes back');
  t.is((await root.put('/api/accounts', { ...full, id: 'nobody-known' })).status, 404);
  t.is((await root.put('/api/accounts', { id, email: 'a@b\r\nBcc: c@d' })).status, 400);
});

for (const [what, change] of [
  ['disabling', { enabled: false }],
  ['locking', { locked: true }],
  ['a changed password', { password: OTHER }],
] as const) {
  test(`${what} revokes the families of an account in the same transaction`, async (t) => {
    const { id } = await w.account();
    const { body } = await login(id);
    const root = await admin();
    t.is((await root.put('/api/accounts', { id, ...change })).status, 200);
    const families =
      'select from refresh_families f join accounts a using (user_id) where a.id = $1 and revoked_at is null';
    t.is((await w.sql(families, [id])).length, 0);
    await root.put('/api/accounts', { id, enabled: true, locked: false });
    t.is((await refresh(body.refreshToken.token)).status, 404, 'what has ended stays so');
  });
}

test('deleting an account ends its logins and memberships; its access token is refused', async (t) => {
  const root = await admin();
  const user = await w.account({ userGroups: ['Editors'] });
  const { body } = await login(user.id);
  t.is((await root.delete(`/api/accounts/${user.id.toUpperCase()}`)).status, 204);
  t.is((await root.delete(`/api/accounts/${user.id}`)).status, 404);
  t.is((await refresh(body.refreshToken.token)).status, 404);
  const { token } = body.accessToken;
  t.is((await w.nobody.get('/api/accounts/me', { authorization: `Bearer ${token}` })).status, 401);
  for (const table of ['tenant_members', 'group_members', 'refresh_families'])
    t.is((await w.sql(`select from ${table} where user_id = '${user.userId}'`)).length, 0, table);
});

test('the last Owner of a tenant is not deleted, one of two is; two at once leave one', async (t) => {
  const root = await admin();
  const tenantId = await w.tenant();
  const first = await w.account({ tenantId, role: 'Owner' });
  const alone = await root.delete(`/api/accounts/${first.id}`);
  t.is(alone.status, 409);
  t.is(alone.body.code, 'LastOwner');
  const second = await w.account({ tenantId, role: 'Owner' });
  const both = await Promise.all([first, second].map(({ id }) => root.delete(`/api/accounts/${id}`)));
  t.deepEqual(both.map(({ status }) => status).sort(), [204, 409]);
});

test.serial('the last administrator is not deleted, disabled, locked or deactivated: 409', async (t) => {
  const { id } = await w.administrator();
  const root = await admin();
  for (const change of [{ enabled: false }, { activated: false }, { locked: true }]) {
    const { status, body } = await root.put('/api/accounts', { id, ...change });
    t.is(status, 409, JSON.stringify(change));
    t.is(body.code, 'LastAdministrator');
  }
  t.is((await root.delete(`/api/accounts/${id}`)).status, 409);
  t.is((await root.put('/api/accounts', { id, name: 'Root' })).status, 200);
  const second = await w.account({ userGroups: ['Administrators'] });
  t.is((await root.put('/api/accounts', { id: second.id, enabled: false })).status, 200);
});

test('everybody reads and changes their own account; another id is 403', async (t) => {
  const user = await w.account({ roles: 'BackOffice' });
  const me = w.as(user);
  t.is((await me.get('/api/accounts/me')).body.userId, user.userId);
  const { status, body } = await me.put('/api/accounts/me', {
    id: user.id.toUpperCase(),
    name: 'I',
    email: 'i@example.org',
    roles: 'PlatformAdministrator',
    enabled: false,
  });
  t.is(status, 200);
  t.like(body, { id: user.id, name: 'I', email: 'i@example.org', roles: 'BackOffice', enabled: true });
  const other = await w.account();
  t.is((await me.put('/api/accounts/me', { id: other.id, name: 'x' })).status, 403);
  t.is((await w.as(other).get('/api/accounts/me')).body.name, other.id);
});

test('the own password is changed only where that is allowed', async (t) => {
  const { id, userId } = await w.account();
  const me = w.as({ userId });
  const old = (await login(id)).body.refreshToken.token;
  t.is((await me.put('/api/accounts/me', { password: 'weak' })).body.code, 'InvalidPassword');
  t.is((await me.put('/api/accounts/me', { password: OTHER })).status, 200);
  t.is((await login(id)).status, 400);
  t.is((await login(id, OTHER)).status, 200);
  t.is((await refresh(old)).status, 404);
  await (await admin()).put('/api/accounts', { id, allowMePasswordChange: false });
  const refused = await me.put('/api/accounts/me', { password: PASSWORD });
  t.is(refused.status, 403);
  t.is((await login(id, OTHER)).status, 200);
  t.is((await me.put('/api/accounts/me', { name: 'still' })).status, 200);
});

test('validation answers as a login does, and the account when id and password are right', async (t) => {
  const root = await admin();
  const { id } = await w.account();
  const right = await root.post('/api/accounts/validation', { id: id.toUpperCase(), password: PASSWORD });
  t.is(right.status, 200);
  t.is(right.body.id, id);
  const [wrong, unknown] = [id, 'nobody-known'].map((one) =>
    root.post('/api/accounts/validation', { id: one, password: OTHER }),
  );
  t.is((await wrong)?.status, 400);
  t.is((await wrong)?.body.detail, 'Account validation failed.');
  t.deepEqual({ ...(await unknown)?.body, traceId: '' }, { ...(await wrong)?.body, traceId: '' });
  await root.put('/api/accounts', { id, enabled: false });
  const disabled = await root.post('/api/accounts/validation', { id, password: PASSWORD });
  t.is(disabled.body.detail, 'Account is disabled.');
  const families = await w.sql('select from refresh_families f join accounts a using (user_id) where a.id = $1', [id]);
  t.is(families.length, 0, 'nothing was issued');
});

test('the password policy is public', async (t) => {
  const { status, body } = await w.nobody.get('/api/accounts/passwordpolicy');
  t.is(status, 200);
  t.deepEqual(body, {
    requiredLength: 10,
    requiredUniqueChars: 5,
    requireNonAlphanumeric: true,
    requireLowercase: true,
    requireUppercase: true,
    requireDigit: true,
  });
});

test('changes and deletions leave audit rows with what was changed, and no secret', async (t) => {
  const root = await admin();
  const { id } = await w.account();
  await root.put('/api/accounts', { id, company: 'C', password: OTHER }, { 'x-request-id': 'change-it' });
  await root.delete(`/api/accounts/${id}`);
  const rows = await w.sql<{ action: string; request_id: string; details: { changed?: string[] } }>(
    'select action, account_id, request_id, details from audit where subject = $1 order by id',
    [id],
  );
  t.deepEqual(
    rows.map(({ action }) => action),
    ['account.create', 'account.change', 'account.delete'],
  );
  t.like(rows[1], { account_id: 'root', request_id: 'change-it', details: { changed: ['company', 'password'] } });
  t.false(JSON.stringify(rows).includes(OTHER));
});
