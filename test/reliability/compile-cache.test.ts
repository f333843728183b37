import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { Children } from '../../src/transfers/children/children.ts';
import { ASCII_GRID } from '../world/transfers.ts';
import { startProcess } from '../world/worker.ts';
import { world } from '../world.ts';

const w = world(test);

async function filesIn(cache: string): Promise<string[]> {
  const all = await readdir(cache, { recursive: true, withFileTypes: true });
  return all.filter((each) => each.isFile()).map((each) => join(each.parentPath, each.name));
}

test('a process that will be killed leaves its compiled code to the next process', async (t) => {
  const cache = join(w.folder, 'compiled');
  const { started } = await startProcess('work', w, { 'worker.concurrency': '1' }, { NODE_COMPILE_CACHE: cache });
  t.teardown(() => void started.process.kill('SIGKILL'));
  for (let tries = 0; tries < 600 && (await filesIn(cache)).length < 100; tries++) await sleep(50);
  t.true((await filesIn(cache)).length >= 100);
  t.is(started.process.exitCode, null);
});

test('a conversion process leaves the code of its readers, which it loads last', async (t) => {
  const cache = join(w.folder, 'conversions');
  const children = new Children({ memoryMb: 512, compileCache: cache });
  t.teardown(() => children.close(new Error('the test has ended')));
  const path = join(w.folder, 'grid.asc');
  await writeFile(path, ASCII_GRID);
  await children.inspect(
    { path, scratch: w.folder, reader: { name: 'AsciiGridReader' } },
    { memoryMb: 512, scratchGb: 1, time: 300_000, timeLimit: 300_000 },
    new AbortController().signal,
  );
  // a sentence of the reader
  const keepsReader = async () => {
    const contents = await Promise.all((await filesIn(cache)).map((file) => readFile(file).catch(() => '')));
    return contents.some((content) => content.includes('is not a header key of an ASCII grid'));
  };
  for (let tries = 0; tries < 600 && !(await keepsReader()); tries++) await sleep(50);
  t.true(await keepsReader());
});
