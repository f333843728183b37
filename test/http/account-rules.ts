import { createHash } from 'node:crypto';
import type { TestFn } from 'ava';
import { PASSWORD, type World } from '../world.ts';

const OTHER = 'Better-stapler-8';

/** Rules for accounts in every kind of store. */
export function accountRules(test: TestFn, w: World) {
  const administrator = async () => w.as(await w.administrator());
  const login = (id: string, password = PASSWORD) => w.nobody.post('/api/tokens', { id, password });
  const refresh = (token: string) => w.nobody.post('/api/tokens/refresh', token);

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
      secondFactor: 'none',
      allowMePasswordChange: true,
      rowVersion: '1',
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

  test('the tenant header determines the tenant of a new account', async (t) => {
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

  test('no answer and no audit row contains a password or its hash', async (t) => {
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
      // that a password was changed may be said, by the member's name alone
      t.notRegex(text, /pbkdf2|"password\w*":/i);
    }
  });

  test('an existing login id is refused in any letter case, also in concurrent requests', async (t) => {
    const admin = await administrator();
    const both = await Promise.all(
      ['Twice', 'TWICE', 'twice'].map((id) => admin.post('/api/accounts', { id, password: PASSWORD })),
    );
    t.deepEqual(both.map((answer) => answer.status).sort(), [201, 409, 409]);
    const email = { email: 'same@example.org', password: PASSWORD };
    t.is((await admin.post('/api/accounts', { id: 'mail-1', ...email })).status, 201);
    t.is(
      (await admin.post('/api/accounts', { id: 'mail-2', ...email })).status,
      201,
      'an e-mail address may be shared',
    );
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

  test('a login id must differ from all user ids and consist of visible characters', async (t) => {
    const admin = await administrator();
    for (const id of [
      '',
      'Me',
      'count',
      'registration',
      'Recovery-Codes',
      '..',
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

  test('an unknown group is refused, and no account is created', async (t) => {
    const admin = await administrator();
    const { status, body } = await admin.post('/api/accounts', {
      id: 'grouped',
      password: PASSWORD,
      userGroups: ['Editors', 'Gods'],
    });
    t.is(status, 400);
    t.deepEqual(body.errors, { 'userGroups[1]': ["Group 'Gods' does not exist."] });
    t.is((await admin.get('/api/accounts/grouped')).status, 404);
  });

  test.serial('the list is a bare array by id, the count a bare number', async (t) => {
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
    t.is(list.body.length, count.body);
    t.is(count.body, Number(row?.count));
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

  test('the list finds accounts by words and by state', async (t) => {
    const admin = await administrator();
    await w.account({ id: 'Bridge-1' });
    await admin.put('/api/accounts', { id: 'Bridge-1', name: 'Ærø of the bridge', email: 'bridge@example.org' });
    await w.account({ id: 'bridge-2' });
    await admin.put('/api/accounts', { id: 'bridge-2', enabled: false });
    await w.account({ id: 'bridge-3' });
    await admin.put('/api/accounts', { id: 'bridge-3', name: '100 % _ sure', locked: true });
    const found = async (query: string) =>
      (await admin.get(`/api/accounts?${query}`)).body.map(({ id }: { id: string }) => id);
    t.deepEqual(await found('q=BRIDGE'), ['Bridge-1', 'bridge-2', 'bridge-3']);
    t.deepEqual(await found('q=bridge%20%C3%A6r%C3%B8'), ['Bridge-1']);
    t.deepEqual(await found('q=bridge@example'), ['Bridge-1']);
    t.deepEqual(await found('q=%25%20_%20bridge'), ['bridge-3']);
    t.deepEqual(await found('q=bridge&state=disabled'), ['bridge-2']);
    t.deepEqual(await found('q=bridge&state=Locked'), ['bridge-3']);
    t.deepEqual(await found('q=bridge&state=notActivated'), []);
    t.deepEqual(await found('q=bridge&offset=1&limit=1'), ['bridge-2']);
    t.is((await admin.get('/api/accounts?state=lost')).status, 400);
    t.is((await admin.get(`/api/accounts?q=${'x'.repeat(201)}`)).status, 400);
  });

  test('an account can be created as Administrator or Editor', async (t) => {
    const second = await w.account({ userGroups: ['Administrators'] });
    t.is((await w.as(second).get('/api/accounts')).status, 200);
    const get = (await administrator()).get;
    t.deepEqual((await get(`/api/accounts/${second.id}`)).body.userGroups, ['Administrators']);
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

  test('creating an account writes an audit row with actor, client address and request id', async (t) => {
    const admin = await administrator();
    await admin.post('/api/accounts', { id: 'audited', password: PASSWORD }, { 'x-request-id': 'my-request' });
    const rows = await w.sql("select action, account_id, address, request_id from audit where subject = 'audited'");
    t.deepEqual(rows, [
      { action: 'account.create', account_id: 'root', address: '127.0.0.1', request_id: 'my-request' },
    ]);
  });

  test('an Idempotency-Key creates an account once, and the stored request is no easier to guess than its password', async (t) => {
    const root = await administrator();
    const body = { id: 'twice@example.org', password: PASSWORD };
    const make = (password: string) =>
      root.post('/api/accounts', { ...body, password }, { 'idempotency-key': body.id });
    t.is((await make(PASSWORD)).status, 201);
    t.is((await make(PASSWORD)).headers['idempotent-replayed'], 'true');
    t.is((await make(`${PASSWORD}x`)).status, 422);
    const [kept] = await w.sql<{ request_hash: Buffer }>('select request_hash from idempotency_keys where key = $1', [
      body.id,
    ]);
    const quick = createHash('sha256').update('POST /api/accounts\n').update(JSON.stringify(body)).digest();
    t.notDeepEqual(kept?.request_hash, quick);
  });

  test('PUT replaces the personal data of an account; absent states keep their values', async (t) => {
    const root = await administrator();
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
      secondFactor: 'none',
      rowVersion: '2',
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
      rowVersion: '3',
      secondFactor: 'none',
      userGroups: ['Editors'],
    });
    t.is((await root.put('/api/accounts', bare.body)).status, 200, 'a whole record comes back');
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
      const root = await administrator();
      t.is((await root.put('/api/accounts', { id, ...change })).status, 200);
      const families =
        'select from refresh_families f join accounts a using (user_id) where a.id = $1 and revoked_at is null';
      t.is((await w.sql(families, [id])).length, 0);
      await root.put('/api/accounts', { id, enabled: true, locked: false });
      t.is((await refresh(body.refreshToken.token)).status, 404, 'what has ended stays so');
    });
  }

  test('deleting an account ends its logins and memberships; its access token is refused', async (t) => {
    const root = await administrator();
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

  test('the last Owner of a tenant is not deleted, one of two is; two concurrent deletions leave one', async (t) => {
    const root = await administrator();
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
    const root = await administrator();
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
    await (await administrator()).put('/api/accounts', { id, allowMePasswordChange: false });
    const refused = await me.put('/api/accounts/me', { password: PASSWORD });
    t.is(refused.status, 403);
    t.is((await login(id, OTHER)).status, 200);
    t.is((await me.put('/api/accounts/me', { name: 'still' })).status, 200);
  });

  test('validation answers like a login, and returns the account if id and password are correct', async (t) => {
    const root = await administrator();
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
    const families = await w.sql('select from refresh_families f join accounts a using (user_id) where a.id = $1', [
      id,
    ]);
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

  test('changes and deletions write audit rows with the changed members, without secrets', async (t) => {
    const root = await administrator();
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
}
