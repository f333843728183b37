import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import pino from 'pino';
import { main } from '../../cli/main.ts';
import { buildApp } from '../../src/app.ts';
import type { App } from '../../src/http/route.ts';
import { KeyStore } from '../../src/platform/keys/key-store.ts';
import { Sealer } from '../../src/platform/keys/sealing.ts';
import { SecretKeys } from '../../src/platform/keys/secret-key.ts';
import { Outbound } from '../../src/platform/net/outbound.ts';
import { openSource, storeSource } from '../../src/transfers/sources/sources.ts';
import { person } from '../cli/person.ts';
import { attempt, codeOf, groupOf } from '../world/authenticator.ts';
import { clock } from '../world/clock.ts';
import { ownWorld, PASSWORD, PASSWORD_ITERATIONS, type World } from '../world.ts';

const FIRST = randomBytes(32).toString('base64');
const SECOND = randomBytes(32).toString('base64');
const w = ownWorld(test, { secretKey: FIRST });
/** Without a secret key at first. */
const clear = ownWorld(test);
const GROUPS = '/api/usergroups';
const HOOKS = '/api/eventing/webhook';
const newCode = () => randomBytes(8).toString('hex');

/** All rows of all tables as text. */
async function everyRow(of: World): Promise<string> {
  const tables = await of.sql<{ name: string }>(`
    select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema')`);
  const texts = [];
  for (const { name } of tables)
    texts.push((await of.sql<{ text: string }>(`select string_agg(t::text, ' ') as text from ${name} t`))[0]?.text);
  return texts.join('\n');
}

/** Another process on the database of a world. */
async function process(of: World, settings: object, warnings: string[] = []): Promise<App> {
  const log = pino({ level: 'warn' }, { write: (line: string) => void warnings.push(JSON.parse(line).msg) });
  const parts = { config: { ...of.config, secretKey: undefined, ...settings }, db: of.db, databaseUrl: of.url };
  return buildApp({ ...parts, blobs: of.blobs, log, passwordIterations: PASSWORD_ITERATIONS, clock });
}

async function statusOfLogin(app: App, id: string, otp?: string): Promise<number> {
  const { statusCode } = await app.inject({
    method: 'POST',
    url: '/api/tokens',
    payload: { id, password: PASSWORD, otp },
  });
  return statusCode;
}

/** As of another process with the keys of a file. */
const sealerOf = (secretKeyFile: string) => Sealer.open(clear.db, new KeyStore(new SecretKeys({ secretKeyFile })));

/** A secret of each kind: the webhook's in all its forms, a group's and an own setup code. */
async function secretsOf(of: World) {
  const owner = await of.account({ tenantId: await of.tenant(), role: 'Owner' });
  const hook = (await of.as(owner).post(HOOKS, { url: 'https://hooks.example/' })).body;
  const bytes = Buffer.from(hook.secret.replace('whsec_', ''), 'base64');
  const shared = newCode();
  const member = await of.account();
  const group = await groupOf(of, member.id, [`APPAUTH:${shared}&Comment:phone`]);
  return { hook, bytes, shared, member, group };
}

async function findsNone(t: { false(value: boolean, message: string): void }, of: World, secrets: string[]) {
  const rows = await everyRow(of);
  for (const secret of secrets) t.false(rows.includes(secret), secret);
}

test('with a secret key no key, webhook secret or setup code can be read in the database', async (t) => {
  const { hook, bytes, shared, member } = await secretsOf(w);
  t.is(await statusOfLogin(w.app, member.id, codeOf(shared)), 200);
  await findsNone(t, w, [shared, hook.secret, bytes.toString('base64'), bytes.toString('hex'), FIRST]);
  const keys = await w.sql<{ use: string; material: object }>('select use, material from signing_keys');
  t.deepEqual([...new Set(keys.map(({ use }) => use))].sort(), ['address', 'cursor', 'seal', 'token']);
  for (const { use, material } of keys) t.deepEqual(Object.keys(material), ['sealed'], use);
  await t.throwsAsync(w.sql(`insert into signing_keys (kid, use, material) values ('x', 'other', '{}')`));
});

test('a start without the secret key, or with another one, is refused with a sentence', async (t) => {
  const sentence =
    /^The keys in the database are encrypted with the secret key [0-9a-f]{16}, which this process does not have\. Set PLATFORM_SECRET_KEY/;
  for (const secretKey of [undefined, [SECOND]]) await t.throwsAsync(process(w, { secretKey }), { message: sentence });
});

test('setup codes are hidden in all answers, and an entry sent back so keeps its code', async (t) => {
  const admin = w.as(await w.administrator());
  const [first, second, third] = [newCode(), newCode(), newCode()];
  const { id } = await w.account();
  const hidden = (comment: string) => `APPAUTH:${'*'.repeat(16)}${comment}`;
  const entries = [`APPAUTH:${first}&Comment:A`, 'CIDR:192.0.2.1', `APPAUTH:${second}&Comment:B`];
  const name = await groupOf(w, id, entries);
  const path = `${GROUPS}/${encodeURIComponent(name)}`;
  const list = async () => {
    const shown = (await admin.get(path)).body.metadata['2FAMetadata'];
    const listed = (await admin.get(GROUPS)).body.find((group: { id: string }) => group.id === name);
    t.deepEqual(listed.metadata['2FAMetadata'], shown);
    return shown;
  };
  const accepts = async (codes: string[], refused: string[]) => {
    for (const code of codes) t.is((await attempt(w, { id, otp: codeOf(code) })).status, 200, code);
    for (const code of refused) t.is((await attempt(w, { id, otp: codeOf(code) })).status, 400, code);
  };
  t.deepEqual(await list(), [hidden('&Comment:A'), 'CIDR:192.0.2.1', hidden('&Comment:B')]);
  await accepts([first, second], []);

  // one is removed, and the other keeps its own code, not that of its position
  const change = { id: name, metadata: { '2FAMetadata': [hidden('&Comment:B'), `APPAUTH:${third}`] } };
  const changed = await admin.put(GROUPS, change, { 'idempotency-key': name });
  t.deepEqual(changed.body.metadata['2FAMetadata'], [hidden('&Comment:B'), hidden('')]);
  const replayed = await admin.put(GROUPS, change, { 'idempotency-key': name });
  t.is(replayed.headers['idempotent-replayed'], 'true', 'the answer holds no secret');
  await w.sql('update account_authenticators set last_step = null');
  await accepts([second, third], [first]);

  const set = await admin.put(`${path}/second-factor`, { entries: ['CIDR:192.0.2.1', hidden('')] });
  t.is(set.status, 204, JSON.stringify(set.body));
  await w.sql('update account_authenticators set last_step = null');
  await accepts([third], [second]);
  for (const wrong of [
    [hidden(''), hidden('')],
    [hidden(''), hidden('&Comment:C')],
  ]) {
    const { status, body } = await admin.put(GROUPS, { id: name, metadata: { '2FAMetadata': wrong } });
    t.is(status, 400);
    t.regex(body.detail, /^Entry [12] \(APPAUTH\): its setup code is hidden, and the group has none or several/);
  }
  t.is((await admin.post(GROUPS, { name: `${name} 2`, metadata: { '2FAMetadata': [hidden('')] } })).status, 400);
  await accepts([], [first]);
});

test('showSecrets=true shows the setup codes of a group to administrators, and the audit trail records the reader', async (t) => {
  const root = await w.administrator();
  const code = newCode();
  const { id } = await w.account();
  const name = await groupOf(w, id, [`APPAUTH:${code}&Comment:phone`]);
  const path = `${GROUPS}/${encodeURIComponent(name)}?showSecrets=true`;
  const { status, body } = await w.as(root).get(path);
  t.is(status, 200);
  t.deepEqual(body.metadata['2FAMetadata'], [`APPAUTH:${code}&Comment:phone`]);
  t.is((await w.as({ userId: (await w.account()).userId }).get(path)).status, 403);
  const [row] = await w.sql<{ accountId: string; address: string; text: string }>(
    `select account_id as "accountId", address, a::text as text from audit a where action = 'group.show-secrets' and subject = $1`,
    [name],
  );
  t.like(row, { accountId: root.id, address: '127.0.0.1' });
  t.false(row?.text.includes(code));
});

test('the first start with a secret key encrypts stored secrets; earlier starts warn that they are in clear', async (t) => {
  const { hook, bytes, shared, member, group } = await secretsOf(clear);
  // as an older version stored them
  await clear.sql('update webhooks set secret = $2, sealed_secret = null where id = $1', [hook.id, bytes]);
  await clear.sql('delete from group_setup_codes where group_id = $1', [group]);
  await clear.sql('update user_groups set metadata = $2 where id = $1', [
    group,
    { '2FAMetadata': [`APPAUTH:${shared}&Comment:phone`], room: '1' },
  ]);
  const [token] = await clear.sql<{ d: string }>(`select material ->> 'd' as d from signing_keys where use = 'token'`);
  t.is(await statusOfLogin(clear.app, member.id, codeOf(shared)), 200);
  const warnings: string[] = [];
  await (await process(clear, {}, warnings)).close();
  t.true(warnings.some((line) => /can be read in the database.*PLATFORM_SECRET_KEY/.test(line)));

  const file = join(clear.folder, 'secret-keys');
  await writeFile(file, `${FIRST}\n`);
  const apps = await Promise.all([1, 2, 3].map(() => process(clear, { secretKeyFile: file })));
  t.teardown(() => Promise.all(apps.map((app) => app.close())));
  await findsNone(t, clear, [shared, bytes.toString('hex'), token?.d ?? 'none']);
  await clear.sql('update account_authenticators set last_step = null');
  t.is(await statusOfLogin(apps[1]!, member.id, codeOf(shared)), 200);
  await clear.sql('update account_authenticators set last_step = null');
  t.is(await statusOfLogin(clear.app, member.id, codeOf(shared)), 200, 'a process from before goes on');

  // a rotation beside running processes, which read the file again
  await writeFile(file, `${SECOND}\n\n${FIRST}\n`);
  const rotate = async (env: Record<string, string>) => {
    const { io, out, err } = person({ DATABASE_URL: clear.url, PLATFORM_DATA: clear.folder, ...env });
    const code = await main(['secret', 'rotate', '--json'], io);
    return { code, text: out() + err() };
  };
  const lacking = await rotate({ PLATFORM_SECRET_KEY: SECOND });
  t.is(lacking.code, 1);
  t.regex(lacking.text, /encrypted with the secret key [0-9a-f]{16}, which this process does not have/);
  const malformed = await rotate({ PLATFORM_SECRET_KEY: `${SECOND}x` });
  t.is(malformed.code, 1);
  t.false(malformed.text.includes(SECOND));
  const otp = (await attempt(clear, { id: (await clear.account()).id }, '/api/tokens/otp/registration')).body;
  t.truthy(otp.manualEntryCode);
  const remote = await clear.db.transaction(async (tx) =>
    storeSource(tx, { outbound: new Outbound([]), sealer: await sealerOf(file) }, 'https://files.example/a'),
  );
  const ids = async () => (await clear.sql<{ id: string }>('select id from secret_keys')).map(({ id }) => id);
  const [before] = await ids();
  const sealed = () => clear.sql('select sealed_secret from webhooks union all select sealed from group_setup_codes');
  const sealedBefore = await sealed();
  const rotated = await rotate({ PLATFORM_SECRET_KEY_FILE: file });
  t.is(rotated.code, 0, rotated.text);
  t.like(JSON.parse(rotated.text), {
    before,
    secrets: { webhooks: 1, groupAuthenticators: 1, ownAuthenticators: 1, remoteAddresses: 1 },
  });
  const [{ sealed: moved }] = (await clear.sql<{ sealed: Buffer }>('select sealed from remote_sources where id = $1', [
    remote.id,
  ])) as [{ sealed: Buffer }];
  t.is((await openSource(await sealerOf(file), remote.id, moved)).href, 'https://files.example/a');
  t.notDeepEqual(await ids(), [before]);
  for (const row of await sealed()) t.false(sealedBefore.some((old) => JSON.stringify(old) === JSON.stringify(row)));
  // again: nothing is left to do
  t.like(JSON.parse((await rotate({ PLATFORM_SECRET_KEY_FILE: file })).text), { keys: 0, secrets: { webhooks: 0 } });
  for (const app of apps) {
    await clear.sql('update account_authenticators set last_step = null');
    t.is(await statusOfLogin(app, member.id, codeOf(shared)), 200);
  }
  await t.throwsAsync(process(clear, { secretKey: [FIRST] }), { message: /does not have/ });
  const later = await process(clear, { secretKey: [SECOND] });
  t.teardown(() => later.close());
  await clear.sql('update account_authenticators set last_step = null');
  t.is(await statusOfLogin(later, member.id, codeOf(shared)), 200);
});
