import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { DiskStore } from '../../src/blobs/disk.ts';
import { bytes, keepsTheRules, text } from './rules.ts';

let root: string;
test.before(async () => {
  root = await mkdtemp(join(tmpdir(), 'platform-blobs-'));
});
test.after.always(() => rm(root, { recursive: true, force: true }));

async function make() {
  const folder = await mkdtemp(join(root, 'store-'));
  return { store: await DiskStore.open(join(folder, 'blobs')), folder };
}

keepsTheRules(test, make);

test('a range may be the first byte only', async (t) => {
  const { store } = await make();
  await store.put('staging/a', bytes('hello'), 5);
  t.is(await text(store.read('staging/a', { start: 0, end: 0 })), 'h');
});

test('files and folders are accessible only by their owner', async (t) => {
  const { store, folder } = await make();
  await store.put('staging/a', bytes('x'), 1);
  await store.putBlock('staging/b', 'YQ==', bytes('x'), 1);
  for (const entry of await readdir(folder, { recursive: true })) {
    const found = await stat(join(folder, entry));
    t.is(found.mode & 0o777, found.isDirectory() ? 0o700 : 0o600, entry);
  }
});

test('the sweep deletes old temporary files, and they are never listed as blobs', async (t) => {
  const { store, folder } = await make();
  let release = () => {};
  const wait = new Promise<void>((resolve) => {
    release = resolve;
  });
  async function* slow() {
    yield Buffer.from('begun');
    await wait;
  }
  const writing = store.put('staging/a', slow(), 100);
  while ((await readdir(join(folder, 'blobs/.temporary'))).length === 0) await new Promise((f) => setTimeout(f, 5));
  t.deepEqual(await Array.fromAsync(store.list('')), []);
  t.is(await store.removeLeftovers(60_000), 0);
  t.is(await store.removeLeftovers(-60_000), 1);
  release();
  await t.throwsAsync(writing);
  t.is(await store.info('staging/a'), undefined);
});

test('a write whose temporary file was removed creates no folder', async (t) => {
  const { store, folder } = await make();
  async function* removed() {
    yield Buffer.from('begun');
    await store.removeLeftovers(-60_000);
  }
  await t.throwsAsync(store.put('dataset/a', removed(), 100), { code: 'ENOENT' });
  t.deepEqual(await readdir(join(folder, 'blobs')), ['.temporary']);
});

test('when two stores write the same name concurrently, the content of one is stored completely', async (t) => {
  const { store, folder } = await make();
  const other = await DiskStore.open(join(folder, 'blobs'));
  const [a, b] = ['a'.repeat(300_000), 'b'.repeat(300_000)];
  await Promise.all([store.put('dataset/x', bytes(a), 300_000), other.put('dataset/x', bytes(b), 300_000)]);
  const stored = await text(store.read('dataset/x'));
  t.true(stored === a || stored === b);
});

test('a copy is independent of its source, and leaves no temporary file', async (t) => {
  const { store, folder } = await make();
  await store.put('dataset/a', bytes('x'.repeat(3_000_000)), 3_000_000);
  await store.copy('dataset/a', 'dataset/b');
  await t.throwsAsync(store.copy('dataset/none', 'dataset/c'));
  t.deepEqual(await readdir(join(folder, 'blobs/.temporary')), []);
  const [a, b] = [await stat(join(folder, 'blobs/dataset/a')), await stat(join(folder, 'blobs/dataset/b'))];
  t.not(a.ino, b.ino, 'no second name of the same file');
  t.is(b.mode & 0o777, 0o600);
});

test('an aborted copy leaves no file', async (t) => {
  const { store, folder } = await make();
  const stop = new AbortController();
  await store.put('dataset/a', bytes(Buffer.alloc(40_000_000)), 40_000_000);
  const copying = store.copy('dataset/a', 'dataset/b', stop.signal);
  let over = false;
  const ended = () => {
    over = true;
  };
  copying.then(ended, ended);
  while (!over && (await readdir(join(folder, 'blobs/.temporary'))).length === 0) await new Promise(setImmediate);
  stop.abort(new Error('stopped'));
  if (over) return t.pass('a file system that shares blocks is done at once');
  await t.throwsAsync(copying, { message: 'stopped' });
  t.deepEqual(await readdir(join(folder, 'blobs/.temporary')), []);
  t.is(await store.info('dataset/b'), undefined);
});
