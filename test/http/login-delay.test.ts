import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import pg from 'pg';
import { type LoginClient, LoginDelay } from '../../src/accounts/login-delay.ts';
import type { AppError } from '../../src/errors.ts';
import { rateLimitKey } from '../../src/platform/net/networks.ts';
import { attempt } from '../world/authenticator.ts';
import { PASSWORD, world } from '../world.ts';

const w = world(test, { 'loginDelay.first': '1ms' });
const crowded = world(test, { 'loginDelay.first': '64s', 'loginDelay.maxWaiting': '0' });
const patient = world(test, { 'loginDelay.first': '64s', 'loginDelay.maxWaiting': '10' });
const WRONG = 'Wrong-horse-77';

let clients = 0;
const newClient = () => `198.51.${clients >> 8}.${clients++ & 255}`;
const ACCOUNT = 'somebody';
const failuresOf = async (address: string) =>
  (await new LoginDelay(w.db, w.config).status({ address, account: ACCOUNT })).failures;
/** A login with wrong credentials. */
const fail = (delay: LoginDelay, address: string, more: Partial<LoginClient> = {}) =>
  delay.fail({ address, account: ACCOUNT, ...more });
const until = async (condition: () => boolean | Promise<boolean>) => {
  while (!(await condition())) await sleep(20);
};
/** Ends at the end of the test. `maxWaiting` for each of these, as in processes of their own. */
function delayFor(t: ExecutionContext, maxWaiting: number, first = 60_000) {
  const delay = new LoginDelay(w.db, { 'loginDelay.first': first, 'loginDelay.maxWaiting': maxWaiting });
  t.teardown(() => delay.close());
  return delay;
}
/** How each of many failed logins ended so far. */
function outcomes() {
  const kinds: string[] = [];
  const of = (attempt: Promise<unknown>) =>
    attempt.then(
      () => kinds.push('refused'),
      (error: AppError) => kinds.push(error.kind),
    );
  return { of, count: (kind: string) => kinds.filter((each) => each === kind).length, all: kinds };
}

let server: Promise<string> | undefined;
const listening = () => (server ??= patient.app.listen({ port: 0, host: '127.0.0.1' }));

test.beforeEach(async () => {
  await w.sql('delete from login_waits');
  await patient.sql('truncate login_waits, login_failures, login_pair_failures');
});

test.serial('failed logins of a client are delayed by 0, 1, 2, 4 … 64 times the base delay', async (t) => {
  const delay = delayFor(t, 0, 1000);
  const from = newClient();
  const id = 'nobody-at-all';
  const waits: number[] = [];
  for (let failure = 0; failure < 10; failure++) {
    waits.push((await delay.status({ address: from, account: id })).delayMs / 1000);
    t.is((await attempt(w, { id, password: WRONG, from })).status, 400);
  }
  t.deepEqual(waits, [0, 1, 2, 4, 8, 16, 32, 64, 64, 64]);
  t.is((await delay.status({ address: from, account: 'another' })).delayMs, 64_000, 'whatever id is tried next');
});

test.serial(
  'a delayed response is sent when its delay ends; a correct login during the delay is immediate',
  async (t) => {
    const delay = delayFor(t, 50);
    const address = newClient();
    await fail(delay, address);
    let answered = false;
    const parked = fail(delay, address).then(() => {
      answered = true;
    });
    await until(async () => (await failuresOf(address)) === 2);
    await delay.succeed({ address, account: ACCOUNT });
    t.false(answered);
    delay.close();
    await parked;
    t.true(answered, 'a server that stops does not keep them');
  },
);

test.serial('a server that stops sends responses whose delay is about to begin', async (t) => {
  const delay = delayFor(t, 10);
  const address = newClient();
  await fail(delay, address);
  const slots = new pg.Client({ connectionString: w.url });
  await slots.connect();
  t.teardown(() => slots.end());
  // the login stops here: its failure is counted, but it has no place yet
  await slots.query('begin; lock table login_waits in share mode');
  const parked = fail(delay, address);
  await until(async () => (await failuresOf(address)) === 2);
  delay.close();
  await slots.query('commit');
  await t.notThrowsAsync(parked);
});

test.serial('wrong passwords of known and unknown accounts count alike', async (t) => {
  const { id } = await w.account();
  const from = newClient();
  await attempt(w, { id, password: WRONG, from });
  await attempt(w, { id: 'nobody-at-all', password: WRONG, from });
  await attempt(w, { id, password: WRONG, from }, '/api/tokens/otp/registration');
  t.is(await failuresOf(from), 3);
});

test.serial('a success clears only the pair of client and id; neutral outcomes clear nothing', async (t) => {
  const { id, userId } = await w.account();
  const needsCode = await w.account();
  await attempt(w, { id: needsCode.id }, '/api/tokens/otp/registration');
  const from = newClient();
  const pair = async () => {
    const rows = await w.sql<{ failures: number }>(
      'select p.failures from login_pair_failures p join login_failures f using (client) where p.account = sha256($1) and f.client = $2',
      [Buffer.from(id), rateLimitKey(from)],
    );
    return rows[0]?.failures ?? 0;
  };
  await attempt(w, { id: id.toUpperCase(), password: WRONG, from });
  await attempt(w, { id, password: WRONG, from });
  t.is(await pair(), 2);
  t.true((await attempt(w, { id: needsCode.id, from })).body.otpRequired);
  t.is((await attempt(w, { id: needsCode.id, otp: '000000', from })).status, 400);
  await w.sql('update accounts set enabled = false where user_id = $1', [userId]);
  t.is((await attempt(w, { id, from })).body.detail, 'Account is disabled.');
  t.deepEqual([await failuresOf(from), await pair()], [2, 2]);
  await w.sql('update accounts set enabled = true where user_id = $1', [userId]);
  t.is((await attempt(w, { id, from })).status, 200);
  t.deepEqual([await failuresOf(from), await pair()], [2, 0]);
});

test.serial('logins to an own account do not reset the delay of guesses for another', async (t) => {
  const delay = delayFor(t, 0, 1000);
  const own = await w.account();
  const victim = await w.account();
  const from = newClient();
  const waits: number[] = [];
  for (let guess = 0; guess < 5; guess++) {
    waits.push((await delay.status({ address: from, account: victim.id })).delayMs / 1000);
    t.is((await attempt(w, { id: victim.id, password: WRONG, from })).status, 400);
    t.is((await attempt(w, { id: own.id, from })).status, 200);
  }
  t.deepEqual(waits, [0, 1, 2, 4, 8]);
});

test.serial('the delay applies to an account in any spelling of its id', async (t) => {
  const delay = delayFor(t, 0, 1000);
  const address = newClient();
  const waitFor = async (account: string) => (await delay.status({ address, account })).delayMs;
  await fail(delay, address, { account: 'Straße ΝΙΚΟΣ' });
  // failures of the client with other accounts do not count here
  await w.sql('delete from login_failures where client = $1', [rateLimitKey(address)]);
  for (const spelled of ['STRASSE νικος', 'strasse Νικοσ']) t.is(await waitFor(spelled), 1000, spelled);
  t.is(await waitFor('Strase'), 0);
});

test.serial('failures are forgotten after an hour', async (t) => {
  const from = newClient();
  for (let time = 0; time < 3; time++) await attempt(w, { id: 'nobody-at-all', password: WRONG, from });
  const client = `v4 ${Number(`0x${Buffer.from(from.split('.').map(Number)).toString('hex')}`).toString(16)}`;
  await w.sql(`update login_failures set last_at = last_at - interval '61 minutes' where client = $1`, [client]);
  t.is(await failuresOf(from), 0);
  await attempt(w, { id: 'nobody-at-all', password: WRONG, from });
  t.is(await failuresOf(from), 1);
});

test.serial('an IPv6 client is its /64 prefix; other clients are not delayed', async (t) => {
  for (const from of ['2001:db8:1:2::1', '2001:db8:1:2:ffff::2'])
    await attempt(w, { id: 'nobody-at-all', password: WRONG, from });
  t.is(await failuresOf('2001:db8:1:2::99'), 2);
  t.is(await failuresOf('2001:db8:1:3::1'), 0);
});

test.serial('the count is shared by all API processes and exact for concurrent failures', async (t) => {
  const from = newClient();
  await Promise.all(Array.from({ length: 30 }, () => attempt(w, { id: 'nobody-at-all', password: WRONG, from })));
  t.is(await failuresOf(from), 30);
});

test.serial(
  'a correct password is never refused or delayed by waiting failures of its address and account',
  async (t) => {
    const { id } = await patient.account();
    const from = newClient();
    const stop = new AbortController();
    const server = await listening();
    const guess = (password: string, signal = stop.signal) =>
      fetch(`${server}/api/tokens`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ id, password }),
        signal,
      });
    t.is((await guess(WRONG)).status, 400, 'the first failure does not wait');
    const parked = guess(WRONG).catch(() => {});
    await until(async () => (await patient.sql('select from login_waits')).length === 1);
    const { status, headers, body } = await attempt(patient, { id, password: WRONG, from: '127.0.0.1' });
    t.is(status, 429, 'a tenth of ten places is one');
    t.is(body.code, 'TooManyFailedLogins');
    t.is(headers['retry-after'], '128');
    t.is(headers['cache-control'], 'no-store');
    t.is((await guess(PASSWORD)).status, 200);
    const other = await patient.account();
    t.is((await attempt(patient, { id: other.id, from: '127.0.0.1' })).status, 200);
    t.is((await attempt(patient, { id, from })).status, 200);
    stop.abort();
    await parked;
  },
);

test.serial('a wrong API key is 401 immediately, and delays no login of its address', async (t) => {
  const { id } = await patient.account();
  const from = newClient();
  const dead = { 'svc-open-api-key': '5f0c8f9e-2f5c-4d0f-9f43-0a1b2c3d4e5f' };
  const use = () => patient.nobody.send({ url: '/api/iam/principal/me', headers: dead, remoteAddress: from });
  for (let round = 0; round < 3; round++) {
    const answers = await Promise.all(Array.from({ length: 24 }, use));
    t.deepEqual([...new Set(answers.map(({ status }) => status))], [401]);
  }
  t.deepEqual(await new LoginDelay(patient.db, patient.config).status({ address: from, account: id }), {
    failures: 0,
    delayMs: 0,
  });
  t.is((await attempt(patient, { id, password: WRONG, from })).status, 400);
  t.is((await attempt(patient, { id, from })).status, 200);
});

test.serial(
  'one client (IPv6: a /64 prefix) may occupy a tenth of the delay slots with one account, and half in total',
  async (t) => {
    const delays = [delayFor(t, 30), delayFor(t, 30)];
    let host = 0;
    const flood = outcomes();
    const guess = (number: number, account: string) =>
      fail(delays[number % 2] as LoginDelay, `2001:db8:7:7::${++host}`, { account });
    const all = Array.from({ length: 10 }, (_, number) => flood.of(guess(number, 'victim')));
    await until(() => flood.all.length === 7);
    t.is(flood.count('refused'), 1, 'the first does not wait');
    t.is(flood.count('tooManyRequests'), 6);

    const others = outcomes();
    all.push(...Array.from({ length: 20 }, (_, number) => others.of(guess(number, `id-${number}`))));
    await until(() => others.all.length === 8);
    t.is(others.count('tooManyRequests'), 8, '12 found a place, beside the 3 of the victim');

    const neighbour = newClient();
    await fail(delays[0]!, neighbour);
    const parked = outcomes();
    all.push(parked.of(fail(delays[1]!, neighbour)));
    await until(async () => (await failuresOf(neighbour)) === 2);
    t.deepEqual(parked.all, [], 'others still find a place');
    for (const delay of delays) delay.close();
    await Promise.all(all);
  },
);

test.serial('at most loginDelay.maxWaiting responses are delayed at a time, over all processes', async (t) => {
  const delays = [delayFor(t, 3), delayFor(t, 3)];
  const guesses = outcomes();
  const all = Array.from({ length: 20 }, async (_, number) => {
    const guesser = newClient();
    const attempt = () => fail(delays[number % 2] as LoginDelay, guesser);
    await attempt();
    await guesses.of(attempt());
  });
  await until(() => guesses.all.length === 17);
  t.is(guesses.count('tooManyRequests'), 17);
  for (const delay of delays) delay.close();
  await Promise.all(all);
  t.is(guesses.count('refused'), 3);
});

test.serial('a disconnected client frees its place, but its failure is counted', async (t) => {
  const delay = delayFor(t, 10);
  const address = newClient();
  await fail(delay, address);
  /** A client that hangs up as soon as it waits. */
  async function hangUp() {
    const failed = await failuresOf(address);
    const gone = Promise.withResolvers<void>();
    const whenGone = (then: () => void) => {
      void gone.promise.then(then);
      return () => {};
    };
    const attempt = fail(delay, address, { whenGone });
    attempt.catch(() => {});
    await Promise.race([attempt, until(async () => (await failuresOf(address)) > failed)]);
    gone.resolve();
    await t.notThrowsAsync(attempt, 'it does not go on waiting');
  }
  for (let time = 0; time < 3; time++) await hangUp();
  await t.throwsAsync(fail(delay, address), { message: /Too many failed logins/ });
  const places = await w.sql('select from login_waits where not abandoned');
  t.is(places.length, 0);
});

test.serial('closing the connection frees its slot immediately', async (t) => {
  const server = await listening();
  const guess = (signal?: AbortSignal) =>
    fetch(`${server}/api/tokens`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ id: 'nobody', password: WRONG }),
      ...(signal ? { signal } : {}),
    });
  t.is((await guess()).status, 400);
  const waits = (abandoned: boolean) => patient.sql('select from login_waits where abandoned = $1', [abandoned]);
  const client = new AbortController();
  const parked = guess(client.signal);
  await until(async () => (await waits(false)).length === 1);
  t.is((await guess()).status, 429, 'one place is a tenth of ten');
  client.abort();
  await t.throwsAsync(parked);
  await until(async () => (await waits(true)).length === 1);
  t.is((await waits(false)).length, 0);
});

test.serial(
  'without a free slot a wrong password is 429 with Retry-After on every route, and is counted',
  async (t) => {
    const { id } = await crowded.account();
    const from = newClient();
    t.is((await attempt(crowded, { id, password: WRONG, from })).status, 400, 'the first failure does not wait');
    const waits = [64, 128, 256];
    for (const [n, url] of [
      '/api/tokens',
      '/api/tokens/otp/registration',
      '/api/tokens/otp/recovery-codes',
    ].entries()) {
      const { status, headers, body } = await attempt(crowded, { id, password: WRONG, from }, url);
      t.is(status, 429);
      t.is(headers['retry-after'], String(waits[n]));
      t.is(headers['cache-control'], 'no-store');
      t.is(body.code, 'TooManyFailedLogins');
    }
    const admin = crowded.as(await crowded.administrator());
    t.is((await admin.get(`/api/accounts/${id}`)).body.noOfUnsuccessfulLoginAttempts, 4);
    t.is((await attempt(crowded, { id, from })).status, 200);
  },
);

test.serial('failures stay counted when a request with an Idempotency-Key is refused', async (t) => {
  const { id } = await w.account();
  const admin = w.as(await w.administrator());
  const from = newClient();
  const { status } = await admin.send({
    method: 'POST',
    url: '/api/accounts/validation',
    remoteAddress: from,
    headers: { 'idempotency-key': 'guess' },
    payload: { id, password: WRONG },
  });
  t.is(status, 400);
  t.is(await failuresOf(from), 1);
  t.is((await admin.get(`/api/accounts/${id}`)).body.noOfUnsuccessfulLoginAttempts, 1);
});

test.serial(
  'login ignores Idempotency-Key: none is stored, and no database connection is held during the delay',
  async (t) => {
    const { id } = await w.account();
    const admin = w.as(await w.administrator());
    const check = () =>
      admin.send({
        method: 'POST',
        url: '/api/accounts/validation',
        remoteAddress: newClient(),
        headers: { 'idempotency-key': 'checked' },
        payload: { id, password: PASSWORD },
      });
    t.is((await check()).status, 200);
    t.is((await check()).headers['idempotent-replayed'], undefined);
    t.is((await w.sql(`select from idempotency_keys where key = 'checked'`)).length, 0);
  },
);
