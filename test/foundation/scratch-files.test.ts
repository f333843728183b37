import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { ScratchFiles } from '../../src/preview/scratch-files.ts';

async function files(t: ExecutionContext) {
  const parent = await mkdtemp(join(tmpdir(), 'scratch-files-'));
  const scratch = new ScratchFiles(parent);
  t.teardown(async () => {
    await scratch.close();
    await rm(parent, { recursive: true });
  });
  return scratch;
}

/** A slow fetch. */
function slow(text: string, milliseconds: number) {
  let begun = 0;
  const make = async (path: string, signal: AbortSignal) => {
    begun++;
    await writeFile(path, 'half');
    await sleep(milliseconds, undefined, { signal });
    await writeFile(path, text);
  };
  return { make, count: () => begun };
}
const work = (path: string) => readFile(path, 'utf8');

test('whoever waits for a file gets it, also when the one who began it leaves', async (t) => {
  const scratch = await files(t);
  const { make, count } = slow('whole', 300);
  const first = new AbortController();
  const leaving = scratch.lend('a', { make, signal: first.signal, work });
  const waiting = scratch.lend('a', { make, signal: new AbortController().signal, work });
  await sleep(50);
  first.abort(new Error('left'));
  await t.throwsAsync(leaving, { message: 'left' });
  t.is(await waiting, 'whole');
  t.is(count(), 1);
});

test('a file that nobody waits for any more is not made, and the next one begins anew', async (t) => {
  const scratch = await files(t);
  const { make, count } = slow('whole', 300);
  const first = new AbortController();
  const leaving = scratch.lend('a', { make, signal: first.signal, work });
  while (count() === 0) await sleep(5);
  first.abort(new Error('left'));
  const next = scratch.lend('a', { make, signal: new AbortController().signal, work });
  await t.throwsAsync(leaving, { message: 'left' });
  t.is(await next, 'whole');
  t.is(count(), 2);
  t.is((await readdir(await scratch.folder())).length, 1);
});
