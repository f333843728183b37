import { generateKeyPairSync } from 'node:crypto';
import test from 'ava';
import { type CryptoKey, decodeJwt, importJWK, type JWK, SignJWT } from 'jose';
import { attempt, codeOf, setupCodeFrom } from '../world/authenticator.ts';
import { openStream } from '../world/streams.ts';
import { copyRequest, newProject, start, upload } from '../world/transfers.ts';
import { ownWorld, PASSWORD, type User } from '../world.ts';

const w = ownWorld(test);
const elsewhere = generateKeyPairSync('ed25519');
const federated = ownWorld(test, {
  'tokens.freshLogin': '1m',
  'tokens.externalIssuers': JSON.stringify([
    {
      issuer: 'elsewhere',
      audience: 'platform',
      algorithm: 'EdDSA',
      publicKey: elsewhere.publicKey.export({ type: 'spki', format: 'pem' }),
    },
  ]),
});
const NEW = 'Better-stapler-8';
const WRONG = 'Wrong-horse-77';

/** A login with its tokens. */
interface Login {
  access: string;
  refresh: string;
  id: string;
}
const loginFrom = ({
  accessToken,
  refreshToken,
}: {
  accessToken: { token: string };
  refreshToken: { token: string };
}) => ({
  access: accessToken.token,
  refresh: refreshToken.token,
  id: String(decodeJwt(accessToken.token).sid),
});
async function logIn({ id }: { id: string }, more: object = {}): Promise<Login> {
  return loginFrom((await w.nobody.post('/api/tokens', { id, password: PASSWORD, ...more })).body);
}
const bearer = ({ access }: { access: string }) => ({ authorization: `Bearer ${access}` });
const opens = async (login: { access: string }) =>
  (await w.nobody.get('/api/accounts/me', bearer(login))).status === 200;
const json = { 'content-type': 'application/json' };
const refreshed = async ({ refresh }: Login) =>
  loginFrom((await w.nobody.post('/api/tokens/refresh', JSON.stringify(refresh), json)).body);

/** A login of 16 minutes ago, with a new access token. */
async function staleLogin(user: User): Promise<Login> {
  const login = await logIn(user);
  await w.sql("update refresh_families set created_at = created_at - interval '16 minutes' where id = $1", [login.id]);
  return refreshed(login);
}

const ENDS: Record<string, (login: Login, user: User) => Promise<{ status: number }>> = {
  'a logout': ({ refresh }) => w.nobody.post('/api/tokens/revocation', JSON.stringify(refresh), json),
  'DELETE /api/tokens/family': (login) => w.nobody.delete('/api/tokens/family', bearer(login)),
  'DELETE /api/tokens/family/{id}': (login) => w.nobody.delete(`/api/tokens/family/${login.id}`, bearer(login)),
  'DELETE /api/tokens/family of an administrator': async (_, { id }) =>
    w.as(await w.administrator()).delete(`/api/tokens/family?account=${id}`),
  'a change of the password in another login': async (_, user) =>
    w.nobody.put('/api/accounts/me', { password: NEW }, bearer(await logIn(user))),
  'a new password from an administrator': async (_, { id }) =>
    w.as(await w.administrator()).put('/api/accounts', { id, password: NEW }),
  'the registration of a second factor': (_, { id }) => attempt(w, { id }, '/api/tokens/otp/registration'),
  'a reset of the second factor': async (_, { id }) => w.as(await w.administrator()).delete(`/api/tokens/otp/${id}`),
  'a refresh token that comes back from another address': async ({ refresh }, { userId }) => {
    const exchange = {
      method: 'POST',
      url: '/api/tokens/refresh',
      headers: json,
      payload: JSON.stringify(refresh),
    } as const;
    await w.nobody.send(exchange);
    const { status } = await w.nobody.send({ ...exchange, remoteAddress: '203.0.113.9' });
    const rows = await w.sql('select from refresh_families where user_id = $1 and revoked_at is not null', [userId]);
    return { status: status === 404 && rows.length === 1 ? 200 : status };
  },
};
for (const [what, end] of Object.entries(ENDS)) {
  test(`${what} ends the access token at once`, async (t) => {
    const user = await w.account();
    const login = await logIn(user);
    t.true(await opens(login), 'and its account is cached');
    const { status } = await end(login, user);
    t.true(status >= 200 && status < 300, String(status));
    t.false(await opens(login));
    const validation = w.as(user).post('/api/tokens/validation', JSON.stringify(login.access), json);
    t.is((await validation).body.code, 'TokenNotValid');
  });
}

test('a logout ends one login, and its refreshed access tokens with it', async (t) => {
  const user = await w.account();
  const [one, other] = [await logIn(user), await logIn(user)];
  const next = await refreshed(one);
  t.is(next.id, one.id);
  t.is(decodeJwt(next.access).auth_time, decodeJwt(one.access).auth_time);
  t.true((await opens(one)) && (await opens(next)));
  await w.nobody.post('/api/tokens/revocation', JSON.stringify(next.refresh), json);
  t.deepEqual([await opens(one), await opens(next), await opens(other)], [false, false, true]);
});

test('a change of the password or of an own authenticator keeps the login that makes it', async (t) => {
  const user = await w.account();
  const [own, other] = [await logIn(user), await logIn(user)];
  t.is((await w.nobody.put('/api/accounts/me', { password: NEW, currentPassword: PASSWORD }, bearer(own))).status, 200);
  t.deepEqual([await opens(own), await opens(other)], [true, false]);
  t.truthy((await refreshed(own)).access);

  const register = (body: object, login: Login) => w.nobody.post('/api/tokens/otp/registration', body, bearer(login));
  const owner = await w.account();
  const [first, second] = [await logIn(owner), await logIn(owner)];
  const { status, body } = await register({ id: owner.id, password: PASSWORD }, first);
  t.is(status, 200);
  t.deepEqual([await opens(first), await opens(second)], [true, false]);

  const setupCode = setupCodeFrom(body.manualEntryCode);
  const third = await logIn(owner, { otp: codeOf(setupCode) });
  const replaced = await register({ id: owner.id, password: PASSWORD, otp: codeOf(setupCode, { steps: 1 }) }, third);
  t.is(replaced.status, 200);
  t.deepEqual([await opens(first), await opens(third)], [false, true]);
});

test("another account's access token beside the credentials keeps no login of the account", async (t) => {
  const [user, stranger] = [await w.account(), await w.account()];
  const [login, foreign] = [await logIn(user), await logIn(stranger)];
  const credentials = { id: user.id, password: PASSWORD };
  t.is((await w.nobody.post('/api/tokens/otp/registration', credentials, bearer(foreign))).status, 200);
  t.deepEqual([await opens(login), await opens(foreign)], [false, true]);
});

test('an account that is enabled again does not get its old access tokens back', async (t) => {
  const root = w.as(await w.administrator());
  for (const state of [{ enabled: false }, { locked: true }]) {
    const user = await w.account();
    const login = await logIn(user);
    await root.put('/api/accounts', { id: user.id, ...state });
    await root.put('/api/accounts', { id: user.id, enabled: true, locked: false });
    t.false(await opens(login), JSON.stringify(state));
  }
});

test('a change of a group’s second factor ends no login', async (t) => {
  const user = await w.account();
  const login = await logIn(user);
  const group = { name: `factor of ${user.id}`, users: [user.id], metadata: { '2FAMetadata': ['CIDR:10.0.0.0/8'] } };
  t.is((await w.as(await w.administrator()).post('/api/usergroups', group)).status, 201);
  t.true(await opens(login));
});

test('open event streams end with the login of their access token', async (t) => {
  const user = await w.account();
  const client = w.as(user);
  const { id } = (await start(client, copyRequest(await newProject(client), await upload(w, client, 'x')))).body;
  const login = await logIn(user);
  const server = await w.listen();
  const streams = await Promise.all(
    ['/api/eventing/event/list', `/api/conversion/transfer/${id}`].map((path) =>
      openStream(`${server}${path}`, bearer(login)),
    ),
  );
  t.deepEqual(
    streams.map(({ status }) => status),
    [200, 200],
  );
  await w.nobody.delete(`/api/tokens/family/${login.id}`, bearer(login));
  for (const stream of streams) t.true(await stream.ended);
});

test('with an old login a change of password or e-mail address needs the current password: 403 FreshLoginRequired', async (t) => {
  const user = await w.account();
  const login = await staleLogin(user);
  const change = (body: object) => w.nobody.put('/api/accounts/me', body, bearer(login));
  t.is((await change({ company: 'Waterworks' })).status, 200, 'contact data need none');
  for (const body of [{ password: NEW }, { email: 'thief@example.org' }]) {
    const refused = await change(body);
    t.is(refused.status, 403);
    t.is(refused.body.code, 'FreshLoginRequired');
    t.regex(refused.body.detail, /needs your current password, or a login at most 15 min old/);
  }
  t.is((await change({ email: 'new@example.org', currentPassword: PASSWORD })).body.email, 'new@example.org');
  t.is((await change({ name: 'Ann', email: 'new@example.org' })).status, 200, 'a whole record with the same address');
  t.is((await change({ name: 'Ann' })).body.code, 'FreshLoginRequired', 'without it the address would be removed');

  const wrong = await change({ password: NEW, currentPassword: WRONG });
  t.is(wrong.status, 400);
  t.is(wrong.body.detail, 'Account validation failed.');
  const root = w.as(await w.administrator());
  t.is(
    (await root.get(`/api/accounts/${user.id}`)).body.noOfUnsuccessfulLoginAttempts,
    1,
    'it counts as a failed login',
  );
  t.is((await w.as(user).put('/api/accounts/me', { email: 'new@example.org', currentPassword: WRONG })).status, 400);
  const named = { email: 'new@example.org', password: NEW, currentPassword: PASSWORD };
  t.is((await change(named)).status, 200);
  t.is((await w.nobody.post('/api/tokens', { id: user.id, password: NEW })).status, 200);
});

test('an administrator needs a fresh login or its password for its own credentials, also on the routes of administrators', async (t) => {
  const user = await w.account({ userGroups: ['Administrators'] });
  const victim = await w.account();
  const login = await staleLogin(user);
  const change = (body: object) => w.nobody.put('/api/accounts', body, bearer(login));
  t.is((await change({ id: user.id.toUpperCase(), password: NEW })).body.code, 'FreshLoginRequired');
  t.is((await change({ id: user.id, email: 'thief@example.org' })).body.code, 'FreshLoginRequired');
  t.is((await w.nobody.delete(`/api/tokens/otp/${user.id}`, bearer(login))).body.code, 'FreshLoginRequired');
  t.is((await change({ id: victim.id, password: NEW })).status, 200, 'others it may help at any time');
  t.is((await change({ id: user.id, password: NEW, currentPassword: WRONG })).status, 400);
  t.is((await change({ id: user.id, password: NEW, currentPassword: PASSWORD })).status, 200);
  t.true(await opens(login));
});

test('an access token registers an authenticator and makes recovery codes if its login is fresh, else with the current password', async (t) => {
  const user = await w.account();
  const [fresh, stale] = [await logIn(user), await staleLogin(user)];
  const post = (what: string, body: object, login?: Login) =>
    w.nobody.post(`/api/tokens/otp/${what}`, body, login && bearer(login));
  t.is((await post('registration', {})).status, 400);
  t.is((await post('registration', { id: user.id })).status, 400);
  t.is((await post('registration', { id: (await w.account()).id }, fresh)).status, 400);
  t.is((await post('registration', {}, stale)).body.code, 'FreshLoginRequired');
  t.is((await post('registration', { currentPassword: WRONG }, fresh)).status, 400);
  const { status, body } = await post('registration', {}, fresh);
  t.is(status, 200);
  t.false(await opens(stale));
  const setupCode = setupCodeFrom(body.manualEntryCode);

  const old = await staleLogin2(user, codeOf(setupCode));
  const later = codeOf(setupCode, { steps: 1 });
  t.is((await post('recovery-codes', { otp: later }, old)).body.code, 'FreshLoginRequired');
  t.is((await post('recovery-codes', { currentPassword: PASSWORD }, old)).body.code, 'IllegalOneTimePassword');
  t.is((await post('recovery-codes', { otp: later, currentPassword: PASSWORD }, old)).body.recoveryCodes.length, 10);

  async function staleLogin2({ id }: User, otp: string) {
    const login = await logIn({ id }, { otp });
    await w.sql("update refresh_families set created_at = created_at - interval '1 h' where id = $1", [login.id]);
    return refreshed(login);
  }
});

test('a login that has just ended in another process changes no password', async (t) => {
  const user = await w.account();
  const login = await logIn(user);
  t.true(await opens(login));
  await w.sql('update refresh_families set revoked_at = now() where id = $1', [login.id]);
  t.is((await w.nobody.put('/api/accounts/me', { password: NEW }, bearer(login))).status, 401);
});

test('an access token without a login, of an older version, ends with any login of its account and is not fresh', async (t) => {
  const user = await w.account();
  const old = { access: await signed(await w.tokenOf(user)) };
  t.true(await opens(old));
  t.is((await w.nobody.put('/api/accounts/me', { password: NEW }, bearer(old))).body.code, 'FreshLoginRequired');
  const login = await logIn(user);
  await w.nobody.delete(`/api/tokens/family/${login.id}`, bearer(login));
  t.false(await opens(old));
});

/** The token as it was before tokens named their login. */
async function signed(token: string) {
  const [key] = await w.sql<{ kid: string; material: JWK }>(
    "select kid, material from signing_keys where use = 'token' and activated_at is not null and retired_at is null",
  );
  if (!key) throw new Error('The server has made no key.');
  const { sid: _, auth_time: __, ...claims } = decodeJwt(token);
  return new SignJWT({ ...claims })
    .setProtectedHeader({ alg: 'RS256', typ: 'at+jwt', kid: key.kid })
    .sign((await importJWK(key.material, 'RS256')) as CryptoKey);
}

test('refresh: false returns only an access token, whose login is listed, can be ended, and ends when the token expires', async (t) => {
  const user = await w.account();
  const { status, body } = await w.nobody.post('/api/tokens', { id: user.id, password: PASSWORD, refresh: false });
  t.is(status, 200);
  t.deepEqual(Object.keys(body).sort(), ['accessToken', 'tokenType']);
  const login = { access: body.accessToken.token };
  const { sid, exp = 0 } = decodeJwt(login.access);
  const { data } = (await w.nobody.get('/api/tokens/family', bearer(login))).body;
  t.deepEqual(
    data.map(({ id }: { id: string }) => id),
    [sid],
  );
  const ends = Date.parse(`${data[0].expiresAt}Z`) / 1000;
  t.true(exp <= ends && ends - exp < 2);
  t.is((await w.nobody.delete(`/api/tokens/family/${sid}`, bearer(login))).status, 204);
  t.false(await opens(login));

  const expired = await logIn(user);
  await w.sql('update refresh_families set expires_at = now() where id = $1', [expired.id]);
  t.false(await opens(expired), 'an access token does not outlive its login');
});

test('a token of an external issuer is as fresh as its auth_time, by the setting tokens.freshLogin', async (t) => {
  const user = await federated.account();
  const now = Math.floor(Date.now() / 1000);
  const change = async (authTime: number | undefined, more: object = {}) => {
    const claims = { iss: 'elsewhere', aud: 'platform', sub: user.id, exp: now + 600, auth_time: authTime };
    const token = await new SignJWT(claims).setProtectedHeader({ alg: 'EdDSA' }).sign(elsewhere.privateKey);
    return federated.nobody.put(
      '/api/accounts/me',
      { email: `${Math.random()}@example.org`, ...more },
      bearer({ access: token }),
    );
  };
  t.is((await change(now - 10)).status, 200);
  for (const old of [now - 120, undefined, now + 3600]) {
    const { body } = await change(old);
    t.is(body.code, 'FreshLoginRequired', String(old));
    t.regex(body.detail, /a login at most 1 min old/);
  }
  t.is((await change(undefined, { currentPassword: PASSWORD })).status, 200);
});
