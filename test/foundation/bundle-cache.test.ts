import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { keepMade } from '../../src/web/bundle-cache.ts';

/** A file of sources, and what is made of it; `count` is how often. */
async function scene(t: ExecutionContext) {
  const folder = await mkdtemp(join(tmpdir(), 'bundles-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const [source, kept] = [join(folder, 'source.ts'), join(folder, 'cache', 'made')];
  async function edit(text: string) {
    await writeFile(source, text);
    // edited before it is read
    await utimes(source, 1, 1);
  }
  let count = 0;
  async function make() {
    count++;
    return { value: new Map([['made.js', await readFile(source, 'utf8')]]), inputs: [source] };
  }
  await edit('first');
  return { folder, source, kept, edit, make, count: () => count };
}

test('what was made is kept until a file of which it was made changes', async (t) => {
  const { kept, edit, make, count, source } = await scene(t);
  t.is((await keepMade(kept, make)).get('made.js'), 'first');
  t.is((await keepMade(kept, make)).get('made.js'), 'first');
  t.is(count(), 1);
  await edit('second');
  t.is((await keepMade(kept, make)).get('made.js'), 'second');
  t.is((await keepMade(kept, make)).get('made.js'), 'second');
  t.is(count(), 2);
  await rm(source);
  await t.throwsAsync(keepMade(kept, make), { code: 'ENOENT' });
});

test('nothing is kept of a file that is edited while it is read', async (t) => {
  const { kept, make, count, source } = await scene(t);
  const edited = async () => {
    const made = await make();
    await writeFile(source, 'second');
    return made;
  };
  t.is((await keepMade(kept, edited)).get('made.js'), 'first');
  t.is((await keepMade(kept, make)).get('made.js'), 'second');
  t.is(count(), 2);
});

test('half a file, and a folder that cannot be written, cost only time', async (t) => {
  const { folder, kept, make, count } = await scene(t);
  await keepMade(kept, make);
  await writeFile(kept, (await readFile(kept)).subarray(0, 20));
  t.is((await keepMade(kept, make)).get('made.js'), 'first');
  await keepMade(kept, make);
  t.is(count(), 2);
  t.deepEqual(await readdir(join(folder, 'cache')), ['made']);
  await writeFile(join(folder, 'file'), '');
  t.is((await keepMade(join(folder, 'file', 'made'), make)).get('made.js'), 'first');
  t.is((await keepMade(undefined, make)).get('made.js'), 'first');
});
