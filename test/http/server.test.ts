import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { loadConfig } from '../../src/config.ts';
import { Database, sql } from '../../src/db.ts';
import { serve } from '../../src/server.ts';
import { testDatabase } from '../world.ts';

test.serial('The server starts, reports its health, serves its description, and stops', async (t) => {
  const { url: databaseUrl, close } = await testDatabase();
  t.teardown(close);
  const data = await mkdtemp(join(tmpdir(), 'platform-test-'));
  t.teardown(() => rm(data, { recursive: true, force: true }));
  const server = await serve(
    loadConfig({ DATABASE_URL: databaseUrl, PLATFORM_DATA: data, PLATFORM_PORT: '0', PLATFORM_LOG_LEVEL: 'silent' }),
  );
  const get = async (path: string) => {
    const answer = await fetch(`${server.url}${path}`);
    return { status: answer.status, type: answer.headers.get('content-type'), text: await answer.text() };
  };
  const build = JSON.parse((await get('/health')).text);
  t.regex(build.version, /^\d+\.\d+\.\d+/);
  if (build.commit !== undefined) t.regex(build.commit, /^[0-9a-f]{40}$/);
  t.deepEqual(JSON.parse((await get('/health/live')).text), { status: 'live' });
  t.deepEqual(JSON.parse((await get('/health/ready/')).text), { status: 'ready' });
  t.is(JSON.parse((await get('/openapi.json')).text).openapi, '3.1.0');
  const page = await get('/docs');
  t.is(page.status, 200);
  t.regex(page.type ?? '', /^text\/html/);

  const owner = new Database(databaseUrl, 1);
  await owner.transaction((tx) =>
    tx.query(sql.unsafe`update migrations set name = name || '.old' where name like '0001%'`),
  );
  await owner.end();
  const behind = await get('/health/ready');
  t.deepEqual([behind.status, JSON.parse(behind.text).code], [503, 'NotReady']);

  await server.close();
  await t.throwsAsync(fetch(`${server.url}/health/live`));
});

test('Without its database the server keeps running and reports not ready, without the reason', async (t) => {
  const { url: databaseUrl, folder, close } = await testDatabase();
  const server = await serve(
    loadConfig({ DATABASE_URL: databaseUrl, PLATFORM_DATA: folder, PLATFORM_PORT: '0', PLATFORM_LOG_LEVEL: 'silent' }),
  );
  t.teardown(() => server.close());
  await close();
  const answer = await fetch(`${server.url}/health/ready`);
  t.is(answer.status, 503);
  t.truthy(answer.headers.get('retry-after'));
  const problem = (await answer.json()) as { detail: string };
  t.is(problem.detail, 'The database cannot be reached.');
  t.is((await fetch(`${server.url}/health/live`)).status, 200);

  const login = await fetch(`${server.url}/api/tokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id: 'root', password: 'x' }),
  });
  t.is(login.status, 503);
  t.truthy(login.headers.get('retry-after'));
  t.is(((await login.json()) as { detail: string }).detail, 'The service is temporarily unavailable. Try again.');
});

test('An endless request does not keep the server from stopping', async (t) => {
  const { url: databaseUrl, folder, close } = await testDatabase();
  t.teardown(close);
  const server = await serve(
    loadConfig({ DATABASE_URL: databaseUrl, PLATFORM_DATA: folder, PLATFORM_PORT: '0', PLATFORM_LOG_LEVEL: 'silent' }),
  );
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
  const ended = new Promise((resolve) => socket.on('close', resolve).on('error', () => {}));
  await new Promise((resolve) =>
    socket.write(
      'POST /api/tokens HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
      resolve,
    ),
  );
  await server.close(100);
  await ended;
  t.pass();
});

for (const command of ['serve', 'start'])
  test(`A port in use ends '${command}' before it starts anything, with a sentence that names the port and its setting`, async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'platform-test-'));
    t.teardown(() => rm(folder, { recursive: true, force: true }));
    // no server listens there: a start that came so far would report the database
    const databaseUrl = 'postgres://nobody@127.0.0.1:9/nothing';
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    t.teardown(() => new Promise((resolve) => other.close(() => resolve(undefined))));
    const { port } = other.address() as AddressInfo;
    const child = spawn(process.execPath, [fileURLToPath(new URL('../../bin/platform', import.meta.url)), command], {
      env: {
        PATH: process.env.PATH,
        PLATFORM_DATA: folder,
        PLATFORM_PORT: String(port),
        ...(command === 'serve' ? { DATABASE_URL: databaseUrl } : {}),
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const [[code], said] = await Promise.all([once(child, 'exit'), text(child.stderr)]);
    t.is(code, 1);
    t.regex(said, new RegExp(`Port ${port} of 127\\.0\\.0\\.1 is in use\\..*PLATFORM_PORT`));
    t.notRegex(said, /EADDRINUSE/);
    t.deepEqual(await readdir(folder), [], 'no database, no blob store');
  });
