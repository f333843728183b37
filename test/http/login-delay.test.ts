import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import test from 'ava';
import pg from 'pg';
import type { LoginClient, LoginDelay } from '../../src/accounts/login-delay.ts';
import { openLoginDelay } from '../../src/accounts/login-delay.ts';
import { AppError, invalid } from '../../src/errors.ts';
import { clientOf } from '../../src/platform/net/networks.ts';
import { attempt } from '../world/authenticator.ts';
import { PASSWORD, world } from '../world.ts';

const w = world(test, { 'loginDelay.first': '1ms' });
const crowded = world(test, { 'loginDelay.first': '64s', 'loginDelay.maxWaiting': '0' });
const patient = world(test, { 'loginDelay.first': '64s', 'loginDelay.maxWaiting': '10' });
const WRONG = 'Wrong-horse-77';

let clients = 0;
const newClient = () => `198.51.${clients >> 8}.${clients++ & 255}`;
const failuresOf = async (address: string) => (await openLoginDelay(w.db, w.config).status({ address })).failures;
const no = invalid('no');
/** A check of credentials that are right. */
async function succeed(delay: LoginDelay, client: LoginClient) {
  const admission = await delay.admit(client);
  await admission.succeed();
  await admission.end();
  return 'in';
}
const until = async (condition: () => boolean | Promise<boolean>) => {
  while (!(await condition())) await sleep(20);
};
/** Ends at the end of the test. `maxWaiting` for each of these, as in processes of their own. */
function delayFor(t: ExecutionContext, maxWaiting: number, first = 60_000) {
  const delay = openLoginDelay(w.db, { 'loginDelay.first': first, 'loginDelay.maxWaiting': maxWaiting });
  t.teardown(() => delay.close());
  return delay;
}
/** How each of many attempts ended so far. */
function outcomes() {
  const kinds: string[] = [];
  const of = (attempt: Promise<unknown>) =>
    attempt.then(
      () => kinds.push('in'),
      (error: AppError) => kinds.push(error.kind),
    );
  return { of, count: (kind: string) => kinds.filter((each) => each === kind).length, all: kinds };
}

test.beforeEach(() => w.sql('delete from login_waits'));

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

test.serial('a delayed response is sent when its delay ends; a correct login is not delayed meanwhile', async (t) => {
  const delay = delayFor(t, 50);
  const address = newClient();
  await t.throwsAsync(delay.refuse({ address }, no));
  let answered = false;
  const parked = delay.refuse({ address }, no).catch(() => {
    answered = true;
  });
  t.is(await succeed(delay, { address }), 'in');
  t.false(answered);
  delay.close();
  await parked;
  t.true(answered, 'a server that stops does not keep them');
});

test.serial('a server that stops sends responses whose delay is about to begin', async (t) => {
  const delay = delayFor(t, 10);
  const address = newClient();
  await t.throwsAsync(delay.refuse({ address }, no));
  const [counts, slots] = [new pg.Client({ connectionString: w.url }), new pg.Client({ connectionString: w.url })];
  await Promise.all([counts.connect(), slots.connect()]);
  t.teardown(() => Promise.all([counts.end(), slots.end()]));
  // held between reserving its slot and counting the failure, then between counting it and extending the slot
  await counts.query('begin; lock table login_failures in share mode');
  const parked = delay.refuse({ address }, no);
  parked.catch(() => {});
  await until(async () => (await w.sql('select from login_waits')).length === 1);
  await slots.query('begin; lock table login_waits in share mode');
  await counts.query('commit');
  await until(async () => (await failuresOf(address)) === 2);
  delay.close();
  await slots.query('commit');
  await t.throwsAsync(parked, { message: 'no' });
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
      [Buffer.from(id), clientOf(from)],
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
  await t.throwsAsync(delay.refuse({ address, account: 'Straße ΝΙΚΟΣ' }, no));
  // what the client has failed with besides does not count here
  await w.sql('delete from login_failures where client = $1', [clientOf(address)]);
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

test.serial('without a free slot a login answers 429 before its password is checked', async (t) => {
  const delay = delayFor(t, 1);
  const address = newClient();
  const fail = () => delay.refuse({ address }, no);
  await t.throwsAsync(fail, { message: 'no' });
  const parked = fail().catch(() => {});
  await until(async () => (await failuresOf(address)) === 2);
  const refused = await t.throwsAsync<AppError>(delay.admit({ address }), { instanceOf: AppError });
  t.is(refused?.kind, 'tooManyRequests');
  t.true((refused?.details.retryAfter ?? 0) >= 60);
  const other = await succeed(delay, { address: newClient() });
  t.is(other, 'in', 'a client that has not failed would not wait');
  delay.close();
  await parked;
});

test.serial('one client (IPv6: a /64 prefix) may hold a tenth of the slots, with any ids and keys', async (t) => {
  const delays = [delayFor(t, 30), delayFor(t, 30)];
  let host = 0;
  const flood = outcomes();
  const guess = (number: number) =>
    delays[number % 2]?.refuse(
      { address: `2001:db8:7:7::${++host}`, ...(number % 3 === 0 ? {} : { account: `id-${number}` }) },
      no,
    ) as Promise<unknown>;
  const all = Array.from({ length: 40 }, (_, number) => flood.of(guess(number)));
  await until(() => flood.all.length === 37);
  t.is(flood.count('invalid'), 1, 'the first does not wait');
  t.is(flood.count('tooManyRequests'), 36);

  const neighbour = { address: newClient(), account: 'neighbour' };
  await t.throwsAsync(delays[0]!.refuse(neighbour, no), { message: 'no' });
  const parked = outcomes();
  void parked.of(delays[1]!.refuse(neighbour, no));
  await until(async () => (await failuresOf(neighbour.address)) === 2);
  t.deepEqual(parked.all, [], 'others still find a place');
  for (const delay of delays) delay.close();
  await Promise.all(all);
});

test.serial('one account may hold a tenth of the slots, over all clients', async (t) => {
  const delay = delayFor(t, 30);
  const guesses = outcomes();
  const all = Array.from({ length: 8 }, async () => {
    const guesser = { address: newClient(), account: 'Victim' };
    await t.throwsAsync(delay.refuse(guesser, no), { message: 'no' });
    await guesses.of(delay.refuse({ ...guesser, account: 'victim' }, no));
  });
  await until(() => guesses.all.length === 5);
  t.is(guesses.count('tooManyRequests'), 5);
  const another = { address: newClient(), account: 'another' };
  await t.throwsAsync(delay.refuse(another, no), { message: 'no' });
  void guesses.of(delay.refuse(another, no));
  await until(async () => (await failuresOf(another.address)) === 2);
  t.is(guesses.all.length, 5);
  delay.close();
  await Promise.all(all);
});

test.serial('at most loginDelay.maxWaiting responses are delayed at a time, over all processes', async (t) => {
  const delays = [delayFor(t, 3), delayFor(t, 3)];
  const guesses = outcomes();
  const all = Array.from({ length: 20 }, async (_, number) => {
    const guesser = { address: newClient() };
    const attempt = () => (delays[number % 2] as LoginDelay).refuse(guesser, no);
    await t.throwsAsync(attempt, { message: 'no' });
    await guesses.of(attempt());
  });
  await until(() => guesses.all.length === 17);
  t.is(guesses.count('tooManyRequests'), 17);
  for (const delay of delays) delay.close();
  await Promise.all(all);
  t.is(guesses.count('invalid'), 3);
});

test.serial('a disconnected client frees its slot, but its failure is counted', async (t) => {
  const delay = delayFor(t, 10);
  const address = newClient();
  await t.throwsAsync(delay.refuse({ address }, no), { message: 'no' });
  /** One that hangs up as soon as it waits. */
  async function hangUp() {
    const failed = await failuresOf(address);
    const gone = Promise.withResolvers<void>();
    const whenGone = (then: () => void) => {
      void gone.promise.then(then);
      return () => {};
    };
    const attempt = delay.refuse({ address, whenGone }, no);
    attempt.catch(() => {});
    await Promise.race([attempt, until(async () => (await failuresOf(address)) > failed)]);
    gone.resolve();
    await t.throwsAsync(attempt, { message: 'no' }, 'it does not go on waiting');
  }
  for (let time = 0; time < 3; time++) await hangUp();
  const refused = { message: /Too many failed logins/ };
  await t.throwsAsync(delay.refuse({ address }, no), refused);
  const places = await w.sql('select from login_waits where not abandoned');
  t.is(places.length, 0);
});

test.serial('closing the connection frees its slot immediately', async (t) => {
  const server = await patient.app.listen({ port: 0, host: '127.0.0.1' });
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
  'without a slot the response is 429 with Retry-After, on every route and even for a correct password',
  async (t) => {
    const { id } = await crowded.account();
    const from = newClient();
    t.is((await attempt(crowded, { id, password: WRONG, from })).status, 400, 'the first failure does not wait');
    for (const url of ['/api/tokens', '/api/tokens/otp/registration', '/api/tokens/otp/recovery-codes']) {
      const { status, headers, body } = await attempt(crowded, { id, from }, url);
      t.is(status, 429);
      t.is(headers['retry-after'], '64');
      t.is(headers['cache-control'], 'no-store');
      t.is(body.code, 'TooManyFailedLogins');
    }
    const admin = crowded.as(await crowded.administrator());
    const { noOfUnsuccessfulLoginAttempts } = (await admin.get(`/api/accounts/${id}`)).body;
    t.is(noOfUnsuccessfulLoginAttempts, 1, 'the password of the others was not looked at');
    t.is((await attempt(crowded, { id, from: newClient() })).status, 200);
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
