import { randomUUID } from 'node:crypto';
import { generateKeyPair, SignJWT } from 'jose';
import { AccessTokens } from '../../../src/tokens/access.ts';
import { findIdentity, insertFamily } from '../../../src/tokens/queries.ts';
import type { User, World } from '../../world.ts';
import type { Scene } from './row.ts';

export type Headers = Record<string, string>;

/**
 * What opens nothing on any route, by the name of its fault: 401. Each once belonged to, or looks like, an Owner of the
 * scene's tenant.
 */
export async function worthless({ w, owner, tenantId }: Scene): Promise<Record<string, Headers>> {
  const token = await w.tokenOf(owner);
  const [head, payload, signature] = token.split('.');
  const bearers = {
    'no token': 'Bearer',
    nonsense: 'Bearer x',
    'a broken signature': `Bearer ${head}.${payload}.${signature?.slice(0, -8)}AAAAAAAA`,
    'no signature': `Bearer ${encode({ alg: 'none', typ: 'at+jwt' })}.${payload}.`,
    'another key': `Bearer ${await signedElsewhere(token)}`,
    'a foreign issuer': `Bearer ${await tokenOf(w, owner, { 'tokens.issuer': 'https://elsewhere.example' })}`,
    'a wrong audience': `Bearer ${await tokenOf(w, owner, { 'tokens.audience': 'something-else' })}`,
    'an expired token': `Bearer ${await tokenOf(w, owner, { 'tokens.accessLifetime': -60_000 })}`,
    'the token of a disabled account': `Bearer ${await revoked(w, tenantId, 'update accounts set enabled = false')}`,
    'the token of a login that has ended': `Bearer ${await revoked(w, tenantId, 'update refresh_families set revoked_at = now()')}`,
    'the token of a deleted account': `Bearer ${await revoked(w, tenantId, 'delete from accounts')}`,
    'a wrong password': `Basic ${Buffer.from(`${owner.id}:wrong`).toString('base64')}`,
  };
  const keys = {
    'an unknown key': randomUUID(),
    'an expired key': (await newKey(w, owner, { expiresAt: '2020-01-01' })).key,
    'a revoked key': await revokedKey(w, owner),
  };
  return {
    ...Object.fromEntries(Object.entries(bearers).map(([name, authorization]) => [name, { authorization }])),
    ...Object.fromEntries(Object.entries(keys).map(([name, key]) => [name, { 'svc-open-api-key': key }])),
  };
}

export async function newKey(w: World, owner: User, wanted: object): Promise<{ id: string; key: string }> {
  const { status, body } = await w.as(owner).post('/api/iam/key', { name: 'key', role: 'Owner', ...wanted });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body;
}

async function revokedKey(w: World, owner: User) {
  const { id, key } = await newKey(w, owner, {});
  await w.as(owner).delete(`/api/iam/key/${id}`);
  return key;
}

/** A token of the platform's own keys, made with other settings. */
async function tokenOf(w: World, user: User, settings: object) {
  const identity = await findIdentity(w.db, user.userId);
  if (!identity) throw new Error(`There is no account ${user.userId}.`);
  const tokens = await AccessTokens.open(w.db, { ...w.config, ...settings });
  const start = { lifetimeMs: 3_600_000, refreshes: false, origin: { address: '127.0.0.1' } };
  return (await tokens.issue(identity, await w.db.transaction((tx) => insertFamily(tx, user.userId, start)))).token;
}

/** The same claims and key id, signed with a foreign key. */
async function signedElsewhere(token: string) {
  const [head = '', payload = ''] = token.split('.');
  const { privateKey } = await generateKeyPair('RS256');
  return new SignJWT(decode(payload)).setProtectedHeader(decode(head)).sign(privateKey);
}

async function revoked(w: World, tenantId: string, statement: string) {
  const user = await w.account({ tenantId, role: 'Owner' });
  const token = await w.tokenOf(user);
  await w.sql(`${statement} where user_id = $1`, [user.userId]);
  return token;
}

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const decode = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString());
