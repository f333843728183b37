import test from 'ava';
import { z } from 'zod';
import type { App } from '../../src/http/route.ts';
import { apiApp, bearer } from './api-app.ts';

const config = { access: 'signedIn', service: 'metadata' } as const;
const id = '018f3c1e-7a4b-7c2d-9e1f-001122334455';
const other = '018f3c1e-7a4b-7c2d-9e1f-001122334456';

const routes = (app: App) => {
  app.get('/api/tenant', { config }, async (request) => ({ tenant: request.platformHeader('tenant-id') ?? 'none' }));
  const schema = { params: z.object({ id: z.guid() }) };
  app.get('/api/metadata/project/:id', { config, schema }, async () => ({}));
  app.get('/api/metadata/dataset/:id', { config, schema }, async () => ({}));
  app.get('/api/admin/feature/:id/tenant/:tenantId', { config }, async () => ({}));
};

test('Each header is accepted under every prefix and alias; contradicting values are refused', async (t) => {
  const app = await apiApp(t, routes);
  const ask = (headers: object) => app.inject({ url: '/api/tenant', headers: { ...bearer('anna'), ...headers } });
  for (const name of ['svc-tenant-id', 'dhi-tenant-id', 'svc-customer-guid', 'DHI-Customer-Guid'])
    t.deepEqual((await ask({ [name]: id })).json(), { tenant: id }, name);
  t.deepEqual((await ask({ 'svc-tenant-id': id, 'dhi-customer-guid': id.toUpperCase() })).json(), { tenant: id });
  t.is((await ask({ 'svc-tenant-id': id, 'dhi-tenant-id': other })).statusCode, 400);
  t.deepEqual((await ask({ 'tenant-id': id, 'xyz-tenant-id': id })).json(), { tenant: 'none' });
});

test('Header prefixes are configurable', async (t) => {
  const app = await apiApp(t, routes, { env: { PLATFORM_HEADER_PREFIXES: 'xyz-' } });
  const headers = { ...bearer('anna'), 'xyz-tenant-id': id, 'svc-tenant-id': other };
  t.deepEqual((await app.inject({ url: '/api/tenant', headers })).json(), { tenant: id });
});

test('A header that contradicts the project or dataset of the URL is refused', async (t) => {
  const app = await apiApp(t, routes);
  const ask = async (url: string, headers: object) =>
    (await app.inject({ url, headers: { ...bearer('anna'), ...headers } })).statusCode;
  for (const noun of ['project', 'dataset']) {
    const url = `/api/metadata/${noun}/${id}`;
    t.is(await ask(url, { [`svc-${noun}-id`]: id.toUpperCase() }), 200);
    t.is(await ask(url, { [`svc-${noun}-id`]: other }), 400);
  }
  t.is(
    await ask(`/api/metadata/project/${id}`, { 'svc-dataset-id': 'no uuid' }),
    200,
    'looked at only where it is used',
  );
  t.is(await ask(`/api/admin/feature/${id}/tenant/${other}`, { 'svc-project-id': other }), 200);
});

test('An unknown service id is refused; a header cannot claim administrator rights', async (t) => {
  const app = await apiApp(t, routes);
  const ask = async (headers: object) =>
    (await app.inject({ url: '/api/tenant', headers: { ...bearer('anna'), ...headers } })).statusCode;
  t.is(await ask({ 'svc-service-id': 'metadata' }), 200);
  t.is(await ask({ 'dhi-service-id': 'nothing' }), 400);
  t.is(await ask({ 'svc-user-is-admin': 'true', 'svc-user-id': 'x' }), 200);
});

test('Every answer has the security headers: no sniffing, no frame, no referrer, a content security policy', async (t) => {
  const app = await apiApp(t, (app) => {
    routes(app);
    app.get('/bytes', { config: { access: 'public', service: 'none' } }, async (_request, reply) =>
      reply.send(Buffer.from('a')),
    );
  });
  const answers = await Promise.all([
    app.inject({ url: '/api/tenant', headers: bearer('anna') }),
    app.inject('/api/tenant'),
    app.inject('/nothing'),
    app.inject('/%'),
    app.inject('/bytes'),
    app.inject({ method: 'PUT', url: '/bytes' }),
    app.inject('/docs'),
    app.inject('/docs/static/index.css'),
    app.inject('/docs/static/%5c..%5cpackage.json'),
    app.inject('/docs/json'),
  ]);
  for (const { statusCode, headers, raw } of answers) {
    const where = `${raw.req.url} ${statusCode}`;
    t.is(headers['x-content-type-options'], 'nosniff', where);
    t.is(headers['x-frame-options'], 'DENY', where);
    t.is(headers['referrer-policy'], 'no-referrer', where);
    t.regex(String(headers['content-security-policy']), /default-src 'none'.*frame-ancestors 'none'/, where);
  }
});
