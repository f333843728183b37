import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { ReferenceThreads } from '../../src/arrays/references/reference-threads.ts';
import { DiskStore } from '../../src/blobs/disk.ts';
import { AppError } from '../../src/errors.ts';
import { hdf5Bytes } from '../formats/netcdf/netcdf-files.ts';
import { override } from '../world/override.ts';

test('a store that fails while a thread reads ends references with its error, not with a fault of the file', async (t) => {
  const root = await mkdtemp(join(tmpdir(), 'platform-references-'));
  t.teardown(() => rm(root, { recursive: true, force: true }));
  const name = `dataset/${randomUUID()}`;
  const store = await DiskStore.open(root);
  // longer than a page of the cache, so that there are several reads
  const content = await hdf5Bytes((file) => {
    file.create_attribute('Conventions', 'CF-1.8');
    for (const name of ['first', 'second'])
      file.create_dataset({ name, data: new Float64Array(40_000).fill(1), shape: [40_000] });
  });
  const { etag } = await store.put(
    name,
    (async function* () {
      yield content;
    })(),
    content.length,
  );
  const outage = new AppError('unavailable', 'The bucket does not answer.');
  let reads = 0;
  let fails = Infinity;
  const failing = override(store, {
    read: (...given) => (++reads > fails ? Promise.reject(outage) : store.read(...given)),
  });
  const turn = { tenant: 'a', signal: new AbortController().signal };
  const make = async () => {
    const threads = new ReferenceThreads(failing);
    try {
      const text = await threads.make(turn, { blob: name, etag, address: 'https://a.example/b', expires: 0 });
      return Buffer.from(text).toString();
    } finally {
      await threads.close();
    }
  };
  t.regex(await make(), /"second\/\.zarray"/);
  const needed = reads;
  t.true(needed > 1);
  for (fails = 0; fails < needed; fails++) {
    reads = 0;
    await t.throwsAsync(make(), { is: outage }, `read ${fails + 1} of ${needed}`);
  }
});
