import { execFile } from 'node:child_process';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import test from 'ava';
import { madeGrid, madeMesh, quietContext, triangles, writeData } from '../../../bench/made-data.ts';
import { BlobSources } from '../../../src/blobs/blob-source.ts';
import type { ByteRange } from '../../../src/blobs/blobs.ts';
import { DiskStore } from '../../../src/blobs/disk.ts';
import type { Data } from '../../../src/files/data/data.ts';
import type { Samples } from '../../../src/files/data/item.ts';
import { FileSource } from '../../../src/files/formats/io/bytes.ts';
import { findReader } from '../../../src/files/formats/registry.ts';
import { LONG } from '../../reliability/flags.ts';
import { override } from '../../world/override.ts';

// Own thread: it holds blobs of 4 GB open while others fill the memory of their thread.

const run = promisify(execFile);
const child = fileURLToPath(new URL('../convert-child.ts', import.meta.url));
const long = LONG ? test : test.skip;

interface Sketch {
  reader: string;
  writer: string;
  made(steps: number): Data;
  /** Values of an item at a step, and how many they are. */
  values(data: Data, item: number, step: number): Promise<Samples>;
  count: number;
}

const sketches: Readonly<Record<'dfs2' | 'dfsu', Sketch>> = {
  dfs2: {
    reader: 'Dfs2Reader',
    writer: 'Dfs2Writer',
    made: madeGrid,
    async values(data, band, step) {
      if (data.kind !== 'grid') throw new Error(`The reader made ${data.kind}.`);
      const blocks = await Array.fromAsync(data.rows({ band, step, layer: 0 }));
      return Float32Array.from(blocks.flatMap(({ samples }) => [...samples]));
    },
    count: 1_000_000,
  },
  dfsu: {
    reader: 'DfsuReader',
    writer: 'DfsuWriter',
    made: madeMesh,
    async values(data, item, step) {
      if (data.kind !== 'mesh') throw new Error(`The reader made ${data.kind}.`);
      return data.values(item, step);
    },
    count: triangles,
  },
};

for (const [format, { reader, writer, made, values, count }] of Object.entries(sketches))
  test(`reading one step of one item of a 4 GB ${format} blob reads only that record and a few pages`, async (t) => {
    const root = await mkdtemp(join(tmpdir(), 'large-'));
    t.teardown(() => rm(root, { recursive: true, force: true }));
    const local = join(root, 'small');
    await writeData(made(2), writer, local, { checksum: false });
    const small = await FileSource.open(local, { checksum: false });
    t.teardown(() => small.close());
    const one = await findReader(reader)!.read(small, {}, quietContext());
    // The same step, behind a hole of nearly 4 GB: the header declares more steps than there are marks, and they are
    // not looked at.
    const stepBytes = recordsOf(format) * (5 + 4 * count) + 4;
    const last = Math.floor(2 ** 32 / stepBytes);
    const dataStart = small.size - 2 * stepBytes;
    const head = Buffer.from(await small.read(0, dataStart));
    head.writeInt32LE(last + 1, stepsAt(head));
    const record = await small.read(dataStart + stepBytes, stepBytes);
    const name = `dataset/${format}`;
    const store = await DiskStore.open(join(root, 'store'));
    await store.put(
      name,
      (async function* () {
        yield head;
      })(),
      head.length,
    );
    const file = await open(join(root, 'store', name), 'r+');
    await file.write(record, 0, record.length, dataStart + last * stepBytes);
    await file.close();
    const ranges: ByteRange[] = [];
    const counting = override(store, {
      read(blob, range, etag, signal) {
        if (range) ranges.push(range);
        return store.read(blob, range, etag, signal);
      },
    });
    const transferred = () => ranges.splice(0).reduce((sum, { start, end }) => sum + end - start + 1, 0);
    const source = await new BlobSources(counting).open(name);
    t.true(source.size > 2 ** 32 - stepBytes);
    const data = await findReader(reader)!.read(source, {}, quietContext());
    const opening = transferred();
    t.deepEqual(await values(data, 1, last), await values(one, 1, 1));
    const reading = transferred();
    t.log({ opening, reading, record: 4 * count, file: source.size });
    // pages on both sides, and up to 4 MB that were read ahead
    t.true(opening < dataStart + 5 * 2 ** 20, `${opening}`);
    t.true(reading < 4 * count + 5 * 2 ** 20, `${reading}`);
    await source.close();
  });

const recordsOf = (format: string) => (format === 'dfs2' ? 2 : 3);

/** Offset of the number of steps: it follows the interval of the time axis. */
function stepsAt(head: Buffer): number {
  const pair = Buffer.from(Int32Array.of(2, 0).buffer);
  const at = head.indexOf(Buffer.concat([Buffer.of(4), Buffer.from(Int32Array.of(2).buffer), pair]));
  if (at < 0) throw new Error('The header has no number of steps.');
  return at + 5;
}

/** Peak memory in MB of a process that converts. */
async function peak(input: string, output: string, readerName: string, writerName: string, transformation: object) {
  const request = {
    input: { path: input, name: 'input' },
    output: { path: output },
    scratch: tmpdir(),
    reader: { name: readerName },
    writer: { name: writerName },
    transformations: [transformation],
  };
  const { stdout } = await run(process.execPath, [child, JSON.stringify(request)]);
  await rm(output);
  return Number(stdout);
}

const oneItem = { type: 'ItemFilterTransformation', itemFilter: [{ itemIndices: [1] }] };
const fewSteps = {
  type: 'TemporalFilterTransformation',
  temporalFilter: { type: 'TemporalIndexFilter', from: 20, to: 24 },
};

long('memory does not grow with the steps of a DFS2 or DFSU file (CRASH_TEST=long)', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'large-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const at = (name: string) => join(folder, name);
  const conversions = [
    ['dfs2', 'Dfs2Writer', oneItem],
    ['dfs2', 'GeoTiffWriter', fewSteps],
    ['dfsu', 'DfsuWriter', oneItem],
    ['dfsu', 'VtuWriter', fewSteps],
  ] as const;
  const peaks: Record<string, number[]> = {};
  for (const steps of [25, 150]) {
    for (const [format, { writer, made }] of Object.entries(sketches))
      await writeData(made(steps), writer, at(format), { checksum: false });
    for (const [format, writer, transformation] of conversions) {
      const used = await peak(at(format), at('output'), sketches[format].reader, writer, transformation);
      const name = `${format} with ${writer}`;
      peaks[name] = [...(peaks[name] ?? []), used];
    }
  }
  t.log(peaks);
  // 900 to 1000 MB more
  for (const [name, [small, large]] of Object.entries(peaks)) {
    t.true(large! < 600, name);
    t.true(large! - small! < 100, name);
  }
});
