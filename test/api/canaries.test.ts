import { randomBytes } from 'node:crypto';
import { Writable } from 'node:stream';
import test from 'ava';
import { buildApp } from '../../src/app.ts';
import type { App } from '../../src/http/route.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';
import { codeOf, setupCodeFrom, wrongCodeOf } from '../world/authenticator.ts';
import { clock } from '../world/clock.ts';
import { PASSWORD_ITERATIONS, world } from '../world.ts';

const w = world(test);

/** Without a secret key, the private parts of keys are in clear. */
const MEANT_TO_HOLD = new Set(['signing_keys']);

/** All rows of the database as text, without the columns for secrets. */
async function everyRow(): Promise<string> {
  const tables = await w.sql<{ name: string }>(`
    select quote_ident(schemaname) || '.' || quote_ident(tablename) as name, tablename from pg_tables
    where schemaname not in ('pg_catalog', 'information_schema')`);
  const texts = [];
  for (const { name } of tables) {
    if (MEANT_TO_HOLD.has(name.replace(/^.*\./, ''))) continue;
    texts.push(
      (await w.sql<{ text: string | null }>(`select string_agg(t::text, ' ') as text from ${name} t`))[0]?.text,
    );
  }
  return texts.join('\n');
}

test('no secret appears in logs, errors, audit rows or other database rows', async (t) => {
  let log = '';
  const sink = new Writable({
    write(chunk, _, done) {
      log += chunk;
      done();
    },
  });
  const app: App = await buildApp({
    config: w.config,
    db: w.db,
    databaseUrl: w.url,
    blobs: w.blobs,
    log: createLog('trace', sink),
    passwordIterations: PASSWORD_ITERATIONS,
    clock,
  });
  t.teardown(async () => {
    await app.close();
  });
  /** Bodies of error answers, which must not repeat what was sent. */
  let errorBodies = '';
  const secrets = new Map<string, string>();
  const keep = (name: string, secret: string) => {
    t.true(secret.length >= 6, name);
    secrets.set(name, secret);
    return secret;
  };
  const send = async (
    url: string,
    body: unknown,
    headers: Record<string, string> = {},
    method: 'POST' | 'PUT' | 'GET' = 'POST',
  ) => {
    const answer = await app.inject({
      method,
      url,
      headers: { ...(method === 'GET' ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(method === 'GET'
        ? {}
        : { payload: typeof body === 'string' && body.startsWith('{"broken') ? body : JSON.stringify(body) }),
    });
    if (answer.statusCode >= 400) errorBodies += answer.body;
    return { status: answer.statusCode, body: answer.body === '' ? undefined : JSON.parse(answer.body) };
  };
  const { id } = await w.account();
  const admin = { authorization: `Bearer ${await w.tokenOf(await w.administrator())}` };
  const password = keep('password', `Canary-${randomBytes(8).toString('hex')}-P1`);
  const hash = (await w.sql<{ hash: string }>('select password_hash as hash from accounts where id = $1', [id]))[0]
    ?.hash;
  await send('/api/tokens', { id, password });
  await send('/api/tokens', { id, password: { nested: password } });
  await send('/api/tokens', `{"broken ${password}`);
  await send('/api/accounts', { id: `canary-${id}`, password }, admin);
  const logIn = (otp?: string) => send('/api/tokens', { id: `canary-${id}`, password, otp });
  const first = await logIn();
  t.is(first.status, 200);
  keep('access token', first.body.accessToken.token);
  const refreshToken = keep('refresh token', first.body.refreshToken.token);
  const idempotent = { 'idempotency-key': 'canary' };
  const second = await send('/api/tokens/refresh', refreshToken, idempotent);
  keep('second access token', second.body.accessToken.token);
  keep('second refresh token', second.body.refreshToken.token);
  await send('/api/tokens/refresh', refreshToken, idempotent);
  await send('/api/tokens/refresh', refreshToken);
  await send('/api/tokens/refresh', keep('unknown refresh token', randomBytes(32).toString('base64url')));
  await send('/api/tokens/revocation', refreshToken);
  await send('/api/tokens/validation', first.body.accessToken.token, {
    authorization: `Bearer ${first.body.accessToken.token}`,
  });
  await send('/api/tokens/validation', keep('nonsense token', randomBytes(32).toString('base64url')), admin);
  await send(
    '/api/iam/principal/me',
    undefined,
    { authorization: `Bearer ${keep('wrong bearer', randomBytes(16).toString('hex'))}` },
    'GET',
  );
  await send('/api/iam/principal/me', undefined, { 'svc-open-api-key': keep('wrong key', crypto.randomUUID()) }, 'GET');

  const registration = await send('/api/tokens/otp/registration', { id: `canary-${id}`, password });
  keep('manual entry code', registration.body.manualEntryCode);
  keep('qr code', registration.body.qrCode.slice(0, 200));
  const setupCode = keep('setup code', setupCodeFrom(registration.body.manualEntryCode));
  await logIn(keep('wrong code', wrongCodeOf(setupCode)));
  await logIn(`${keep('long code', randomBytes(8).toString('hex'))}`);
  t.is((await logIn(codeOf(setupCode))).status, 200);
  const made = await send('/api/tokens/otp/recovery-codes', {
    id: `canary-${id}`,
    password,
    otp: codeOf(setupCode, { steps: 1 }),
  });
  for (const code of made.body.recoveryCodes) keep(`recovery code ${code}`, code);
  await logIn(made.body.recoveryCodes[0]);
  await logIn(made.body.recoveryCodes[0]);

  const shared = keep('shared setup code', randomBytes(8).toString('hex'));
  await send(
    '/api/usergroups',
    { name: 'canaries', users: [id], metadata: { '2FAMetadata': [`APPAUTH:${shared}`] } },
    admin,
  );
  await send('/api/usergroups/canaries/second-factor', { entries: [`APPAUTH:${shared}`, 'CIDR:x'] }, admin, 'PUT');
  const short = keep('malformed setup code', randomBytes(7).toString('hex'));
  await send('/api/usergroups/canaries/second-factor', { entries: [`APPAUTH:${short}`] }, admin, 'PUT');
  await send(
    '/api/usergroups/canaries/second-factor',
    { entries: [`APPAUTH:${shared}`] },
    { ...admin, ...idempotent },
    'PUT',
  );
  await send('/api/usergroups/canaries/second-factor/preview', { entries: [`APPAUTH:${shared}`] }, admin);
  await send(`/api/tokens/explain?account=${id}&ip=10.0.0.1`, undefined, admin, 'GET');
  await send('/api/tokens/keys/rotate', {}, admin);

  const rows = await everyRow();
  t.true(
    log.includes('"request"') && errorBodies.includes('Illegal one-time password.') && rows.includes('otp.register'),
  );
  for (const [name, secret] of secrets) {
    // six digits turn up by chance in ids and times
    const exact = /^\d{6}$/.test(secret) ? `"${secret}"` : secret;
    for (const spelt of [exact, Buffer.from(secret).toString('hex'), Buffer.from(secret).toString('base64')]) {
      t.false(log.includes(spelt), `${name} in the log`);
      t.false(errorBodies.includes(spelt), `${name} in a refusal`);
      t.false(rows.includes(spelt), `${name} in the database`);
    }
  }
  t.false(log.includes(hash ?? ''), 'a password hash in the log');
});
