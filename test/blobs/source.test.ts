import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import test, { type ExecutionContext } from 'ava';
import { type BlobSource, BlobSources, type BlobSourcesOptions } from '../../src/blobs/blob-source.ts';
import type { BlobStore, ByteRange } from '../../src/blobs/blobs.ts';
import { DiskStore } from '../../src/blobs/disk.ts';
import { openBlobStore } from '../../src/blobs/open.ts';
import { AppError } from '../../src/errors.ts';
import { openSilentBucket, type SilentBucket } from '../world/bucket.ts';
import { until } from '../world/hooks.ts';
import { override } from '../world/override.ts';
import { bytes } from './rules.ts';

const KIB = 1024;
const MIB = KIB ** 2;
const PAGE = 16 * KIB;

let root: string;
let bucket: SilentBucket;
test.before(async () => {
  root = await mkdtemp(join(tmpdir(), 'platform-source-'));
  bucket = await openSilentBucket();
});
test.after.always(async () => {
  await bucket.close();
  await rm(root, { recursive: true, force: true });
});

let stores = 0;
const makers: Record<string, () => Promise<{ store: BlobStore; folder: string }>> = {
  'on disk': async () => {
    const folder = await mkdtemp(join(root, 'store-'));
    return { store: await DiskStore.open(folder), folder };
  },
  'in S3': async () => {
    const folder = `folder-${++stores}`;
    return { store: await openBlobStore(bucket.url.replace('?', `/${folder}?`), root), folder };
  },
};

/** The store, which notes the ranges that are read; `pass` opens each stream. */
function watched(store: BlobStore) {
  const ranges: ByteRange[] = [];
  let pass = (open: () => Promise<Readable>) => open();
  return {
    ranges,
    transferred: () => ranges.reduce((sum, { start, end }) => sum + end - start + 1, 0),
    passThrough(other: typeof pass) {
      pass = other;
    },
    store: override(store, {
      async read(name, range, etag, signal) {
        ranges.push(range!);
        return pass(() => store.read(name, range, etag, signal));
      },
    }),
  };
}

/** Sources of a store that holds `content` as `dataset/a`. */
async function storeWith(make: () => Promise<{ store: BlobStore; folder: string }>, content: Uint8Array) {
  const { store, folder } = await make();
  const info = await store.put('dataset/a', bytes(content), content.length);
  const watching = watched(store);
  const sources = (options: BlobSourcesOptions = {}) =>
    new BlobSources(watching.store, { pageBytes: PAGE, cacheBytes: 8 * PAGE, ...options });
  return { ...watching, direct: store, folder, info, sources };
}

const equal = (t: ExecutionContext, found: Uint8Array, wanted: Uint8Array, message?: string) =>
  t.true(Buffer.from(found.buffer, found.byteOffset, found.length).equals(wanted), message);

async function refused(t: ExecutionContext, reading: Promise<unknown>, kind: AppError['kind']) {
  const error = await t.throwsAsync(reading, { instanceOf: AppError });
  t.is(error?.kind, kind);
}

/** Reads in pieces from front to back, and compares. */
async function scan(
  t: ExecutionContext,
  source: BlobSource,
  content: Buffer,
  piece: number,
  [from, to] = [0, source.size],
) {
  for (let at = from; at < to; at += piece)
    equal(t, await source.read(at, Math.min(piece, to - at)), content.subarray(at, Math.min(to, at + piece)));
}

for (const [where, make] of Object.entries(makers)) {
  test(`${where}, reads at any offset give the bytes of the blob, and the cache keeps its limit`, async (t) => {
    const content = randomBytes(40 * PAGE + 5);
    const { sources } = await storeWith(make, content);
    const all = sources({ cacheBytes: 8 * PAGE, aheadBytes: 2 * PAGE });
    const source = await all.open('dataset/a');
    t.is(source.size, content.length);
    const below = (limit: number) => Math.floor(Math.random() * limit);
    const reader = async () => {
      for (let n = 0; n < 40; n++) {
        const offset = below(content.length + 10);
        const length = below(n % 4 === 0 ? 12 * PAGE : 1000);
        const found = await source.read(offset, length);
        equal(t, found, content.subarray(offset, offset + length), `${length} bytes at ${offset}`);
        // the bytes belong to the reader, and are not a page of the cache
        found.fill(0);
        t.true(all.cachedBytes <= 8 * PAGE);
      }
    };
    await Promise.all(Array.from({ length: 6 }, reader));
    equal(t, await source.read(0, Number.POSITIVE_INFINITY), content);
    t.is((await source.read(content.length, 10)).length, 0);
    t.is((await source.read(5, 0)).length, 0);
    await t.throwsAsync(source.read(-1, 5), { instanceOf: RangeError });
    await source.close();
  });

  test(`${where}, reads of an empty blob and of a missing one`, async (t) => {
    const { sources, direct } = await storeWith(make, new Uint8Array(0));
    const source = await sources().open('dataset/a');
    t.is((await source.read(0, 10)).length, 0);
    await direct.remove('dataset/a');
    await refused(t, sources().open('dataset/a'), 'notFound');
  });

  test(`${where}, one scan or several concurrent ones take few requests and read no byte twice`, async (t) => {
    const content = randomBytes(128 * PAGE - 7);
    const { sources, ranges, transferred } = await storeWith(make, content);
    const options = { cacheBytes: 64 * PAGE, aheadBytes: 8 * PAGE };
    const source = await sources(options).open('dataset/a');
    await scan(t, source, content, 3000);
    t.true(ranges.length <= 5 + 128 / 4, `${ranges.length} requests`);
    t.is(transferred(), content.length);

    ranges.length = 0;
    const other = await sources(options).open('dataset/a');
    await Promise.all([
      scan(t, other, content, 3000, [0, 40 * PAGE]),
      scan(t, other, content, 5000, [50 * PAGE, 90 * PAGE]),
    ]);
    t.true(ranges.length <= 2 * (5 + 40 / 4), `${ranges.length} requests`);
    t.true(transferred() <= 2 * (40 + 8) * PAGE);
  });

  test(`${where}, scattered reads take one request each, without read-ahead`, async (t) => {
    const content = randomBytes(64 * PAGE);
    const { sources, ranges, transferred } = await storeWith(make, content);
    const source = await sources({ cacheBytes: 64 * PAGE }).open('dataset/a');
    for (const page of [40, 3, 20, 60, 11]) await source.read(page * PAGE + 100, 2 * PAGE);
    t.is(ranges.length, 5);
    t.is(transferred(), 5 * 3 * PAGE);
    await source.read(20 * PAGE + 5, 3 * PAGE - 5);
    t.is(ranges.length, 5, 'from the cache');
  });

  test(`${where}, concurrent readers of a page share one request, and a new source of the same version uses the cached pages`, async (t) => {
    const content = randomBytes(20 * PAGE);
    const { sources, ranges } = await storeWith(make, content);
    const all = sources({ cacheBytes: 32 * PAGE, aheadBytes: 0 });
    const opened = await Promise.all([1, 2, 3].map(() => all.open('dataset/a')));
    await Promise.all(
      opened.flatMap((source) =>
        [0, 10, 100].map(async (at) => equal(t, await source.read(at, 50), content.subarray(at, at + 50))),
      ),
    );
    t.is(ranges.length, 1);
    for (const source of opened) await source.close();
    equal(t, await (await all.open('dataset/a')).read(20, 30), content.subarray(20, 50));
    t.is(ranges.length, 1);
  });

  test(`${where}, the least recently used pages are evicted`, async (t) => {
    const { sources, ranges } = await storeWith(make, randomBytes(40 * PAGE));
    const source = await sources({ aheadBytes: 0 }).open('dataset/a');
    const read = async (page: number) => {
      const before = ranges.length;
      await source.read(page * PAGE, 1);
      return ranges.length > before ? 'requested' : 'cached';
    };
    for (let page = 0; page < 16; page += 2) await read(page);
    t.is(await read(0), 'cached');
    t.is(await read(30), 'requested');
    t.is(await read(0), 'cached');
    t.is(await read(2), 'requested');
  });

  test(`${where}, many readers of large ranges share a small cache`, async (t) => {
    const content = randomBytes(100 * PAGE);
    const { sources, passThrough } = await storeWith(make, content);
    const all = sources({ aheadBytes: 8 * PAGE });
    let highest = 0;
    passThrough((open) => {
      highest = Math.max(highest, all.cachedBytes);
      return open();
    });
    const opened = await Promise.all(Array.from({ length: 10 }, () => all.open('dataset/a')));
    const found = await Promise.all(opened.map((source, n) => source.read(n * PAGE, 80 * PAGE)));
    for (const [n, one] of found.entries()) equal(t, one, content.subarray(n * PAGE, (n + 80) * PAGE));
    t.true(highest > 0 && highest <= 8 * PAGE, `${highest}`);
  });

  test(`${where}, a read of a blob that is replaced or removed during the read fails and never mixes two versions`, async (t) => {
    const content = randomBytes(40 * PAGE);
    const { sources, direct, info } = await storeWith(make, content);
    const all = sources({ cacheBytes: 64 * PAGE, aheadBytes: 0 });
    const source = await all.open('dataset/a', { etag: info.etag });
    equal(t, await source.read(100, 100), content.subarray(100, 200));
    const replaced = randomBytes(40 * PAGE);
    await direct.put('dataset/a', bytes(replaced), replaced.length);
    await refused(t, source.read(100, 4 * PAGE), 'preconditionFailed');
    await refused(t, source.read(30 * PAGE, 10), 'preconditionFailed');
    equal(t, await source.read(100, 100), content.subarray(100, 200));
    await refused(t, all.open('dataset/a', { etag: info.etag }), 'preconditionFailed');
    const again = await all.open('dataset/a');
    equal(t, await again.read(0, 39 * PAGE), replaced.subarray(0, 39 * PAGE));
    await direct.put('dataset/a', bytes('short'), 5);
    await refused(t, again.read(39 * PAGE, 10), 'preconditionFailed');
    await direct.remove('dataset/a');
    await refused(t, again.read(39 * PAGE, 10), 'notFound');
  });

  test(`${where}, a read resumes after a broken connection, and errors are not cached`, async (t) => {
    const content = randomBytes(20 * PAGE);
    const { sources, passThrough, ranges } = await storeWith(make, content);
    const source = await sources({ cacheBytes: 64 * PAGE }).open('dataset/a');
    let cuts = 3;
    /** Ends streams in the middle of their second page: with an error, or as if they were whole. */
    const cut = (silently: boolean) => async (open: () => Promise<Readable>) => {
      const stream = await open();
      if (cuts-- <= 0) return stream;
      async function* part() {
        let left = PAGE + 1000;
        for await (const chunk of stream) {
          yield chunk.subarray(0, left);
          left -= chunk.length;
          if (left <= 0) break;
        }
        if (!silently) throw new Error('connection lost');
      }
      return Readable.from(part());
    };
    passThrough(cut(false));
    equal(t, await source.read(0, 8 * PAGE), content.subarray(0, 8 * PAGE));
    t.is(ranges[1]?.start, PAGE + 1000);
    cuts = 2;
    passThrough(cut(true));
    equal(t, await source.read(10 * PAGE, 8 * PAGE), content.subarray(10 * PAGE, 18 * PAGE));

    passThrough(async () => Readable.from([]));
    await t.throwsAsync(source.read(18 * PAGE, 10), { message: /ended after 0 of/ });
    passThrough((open) => open());
    equal(t, await source.read(18 * PAGE, 10), content.subarray(18 * PAGE, 18 * PAGE + 10));
  });

  test(`${where}, an aborted or closed source throws the reason; other sources that wait for its pages get them`, async (t) => {
    const content = randomBytes(20 * PAGE);
    const { sources, passThrough, ranges } = await storeWith(make, content);
    const all = sources({ cacheBytes: 64 * PAGE });
    const reason = new Error('stopped');
    for (const end of ['signal', 'close'] as const) {
      const gate = Promise.withResolvers<void>();
      passThrough(async (open) => {
        await gate.promise;
        return open();
      });
      ranges.length = 0;
      const stop = new AbortController();
      const [one, other] = await Promise.all([all.open('dataset/a', { signal: stop.signal }), all.open('dataset/a')]);
      const at = end === 'signal' ? 0 : 10 * PAGE;
      const stopped = one.read(at, 3 * PAGE);
      await until(() => ranges.length === 1);
      const kept = other.read(at + PAGE, 3 * PAGE);
      await until(() => ranges.length === 2);
      if (end === 'signal') stop.abort(reason);
      const closing = end === 'close' ? one.close() : undefined;
      await t.throwsAsync(stopped, end === 'signal' ? { is: reason } : { message: /was closed/ });
      gate.resolve();
      equal(t, await kept, content.subarray(at + PAGE, at + 4 * PAGE));
      await closing;
      await t.throwsAsync(one.read(at + PAGE, 1), end === 'signal' ? { is: reason } : { message: /was closed/ });
      await other.close();
    }
    await t.throwsAsync(all.open('dataset/a', { signal: AbortSignal.abort(reason) }), { is: reason });
  });

  test(`${where}, a source that waits for cache memory can be aborted, and keeps none`, async (t) => {
    const content = randomBytes(40 * PAGE);
    const { sources, passThrough, ranges } = await storeWith(make, content);
    const all = sources({ aheadBytes: 0 });
    const gate = Promise.withResolvers<void>();
    passThrough(async (open) => {
      await gate.promise;
      return open();
    });
    const source = await all.open('dataset/a');
    const reads = Array.from({ length: 8 }, (_, n) => source.read(n * PAGE, PAGE));
    const stop = new AbortController();
    const waiting = await all.open('dataset/a', { signal: stop.signal });
    const waits = waiting.read(20 * PAGE, 1);
    const next = source.read(30 * PAGE, 10);
    await until(() => ranges.length === 8);
    await turn();
    stop.abort(new Error('stopped'));
    await t.throwsAsync(waits, { message: 'stopped' });
    gate.resolve();
    for (const [n, read] of reads.entries()) equal(t, await read, content.subarray(n * PAGE, (n + 1) * PAGE));
    equal(t, await next, content.subarray(30 * PAGE, 30 * PAGE + 10));
    t.is(ranges.length, 9);
    t.true(all.cachedBytes <= 8 * PAGE);
  });
}

test('with little cache memory a scan continues without read-ahead', async (t) => {
  const content = randomBytes(40 * PAGE);
  const { sources, passThrough, ranges } = await storeWith(makers['on disk']!, content);
  const all = sources();
  const gate = Promise.withResolvers<void>();
  passThrough(async (open) => {
    await gate.promise;
    return open();
  });
  const other = await all.open('dataset/a');
  const held = Array.from({ length: 7 }, (_, n) => other.read(2 * n * PAGE, 1));
  await until(() => ranges.length === 7);
  passThrough((open) => open());
  const source = await all.open('dataset/a');
  for (const page of [20, 21, 22])
    equal(t, await source.read(page * PAGE, 9), content.subarray(page * PAGE, page * PAGE + 9));
  t.deepEqual(
    ranges.slice(7).map(({ start, end }) => [start / PAGE, (end + 1) / PAGE]),
    [
      [20, 21],
      [21, 22],
      [22, 23],
    ],
  );
  gate.resolve();
  await Promise.all(held);
});

test('a read of a blob file that was truncated on disk fails', async (t) => {
  const { sources, folder } = await storeWith(makers['on disk']!, randomBytes(40 * PAGE));
  const source = await sources().open('dataset/a');
  await source.read(0, 10);
  await truncate(join(folder, 'dataset/a'), 5 * PAGE);
  await refused(t, source.read(30 * PAGE, 10), 'preconditionFailed');
  await refused(t, source.read(4 * PAGE, 10), 'preconditionFailed');
});

test('a read whose bucket falls silent resumes on another connection, and ends when it is aborted', async (t) => {
  const content = randomBytes(MIB);
  const { sources, folder } = await storeWith(makers['in S3']!, content);
  // longer than a stall of this thread, which also runs the bucket
  const all = sources({ cacheBytes: 2 * MIB, idleMs: 10_000 });
  let silenced = 0;
  const reads = ({ method = '', url = '' }) => method === 'GET' && url.includes(`${folder}/`);
  bucket.silence((request) => reads(request) && ++silenced <= 1);
  t.teardown(() => bucket.silence(() => false));
  equal(t, await (await all.open('dataset/a')).read(0, 100), content.subarray(0, 100));
  t.true(silenced >= 2);
  const unanswered = bucket.silence(reads);
  const stop = new AbortController();
  const source = await all.open('dataset/a', { signal: stop.signal });
  const reading = source.read(20 * PAGE, 10);
  await until(() => unanswered.length > 0);
  stop.abort(new Error('told to'));
  await t.throwsAsync(reading, { message: 'told to' });
});

test('a cache of less than eight pages is an error', async (t) => {
  const store = await DiskStore.open(root);
  t.throws(() => new BlobSources(store, { cacheBytes: 7 * PAGE, pageBytes: PAGE }), { message: /too small/ });
});
