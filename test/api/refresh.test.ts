import { setTimeout } from 'node:timers/promises';
import test from 'ava';
import pg from 'pg';
import { ownWorld, PASSWORD, type User } from '../world.ts';

const w = ownWorld(test, { 'tokens.reuseLeeway': '1h', 'tokens.refreshLifetime': '2h', 'tokens.familyLifetime': '3h' });

const refresh = (token: unknown, from = '127.0.0.1', key?: string) =>
  w.nobody.send({
    method: 'POST',
    url: '/api/tokens/refresh',
    headers: { 'content-type': 'application/json', ...(key === undefined ? {} : { 'idempotency-key': key }) },
    payload: JSON.stringify(token),
    remoteAddress: from,
  });

async function login(): Promise<{ user: User; token: string }> {
  const user = await w.account();
  const { body } = await w.nobody.post('/api/tokens', { id: user.id, password: PASSWORD });
  return { user, token: body.refreshToken.token };
}

const sqlFamily = (user: User) =>
  w.sql<{ revoked: boolean }>('select revoked_at is not null as revoked from refresh_families where user_id = $1', [
    user.userId,
  ]);

test('a refresh token is exchanged for a new pair with the body of a login', async (t) => {
  const { user, token } = await login();
  const { status, headers, body } = await refresh(token);
  t.is(status, 200);
  t.is(headers['cache-control'], 'no-store');
  t.is(headers.pragma, 'no-cache');
  t.deepEqual(Object.keys(body).sort(), ['accessToken', 'refreshToken', 'tokenType']);
  t.not(body.refreshToken.token, token);
  const me = await w.nobody.get('/api/iam/principal/me', { authorization: `Bearer ${body.accessToken.token}` });
  t.is(me.body.id, user.userId);
  t.is((await refresh(body.refreshToken.token)).status, 200);
});

/** `TEST_ROUNDS=500` for the whole truth. */
const ROUNDS = Number(process.env.TEST_ROUNDS ?? 3);
// the races run alone: losers that wait for longer than the leeway count as thieves
test.serial(
  `of 100 concurrent exchanges exactly one succeeds, and its new token works (${ROUNDS} rounds)`,
  async (t) => {
    const { user, token } = await login();
    let next = token;
    for (let round = 0; round < ROUNDS; round++) {
      const answers = await Promise.all(Array.from({ length: 100 }, () => refresh(next)));
      const won = answers.filter((answer) => answer.status === 200);
      t.is(won.length, 1);
      t.true(answers.every((answer) => answer.status === 200 || answer.status === 404));
      next = won[0]?.body.refreshToken.token;
    }
    t.is((await refresh(next)).status, 200);
    t.deepEqual(await sqlFamily(user), [{ revoked: false }], 'a client that raced with itself keeps its family');
  },
);

test('a lost response is replayed with the same Idempotency-Key and token', async (t) => {
  const { token } = await login();
  const first = await refresh(token, '127.0.0.1', 'once');
  t.is(first.status, 200);
  t.is(first.headers['idempotent-replayed'], undefined);
  const again = await refresh(token, '127.0.0.1', 'once');
  t.is(again.status, 200);
  t.is(again.headers['idempotent-replayed'], 'true');
  t.is(again.headers['cache-control'], 'no-store');
  t.deepEqual(again.body, first.body);
  t.is((await refresh(again.body.refreshToken.token)).status, 200);
});

test.serial('of 50 concurrent exchanges with the same key one is executed, and all get its response', async (t) => {
  const { user, token } = await login();
  const answers = await Promise.all(Array.from({ length: 50 }, () => refresh(token, '127.0.0.1', 'same')));
  t.true(answers.every(({ status }) => status === 200));
  t.is(new Set(answers.map(({ body }) => JSON.stringify(body))).size, 1);
  t.is(answers.filter(({ headers }) => headers['idempotent-replayed'] === undefined).length, 1);
  const tokens = await w.sql(
    'select from refresh_tokens join refresh_families f on f.id = family_id where user_id = $1',
    [user.userId],
  );
  t.is(tokens.length, 2);
});

test('a lost response is not replayed with another or no key, from another client, after a minute, or once used', async (t) => {
  const exchanged = async () => {
    const one = await login();
    return { ...one, body: (await refresh(one.token, '127.0.0.1', 'mine')).body };
  };
  const { token } = await exchanged();
  t.is((await refresh(token, '127.0.0.1', 'other')).status, 404);
  t.is((await refresh(token)).status, 404);
  t.is((await refresh(token, '127.0.0.1', 'mine')).status, 200, 'errors inside the leeway change nothing');

  const stolen = await exchanged();
  t.is((await refresh(stolen.token, '203.0.113.9', 'mine')).status, 404);
  t.deepEqual(await sqlFamily(stolen.user), [{ revoked: true }]);
  t.is((await refresh(stolen.token, '127.0.0.1', 'mine')).status, 404, 'a revoked family answers nothing');

  const late = await exchanged();
  await w.sql(
    `update refresh_tokens set used_at = used_at - interval '61 s'
     where used_at is not null and family_id in (select id from refresh_families where user_id = $1)`,
    [late.user.userId],
  );
  t.is((await refresh(late.token, '127.0.0.1', 'mine')).status, 404);

  const received = await exchanged();
  t.is((await refresh(received.body.refreshToken.token)).status, 200);
  t.is((await refresh(received.token, '127.0.0.1', 'mine')).status, 404, 'who went on had the answer');
  t.is((await refresh(token, '127.0.0.1', 'x'.repeat(256))).status, 400);
});

test('a revoked family of a disabled account gets the reason once, and is then unknown', async (t) => {
  const { user, token } = await login();
  await w.sql('update accounts set enabled = false where user_id = $1', [user.userId]);
  await w.sql('update refresh_families set revoked_at = now() where user_id = $1', [user.userId]);
  for (let time = 0; time < 2; time++) t.is((await refresh(token)).body.detail, 'Account is disabled.');
  await w.sql('update accounts set enabled = true where user_id = $1', [user.userId]);
  t.is((await refresh(token)).status, 404);
});

test('an unknown token is 404; one that is not a string is 400', async (t) => {
  t.is((await refresh('unknown')).status, 404);
  t.is((await refresh('')).status, 404);
  for (const odd of [null, 1, {}, ['a']]) t.is((await refresh(odd)).status, 400);
});

test('an expired token or family is refused with 400', async (t) => {
  for (const table of ['refresh_tokens', 'refresh_families']) {
    const { user, token } = await login();
    const family = `(select id from refresh_families where user_id = '${user.userId}')`;
    const own = table === 'refresh_tokens' ? `family_id = ${family}` : `id = ${family}`;
    await w.sql(`update ${table} set expires_at = now() - interval '1 s' where ${own}`);
    const answer = await refresh(token);
    t.is(answer.status, 400, table);
    t.is(answer.body.detail, 'The refresh token has expired.');
  }
});

test('a refresh token expires no later than its family', async (t) => {
  const { user, token } = await login();
  await w.sql(`update refresh_families set expires_at = now() + interval '1 minute' where user_id = $1`, [user.userId]);
  const { body } = await refresh(token);
  const [family] = await w.sql<{ same: boolean }>(
    `select expires_at = $2::timestamptz as same from refresh_families where user_id = $1`,
    [user.userId, body.refreshToken.expiration],
  );
  t.true(family?.same);
});

test('a used token reused within the leeway is only refused', async (t) => {
  const { token } = await login();
  const next = (await refresh(token)).body.refreshToken.token;
  t.is((await refresh(token)).status, 404);
  t.is((await refresh(next)).status, 200);
});

for (const [how, late, address] of [
  ['later than the leeway', true, '127.0.0.1'],
  ['from another address', false, '203.0.113.9'],
] as const) {
  test(`a used token reused ${how} revokes its family once, with an event`, async (t) => {
    const { user, token } = await login();
    const next = (await refresh(token)).body.refreshToken.token;
    if (late)
      await w.sql(
        `update refresh_tokens set used_at = used_at - interval '61 minutes'
         where used_at is not null and family_id in (select id from refresh_families where user_id = $1)`,
        [user.userId],
      );
    const answers = await Promise.all([refresh(token, address), refresh(token, address), refresh(token, address)]);
    t.deepEqual(
      answers.map((answer) => answer.status),
      [404, 404, 404],
    );
    t.is((await refresh(next)).status, 404);
    const events = await w.sql('select type, tenant_id, data from events where user_id = $1', [user.userId]);
    t.is(events.length, 1);
    t.like(events[0], {
      type: 'svc.platform.events.refreshtokenreusedevent',
      tenant_id: user.tenantId,
      data: { AccountId: user.id, UserId: user.userId, Address: address },
    });
  });
}

test('each login of an account starts its own family', async (t) => {
  const { user, token } = await login();
  const other = (await w.nobody.post('/api/tokens', { id: user.id, password: PASSWORD })).body.refreshToken.token;
  await refresh(token);
  t.is((await refresh(token, '203.0.113.9')).status, 404);
  t.is((await refresh(other)).status, 200);
});

for (const [state, sentence] of [
  ['enabled = false', 'Account is disabled.'],
  ['locked = true', 'Account is locked.'],
] as const) {
  test(`with ${state} an exchange gets '${sentence}' once, and its family is removed`, async (t) => {
    const { user, token } = await login();
    await w.sql(`update accounts set ${state} where user_id = $1`, [user.userId]);
    const answer = await refresh(token);
    t.is(answer.status, 400);
    t.is(answer.body.detail, sentence);
    await w.sql('update accounts set enabled = true, locked = false where user_id = $1', [user.userId]);
    t.is((await refresh(token)).status, 404);
  });
}

test('tokens are stored only as hashes', async (t) => {
  const { token: first } = await login();
  const token: string = (await refresh(first, '127.0.0.1', 'a key')).body.refreshToken.token;
  const [row] = await w.sql<{ text: string }>(`
    select concat((select string_agg(r::text, '') from refresh_tokens r), (select string_agg(a::text, '') from audit a),
      (select string_agg(e::text, '') from events e)) as text`);
  t.false(row?.text.includes(token));
  t.false(row?.text.includes(Buffer.from(token).toString('hex')));
});

test('revocation ends the token’s login, and answers 200 for any token', async (t) => {
  const { user, token } = await login();
  const revoke = (one: string) =>
    w.nobody.post('/api/tokens/revocation', JSON.stringify(one), { 'content-type': 'application/json' });
  const next = (await refresh(token)).body.refreshToken.token;
  const answer = await revoke(token);
  t.is(answer.status, 200);
  t.is(answer.headers['cache-control'], 'no-store');
  t.deepEqual(await sqlFamily(user), [{ revoked: true }]);
  t.is((await refresh(next)).status, 404);
  t.is((await revoke(token)).status, 200);
  t.is((await revoke('unknown')).status, 200);
  const rows = await w.sql("select action from audit where subject = $1 and action = 'token.revoke'", [user.id]);
  t.is(rows.length, 1);
});

test('an exchange waiting for a change of its account does not lock its token, so there is no deadlock', async (t) => {
  const { user, token } = await login();
  const client = new pg.Client(w.url);
  await client.connect();
  t.teardown(() => client.end());
  await client.query('begin');
  await client.query('select from accounts where user_id = $1 for no key update', [user.userId]);
  const exchange = refresh(token);
  const { rows } = await client.query('select pg_backend_pid() as pid');
  const waiting = () => w.sql('select from pg_stat_activity where $1 = any(pg_blocking_pids(pid))', [rows[0].pid]);
  while ((await waiting()).length === 0) await setTimeout(10);
  // what follows the lock when an account is deleted
  await t.notThrowsAsync(
    client.query(
      `select from refresh_tokens where family_id in (select id from refresh_families where user_id = $1) for update nowait`,
      [user.userId],
    ),
  );
  await client.query('commit');
  t.is((await exchange).status, 200);
});
