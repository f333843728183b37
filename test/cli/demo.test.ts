// Own thread: it starts the whole platform, and waits for it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import test, { type ExecutionContext } from 'ava';
import { leaveRunning, startPlatform } from '../../cli/demo/platform.ts';

const PROGRAM = fileURLToPath(new URL('../../bin/platform', import.meta.url));

/** The demo in a process of its own, whose temporary files go to `folder`. Settings of another platform are around. */
async function startDemo(t: ExecutionContext, ...options: string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'platform-demo-test-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const child = spawn(process.execPath, [PROGRAM, 'demo', ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      TMPDIR: folder,
      DATABASE_URL: 'postgres://nobody@127.0.0.1:9/nothing',
      PLATFORM_URL: 'http://127.0.0.1:9',
    },
  });
  let said = '';
  for (const output of [child.stdout, child.stderr]) output.setEncoding('utf8').on('data', (text) => (said += text));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, said }));
  return { child, folder, ended };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function sizeOfPicture(path: string): Promise<[number, number]> {
  const bytes = await readFile(path);
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
}

test('the demonstration runs, leaves only its pictures, and exits with 0', async (t) => {
  const { folder, ended } = await startDemo(t);
  const { code, said } = await ended;
  t.is(code, 0, said);
  const pictures = [...said.matchAll(/^ +(\/\S+\.png)$/gm)].map(([, path = '']) => path);
  t.deepEqual((await readdir(folder)).sort(), pictures.map((path) => path.slice(folder.length + 1)).sort());
  t.deepEqual(
    pictures.map((path) => path.slice(path.lastIndexOf('-') + 1)),
    ['terrain.png', 'flood.png', 'gauges.png'],
  );
  const sizes = await Promise.all(pictures.map(sizeOfPicture));
  t.deepEqual(sizes[0], [811, 617]);
  t.true(sizes[1]![1]! > sizes[1]![0]!, 'the valley runs from the north to the south');
  t.true(sizes[2]![0]! > sizes[2]![1]!);
  t.regex(said, /EPSG:3857/);
  t.regex(
    said,
    /: 6 gauges, with coordinates as PROJ computes them\. The first:\n +\{"type":"Feature",.*"name":"Pass spring"/,
  );
  t.regex(said, /values as computed, the file byte for byte\n/);
  t.regex(said, /NetCDF with the mesh[^\n]*\n[^\n]*\n +Completed in [\d.]+ s: \d+ values as computed\n/);
  t.regex(said, /: [\d.]+ km² from 0\.1 m, [\d.]+ km² from 0\.5 m, [\d.]+ km² from 1 m, [\d.]+ km² from 2 m\n/);
  t.regex(said, /culminates at Pass spring 03:00, .*Kjærgård 06:00\n/);
});

test('the demo keeps its files and its platform in a new folder, and refuses one that is not empty', async (t) => {
  const kept = join(await mkdtemp(join(tmpdir(), 'platform-demo-kept-')), 'valley');
  t.teardown(() => rm(dirname(kept), { recursive: true, force: true, maxRetries: 5 }));
  const { folder, ended } = await startDemo(t, '--keep', kept);
  const { code, said } = await ended;
  t.is(code, 0, said);
  const pid = Number(/to stop it: kill (\d+)\n/.exec(said)?.[1]);
  t.teardown(async () => {
    process.kill(pid, 'SIGTERM');
    while (isRunning(pid)) await sleep(100);
  });
  const address = /Its console: (http:\S+)\/\n/.exec(said)?.[1] ?? '';
  const logins = [...said.matchAll(/login id (\w+) +password (\S+)\n/g)].map(([, id, password]) => ({ id, password }));
  t.deepEqual(
    logins.map(({ id }) => id),
    ['admin', 'ida', 'ben', 'carla'],
  );
  for (const login of logins) {
    const headers = { 'content-type': 'application/json' };
    const options = { method: 'POST', headers, body: JSON.stringify(login) };
    t.is((await fetch(`${address}/api/tokens`, options)).status, 200, login.id);
  }
  t.deepEqual(await readdir(folder), []);
  t.deepEqual((await readdir(kept)).sort(), [
    'depth.tif',
    'flood.dfsu',
    'flood.nc',
    'flood.png',
    'gauges.dfs0',
    'gauges.geojson',
    'gauges.png',
    'gauges.zip',
    'platform',
    'terrain.asc',
    'terrain.png',
    'terrain.tif',
    'zones.gpkg',
  ]);
  const again = await (await startDemo(t, '--keep', kept)).ended;
  t.is(again.code, 1);
  t.regex(again.said, /is not empty\. Choose a new one\./);
});

for (const options of [[], ['--keep']])
  test(`an interrupted demo cleans up, and its exit code is not 0: ${options.join() || 'without options'}`, async (t) => {
    const { child, folder, ended } = await startDemo(t, ...options);
    child.stdout.on('data', (text: string) => {
      if (/^4 /m.test(text)) child.kill('SIGINT');
    });
    const { code, said } = await ended;
    t.is(code, 1, said);
    t.regex(said, /platform: asked to stop by SIGINT\n/);
    t.deepEqual(await readdir(folder), []);
  });

test('a demo that is interrupted while it leaves its platform running leaves none', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'platform-demo-left-'));
  t.teardown(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  const platform = await startPlatform(folder, { PATH: process.env.PATH }, new AbortController().signal);
  await platform.stop();
  const stop = AbortSignal.timeout(1500);
  await t.throwsAsync(leaveRunning(folder, platform, stop), { name: 'TimeoutError' });
  await t.throwsAsync(fetch(platform.url));
  t.false((await readdir(join(folder, 'data', 'postgres', 'cluster'))).includes('postmaster.pid'));
});
