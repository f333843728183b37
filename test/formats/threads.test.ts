import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { Worker } from 'node:worker_threads';
import test, { type ExecutionContext } from 'ava';
import { FormatError } from '../../src/files/errors.ts';
import { type Asked, bandsOf, converted } from './files.ts';
import { placed, type TiffFile, tiffFile } from './tiff-file.ts';

/** Large enough for the use of threads. */
const side = 1500;
const cells = Array.from({ length: side * side }, (_, i) => {
  const [x, y] = [i % side, Math.floor(i / side)];
  return (x * 7 + y * 11) % 1009 === 0 ? -9999 : 100 + 50 * Math.sin(x / 90) * Math.cos(y / 70);
});
type Tags = NonNullable<TiffFile['tags']>;
const nodata: Tags = { 42113: [2, '-9999'] };
const northUp: Tags = { ...nodata, ...placed(500_000, 6_000_000, 10) };
const southUp: Tags = { ...nodata, 34264: [12, [10, 0, 0, 500_000, 0, 10, 0, 5_985_000, 0, 0, 0, 0, 0, 0, 0, 1]] };
const terrain = (tags: Tags, values = cells) =>
  tiffFile({ width: side, height: side, values, bits: 32, format: 3, rowsPerStrip: 40, deflate: true, tags });

const reprojected: Asked = {
  reader: 'GeoTiffReader',
  writer: 'GeoTiffWriter',
  transformations: [{ type: 'CrsTransformation', inputSrid: 25832, outputSrid: 3857 }],
};

/** Counts the threads started during a test, and those still running. */
function watchThreads(t: ExecutionContext): { started: number; alive: Set<Worker>; onStart(worker: Worker): void } {
  const watched = { started: 0, alive: new Set<Worker>(), onStart: (_: Worker) => {} };
  const listen = (message: unknown) => {
    const { worker } = message as { worker: Worker };
    watched.started++;
    watched.alive.add(worker);
    void once(worker, 'exit').then(() => watched.alive.delete(worker));
    watched.onStart(worker);
  };
  subscribe('worker_threads', listen);
  t.teardown(() => unsubscribe('worker_threads', listen));
  return watched;
}

test.serial('a reprojection writes the same bytes with any number of threads, and ends them', async (t) => {
  const watched = watchThreads(t);
  for (const tags of [northUp, southUp]) {
    const input = terrain(tags);
    const one = await converted(t, input, { ...reprojected, threads: 1 });
    t.is(watched.started, 0, 'one thread is that of the conversion');
    for (const threads of [2, 3]) {
      const more = await converted(t, input, { ...reprojected, threads });
      t.is(watched.started, threads - 1);
      t.is(watched.alive.size, 0);
      t.true(more.bytes.equals(one.bytes));
      t.deepEqual(more.receipt, one.receipt);
      watched.started = 0;
    }
    t.is(one.recordsRead, side * side);
    t.is(bandsOf(one.receipt.statistics.before)[0]!.values, cells.filter((value) => value !== -9999).length);
  }
});

test.serial('threads end with a conversion that fails at a broken block, and its error is reported', async (t) => {
  const watched = watchThreads(t);
  const input = terrain(northUp);
  input.fill(0, Math.floor(input.length * 0.6), Math.floor(input.length * 0.6) + 5000);
  const error = await t.throwsAsync(converted(t, input, { ...reprojected, threads: 3 }), { instanceOf: FormatError });
  t.regex(error!.message, /^A compressed block cannot be decoded: /);
  t.is(watched.started, 2);
  t.is(watched.alive.size, 0);
});

test.serial('threads end with a conversion that is cancelled', async (t) => {
  const watched = watchThreads(t);
  const stop = new AbortController();
  const reason = new Error('cancelled');
  const asked = {
    ...reprojected,
    threads: 3,
    signal: stop.signal,
    onProgress: (f: number) => f > 0.3 && stop.abort(reason),
  };
  t.is(await t.throwsAsync(converted(t, terrain(northUp), asked)), reason);
  t.is(watched.started, 2);
  t.is(watched.alive.size, 0);
});

test.serial('a thread that ends by itself during a task fails the conversion, and the others end', async (t) => {
  const watched = watchThreads(t);
  watched.onStart = (worker) => {
    if (watched.started > 1) return;
    const post = worker.postMessage.bind(worker);
    worker.postMessage = (...message: Parameters<typeof post>) => {
      post(...message);
      void worker.terminate();
    };
  };
  await t.throwsAsync(converted(t, terrain(northUp), { ...reprojected, threads: 3 }), {
    message: 'The thread of warp-thread.ts has ended.',
  });
  t.is(watched.alive.size, 0);
});

test.serial('a small grid starts no thread', async (t) => {
  const watched = watchThreads(t);
  const values = cells.slice(0, 100 * 100);
  const small = tiffFile({ width: 100, height: 100, values, bits: 32, format: 3, tags: northUp });
  await converted(t, small, { ...reprojected, threads: 4 });
  t.is(watched.started, 0);
});

for (const writer of ['NetCdfWriter', 'MDWriter']) {
  const asked: Asked = { reader: 'GeoTiffReader', writer };
  // The headers of HDF5, which follow the values, tell the time of writing.
  const valuesOf = (file: Buffer) => (writer === 'NetCdfWriter' ? file.subarray(0, file.indexOf('OHDR')) : file);

  test.serial(`chunks of the ${writer} are the same with any number of threads, which end`, async (t) => {
    const watched = watchThreads(t);
    const input = terrain(northUp);
    const one = valuesOf((await converted(t, input, { ...asked, threads: 1 })).bytes);
    t.is(watched.started, 0, 'one thread is that of the conversion');
    t.true(one.length > 1 << 20);
    for (const threads of [2, 4]) {
      const more = await converted(t, input, { ...asked, threads });
      t.is(watched.started, threads - 1);
      t.is(watched.alive.size, 0);
      t.true(valuesOf(more.bytes).equals(one));
      watched.started = 0;
    }
  });

  test.serial(`threads end with a conversion by the ${writer} that is cancelled`, async (t) => {
    const watched = watchThreads(t);
    const stop = new AbortController();
    const reason = new Error('cancelled');
    watched.onStart = () => stop.abort(reason);
    const cancelled = converted(t, terrain(northUp), { ...asked, threads: 3, signal: stop.signal });
    t.is(await t.throwsAsync(cancelled), reason);
    t.is(watched.alive.size, 0);
  });

  test.serial(`a thread of the ${writer} that ends by itself fails the conversion`, async (t) => {
    const watched = watchThreads(t);
    watched.onStart = (worker) => void worker.terminate();
    await t.throwsAsync(converted(t, terrain(northUp), { ...asked, threads: 2 }), {
      message: 'The thread of pack-thread.ts has ended.',
    });
    t.is(watched.alive.size, 0);
  });
}
