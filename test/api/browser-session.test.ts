import test from 'ava';
import { ownWorld, PASSWORD } from '../world.ts';

const w = ownWorld(test, { 'tokens.reuseLeeway': '1h', publicUrl: 'https://data.example.org' });

interface Sent {
  cookie?: string;
  headers?: Record<string, string>;
  body?: object;
  from?: string;
}
const session = (method: 'POST' | 'PUT' | 'DELETE', { cookie, headers, body, from }: Sent = {}) =>
  w.nobody.send({
    method,
    url: '/api/tokens/session',
    headers: { 'svc-session': '1', ...(cookie === undefined ? {} : { cookie }), ...headers },
    ...(body === undefined ? {} : { payload: body }),
    ...(from === undefined ? {} : { remoteAddress: from }),
  });
/** Headers of a page that came over plain HTTP, whatever the address of the platform. */
const PLAIN_PAGE = { origin: 'http://localhost', host: 'localhost' };
type Answer = Awaited<ReturnType<typeof session>>;

const cookies = ({ headers }: Answer): string[] => [headers['set-cookie'] ?? []].flat().map(String);
/** What a browser sends back: names and values. */
const kept = (answer: Answer) => cookies(answer).map((cookie) => cookie.split(';', 1)[0] ?? '');
const secureOf = (answer: Answer) => kept(answer).find((cookie) => cookie.startsWith('__Host-')) ?? '';
const tokenIn = (cookie: string) => cookie.slice(cookie.indexOf('=') + 1);
const me = ({ body }: Answer) =>
  w.nobody.get('/api/iam/principal/me', { authorization: `Bearer ${body.accessToken.token}` });

async function signIn(more: object = {}, headers: Record<string, string> = {}) {
  const user = await w.account();
  const answer = await session('POST', { body: { id: user.id, password: PASSWORD, ...more }, headers });
  return { user, answer, cookie: secureOf(answer) };
}

test('a login sets the refresh token as a cookie that scripts cannot read, and sends only the access token', async (t) => {
  const { user, answer } = await signIn({}, PLAIN_PAGE);
  t.is(answer.status, 200);
  t.is(answer.headers['cache-control'], 'no-store');
  t.deepEqual(Object.keys(answer.body).sort(), ['accessToken', 'tokenType']);
  const [secure = '', plain = '', ...more] = cookies(answer);
  t.deepEqual(more, []);
  t.regex(secure, /^__Host-session=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/);
  t.regex(plain, /^session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/);
  t.is((await me(answer)).body.id, user.userId);
  const minutes = (Date.parse(answer.body.accessToken.expiration) - Date.now()) / 60_000;
  t.true(minutes > 9 && minutes <= 10, `${minutes}`);
});

test('a session that is remembered outlives the browser, and its renewals too', async (t) => {
  const { answer, cookie } = await signIn({ remember: true });
  const days = (one: Answer) => Number(/Max-Age=(\d+)/.exec(cookies(one)[0] ?? '')?.[1]) / 86_400;
  t.true(days(answer) > 29.9 && days(answer) <= 30);
  const renewed = await session('PUT', { cookie });
  t.true(days(renewed) > 29.9 && days(renewed) <= days(answer));
});

test('a session that ends with the browser lasts twelve hours at most, however often it is renewed', async (t) => {
  const { user } = await signIn();
  const [family] = await w.sql<{ hours: number }>(
    'select extract(epoch from expires_at - created_at)::float8 / 3600 as hours from refresh_families where user_id = $1',
    [user.userId],
  );
  t.is(family?.hours, 12);
});

test('a renewal sends a new access token and a new cookie; the old cookie is worthless', async (t) => {
  const { user, cookie } = await signIn();
  const renewed = await session('PUT', { cookie });
  t.is(renewed.status, 200);
  t.deepEqual(Object.keys(renewed.body).sort(), ['accessToken', 'tokenType']);
  t.not(secureOf(renewed), cookie);
  t.is((await me(renewed)).body.id, user.userId);
  const again = await session('PUT', { cookie });
  t.is(again.status, 401);
  t.is(again.body.code, 'NoSession');
  t.deepEqual(cookies(again), [], 'the cookie of another tab stays');
  t.is((await session('PUT', { cookie: secureOf(renewed) })).status, 200, 'the same address: no thief');
});

test('a cookie that comes back from another address ends the session of both', async (t) => {
  const { cookie } = await signIn();
  const renewed = await session('PUT', { cookie });
  t.is((await session('PUT', { cookie, from: '203.0.113.66' })).status, 401);
  t.is((await session('PUT', { cookie: secureOf(renewed) })).status, 401);
  t.is((await me(renewed)).status, 401);
});

test('of many tabs that renew at once one succeeds, and the session goes on', async (t) => {
  const { cookie } = await signIn();
  const answers = await Promise.all(Array.from({ length: 20 }, () => session('PUT', { cookie })));
  const won = answers.filter(({ status }) => status === 200);
  t.is(won.length, 1);
  t.true(answers.every(({ status, body }) => status === 200 || body.code === 'NoSession'));
  t.is((await session('PUT', { cookie: secureOf(won[0] as Answer) })).status, 200);
});

test('with an Idempotency-Key a lost answer can be requested again', async (t) => {
  const { cookie } = await signIn();
  const headers = { 'idempotency-key': 'lost' };
  const first = await session('PUT', { cookie, headers });
  const again = await session('PUT', { cookie, headers });
  t.is(again.status, 200);
  t.is(again.headers['idempotent-replayed'], 'true');
  t.is(secureOf(again), secureOf(first));
});

for (const [what, headers, status, code] of [
  ['without svc-session', { 'svc-session': '' }, 400, 'SessionHeaderMissing'],
  ['with another svc-session', { 'svc-session': '2' }, 400, 'SessionHeaderMissing'],
  ['of a foreign origin', { origin: 'https://evil.example' }, 403, 'ForeignOrigin'],
  ['of a sandboxed page', { origin: 'null' }, 403, 'ForeignOrigin'],
  ['of a neighbouring port', { origin: 'http://localhost:81' }, 403, 'ForeignOrigin'],
  ['of a host that begins like this one', { origin: 'https://data.example.org.evil.example' }, 403, 'ForeignOrigin'],
  ['of a neighbouring site', { 'sec-fetch-site': 'same-site' }, 403, 'ForeignOrigin'],
  ['of another site', { 'sec-fetch-site': 'cross-site' }, 403, 'ForeignOrigin'],
] as const)
  test(`a request ${what} is refused, and changes nothing`, async (t) => {
    const { user, cookie } = await signIn();
    for (const method of ['POST', 'PUT', 'DELETE'] as const) {
      const body = method === 'POST' ? { body: { id: user.id, password: PASSWORD } } : {};
      const refused = await session(method, { cookie, headers, ...body });
      t.is(refused.status, status, method);
      t.is(refused.body.code, code, method);
      t.deepEqual(cookies(refused), [], method);
    }
    t.is((await session('PUT', { cookie })).status, 200);
  });

for (const origin of ['http://localhost', 'https://localhost', 'https://data.example.org'])
  test(`a page of ${origin} may use the session`, async (t) => {
    const { cookie } = await signIn();
    const headers = { origin, 'sec-fetch-site': 'same-origin', host: 'localhost' };
    t.is((await session('PUT', { cookie, headers })).status, 200);
  });

test('over plain HTTP the cookie without the prefix is enough', async (t) => {
  const { answer } = await signIn({}, PLAIN_PAGE);
  const plain = kept(answer).find((cookie) => cookie.startsWith('session=')) ?? '';
  t.is((await session('PUT', { cookie: plain, headers: PLAIN_PAGE })).status, 200);
});

for (const [what, headers] of [
  ['an origin of HTTPS', { origin: 'https://data.example.org' }],
  ['no origin', {}],
] as const)
  test(`behind a proxy that ends TLS, ${what} gets and sends no cookie in clear`, async (t) => {
    const { answer } = await signIn({}, headers);
    t.is(answer.status, 200);
    t.deepEqual(
      cookies(answer).map((one) => /; Secure;/.test(one)),
      [true],
    );
    const planted = `session=${tokenIn(secureOf(answer))}`;
    t.is((await session('PUT', { cookie: planted, headers })).body.code, 'NoSession');
    t.is(cookies(await session('DELETE', { headers })).length, 1);
  });

test('the cookie authenticates no other request', async (t) => {
  const { answer } = await signIn();
  const cookie = kept(answer).join('; ');
  for (const url of ['/api/iam/principal/me', '/api/tokens/family', '/api/metadata/project/list'])
    t.is((await w.nobody.get(url, { cookie, 'svc-session': '1' })).status, 401, url);
});

test('refresh tokens of cookies and of other clients do not work in place of one another', async (t) => {
  const { user, cookie } = await signIn();
  const json = { 'content-type': 'application/json' };
  const url = '/api/tokens/refresh';
  const payload = JSON.stringify(tokenIn(cookie));
  t.is((await w.nobody.send({ method: 'POST', url, headers: json, payload })).body.code, 'RefreshTokenNotFound');
  const { body } = await w.nobody.post('/api/tokens', { id: user.id, password: PASSWORD });
  const other = await session('PUT', { cookie: `__Host-session=${body.refreshToken.token}` });
  t.is(other.body.code, 'NoSession');
  t.is((await session('PUT', { cookie })).status, 200, 'neither attempt used a token up');
});

test('a logout ends the session and deletes the cookie', async (t) => {
  const { answer, cookie } = await signIn();
  const out = await session('DELETE', { cookie });
  t.is(out.status, 204);
  t.true(
    cookies(out).every((one) => /^(__Host-)?session=; Max-Age=0; Path=\/; HttpOnly;/.test(one)),
    cookies(out).join(),
  );
  t.is((await me(answer)).status, 401);
  t.is((await session('PUT', { cookie })).body.code, 'NoSession');
  t.is((await session('DELETE', { cookie })).status, 204, 'once more');
});

test('a cookie of nonsense, and none at all, are no session', async (t) => {
  for (const cookie of ['__Host-session=', '__Host-session=%00%ff', 'a; ; =; __Host-session', 'x=1'])
    t.is((await session('PUT', { cookie })).body.code, 'NoSession', cookie);
  t.is((await session('PUT')).body.code, 'NoSession');
});

test('a wrong password sets no cookie', async (t) => {
  const user = await w.account();
  const refused = await session('POST', { body: { id: user.id, password: 'wrong' } });
  t.is(refused.body.code, 'AccountValidationFailed');
  t.deepEqual(cookies(refused), []);
});

test('the list of logins names device, address, last use, and the login of the request', async (t) => {
  const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0';
  const { user, answer } = await signIn({}, { 'user-agent': agent });
  await w.nobody.post('/api/tokens', { id: user.id, password: PASSWORD }, { 'user-agent': 'python-requests/2.32.3' });
  const { body } = await w.nobody.get('/api/tokens/family', {
    authorization: `Bearer ${answer.body.accessToken.token}`,
  });
  t.like(body.data, [
    { device: 'python-requests 2.32.3', address: '127.0.0.1', current: false },
    { device: 'Firefox on Linux', address: '127.0.0.1', current: true },
  ]);
  t.is(body.data[1].lastUsedAt, body.data[1].createdAt);
});
