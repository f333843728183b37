import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { TestFn } from 'ava';
import { type BlobStore, MissingBlock } from '../../src/blobs/blobs.ts';
import { AppError } from '../../src/errors.ts';

export const MIB = 2 ** 20;

export async function* bytes(...parts: (string | Uint8Array)[]) {
  for (const part of parts) yield Buffer.from(part);
}

export const text = async (stream: Promise<Readable>) => (await buffer(await stream)).toString();

/** Rules of every blob store. `make` returns an empty store and a folder for local files. */
export function keepsTheRules(test: TestFn, make: () => Promise<{ store: BlobStore; folder: string }>) {
  test('reads return the stored bytes, completely and in ranges', async (t) => {
    const { store } = await make();
    const info = await store.put('staging/a', bytes('hello ', 'world'), 100);
    t.is(info.size, 11);
    t.regex(info.etag, /^"[^"]+"$/);
    t.deepEqual(await store.info('staging/a'), info);
    t.is(await text(store.read('staging/a')), 'hello world');
    t.is(await text(store.read('staging/a', { start: 6, end: 10 })), 'world');
    t.is(await text(store.read('staging/a', { start: 4, end: 4 })), 'o');
    await store.put('staging/empty', bytes(), 0);
    t.is((await store.info('staging/empty'))?.size, 0);
    t.is(await text(store.read('staging/empty')), '');
  });

  test('the ETag changes with the bytes, and a read with another ETag fails', async (t) => {
    const { store } = await make();
    const etags = new Set<string>();
    for (const letter of 'abcdef') etags.add((await store.put('dataset/x', bytes(letter), 1)).etag);
    t.is(etags.size, 6);
    const [first] = etags;
    const { etag } = (await store.info('dataset/x'))!;
    t.is(await text(store.read('dataset/x', undefined, etag)), 'f');
    const error = await t.throwsAsync(store.read('dataset/x', undefined, first), { instanceOf: AppError });
    t.is(error?.kind, 'preconditionFailed');
  });

  test('a put over the size limit fails and keeps the existing blob', async (t) => {
    const { store } = await make();
    await store.put('staging/a', bytes('old'), 3);
    const error = await t.throwsAsync(store.put('staging/a', bytes('ne', 'wer'), 4), { instanceOf: AppError });
    t.is(error?.kind, 'tooLarge');
    t.is(await text(store.read('staging/a')), 'old');
    await t.throwsAsync(store.put('staging/b', bytes('toolong'), 3), { instanceOf: AppError });
    t.is(await store.info('staging/b'), undefined);
  });

  test('a put whose stream breaks off stores nothing', async (t) => {
    const { store } = await make();
    async function* broken() {
      yield Buffer.from('half');
      throw new Error('connection lost');
    }
    await t.throwsAsync(store.put('staging/a', broken(), 100), { message: 'connection lost' });
    t.is(await store.info('staging/a'), undefined);
    t.deepEqual(await Array.fromAsync(store.list('')), []);
  });

  test('blocks may be put in any order and concurrently; the block list decides their order, and all are discarded in the end', async (t) => {
    const { store } = await make();
    const big = randomBytes(3 * MIB);
    await Promise.all([
      store.putBlock('staging/a', 'Yw==', bytes('third'), 100),
      store.putBlock('staging/a', 'Yg==', bytes('discarded'), 100),
      store.putBlock('staging/a', 'YQ==', bytes(big), 4 * MIB),
    ]);
    t.is(await store.info('staging/a'), undefined);
    await store.putBlock('staging/a', 'Yg==', bytes('second'), 100);
    await store.putBlock('staging/a', 'ZA==', bytes('never listed'), 100);
    const listed = (await Array.fromAsync(store.blocks('staging/a'))).map(({ id, size }) => `${id} ${size}`);
    t.deepEqual(listed.sort(), ['YQ== 3145728', 'Yg== 6', 'Yw== 5', 'ZA== 12']);
    t.deepEqual(await Array.fromAsync(store.blocks('staging/none')), []);
    const info = await store.commitBlocks('staging/a', ['YQ==', 'Yg==', 'Yw=='], 4 * MIB);
    t.is(info.size, big.length + 11);
    const stored = await buffer(await store.read('staging/a'));
    t.true(stored.equals(Buffer.concat([big, Buffer.from('secondthird')])));
    // as after an answer that was lost
    const again = await store.commitBlocks('staging/a', ['YQ==', 'Yg==', 'Yw=='], 4 * MIB, { target: 'staging/b' });
    t.is(again.size, info.size);
    await store.removeBlocks('staging/a');
    const error = await t.throwsAsync(store.commitBlocks('staging/a', ['ZA=='], 100), { instanceOf: AppError });
    t.is(error?.details.code, 'InvalidBlockList');
    t.is((await store.info('staging/a'))?.etag, info.etag);
  });

  test('an empty block list makes an empty blob, and the size limit applies to the sum of the blocks', async (t) => {
    const { store } = await make();
    t.is((await store.commitBlocks('staging/a', [], 0)).size, 0);
    await store.putBlock('staging/b', 'YQ==', bytes('1234'), 4);
    const error = await t.throwsAsync(store.commitBlocks('staging/b', ['YQ==', 'YQ=='], 7), { instanceOf: AppError });
    t.is(error?.kind, 'tooLarge');
    t.is((await store.commitBlocks('staging/b', ['YQ==', 'YQ=='], 8, { target: 'staging/c' })).size, 8);
    t.is(await text(store.read('staging/c')), '12341234');
    t.is(await store.info('staging/b'), undefined);
  });

  test('a commit of missing blocks reports when the existing ones were written, and blocks are deleted by that time', async (t) => {
    const { store } = await make();
    await store.putBlock('staging/a', 'YQ==', bytes('there'), 5);
    const newest = async (...ids: string[]) =>
      (await t.throwsAsync(store.commitBlocks('staging/a', ids, 100), { instanceOf: MissingBlock }))?.newest ?? NaN;
    const written = await newest('YQ==', 'Yg==');
    t.true(Math.abs(written - Date.now()) < 60_000);
    t.is(await newest('Yg=='), -Infinity);
    await store.removeBlocks('staging/a', new Date(written));
    t.is((await store.commitBlocks('staging/a', ['YQ=='], 100)).size, 5);
    await store.removeBlocks('staging/a', new Date(written + 1000));
    t.is(await newest('YQ=='), -Infinity);
  });

  test('a blob is fetched to a local file, and a local file is stored as a blob', async (t) => {
    const { store, folder } = await make();
    const scratch = await mkdtemp(join(folder, 'scratch-'));
    await store.put('staging/a', bytes('input'), 100);
    await store.fetch('staging/a', join(scratch, 'in'));
    await store.remove('staging/a');
    t.is(await readFile(join(scratch, 'in'), 'utf8'), 'input');

    await writeFile(join(scratch, 'out'), 'result');
    const info = await store.adopt(join(scratch, 'out'), 'dataset/d');
    t.deepEqual(await store.info('dataset/d'), info);
    t.is(await text(store.read('dataset/d')), 'result');
    t.deepEqual(await readdir(scratch), ['in']);
    await t.throwsAsync(store.fetch('dataset/d', join(scratch, 'in')), undefined, 'never over a file that is there');
  });

  test('a copy does not change when its source is replaced or deleted', async (t) => {
    const { store, folder } = await make();
    await store.put('dataset/a', bytes('first'), 100);
    const before = await store.info('dataset/a');
    await store.put('export/b', bytes('replaced by the copy'), 100);
    const info = await store.copy('dataset/a', 'export/b');
    t.deepEqual(await store.info('export/b'), info);
    t.deepEqual(await store.info('dataset/a'), before);
    t.is(await text(store.read('export/b', undefined, info.etag)), 'first');
    await store.put('dataset/a', bytes('second'), 100);
    t.is(await text(store.read('export/b')), 'first');
    await store.fetch('export/b', join(folder, 'fetched'));
    await store.remove('dataset/a');
    await store.copy('export/b', 'dataset/a');
    await store.remove('export/b');
    t.is(await text(store.read('dataset/a')), 'first');
    t.is(await readFile(join(folder, 'fetched'), 'utf8'), 'first');
    t.deepEqual(
      (await Array.fromAsync(store.list(''))).map(({ name }) => name),
      ['dataset/a'],
    );
  });

  test('an aborted copy throws the reason of the abort and keeps an existing target', async (t) => {
    const { store } = await make();
    await store.put('dataset/a', bytes('new'), 100);
    await store.put('dataset/b', bytes('old'), 100);
    const stopped = new Error('stopped');
    await t.throwsAsync(store.copy('dataset/a', 'dataset/b', AbortSignal.abort(stopped)), { is: stopped });
    t.is(await text(store.read('dataset/b')), 'old');
    await store.copy('dataset/a', 'dataset/b', new AbortController().signal);
    t.is(await text(store.read('dataset/b')), 'new');
  });

  test('each aborted operation throws the reason of the abort and changes no blob', async (t) => {
    const { store, folder } = await make();
    const scratch = await mkdtemp(join(folder, 'scratch-'));
    const [taken, brought] = [join(scratch, 'taken'), join(scratch, 'brought')];
    await store.put('dataset/a', bytes('old'), 100);
    await writeFile(taken, 'new');
    const reason = new Error('stopped');
    const stopped = AbortSignal.abort(reason);
    const whileGoing = new AbortController();
    async function* stopsItself() {
      yield Buffer.from('new');
      whileGoing.abort(reason);
      yield Buffer.from('er');
    }
    await t.throwsAsync(store.put('dataset/a', bytes('new'), 100, stopped), { is: reason });
    await t.throwsAsync(store.put('dataset/a', stopsItself(), 100, whileGoing.signal), { is: reason });
    await t.throwsAsync(store.adopt(taken, 'dataset/a', stopped), { is: reason });
    await t.throwsAsync(store.fetch('dataset/a', brought, stopped), { is: reason });
    await t.throwsAsync(store.read('dataset/a', undefined, undefined, stopped), { is: reason });
    t.is(await text(store.read('dataset/a')), 'old');
    t.deepEqual(await readdir(scratch), ['taken']);
    await store.adopt(taken, 'dataset/a', new AbortController().signal);
    const going = new AbortController();
    const stream = await store.read('dataset/a', undefined, undefined, going.signal);
    t.is(await text(Promise.resolve(stream)), 'new');
    going.abort(reason);
  });

  test('a missing blob: read throws notFound, info gives undefined, remove succeeds', async (t) => {
    const { store, folder } = await make();
    for (const attempt of [
      () => store.read('staging/none'),
      () => store.fetch('staging/none', join(folder, 'none')),
      () => store.copy('staging/none', 'staging/other'),
    ]) {
      const error = await t.throwsAsync(attempt(), { instanceOf: AppError });
      t.is(error?.kind, 'notFound');
    }
    t.is(await store.info('staging/none'), undefined);
    await t.notThrowsAsync(store.remove('staging/none'));
  });

  test('list names every blob below a prefix once', async (t) => {
    const { store } = await make();
    for (const name of ['staging/ab', 'staging/ac', 'staging/b', 'dataset/ab']) await store.put(name, bytes(name), 100);
    await store.putBlock('staging/pending', 'YQ==', bytes('block'), 100);
    const names = async (prefix: string) => (await Array.fromAsync(store.list(prefix))).map((blob) => blob.name).sort();
    t.deepEqual(await names(''), ['dataset/ab', 'staging/ab', 'staging/ac', 'staging/b']);
    t.deepEqual(await names('staging/'), ['staging/ab', 'staging/ac', 'staging/b']);
    t.deepEqual(await names('staging/a'), ['staging/ab', 'staging/ac']);
    const [one] = await Array.fromAsync(store.list('dataset/'));
    t.is(one?.size, 10);
    t.true(Math.abs(one!.lastModified.getTime() - Date.now()) < 60_000);
  });

  test('an aborted commit of blocks creates no blob and keeps the blocks for another commit', async (t) => {
    const { store } = await make();
    await store.putBlock('staging/a', 'YQ==', bytes('four'), 4);
    const stop = new AbortController();
    stop.abort(new Error('enough'));
    const error = await t.throwsAsync(store.commitBlocks('staging/a', ['YQ=='], 8, { signal: stop.signal }));
    t.is(error?.message, 'enough');
    t.is(await store.info('staging/a'), undefined);
    t.is((await store.commitBlocks('staging/a', ['YQ=='], 8)).size, 4);
  });

  test('old uncommitted blocks are swept, and the blocks of a blob are removed with it', async (t) => {
    const { store } = await make();
    await store.putBlock('staging/a', 'YQ==', bytes('block'), 100);
    t.is(await store.removeLeftovers(60_000), 0);
    t.is(await store.removeLeftovers(-60_000), 1);
    await t.throwsAsync(store.commitBlocks('staging/a', ['YQ=='], 100), { instanceOf: AppError });
    await store.putBlock('staging/a', 'YQ==', bytes('block'), 100);
    await store.remove('staging/a');
    await t.throwsAsync(store.commitBlocks('staging/a', ['YQ=='], 100), { instanceOf: AppError });
  });

  for (const name of ['a', '/a', 'staging/', 'staging/..', 'staging/.', 'staging/a/b', '../etc', 'staging/a b', '']) {
    test(`'${name}' is not a valid blob name`, async (t) => {
      const { store } = await make();
      await t.throwsAsync(store.put(name, bytes('x'), 1), { instanceOf: AppError });
      await t.throwsAsync(store.read(name), { instanceOf: AppError });
      await t.throwsAsync(store.remove(name), { instanceOf: AppError });
      await t.throwsAsync(store.copy(name, 'staging/a'), { instanceOf: AppError });
      await t.throwsAsync(store.copy('staging/a', name), { instanceOf: AppError });
    });
  }
}
