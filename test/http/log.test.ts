import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import test from 'ava';
import type { App } from '../../src/http/route.ts';
import { createLog } from '../../src/platform/telemetry/log.ts';
import { apiApp, bearer } from './api-app.ts';

const config = { access: 'signedIn', service: 'metadata' } as const;

function written() {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => void lines.push(line) });
  return { log, lines };
}

test('Each request writes one log line: id, caller, route, status, milliseconds', async (t) => {
  const { log, lines } = written();
  const routes = (app: App) => void app.get('/api/x', { config }, async () => ({}));
  const app = await apiApp(t, routes, { log });
  await app.inject({ url: '/api/x?a=1', headers: { ...bearer('anna'), 'x-request-id': 'r1' } });
  await app.inject({ url: '/api/nothing', headers: { 'x-request-id': 'r2' } });
  const [first, second, ...more] = lines.map((line) => JSON.parse(line));
  t.like(first, { requestId: 'r1', caller: 'anna', method: 'GET', url: '/api/x?a=1', status: 200 });
  t.is(typeof first.ms, 'number');
  t.like(second, { requestId: 'r2', status: 404 });
  t.is(second.caller, undefined);
  t.deepEqual(more, []);
});

test('An internal error is logged with stack and causes, which the response omits', async (t) => {
  const { log, lines } = written();
  const routes = (app: App) =>
    void app.get('/api/x', { config }, async () => {
      throw Object.assign(new Error('outside', { cause: new Error('inside') }), { values: ['hunter2'] });
    });
  const app = await apiApp(t, routes, { log });
  const answer = await app.inject({ url: '/api/x', headers: bearer('anna') });
  t.deepEqual([answer.statusCode, answer.json().code], [500, 'Internal']);
  t.false(answer.body.includes('outside'));
  const { err } = JSON.parse(lines[0] ?? '{}');
  t.is(err.message, 'outside');
  t.is(err.cause.message, 'inside');
  t.regex(err.stack, /log\.test\.ts/);
  t.false(lines.join('').includes('hunter2'));
});

test('Secrets in headers, URLs and logged objects are redacted', async (t) => {
  const { log, lines } = written();
  const routes = (app: App) =>
    void app.get('/api/x', { config }, async (request) => {
      request.log.info({ headers: request.headers, body: { password: 'hunter2' }, token: 'hunter2' }, 'careless');
      return {};
    });
  const app = await apiApp(t, routes, { log });
  const headers = { ...bearer('anna'), cookie: 'a=hunter2', 'svc-open-api-key': 'hunter2', 'svc-sas-token': 'hunter2' };
  await app.inject({ url: '/api/x?sv=1&sig=hunter2&se=2&token=hunter2', headers });
  t.is(lines.length, 2);
  t.false(lines.join('').includes('hunter2'), lines.join(''));
  t.false(lines.join('').includes('Bearer'));
  t.true(lines[1]?.includes('sv=1&sig=[secret]&se=2'));
});

test('Secrets in a URL are redacted however they are encoded', async (t) => {
  const { log, lines } = written();
  const app = await apiApp(t, (app) => void app.get('/api/x', { config }, async () => ({})), { log });
  for (const query of [
    'access_token=hunter2',
    'refresh_token=hunter2&a=1',
    '%73ig=hunter2',
    '%2573ig=hunter2',
    'SIG=hunter2',
    'a?sig=hunter2',
    'a=1;sig=hunter2',
    's%69%67=hunter2&%zz=1',
    'svc-open-api-key=hunter2',
    'apiKey=hunter2',
    'current-password=hunter2',
    'x-ms-copy-source=https%3A%2F%2Fhost%2Fapi%2Fblob%2Fa%3Fsig%3Dhunter2',
    'sig[]=hunter2',
    '%ff%73ig=hunter2',
  ])
    await app.inject({ url: `/api/x?${query}`, headers: bearer('anna') });
  await app.inject({ url: '/api/x?tokens=3&keys=4&name=a%20b', headers: bearer('anna') });
  t.is(lines.length, 15);
  for (const line of lines) t.false(line.includes('hunter2'), line);
  t.true(lines[14]?.includes('/api/x?tokens=3&keys=4&name=a%20b'));
});

test('all log lines are written in order before a process exits, warnings immediately', async (t) => {
  const program = `
    import { createLog } from ${JSON.stringify(new URL('../../src/platform/telemetry/log.ts', import.meta.url).href)};
    import { writeSync } from 'node:fs';
    const log = createLog('info');
    log.info('one');
    log.info('two');
    log.warn('three');
    writeSync(2, 'between\\n');
    log.info('four');
    process.exit();`;
  const { stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  const said = stderr
    .split('\n')
    .filter((line) => line.startsWith('{') || line === 'between')
    .map((line) => (line === 'between' ? line : JSON.parse(line).msg));
  t.deepEqual(said, ['one', 'two', 'three', 'between', 'four']);
});
