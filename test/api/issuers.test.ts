import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import { type CryptoKey, exportJWK, exportSPKI, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import { loadConfig } from '../../src/config.ts';
import { AccessTokens } from '../../src/tokens/access.ts';
import { findCaller } from '../../src/tokens/caller.ts';
import { Identities } from '../../src/tokens/identities.ts';
import { world } from '../world.ts';

/** A local authorization server: its keys behind an address, and tokens as it would sign them. */
interface Issuer {
  name: string;
  url: string;
  server: Server;
  keys: { kid: string; privateKey: CryptoKey }[];
  fetched: number;
  broken: boolean;
  addKey(kid: string): Promise<void>;
}

const w = world(test);
const issuer: Issuer = {
  name: 'https://issuer.example/',
  url: '',
  keys: [],
  fetched: 0,
  broken: false,
  server: createServer((_, response) => {
    issuer.fetched++;
    if (issuer.broken) response.statusCode = 500;
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ keys: published }));
  }),
  async addKey(kid) {
    const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
    published.push({ ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' });
    issuer.keys.push({ kid, privateKey });
  },
};
const published: JWK[] = [];
const pem = { publicKey: '', privateKey: undefined as CryptoKey | undefined };

test.before('an issuer', async () => {
  await issuer.addKey('first');
  await new Promise<void>((resolve) => issuer.server.listen(0, '127.0.0.1', resolve));
  issuer.url = `http://127.0.0.1:${(issuer.server.address() as AddressInfo).port}/keys`;
  const pair = await generateKeyPair('ES256', { extractable: true });
  pem.publicKey = await exportSPKI(pair.publicKey);
  pem.privateKey = pair.privateKey;
});
test.after.always(() => issuer.server.close());

const settings = (more: object[] = []) =>
  loadConfig({
    PLATFORM_TOKENS_EXTERNAL_ISSUERS: JSON.stringify([
      { issuer: issuer.name, audience: 'our platform', jwksUrl: issuer.url },
      {
        issuer: 'with-a-key',
        audience: 'our platform',
        publicKey: pem.publicKey,
        algorithm: 'ES256',
        accountClaim: 'upn',
        scopeClaim: 'scp',
      },
      ...more,
    ]),
  });

let shared: Promise<AccessTokens> | undefined;
async function callerOf(token: string) {
  // opened once, so that the keys are fetched once: a fetch may take 5 s at most
  shared ??= AccessTokens.open(w.db, settings());
  const tokens = await shared;
  const from = { address: '127.0.0.1', requestId: 'request' };
  return findCaller({ tokens, identities: new Identities(w.db) }, { authorization: `Bearer ${token}`, ...from });
}

interface Signed {
  key?: CryptoKey | Uint8Array;
  alg?: string;
  kid?: string;
}
function sign(claims: JWTPayload, { key = issuer.keys[0]?.privateKey, alg = 'RS256', kid = 'first' }: Signed = {}) {
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({ iss: issuer.name, aud: 'our platform', iat: now, exp: now + 600, ...claims })
    .setProtectedHeader({ alg, kid })
    .sign(key as CryptoKey);
}

test.serial(
  'a token of a configured issuer gets the groups, roles, tenant and scopes of its account, not those it claims',
  async (t) => {
    const user = await w.account({ userGroups: ['Editors'], roles: 'BackOffice' });
    const caller = await callerOf(
      await sign({ sub: user.id, groups: ['Administrators'], scope: 'anything', tenant_id: 'x' }),
    );
    t.like(caller, { userId: user.userId, accountId: user.id, tenantId: user.tenantId, via: 'token' });
    t.deepEqual(caller?.groups, ['Editors']);
    t.deepEqual(caller?.roles, ['BackOffice']);
    t.deepEqual(caller?.scopes, ['platform_metadata_conversion']);
  },
);

test.serial('the time of the login is that of auth_time, unless it lies in the future', async (t) => {
  const user = await w.account();
  const now = Math.floor(Date.now() / 1000);
  for (const [claim, seen] of [
    [now - 3600, (now - 3600) * 1000],
    [undefined, undefined],
    [`${now}`, undefined],
    [now * 1000, undefined],
  ])
    t.is((await callerOf(await sign({ sub: user.id, auth_time: claim })))?.loggedInAt, seen as number, String(claim));
});

test.serial('the configured claims name the account and its scopes', async (t) => {
  const user = await w.account();
  const signed = { key: pem.privateKey as CryptoKey, alg: 'ES256', kid: 'any' };
  const claims = { iss: 'with-a-key', upn: user.id, sub: 'somebody else', scp: 'read write' };
  t.deepEqual((await callerOf(await sign(claims, signed)))?.scopes, ['read', 'write']);
  t.is((await callerOf(await sign({ ...claims, scp: ['read'] }, signed)))?.userId, user.userId);
  t.is(await callerOf(await sign({ ...claims, upn: undefined }, signed)), undefined);
  t.is(await callerOf(await sign({ ...claims, upn: [user.id] }, signed)), undefined);
});

test.serial('an unknown, differently spelled, disabled or inactive account is 401', async (t) => {
  const user = await w.account({ id: 'Exactly.So' });
  t.is((await callerOf(await sign({ sub: 'Exactly.So' })))?.userId, user.userId);
  t.is(await callerOf(await sign({ sub: 'exactly.so' })), undefined);
  t.is(await callerOf(await sign({ sub: user.userId })), undefined, 'a user id is no login id');
  for (const state of ['enabled = false', 'activated = false']) {
    const { id, userId } = await w.account();
    await w.sql(`update accounts set ${state} where user_id = '${userId}'`);
    t.is(await callerOf(await sign({ sub: id })), undefined, state);
  }
});

test.serial('tokens with wrong audience, issuer, key or algorithm, unsigned or expired, are refused', async (t) => {
  const { id } = await w.account();
  t.truthy(await callerOf(await sign({ sub: id })));
  const stranger = await generateKeyPair('RS256');
  const now = Math.floor(Date.now() / 1000);
  const [head, payload] = (await sign({ sub: id })).split('.');
  const unsigned = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url');
  const publicPem = await exportSPKI((await generateKeyPair('RS256', { extractable: true })).publicKey);
  const bad = {
    audience: await sign({ sub: id, aud: 'platform' }),
    issuer: await sign({ sub: id, iss: 'https://other.example' }),
    ours: await sign({ sub: id, iss: 'platform', aud: 'platform', user_id: crypto.randomUUID(), scope: '' }),
    key: await sign({ sub: id }, { key: stranger.privateKey }),
    kid: await sign({ sub: id }, { kid: 'nobody' }),
    expired: await sign({ sub: id, exp: now - 6 }),
    immortal: await sign({ sub: id, exp: undefined }),
    unsigned: `${unsigned}.${payload}.`,
    algorithm: await sign({ sub: id, iss: 'with-a-key', upn: id }),
    symmetric: await sign({ sub: id, iss: 'with-a-key', upn: id }, { key: Buffer.from(pem.publicKey), alg: 'HS256' }),
    symmetricJwks: await sign({ sub: id }, { key: Buffer.from(publicPem), alg: 'HS256' }),
    otherOne: await sign({ sub: id, upn: id }, { key: pem.privateKey as CryptoKey, alg: 'ES256' }),
    cut: `${head}.${payload}.`,
  };
  for (const [name, token] of Object.entries(bad)) t.is(await callerOf(token), undefined, name);
});

// alone: it counts how often the issuer is asked
test.serial('a new key of the issuer is fetched; tokens with unknown key ids do not cause a fetch each', async (t) => {
  const tokens = await AccessTokens.open(w.db, settings());
  const { id } = await w.account();
  const before = issuer.fetched;
  for (let time = 0; time < 10; time++)
    t.is(await tokens.verify(await sign({ sub: id, time }, { kid: `no-${time}` })), undefined);
  t.true(issuer.fetched - before <= 2, `asked ${issuer.fetched - before} times`);
  await issuer.addKey('second');
  const fresh = await AccessTokens.open(w.db, settings());
  const signed = await sign({ sub: id }, { key: issuer.keys[1]?.privateKey as CryptoKey, kid: 'second' });
  t.deepEqual((await fresh.verify(signed))?.holder, { accountId: id });
});

test.serial('an unreachable issuer is an outage (503), not an invalid token', async (t) => {
  const config = settings([{ issuer: 'gone', audience: 'our platform', jwksUrl: 'http://127.0.0.1:9/keys' }]);
  const tokens = await AccessTokens.open(w.db, config);
  const { id } = await w.account();
  const error = await t.throwsAsync(async () => tokens.verify(await sign({ sub: id, iss: 'gone' })));
  t.like(error, { kind: 'unavailable', message: "The keys of the issuer 'gone' are not available." });
  t.truthy(await tokens.verify(await sign({ sub: id })), 'the others are taken as before');
});

test('invalid configuration of issuers stops the start', async (t) => {
  const load = (value: unknown) => () => loadConfig({ PLATFORM_TOKENS_EXTERNAL_ISSUERS: JSON.stringify(value) });
  const one = { issuer: 'a', audience: 'b', jwksUrl: 'https://a.example/keys' };
  t.notThrows(load([one]));
  t.throws(load([{ ...one, publicKey: 'x' }]), { message: /either jwksUrl or publicKey/ });
  t.throws(load([{ issuer: 'a', audience: 'b' }]), { message: /either jwksUrl or publicKey/ });
  t.throws(load([{ ...one, jwksUrl: 'http://a.example/keys' }]), { message: /must be https/ });
  t.throws(load([{ ...one, algorithm: 'HS256' }]));
  t.throws(load([{ ...one, adience: 'b' }]));
  t.throws(() => loadConfig({ PLATFORM_TOKENS_EXTERNAL_ISSUERS: 'no json' }), { message: /must be a JSON list/ });
  const open = (value: unknown) => AccessTokens.open(w.db, load(value)());
  await t.throwsAsync(open([one, one]), { message: /the issuer 'a' is listed twice or is the platform's own/ });
  await t.throwsAsync(open([{ ...one, issuer: 'platform' }]), {
    message: /the issuer 'platform' is listed twice or is the platform's own/,
  });
  await t.throwsAsync(open([{ issuer: 'a', audience: 'b', publicKey: 'no pem' }]), {
    message: /is not a PEM key for RS256/,
  });
  await t.throwsAsync(open([{ issuer: 'a', audience: 'b', publicKey: pem.publicKey }]), {
    message: /is not a PEM key for RS256/,
  });
});
