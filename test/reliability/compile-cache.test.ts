import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { startProcess } from '../world/worker.ts';
import { world } from '../world.ts';

const w = world(test);

test('a process that will be killed leaves its compiled code to the next process', async (t) => {
  const cache = join(w.folder, 'compiled');
  const { started } = await startProcess('work', w, { 'worker.concurrency': '1' }, { NODE_COMPILE_CACHE: cache });
  t.teardown(() => void started.process.kill('SIGKILL'));
  const kept = async () =>
    (await readdir(cache, { recursive: true, withFileTypes: true })).filter((each) => each.isFile());
  for (let tries = 0; tries < 600 && (await kept()).length < 100; tries++) await sleep(50);
  t.true((await kept()).length >= 100);
  t.is(started.process.exitCode, null);
});
