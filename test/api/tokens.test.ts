import { randomUUID } from 'node:crypto';
import test from 'ava';
import {
  type CryptoKey,
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTPayload,
  jwtVerify,
  SignJWT,
} from 'jose';
import { AccessTokens } from '../../src/tokens/access.ts';
import { findIdentity } from '../../src/tokens/queries.ts';
import { PASSWORD, testDatabase, world } from '../world.ts';

const w = world(test);

const login = (id: string, password = PASSWORD) => w.nobody.post('/api/tokens', { id, password });
const me = (token: string) => w.nobody.get('/api/iam/principal/me', { authorization: `Bearer ${token}` });

test('a login returns an access token and a refresh token, with headers that forbid caching', async (t) => {
  const user = await w.account();
  const { status, headers, body } = await login(user.id);
  t.is(status, 200);
  t.is(headers['cache-control'], 'no-store');
  t.is(headers.pragma, 'no-cache');
  t.deepEqual(Object.keys(body).sort(), ['accessToken', 'refreshToken', 'tokenType']);
  t.is(body.tokenType, 'bearer');
  t.regex(body.accessToken.expiration, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}Z$/);
  t.true(body.refreshToken.expiration > body.accessToken.expiration);

  const answer = await me(body.accessToken.token);
  t.is(answer.status, 200);
  t.deepEqual(answer.body, { id: user.userId, name: user.id, role: 'Member', tenantId: user.tenantId });
});

test('a login id is known in any letter case, and the token has the stored spelling', async (t) => {
  const user = await w.account({ id: 'Mixed.Case' });
  const { status, body } = await login('mixed.CASE');
  t.is(status, 200);
  t.is(decodeJwt(body.accessToken.token).sub, user.id);
});

test('a wrong password and an unknown account get the same message', async (t) => {
  const { id } = await w.account();
  const [wrong, unknown] = await Promise.all([login(id, 'Wrong-horse-77'), login('nobody-at-all', 'Wrong-horse-77')]);
  t.is(wrong.status, 400);
  t.is(wrong.body.detail, 'Account validation failed.');
  t.is(wrong.headers['cache-control'], 'no-store');
  t.deepEqual({ ...wrong.body, traceId: '' }, { ...unknown.body, traceId: '' });
});

for (const [state, sentence] of [
  ['enabled = false', 'Account is disabled.'],
  ['locked = true', 'Account is locked.'],
  ["locked = true, locked_date_end = now() + interval '1 hour'", 'Account is locked.'],
  ['activated = false', 'Account is not activated.'],
] as const) {
  test(`with ${state} a correct password gets the error '${sentence}', a wrong one nothing`, async (t) => {
    const user = await w.account();
    await w.sql(`update accounts set ${state} where user_id = '${user.userId}'`);
    const right = await login(user.id);
    t.is(right.status, 400);
    t.is(right.body.detail, sentence);
    t.is((await login(user.id, 'Wrong-horse-77')).body.detail, 'Account validation failed.');
  });
}

test('a lock whose end has passed is none', async (t) => {
  const user = await w.account();
  await w.sql(
    `update accounts set locked = true, locked_date_end = now() - interval '1 s' where user_id = '${user.userId}'`,
  );
  t.is((await login(user.id)).status, 200);
});

test('failed attempts are counted until a login succeeds', async (t) => {
  const admin = w.as(await w.administrator());
  const { id } = await w.account();
  await login(id, 'Wrong-horse-77');
  await login(id, 'Wrong-horse-77');
  const failed = (await admin.get(`/api/accounts/${id}`)).body;
  t.is(failed.noOfUnsuccessfulLoginAttempts, 2);
  t.regex(failed.lastLoginAttemptedDate, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{7}$/);
  await login(id);
  t.is((await admin.get(`/api/accounts/${id}`)).body.noOfUnsuccessfulLoginAttempts, 0);
});

test('otp is ignored where none is needed', async (t) => {
  const { id } = await w.account();
  for (const otp of ['123456', '', null]) {
    t.is(
      (await w.nobody.post('/api/tokens', { id, password: PASSWORD, otp, otpAuthenticator: 'APPAUTH' })).status,
      200,
    );
  }
});

test('an access token names its audience, and can be verified with only the published keys', async (t) => {
  const user = await w.account({ userGroups: ['Editors'], roles: 'BackOffice, CreditSpender' });
  const started = Math.floor(Date.now() / 1000);
  const { token, expiration } = (await login(user.id)).body.accessToken;
  const published = await w.nobody.get('/.well-known/jwks.json');
  t.is(published.status, 200);
  t.deepEqual(Object.keys(published.body.keys[0]).sort(), ['alg', 'e', 'kid', 'kty', 'n', 'use']);

  const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet(published.body), {
    issuer: w.config['tokens.issuer'],
    audience: w.config['tokens.audience'],
  });
  t.deepEqual(protectedHeader, { alg: 'RS256', typ: 'at+jwt', kid: published.body.keys[0].kid });
  const { iat = 0, nbf, exp = 0, jti, sid, auth_time: loggedInAt, ...claims } = payload;
  t.is(nbf, iat);
  t.is(exp - iat, 30 * 60);
  t.is(new Date(exp * 1000).toISOString().replace('.000Z', '.0000000Z'), expiration);
  t.truthy(jti);
  t.true(Number(loggedInAt) >= started && Number(loggedInAt) <= iat);
  const families = (await w.nobody.get('/api/tokens/family', { authorization: `Bearer ${token}` })).body.data;
  t.deepEqual(
    families.map((family: { id: string }) => family.id),
    [sid],
  );
  t.deepEqual(claims, {
    iss: 'platform',
    aud: 'platform',
    sub: user.id,
    user_id: user.userId,
    tenant_id: user.tenantId,
    name: user.id,
    roles: ['BackOffice', 'CreditSpender'],
    groups: ['Editors'],
    scope: 'platform_metadata_conversion',
  });
});

test("an account's own scopes replace the default ones", async (t) => {
  const user = await w.account();
  await w.sql(`update accounts set metadata = '{"scopes":["a","b"]}' where user_id = '${user.userId}'`);
  t.is(decodeJwt((await login(user.id)).body.accessToken.token).scope, 'a b');
});

test('a token that is not ours, of another kind, for others, expired or forged is refused', async (t) => {
  const user = await w.account();
  const token = await w.tokenOf(user);
  t.is((await me(token)).status, 200);
  const claims = decodeJwt(token);
  const { kid } = decodeProtectedHeader(token);
  const stranger = await generateKeyPair('RS256');
  const ours = await ourKey();
  const signed = (changed: JWTPayload, { key = ours, typ = 'at+jwt', id = kid } = {}) =>
    new SignJWT({ ...claims, ...changed }).setProtectedHeader({ alg: 'RS256', typ, kid: id }).sign(key);
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

  t.is((await me(await signed({}))).status, 200, 'what is only signed anew is valid');
  const [header, body, signature] = token.split('.') as [string, string, string];
  const bad: Record<string, string> = {
    foreignKey: await signed({}, { key: stranger.privateKey }),
    unknownKid: await signed({}, { id: 'other' }),
    idToken: await signed({}, { typ: 'JWT' }),
    otherIssuer: await signed({ iss: 'other' }),
    otherAudience: await signed({ aud: 'other' }),
    expired: await signed({ exp: Math.floor(Date.now() / 1000) - 6 }),
    notYet: await signed({ nbf: Math.floor(Date.now() / 1000) + 60 }),
    noUser: await signed({ user_id: 'x' }),
    otherBody: `${header}.${encode({ ...claims, user_id: (await w.administrator()).userId })}.${signature}`,
    none: `${encode({ alg: 'none', typ: 'at+jwt', kid })}.${body}.`,
    symmetric: `${encode({ alg: 'HS256', typ: 'at+jwt', kid })}.${body}.${signature}`,
    cut: token.slice(0, -3),
    oddKid: `${encode({ alg: 'RS256', typ: 'at+jwt', kid: { a: 1 } })}.${body}.${signature}`,
    nonsense: 'abc',
    dots: '..',
  };
  for (const [name, one] of Object.entries(bad)) {
    const answer = await me(one);
    t.is(answer.status, 401, name);
    t.is(answer.headers['www-authenticate'], 'Bearer');
  }
});

async function ourKey() {
  const [key] = await w.sql<{ material: JWK }>(
    "select material from signing_keys where use = 'token' and activated_at is not null",
  );
  if (!key) throw new Error('The server has made no key.');
  return (await importJWK(key.material, 'RS256')) as CryptoKey;
}

test('groups, tenants and the enabled state are read from the database, not from the token', async (t) => {
  const editor = await w.account();
  const asEditor = w.as(editor);
  const token = await w.tokenOf(editor);
  t.is((await me(token)).body.role, 'Member');
  t.is((await asEditor.get('/api/accounts')).status, 403);

  const admin = w.as(await w.administrator());
  await admin.post(`/api/iam/tenant/${editor.tenantId}/member`, { userId: editor.userId, role: 'Owner' });
  t.is((await me(token)).body.role, 'Owner', 'what this process changed shows at once');
});

test('the token of a disabled, deactivated or deleted account is refused', async (t) => {
  const forget = async () =>
    t.is((await w.as(await w.administrator()).post('/api/iam/tenant', { name: 'any change' })).status, 201);
  for (const change of [
    'update accounts set enabled = false',
    'update accounts set activated = false',
    'delete from accounts',
  ]) {
    const user = await w.account();
    const token = await w.tokenOf(user);
    t.is((await me(token)).status, 200);
    await w.sql(`${change} where user_id = '${user.userId}'`);
    await forget();
    t.is((await me(token)).status, 401, change);
  }
});

test('a tenant header narrows the caller to one of its tenants, and never widens', async (t) => {
  const [home, other, foreign] = [await w.tenant(), await w.tenant(), await w.tenant()];
  const user = await w.account({ tenantId: home });
  const admin = w.as(await w.administrator());
  await admin.post(`/api/iam/tenant/${other}/member`, { userId: user.userId, role: 'Owner' });
  const client = w.as(user);

  t.is((await client.get('/api/iam/principal/me')).body.tenantId, home);
  for (const name of ['svc-tenant-id', 'dhi-customer-guid', 'SVC-TENANT-ID']) {
    const narrowed = await client.get('/api/iam/principal/me', { [name]: other.toUpperCase() });
    t.is(narrowed.body.tenantId, other);
    t.is(narrowed.body.role, 'Owner');
  }
  const mine = await client.get('/api/iam/tenant/my', { 'svc-tenant-id': other });
  t.deepEqual(
    mine.body.data.map((tenant: { id: string }) => tenant.id),
    [other],
  );

  const refused = await client.get('/api/iam/principal/me', { 'svc-tenant-id': foreign });
  t.is(refused.status, 403);
  t.is((await client.get('/api/iam/principal/me', { 'svc-tenant-id': 'no uuid' })).status, 403);
  const differing = { 'svc-tenant-id': home, 'dhi-tenant-id': other };
  t.is((await client.get('/api/iam/principal/me', differing)).status, 400);

  const anywhere = await admin.get('/api/iam/principal/me', { 'svc-tenant-id': foreign });
  t.is(anywhere.body.tenantId, foreign);
  t.is(anywhere.body.role, undefined, 'an administrator is no member of the tenants that it may name');
});

test('processes that start at the same time on a new database sign with the same key', async (t) => {
  const { db, close } = await testDatabase(20);
  const settings = w.config;
  try {
    const opened = await Promise.all(Array.from({ length: 5 }, () => AccessTokens.open(db, settings)));
    const sets = await Promise.all(opened.map((tokens) => tokens.keys.published()));
    t.is(new Set(sets.map((keys) => JSON.stringify(keys))).size, 1);
    t.is(sets[0]?.length, 2, 'the one that signs and the next one');
    const identity = await findIdentity(w.db, (await w.administrator()).userId);
    if (!identity) throw new Error('no identity');
    const now = Date.now();
    const login = { familyId: randomUUID(), since: now, until: now + 60_000 };
    const issued = await opened[0]?.issue(identity, login);
    const holder = { userId: identity.userId, login: { familyId: login.familyId } };
    for (const tokens of opened) t.deepEqual((await tokens.verify(issued?.token ?? ''))?.holder, holder);
  } finally {
    await close();
  }
});
