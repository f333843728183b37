import { createHash } from 'node:crypto';
import test from 'ava';
import { PASSWORD, world } from '../world.ts';

const w = world(test);
const administrator = async () => w.as(await w.administrator());

test('an administrator makes an account, which becomes Member of the tenant that the administrator acts in', async (t) => {
  const root = await w.administrator();
  const admin = w.as(root);
  const given = {
    id: 'Ada@example.org',
    name: 'Ada',
    email: 'ada@example.org',
    company: 'Waterworks',
    phoneNumber: '+45 12',
    roles: 'BackOffice,CreditSpender',
    metadata: { Scopes: null, nested: { Deep: [null, 1] } },
    userGroups: ['Editors'],
  };
  const { status, headers, body } = await admin.post('/api/accounts', { ...given, password: PASSWORD });
  t.is(status, 201);
  t.is(headers.location, '/api/accounts/Ada%40example.org');
  const { userId, ...rest } = body;
  t.regex(userId, /^[0-9a-f-]{36}$/);
  t.deepEqual(rest, {
    ...given,
    tenantId: root.tenantId,
    activated: true,
    enabled: true,
    locked: false,
    noOfUnsuccessfulLoginAttempts: 0,
    allowMePasswordChange: true,
  });
  t.deepEqual((await admin.get('/api/accounts/ada%40EXAMPLE.org')).body, body);

  const members = (await admin.get(`/api/iam/tenant/${root.tenantId}/member`)).body.data;
  t.deepEqual(
    members.find((member: { userId: string }) => member.userId === userId),
    {
      userId,
      role: 'Member',
      accountId: given.id,
      name: 'Ada',
    },
  );
});

test('the tenant header says in which tenant an account is made', async (t) => {
  const tenantId = await w.tenant();
  const admin = await administrator();
  const made = await admin.post(
    '/api/accounts',
    { id: 'elsewhere', password: PASSWORD },
    { 'svc-tenant-id': tenantId },
  );
  t.is(made.body.tenantId, tenantId);
  const nowhere = { 'svc-tenant-id': '0198c0de-0000-7000-8000-000000000000' };
  t.is((await admin.post('/api/accounts', { id: 'nowhere', password: PASSWORD }, nowhere)).status, 404);
  t.is((await admin.get('/api/accounts/nowhere')).status, 404);
});

test('no answer and no audit row holds a password or its hash', async (t) => {
  const admin = await administrator();
  const made = await admin.post('/api/accounts', { id: 'secretive', password: PASSWORD });
  const texts = [
    JSON.stringify(made.body),
    JSON.stringify((await admin.get('/api/accounts')).body),
    JSON.stringify((await admin.get('/api/accounts/secretive')).body),
    JSON.stringify(await w.sql('select * from audit')),
  ];
  for (const text of texts) {
    t.false(text.includes(PASSWORD));
    t.notRegex(text, /pbkdf2|"password/i);
  }
});

test('a taken login id is refused in any letter case, also when both come at once', async (t) => {
  const admin = await administrator();
  const both = await Promise.all(
    ['Twice', 'TWICE', 'twice'].map((id) => admin.post('/api/accounts', { id, password: PASSWORD })),
  );
  t.deepEqual(both.map((answer) => answer.status).sort(), [201, 409, 409]);
  const email = { email: 'same@example.org', password: PASSWORD };
  t.is((await admin.post('/api/accounts', { id: 'mail-1', ...email })).status, 201);
  t.is((await admin.post('/api/accounts', { id: 'mail-2', ...email })).status, 201, 'an e-mail address may be shared');
});

test('a password that breaks the policy is refused with the codes of all that it lacks', async (t) => {
  const admin = await administrator();
  const cases: [string, string[]][] = [
    [
      '',
      [
        'PasswordIsTooShort',
        'PasswordRequiresUniqueChars',
        'PasswordRequiresNonAlphanumeric',
        'PasswordRequiresLower',
        'PasswordRequiresUpper',
        'PasswordRequiresDigit',
      ],
    ],
    ['Aa1-aaaaa', ['PasswordIsTooShort', 'PasswordRequiresUniqueChars']],
    ['Aa1-Aa1-Aa1-', ['PasswordRequiresUniqueChars']],
    ['Ufcdelghi1', ['PasswordRequiresNonAlphanumeric']],
    ['UFCDELGH1-', ['PasswordRequiresLower']],
    ['ufcdelgh1-', ['PasswordRequiresUpper']],
    ['Ufcdelghi-', ['PasswordRequiresDigit']],
  ];
  for (const [password, codes] of cases) {
    const { status, body } = await admin.post('/api/accounts', { id: 'weak', password });
    t.is(status, 400, password);
    t.is(body.code, 'InvalidPassword');
    t.deepEqual(body.errors, { password: codes });
  }
  t.is((await admin.get('/api/accounts/weak')).status, 404);
});

test('a login id must be one that can be told from a user id and seen whole', async (t) => {
  const admin = await administrator();
  for (const id of [
    '',
    'Me',
    'count',
    ' blank',
    'blank ',
    'line\nbreak',
    'x'.repeat(256),
    '0198c0de-0000-7000-8000-000000000000',
  ]) {
    const { status, body } = await admin.post('/api/accounts', { id, password: PASSWORD });
    t.is(status, 400, JSON.stringify(id));
    t.deepEqual(Object.keys(body.errors), ['id']);
  }
  const odd = 'å/ß %2F?#'.padEnd(255, 'x');
  t.is((await admin.post('/api/accounts', { id: odd, password: PASSWORD })).status, 201);
  t.is((await admin.get(`/api/accounts/${encodeURIComponent(odd)}`)).body.id, odd);
});

test('an unknown group is refused, and nothing is made', async (t) => {
  const admin = await administrator();
  const { status, body } = await admin.post('/api/accounts', {
    id: 'grouped',
    password: PASSWORD,
    userGroups: ['Editors', 'Gods'],
  });
  t.is(status, 400);
  t.deepEqual(body.errors, { 'userGroups[1]': ["There is no group 'Gods'."] });
  t.is((await admin.get('/api/accounts/grouped')).status, 404);
});

test('the list is a bare array by id, the count a bare number', async (t) => {
  const admin = await administrator();
  await w.account();
  const list = await admin.get('/api/accounts');
  t.is(list.status, 200);
  t.true(Array.isArray(list.body));
  const ids = list.body.map((account: { id: string }) => account.id);
  t.deepEqual(ids, [...ids].sort());
  const count = await admin.get('/api/accounts/count');
  const [row] = await w.sql<{ count: string }>('select count(*) from accounts');
  t.is(typeof count.body, 'number');
  // others make accounts meanwhile
  t.true(list.body.length <= count.body && count.body <= Number(row?.count));
});

test('the list gives all unless a limit is sent', async (t) => {
  const admin = await administrator();
  await w.account({ id: '!1' });
  await w.account({ id: '!2' });
  const page = await admin.get('/api/accounts?Offset=1&limit=1');
  t.deepEqual(
    page.body.map((account: { id: string }) => account.id),
    ['!2'],
  );
  for (const wrong of ['limit=0', 'limit=1001', 'limit=x', 'offset=-1'])
    t.is((await admin.get(`/api/accounts?${wrong}`)).status, 400, wrong);
});

test('an account that is made as Administrator or Editor is one', async (t) => {
  const second = await w.account({ userGroups: ['Administrators'] });
  t.is((await w.as(second).get('/api/accounts')).status, 200);
  const admin = (await administrator()).get;
  t.deepEqual((await admin(`/api/accounts/${second.id}`)).body.userGroups, ['Administrators']);
});

test('only administrators see and make accounts', async (t) => {
  const user = await w.account({ role: 'Owner', userGroups: ['Editors'] });
  for (const url of ['/api/accounts', '/api/accounts/count', `/api/accounts/${user.id}`]) {
    t.is((await w.as(user).get(url)).status, 403);
    t.is((await w.nobody.get(url)).status, 401);
  }
  t.is((await w.as(user).post('/api/accounts', { id: 'x', password: PASSWORD })).status, 403);
  t.is((await w.nobody.post('/api/accounts', { id: 'x', password: PASSWORD })).status, 401);
});

test('making an account leaves an audit row with who, from where and by which request', async (t) => {
  const admin = await administrator();
  await admin.post('/api/accounts', { id: 'audited', password: PASSWORD }, { 'x-request-id': 'my-request' });
  const rows = await w.sql("select action, account_id, address, request_id from audit where subject = 'audited'");
  t.deepEqual(rows, [{ action: 'account.create', account_id: 'root', address: '127.0.0.1', request_id: 'my-request' }]);
});

test('an account that is made with an Idempotency-Key is made once, and what is kept of the request is no easier to guess than its password', async (t) => {
  const root = await administrator();
  const body = { id: 'twice@example.org', password: PASSWORD };
  const make = (password: string) => root.post('/api/accounts', { ...body, password }, { 'idempotency-key': body.id });
  t.is((await make(PASSWORD)).status, 201);
  t.is((await make(PASSWORD)).headers['idempotent-replayed'], 'true');
  t.is((await make(`${PASSWORD}x`)).status, 422);
  const [kept] = await w.sql<{ request_hash: Buffer }>('select request_hash from idempotency_keys where key = $1', [
    body.id,
  ]);
  const quick = createHash('sha256').update('POST /api/accounts\n').update(JSON.stringify(body)).digest();
  t.notDeepEqual(kept?.request_hash, quick);
});
