import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ExecutionContext } from 'ava';
import test from 'ava';

const PROGRAM = fileURLToPath(new URL('../../bin/platform', import.meta.url));

/** The demo in a process of its own, whose temporary files go to `folder`. Settings of another platform are around. */
async function startDemo(t: ExecutionContext) {
  const folder = await mkdtemp(join(tmpdir(), 'platform-demo-test-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const child = spawn(process.execPath, [PROGRAM, 'demo'], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
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

test('the demonstration runs, leaves only its picture, and exits with 0', async (t) => {
  const { folder, ended } = await startDemo(t);
  const { code, said } = await ended;
  t.is(code, 0, said);
  const picture = /^ +(\/\S+\.png)$/m.exec(said)?.[1] ?? '';
  t.deepEqual(await readdir(folder), [picture.slice(folder.length + 1)]);
  const bytes = await readFile(picture);
  t.is(bytes.toString('latin1', 1, 4), 'PNG');
  t.deepEqual([bytes.readUInt32BE(16), bytes.readUInt32BE(20)], [811, 617]);
  t.regex(said, /EPSG:3857/);
  t.regex(
    said,
    /: 6 gauges, with coordinates as PROJ computes them\. The first:\n +\{"type":"Feature",.*"name":"Pass spring"/,
  );
});

test('the demo that is interrupted cleans up, and does not end with 0', async (t) => {
  const { child, folder, ended } = await startDemo(t);
  child.stdout.on('data', (text: string) => {
    if (/^4 /m.test(text)) child.kill('SIGINT');
  });
  const { code, said } = await ended;
  t.is(code, 1, said);
  t.regex(said, /platform: asked to stop by SIGINT\n/);
  t.deepEqual(await readdir(folder), []);
});
