import test from 'ava';
import { openLoginDelay } from '../../src/accounts/login-delay.ts';
import { AppError, invalid } from '../../src/errors.ts';
import { attempt } from '../world/authenticator.ts';
import { PASSWORD, world } from '../world.ts';

const w = world(test, { 'loginDelay.first': '1ms' });
const crowded = world(test, { 'loginDelay.first': '64s', 'loginDelay.maxWaiting': '0' });
const WRONG = 'Wrong-horse-77';

let clients = 0;
const newClient = () => `198.51.100.${++clients}`;
const failuresOf = async (client: string) => {
  const delay = openLoginDelay(w.db, w.config);
  return (await delay.standing(client)).failures;
};

test('failing answers of one client wait 0, 1, 2, 4 … 64 times the first wait', async (t) => {
  const delay = openLoginDelay(w.db, { 'loginDelay.first': 1000, 'loginDelay.maxWaiting': 0 });
  const from = newClient();
  const id = 'nobody-at-all';
  const waits: number[] = [];
  for (let failure = 0; failure < 10; failure++) {
    waits.push((await delay.standing(from)).waitMs / 1000);
    t.is((await attempt(w, { id, password: WRONG, from })).status, 400);
  }
  t.deepEqual(waits, [0, 1, 2, 4, 8, 16, 32, 64, 64, 64]);
});

test('an answer that must wait leaves when its wait is over, and a correct login meanwhile does not wait', async (t) => {
  const delay = openLoginDelay(w.db, { 'loginDelay.first': 60_000, 'loginDelay.maxWaiting': 5 });
  t.teardown(() => delay.close());
  const from = newClient();
  const failure = { result: 'failure', error: invalid('no') } as const;
  await t.throwsAsync(delay.attempt(from, async () => failure));
  let answered = false;
  const parked = delay
    .attempt(from, async () => failure)
    .catch(() => {
      answered = true;
    });
  t.is(await delay.attempt(from, async () => ({ result: 'success', value: 'in' })), 'in');
  t.false(answered);
  delay.close();
  await parked;
  t.true(answered, 'a server that stops does not keep them');
});

test('wrong passwords of known and unknown accounts count alike', async (t) => {
  const { id } = await w.account();
  const from = newClient();
  await attempt(w, { id, password: WRONG, from });
  await attempt(w, { id: 'nobody-at-all', password: WRONG, from });
  await attempt(w, { id, password: WRONG, from }, '/api/tokens/otp/registration');
  t.is(await failuresOf(from), 3);
});

test('a complete success resets; a password that a code must follow, and a disabled account, do neither', async (t) => {
  const { id, userId } = await w.account();
  const needsCode = await w.account();
  await attempt(w, { id: needsCode.id }, '/api/tokens/otp/registration');
  const from = newClient();
  await attempt(w, { id, password: WRONG, from });
  await attempt(w, { id, password: WRONG, from });
  t.true((await attempt(w, { id: needsCode.id, from })).body.otpRequired);
  t.is((await attempt(w, { id: needsCode.id, otp: '000000', from })).status, 400);
  await w.sql('update accounts set enabled = false where user_id = $1', [userId]);
  t.is((await attempt(w, { id, from })).body.detail, 'Account is disabled.');
  t.is(await failuresOf(from), 2);
  await w.sql('update accounts set enabled = true where user_id = $1', [userId]);
  t.is((await attempt(w, { id, from })).status, 200);
  t.is(await failuresOf(from), 0);
});

test('an hour forgets', async (t) => {
  const from = newClient();
  for (let time = 0; time < 3; time++) await attempt(w, { id: 'nobody-at-all', password: WRONG, from });
  const client = `v4 ${Number(`0x${Buffer.from(from.split('.').map(Number)).toString('hex')}`).toString(16)}`;
  await w.sql(`update login_failures set last_at = last_at - interval '61 minutes' where client = $1`, [client]);
  t.is(await failuresOf(from), 0);
  await attempt(w, { id: 'nobody-at-all', password: WRONG, from });
  t.is(await failuresOf(from), 1);
});

test('an IPv6 client is its /64; other clients are not held up', async (t) => {
  for (const from of ['2001:db8:1:2::1', '2001:db8:1:2:ffff::2'])
    await attempt(w, { id: 'nobody-at-all', password: WRONG, from });
  t.is(await failuresOf('2001:db8:1:2::99'), 2);
  t.is(await failuresOf('2001:db8:1:3::1'), 0);
});

test('the count is shared by all API processes, and exact when many fail at once', async (t) => {
  const from = newClient();
  await Promise.all(Array.from({ length: 30 }, () => attempt(w, { id: 'nobody-at-all', password: WRONG, from })));
  t.is(await failuresOf(from), 30);
});

test('beyond loginDelay.maxWaiting a client that would wait is turned away before its password is looked at', async (t) => {
  const delay = openLoginDelay(w.db, { 'loginDelay.first': 60_000, 'loginDelay.maxWaiting': 2 });
  t.teardown(() => delay.close());
  const from = newClient();
  const fail = () => delay.attempt(from, async () => ({ result: 'failure', error: invalid('no') }));
  await t.throwsAsync(fail, { message: 'no' });
  const parked = [fail(), fail()].map((one) => one.catch(() => {}));
  while ((await failuresOf(from)) < 3) await new Promise((resolve) => setTimeout(resolve, 20));
  let looked = false;
  const refused = await t.throwsAsync<AppError>(
    delay.attempt(from, async () => {
      looked = true;
      return { result: 'success', value: 1 };
    }),
    { instanceOf: AppError },
  );
  t.is(refused?.kind, 'tooManyRequests');
  t.true((refused?.details.retryAfter ?? 0) >= 60);
  t.false(looked);
  const other = await delay.attempt(newClient(), async () => ({ result: 'success', value: 'in' }));
  t.is(other, 'in', 'a client that has not failed would not wait');
  delay.close();
  await Promise.all(parked);
});

test('at no time more wait than loginDelay.maxWaiting, however many come at once', async (t) => {
  const delay = openLoginDelay(w.db, { 'loginDelay.first': 60_000, 'loginDelay.maxWaiting': 3 });
  t.teardown(() => delay.close());
  const from = newClient();
  const kinds: string[] = [];
  const all = Array.from({ length: 20 }, () =>
    delay
      .attempt(from, async () => ({ result: 'failure', error: invalid('no') }))
      .catch((error: AppError) => kinds.push(error.kind)),
  );
  while (kinds.length < 17) await new Promise((resolve) => setTimeout(resolve, 20));
  t.is(kinds.filter((kind) => kind === 'invalid').length, 1, 'the first does not wait');
  t.is(kinds.filter((kind) => kind === 'tooManyRequests').length, 16);
  delay.close();
  await Promise.all(all);
  t.is(kinds.filter((kind) => kind === 'invalid').length, 4);
});

test('who is turned away gets 429 with Retry-After, whatever the password and the route', async (t) => {
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
  t.is((await attempt(crowded, { id, from: newClient() })).status, 200);
});

test('what is counted stays counted when a request with an Idempotency-Key is refused', async (t) => {
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

test('a check of a password ignores an Idempotency-Key: none is kept, and none holds a connection while it waits', async (t) => {
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
});
