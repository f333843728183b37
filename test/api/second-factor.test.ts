import { randomBytes } from 'node:crypto';
import test from 'ava';
import { attempt, codeOf, groupOf, wrongCodeOf } from '../world/authenticator.ts';
import { ownWorld } from '../world.ts';

const w = ownWorld(test);
const INSIDE = '10.1.2.3';
const OUTSIDE = '203.0.113.9';
const OFFICE = 'CIDR:10.0.0.0/8&Comment:office';
const newCode = () => randomBytes(8).toString('hex');

type Outcome = 'in' | 'otp' | 'forbidden';
async function outcome(id: string, from: string): Promise<Outcome> {
  const { status, body } = await attempt(w, { id, from });
  if (status === 403) return 'forbidden';
  return body.otpRequired ? 'otp' : body.accessToken ? 'in' : body.detail;
}

for (const [name, entries, inside, outside] of [
  ['without entries no code is asked for', [], 'in', 'in'],
  ['with networks alone a login from elsewhere is 403', [OFFICE], 'in', 'forbidden'],
  ['with an authenticator alone a code is asked for', ['APPAUTH:SECRET'], 'otp', 'otp'],
  ['a network match needs no code, even when authenticators are listed', [OFFICE, 'APPAUTH:SECRET'], 'in', 'otp'],
  ['any of several networks will do', ['CIDR:192.0.2.1', OFFICE, 'CIDR:2001:db8::/32'], 'in', 'forbidden'],
] as const) {
  test(name, async (t) => {
    const { id } = await w.account();
    await groupOf(
      w,
      id,
      entries.map((entry) => entry.replace('SECRET', newCode())),
    );
    t.is(await outcome(id, INSIDE), inside);
    t.is(await outcome(id, OUTSIDE), outside);
    t.is(await outcome(id, `::ffff:${INSIDE}`), inside, 'IPv4 in IPv6 form is IPv4');
  });
}

test('null instead of entries is kept as sent and requires nothing', async (t) => {
  const admin = w.as(await w.administrator());
  const { id, userId } = await w.account();
  const metadata = { '2FAMetadata': null, note: null };
  const named = { name: `null of ${userId}`, users: [id], metadata };
  const send = () => admin.post('/api/usergroups', named, { 'idempotency-key': named.name });
  const { status, body: made } = await send();
  t.is(status, 201, JSON.stringify(made));
  t.deepEqual(made.metadata, metadata);
  // the answer holds no secret
  t.deepEqual((await send()).body, made);
  const { body: groups } = await admin.get('/api/usergroups');
  t.deepEqual(groups.find((group: { id: string }) => group.id === made.id)?.metadata, metadata);
  t.is(await outcome(id, OUTSIDE), 'in');
  t.is((await admin.put('/api/usergroups', { id: made.id, metadata: { '2FAMetadata': [OFFICE] } })).status, 200);
  t.is(await outcome(id, OUTSIDE), 'forbidden');
  t.is((await admin.put('/api/usergroups', { id: made.id, metadata })).status, 200);
  t.is(await outcome(id, OUTSIDE), 'in');
  await groupOf(w, id, [OFFICE]);
  t.is(await outcome(id, OUTSIDE), 'forbidden', 'another group requires what it did');
  for (const wrong of [
    { '2fametadata': null },
    { '2FAMetadata': [null] },
    { '2FAMetadata': false },
    { '2FAMetadata': '' },
  ])
    t.is((await admin.put('/api/usergroups', { id: made.id, metadata: wrong })).status, 400, JSON.stringify(wrong));
});

test('the entries of all groups of an account apply', async (t) => {
  const { id } = await w.account();
  await groupOf(w, id, [OFFICE]);
  t.is(await outcome(id, OUTSIDE), 'forbidden');
  await groupOf(w, id, ['CIDR:203.0.113.0/24']);
  t.is(await outcome(id, OUTSIDE), 'in');
  await groupOf(w, id, [`APPAUTH:${newCode()}`]);
  t.is(await outcome(id, OUTSIDE), 'in');
  t.is(await outcome(id, '198.51.100.1'), 'otp');
});

test('an own authenticator is required after its registration, except from a network that needs none', async (t) => {
  const { id } = await w.account();
  t.is((await attempt(w, { id }, '/api/tokens/otp/registration')).status, 200);
  t.is(await outcome(id, OUTSIDE), 'otp');
  await groupOf(w, id, [OFFICE]);
  t.is(await outcome(id, INSIDE), 'in');
  t.is(await outcome(id, OUTSIDE), 'otp');
});

test('malformed rows in the database never skip the second factor', async (t) => {
  for (const stored of [['CIDR:10.0.0.0/99'], 'CIDR:0.0.0.0/0', { a: 1 }, [17], ['appauth:0123456789abcdef'], ['']]) {
    const { id } = await w.account();
    const group = await groupOf(w, id, []);
    await w.sql('update user_groups set metadata = $2 where name = $1', [group, { '2FAMetadata': stored }]);
    t.is(await outcome(id, INSIDE), 'forbidden', JSON.stringify(stored));
  }
  const { id } = await w.account();
  const group = await groupOf(w, id, []);
  await w.sql('update user_groups set metadata = $2 where name = $1', [group, { '2FAMetadata': ['CIDR:x', OFFICE] }]);
  t.is(await outcome(id, INSIDE), 'in', 'what can be read beside it holds');
  t.is(await outcome(id, OUTSIDE), 'forbidden');
});

test('the response that asks for a code is 200 with the authenticators and no tokens', async (t) => {
  const { id } = await w.account();
  await groupOf(w, id, [`APPAUTH:${newCode()}`, `APPAUTH:${newCode()}`]);
  for (const otp of [undefined, null, '']) {
    const { status, headers, body } = await attempt(w, { id, ...(otp === undefined ? {} : { otp }) });
    t.is(status, 200);
    t.is(headers['cache-control'], 'no-store');
    t.deepEqual(body, { otpRequired: true, accessForbidden: false, otpAuthenticatorIds: ['APPAUTH'] });
  }
});

test('the password is checked first: without it the response does not reveal whether a code is needed', async (t) => {
  const { id } = await w.account();
  await groupOf(w, id, [OFFICE, `APPAUTH:${newCode()}`]);
  const answer = await attempt(w, { id, password: 'Wrong-horse-77' });
  t.is(answer.status, 400);
  t.is(answer.body.detail, 'Account validation failed.');
});

test('a correct code of the named authenticator, or of the first, is accepted', async (t) => {
  const setupCode = newCode();
  for (const named of [{ otpAuthenticator: 'APPAUTH' }, {}, { otpAuthenticator: '' }]) {
    const { id } = await w.account();
    await groupOf(w, id, [`APPAUTH:${setupCode}`]);
    const { status, body } = await attempt(w, { id, otp: codeOf(setupCode), ...named });
    t.is(status, 200);
    t.truthy(body.accessToken.token);
  }
});

test('any of several setup codes of one type is accepted', async (t) => {
  const codes = [newCode(), newCode(), newCode()];
  const { id } = await w.account();
  await groupOf(
    w,
    id,
    codes.slice(0, 2).map((code) => `APPAUTH:${code}`),
  );
  await groupOf(w, id, [`APPAUTH:${codes[2]}`]);
  for (const code of codes) t.truthy((await attempt(w, { id, otp: codeOf(code) })).body.accessToken, code);
});

test("a wrong code, an unknown authenticator and another spelling of its name are an 'Illegal one-time password.'", async (t) => {
  const setupCode = newCode();
  const { id } = await w.account();
  await groupOf(w, id, [`APPAUTH:${setupCode}`]);
  for (const bad of [
    { otp: wrongCodeOf(setupCode) },
    { otp: '12345' },
    { otp: 'abcdef' },
    { otp: codeOf(setupCode, { steps: -3 }) },
    { otp: codeOf(setupCode), otpAuthenticator: 'appauth' },
    { otp: codeOf(setupCode), otpAuthenticator: 'CIDR' },
    { otp: codeOf(newCode()) },
  ]) {
    const { status, body } = await attempt(w, { id, ...bad });
    t.is(status, 400, JSON.stringify(bad));
    t.is(body.detail, 'Illegal one-time password.');
  }
  t.is((await attempt(w, { id, otp: codeOf(setupCode) })).status, 200);
});

test('codes of the previous and next time step are accepted, each step once', async (t) => {
  const setupCode = newCode();
  const { id } = await w.account();
  await groupOf(w, id, [`APPAUTH:${setupCode}`]);
  const codes = [-1, 0, 1].map((steps) => codeOf(setupCode, { steps }));
  for (const otp of codes) t.is((await attempt(w, { id, otp })).status, 200);
  for (const otp of codes) t.is((await attempt(w, { id, otp })).body.detail, 'Illegal one-time password.');
});

test('each account of the group may use a code once', async (t) => {
  const setupCode = newCode();
  const accounts = [await w.account(), await w.account()];
  const otp = codeOf(setupCode);
  for (const { id } of accounts) {
    await groupOf(w, id, [`APPAUTH:${setupCode}`]);
    t.is((await attempt(w, { id, otp })).status, 200);
    t.is((await attempt(w, { id, otp })).status, 400);
  }
});

test('the same code in 50 concurrent logins: one success', async (t) => {
  const setupCode = newCode();
  const { id } = await w.account();
  await groupOf(w, id, [`APPAUTH:${setupCode}`]);
  const otp = codeOf(setupCode);
  const answers = await Promise.all(Array.from({ length: 50 }, () => attempt(w, { id, otp })));
  t.is(answers.filter(({ status }) => status === 200).length, 1);
  t.true(answers.every(({ status, body }) => status === 200 || body.detail === 'Illegal one-time password.'));
});

test.serial(
  'wrong codes are counted separately; ten in a row suspend checking, and a correct one resets the count',
  async (t) => {
    const admin = w.as(await w.administrator());
    const setupCode = newCode();
    const { id, userId } = await w.account();
    await groupOf(w, id, [`APPAUTH:${setupCode}`]);
    const wrong = () => attempt(w, { id, otp: wrongCodeOf(setupCode) });
    const status = async () => (await admin.get(`/api/tokens/otp/${id}`)).body;
    await wrong();
    t.is((await status()).failures, 1);
    t.is((await admin.get(`/api/accounts/${id}`)).body.noOfUnsuccessfulLoginAttempts, 0, 'the password was right');
    t.is((await attempt(w, { id, otp: codeOf(setupCode) })).status, 200);
    t.is((await status()).failures, 0);

    const answers = await Promise.all(Array.from({ length: 15 }, wrong));
    t.is(answers.filter((answer) => answer.status === 400).length, 10);
    t.is(answers.filter((answer) => answer.status === 429).length, 5);
    const blocked = await attempt(w, { id, otp: codeOf(setupCode, { steps: 1 }) });
    t.is(blocked.status, 429, 'the right one is not looked at either');
    t.true(Number(blocked.headers['retry-after']) > 0 && Number(blocked.headers['retry-after']) <= 30);
    t.truthy((await status()).blockedUntil);

    await w.sql(`update otp_failures set blocked_until = now() - interval '1 s' where user_id = $1`, [userId]);
    const [clock] = await w.sql<{ before: string }>('select clock_timestamp()::text as before');
    t.is((await wrong()).status, 400);
    const [row] = await w.sql<{ isRight: boolean }>(
      `select blocked_until - interval '60 s' between $2::timestamptz and clock_timestamp() as "isRight"
     from otp_failures where user_id = $1`,
      [userId, clock?.before],
    );
    t.true(row?.isRight, 'each time twice as long');
    await w.sql(`update otp_failures set blocked_until = now() - interval '1 s' where user_id = $1`, [userId]);
    t.is((await attempt(w, { id, otp: codeOf(setupCode, { steps: 1 }) })).status, 200);
    t.is((await status()).failures, 0);
  },
);

const named = ownWorld(test, { 'twoFactor.metadataKey': 'zweiter.Faktor' });
test('the metadata key of the authenticators is configurable', async (t) => {
  const { id } = await named.account();
  await groupOf(named, id, ['CIDR:10.0.0.0/8'], '2FAMetadata');
  t.is((await attempt(named, { id, from: OUTSIDE })).status, 200, 'this is any other metadata then');
  const group = await groupOf(named, id, ['CIDR:10.0.0.0/8'], 'zweiter.Faktor');
  t.is((await attempt(named, { id, from: OUTSIDE })).status, 403);
  const admin = named.as(await named.administrator());
  t.is((await admin.put(`/api/usergroups/${group}/second-factor`, { entries: [] })).status, 204);
  t.is((await attempt(named, { id, from: OUTSIDE })).status, 200);
});
