import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import test from 'ava';
import type { InjectOptions } from 'fastify';
import { z } from 'zod';
import { notFound } from '../../src/errors.ts';
import type { App } from '../../src/http/route.ts';
import { idParam } from '../../src/http/rules/forms.ts';
import { apiApp, bearer } from './api-app.ts';

const id = '018f3c1e-7a4b-7c2d-9e1f-001122334455';
const config = { access: 'signedIn', service: 'metadata' } as const;

const routes = (app: App) => {
  const schema = { params: idParam('thing'), body: z.object({ name: z.string() }) };
  app.post('/api/thing/:id', { config, schema }, async (request) => {
    throw notFound('Thing', request.params.id);
  });
  app.get('/api/thing/:id', { config, schema: { params: idParam('thing') } }, async () => ({ ok: true }));
  app.get('/api/thing/count', { config }, async () => ({ count: 1 }));
  app.delete('/api/thing/:thingId', { config }, async (_request, reply) => reply.code(204).send(null));
  app.post(
    '/api/admin',
    { config: { ...config, access: 'administrators' }, schema: { body: schema.body } },
    async () => ({}),
  );
  app.post('/api/tenant-move', { config: { ...config, versionRequired: true } }, async (request) => ({
    version: request.apiVersion,
  }));
  app.get('/api/version', { config }, async (request) => ({ version: request.apiVersion }));
  app.get('/api/bug', { config }, async () => {
    throw new Error('select secret from table');
  });
  app.post('/api/small', { config: { access: 'public', service: 'tokens' } }, async () => ({}));
  app.get('/plain', { config: { access: 'public', service: 'none' } }, async (request) => ({ v: request.apiVersion }));
};

test('A request with several faults gets the error of the first rule that fails', async (t) => {
  const app = await apiApp(t, routes);
  const wrong: InjectOptions = {
    method: 'POST',
    url: '/api/thing/no-uuid',
    headers: { 'api-version': '9', 'content-type': 'text/plain' },
    payload: '{',
  };
  const ask = async (change: InjectOptions) =>
    (await app.inject({ ...wrong, ...change, headers: { ...wrong.headers, ...change.headers } })).statusCode;
  t.is(await ask({ url: '/api/nothing/no-uuid' }), 404);
  t.is(await ask({ method: 'PATCH' }), 405);
  t.is(await ask({}), 400);
  t.is(await ask({ headers: { 'api-version': '4' } }), 401);
  const signedIn = { ...bearer('anna'), 'api-version': '4' };
  t.is(await ask({ headers: signedIn }), 415);
  const json = { ...signedIn, 'content-type': 'application/json' };
  t.is(await ask({ headers: json }), 404, 'a path id that is no uuid goes before a malformed body');
  t.is(await ask({ url: `/api/thing/${id}`, headers: json }), 400);
  t.is(await ask({ url: `/api/thing/${id}`, headers: json, payload: '{"name":5}' }), 400);
  t.is(await ask({ url: `/api/thing/${id}`, headers: json, payload: '{"name":"a"}' }), 404);
});

test('Access policies are checked after the form of the request', async (t) => {
  const app = await apiApp(t, routes);
  const post = async (name: string, payload: object) =>
    (await app.inject({ method: 'POST', url: '/api/admin', headers: bearer(name), payload })).statusCode;
  t.is(await post('anna', {}), 400);
  t.is(await post('anna', { name: 'a' }), 403);
  t.is(await post('admin', { name: 'a' }), 200);
});

test('A wrong method gets 405 with the allowed methods, for any names of path parameters', async (t) => {
  const app = await apiApp(t, routes);
  for (const method of ['PUT', 'PATCH', 'TRACE'] as const) {
    const answer = await app.inject({
      method: method as never,
      url: '/api/thing/x/',
      headers: { 'content-type': 'x/y' },
      payload: 'x',
    });
    t.is(answer.statusCode, 405);
    t.is(answer.headers.allow, 'GET, HEAD, POST, DELETE, OPTIONS');
    t.is(answer.json().code, 'MethodNotAllowed');
  }
  const count = await app.inject({ method: 'DELETE', url: '/api/thing/count', headers: bearer('anna') });
  t.is(count.statusCode, 405, 'not the thing with the id count');
});

test('Every GET route also answers HEAD, and a trailing slash is ignored', async (t) => {
  const app = await apiApp(t, routes);
  const head = await app.inject({ method: 'HEAD', url: `/api/thing/${id}/`, headers: bearer('anna') });
  t.deepEqual([head.statusCode, head.body], [200, '']);
  t.is((await app.inject({ method: 'HEAD', url: `/api/thing/${id}` })).statusCode, 401);
});

test('The API version comes from the header, else the query; 1 means 1.0; the default is the newest', async (t) => {
  const app = await apiApp(t, routes);
  const ask = (query: string, headers: Record<string, string> = {}) =>
    app.inject({ url: `/api/version${query}`, headers: { ...bearer('anna'), ...headers } });
  t.deepEqual((await ask('')).json(), { version: 4 });
  t.deepEqual((await ask('?Api-Version=2.0')).json(), { version: 2 });
  t.deepEqual((await ask('?api-version=2', { 'api-version': '1.0' })).json(), { version: 1 });
  t.is((await ask('')).headers['api-supported-versions'], '1.0, 2.0, 3.0, 4.0');
  for (const bad of ['5', '0', '1.1', 'v1', '-1', '1.0.0', 'newest']) {
    const answer = await ask('', { 'api-version': bad });
    t.deepEqual([answer.statusCode, answer.json().code], [400, 'UnsupportedApiVersion'], bad);
    t.is(answer.headers['api-supported-versions'], '1.0, 2.0, 3.0, 4.0');
  }
});

test('A missing version is refused on routes that require one and ignored on routes without versions', async (t) => {
  const app = await apiApp(t, routes);
  const headers = bearer('anna');
  const missing = await app.inject({ method: 'POST', url: '/api/tenant-move', headers });
  t.deepEqual([missing.statusCode, missing.json().code], [400, 'ApiVersionUnspecified']);
  const given = await app.inject({
    method: 'POST',
    url: '/api/tenant-move',
    headers: { ...headers, 'api-version': '4' },
  });
  t.deepEqual(given.json(), { version: 4 });
  const none = await app.inject({ url: '/plain', headers: { 'api-version': '99' } });
  t.deepEqual([none.statusCode, none.headers['api-supported-versions']], [200, undefined]);
});

test('Bodies are accepted with any JSON content type and charset, and with no other type', async (t) => {
  const app = await apiApp(t, routes);
  const post = async (type: string, payload: string | Buffer = '{"name":"ä"}') =>
    (
      await app.inject({
        method: 'POST',
        url: '/api/admin',
        headers: { ...bearer('admin'), 'content-type': type },
        payload,
      })
    ).statusCode;
  for (const type of [
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON;charset=UTF-8',
    'application/json-patch+json',
    'text/json; charset=utf-8',
    'application/vnd.x.y+json; v=1',
  ])
    t.is(await post(type), 200, type);
  t.is(await post('application/json; charset=iso-8859-1', Buffer.from('{"name":"ä"}', 'latin1')), 200);
  t.is(await post('application/json', Buffer.from('{"name":"ä"}', 'latin1')), 400);
  for (const type of [
    'text/plain',
    'application/xml',
    'application/x-www-form-urlencoded',
    'nonsense',
    'application/json; charset=klingon',
  ])
    t.is(await post(type), 415, type);
});

test('A compressed body has another error than an invalid one', async (t) => {
  const app = await apiApp(t, routes);
  const post = (encoding: string, payload: Buffer) =>
    app.inject({
      method: 'POST',
      url: '/api/admin',
      headers: { ...bearer('admin'), 'content-type': 'application/json', 'content-encoding': encoding },
      payload,
    });
  const json = Buffer.from('{"name":"x"}');
  t.is((await post('identity', json)).statusCode, 200);
  const answer = await post('gzip', gzipSync(json));
  t.is(answer.statusCode, 415);
  t.regex(answer.json().detail, /gzip/);
});

test('The Accept header has no effect', async (t) => {
  const app = await apiApp(t, routes);
  for (const accept of ['text/plain', '*/*', 'application/xml', 'nonsense']) {
    const answer = await app.inject({ url: '/api/version', headers: { ...bearer('anna'), accept } });
    t.is(answer.statusCode, 200);
    t.regex(String(answer.headers['content-type']), /^application\/json/);
  }
});

test('Bodies of token and account routes are limited to 1 MiB, others to 30 MB', async (t) => {
  const app = await apiApp(t, routes);
  const payload = JSON.stringify({ name: 'x'.repeat(2 ** 20) });
  const headers = { ...bearer('admin'), 'content-type': 'application/json' };
  const small = await app.inject({ method: 'POST', url: '/api/small', headers, payload });
  t.deepEqual([small.statusCode, small.json().code], [413, 'TooLarge']);
  t.is((await app.inject({ method: 'POST', url: '/api/admin', headers, payload })).statusCode, 200);
});

test('Every error is a problem document with a detail text and the request id', async (t) => {
  const app = await apiApp(t, routes);
  const cases: [InjectOptions, number][] = [
    [{ url: '/api/nothing' }, 404],
    [{ url: '/api/%zz' }, 400],
    [{ url: '/api/version' }, 401],
    [{ method: 'PUT', url: '/api/version' }, 405],
    [{ url: '/api/bug', headers: bearer('anna') }, 500],
    [
      {
        method: 'POST',
        url: '/api/admin',
        headers: { ...bearer('admin'), 'content-type': 'application/json' },
        payload: '{',
      },
      400,
    ],
  ];
  for (const [options, status] of cases) {
    const answer = await app.inject(options);
    t.is(answer.statusCode, status);
    t.is(answer.headers['content-type'], 'application/problem+json');
    const problem = answer.json();
    t.is(typeof problem.detail, 'string');
    t.is(problem.status, status);
    t.is(problem.traceId, answer.headers['x-request-id']);
    t.false(answer.body.includes('select'));
    if (status === 401) t.is(answer.headers['www-authenticate'], 'Bearer');
  }
});

test('A request id of 1 to 128 visible characters is kept; any other is replaced', async (t) => {
  const app = await apiApp(t, routes);
  const idOf = async (given: string) =>
    (await app.inject({ url: '/plain', headers: { 'x-request-id': given } })).headers['x-request-id'];
  t.is(await idOf('abc-~!1'), 'abc-~!1');
  t.is(await idOf('x'.repeat(128)), 'x'.repeat(128));
  for (const bad of ['x'.repeat(129), 'a b', '', 'ä']) t.regex(String(await idOf(bad)), /^[0-9a-f-]{36}$/);
});

test('OPTIONS is 204 for any origin, or only for the configured one', async (t) => {
  const preflight = { origin: 'https://map.example', 'access-control-request-method': 'PUT' };
  const open = await apiApp(t, routes);
  const any = await open.inject({ method: 'OPTIONS', url: '/api/version', headers: preflight });
  t.deepEqual([any.statusCode, any.headers['access-control-allow-origin']], [204, '*']);
  t.is(any.headers['access-control-allow-credentials'], undefined);
  t.is((await open.inject({ method: 'OPTIONS', url: '/api/version' })).statusCode, 204);

  const closed = await apiApp(t, routes, { env: { PLATFORM_CORS_ORIGINS: 'https://map.example' } });
  const ours = await closed.inject({ url: '/plain', headers: { origin: 'https://map.example' } });
  t.is(ours.headers['access-control-allow-origin'], 'https://map.example');
  const theirs = await closed.inject({ url: '/plain', headers: { origin: 'https://other.example' } });
  t.is(theirs.headers['access-control-allow-origin'], undefined);
});

test('Invalid or oversized HTTP requests are also answered with a problem document', async (t) => {
  const app = await apiApp(t, routes);
  await app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = app.server.address() as { port: number };
  const send = (text: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => socket.write(text));
      let answer = '';
      socket.on('data', (chunk) => {
        answer += chunk;
      });
      socket.on('end', () => resolve(answer));
      socket.on('error', reject);
    });
  for (const [text, status] of [
    ['nonsense\r\n\r\n', 400],
    [`GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: a\r\n\r\n`, 431],
  ] as const) {
    const [head = '', body = ''] = (await send(text)).split('\r\n\r\n');
    t.true(head.startsWith(`HTTP/1.1 ${status} `), head);
    t.is(JSON.parse(body).status, status);
    t.is(typeof JSON.parse(body).detail, 'string');
  }
});

test('A route without config.access or config.service cannot be added', async (t) => {
  const adding = (config: object) => apiApp(t, (app) => void app.get('/api/x', { config }, async () => ({})));
  await t.throwsAsync(adding({ service: 'metadata' }), { message: /lacks config\.access/ });
  await t.throwsAsync(adding({ access: 'public' }), { message: /lacks config\.service/ });
});
