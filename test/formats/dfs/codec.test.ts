import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { offsetOf, timeOf } from '../../../src/files/data/time-axis.ts';
import { FormatError } from '../../../src/files/errors.ts';
import { FileSink } from '../../../src/files/formats/io/bytes.ts';
import { copyDfs } from '../../../src/files/formats/io/dfs/copy.ts';
import { DfsFile } from '../../../src/files/formats/io/dfs/dfs-file.ts';
import { DfsWriter } from '../../../src/files/formats/io/dfs/dfs-writer.ts';
import { writtenType } from '../../../src/files/formats/io/dfs/encode.ts';
import { axes, block, CountedSource, dfsBytes, sourceOf, values } from './dfs-bytes.ts';
import { expected, sampleBytes, sampleTest } from './samples.ts';

const open = (bytes: Uint8Array) => DfsFile.open(new CountedSource(bytes));

/** Rewrites all values; the statistics in the header are recalculated. */
async function rewritten(file: DfsFile): Promise<Buffer> {
  const path = join(tmpdir(), `dfs-${process.pid}-${Math.random()}`);
  const sink = await FileSink.create(path);
  const items = file.header.items.map(({ statistics: _, ...item }) => ({
    ...item,
    summary: { maximum: 1, minimum: 2, deleted: 3 },
  }));
  const writer = await DfsWriter.begin({ ...file.header, items, time: { ...file.header.time, steps: -5 } }, sink);
  for (let step = 0; step < file.steps; step++) {
    writer.beginStep(offsetOf(file.time, step));
    for (const item of items.keys()) {
      const all = await file.readItem(item, step);
      const half = all.length >> 1;
      await writer.add(all.slice(0, half));
      await writer.add(all.slice(half));
    }
  }
  await writer.end();
  await sink.checksum();
  await sink.close();
  const bytes = await readFile(path);
  await rm(path);
  return bytes;
}

async function copied(file: DfsFile): Promise<Buffer> {
  const path = join(tmpdir(), `dfs-${process.pid}-${Math.random()}`);
  const sink = await FileSink.create(path);
  await copyDfs(file, sink, new AbortController().signal);
  await sink.checksum();
  await sink.close();
  const bytes = await readFile(path);
  await rm(path);
  return bytes;
}

for (const { file, items, time, statics, title, dataType, deleteFloat, projection, compressed } of expected)
  sampleTest(`${file} has the values of an independent reader, and is rewritten with the same bytes`, async (t) => {
    const bytes = await sampleBytes(file);
    const dfs = await DfsFile.open(await sourceOf(t, bytes));
    const { header } = dfs;
    t.is(header.title, title);
    t.is(header.dataType, dataType);
    t.is(header.deleteValues.Float32, deleteFloat);
    t.is(header.compressed, compressed);
    t.deepEqual(
      header.projection,
      projection === null
        ? undefined
        : { text: projection.text, longitude: projection.lon, latitude: projection.lat, rotation: projection.rotation },
    );
    t.is(dfs.steps, time.steps);
    t.is(offsetOf(dfs.time, 0), time.first);
    t.is(offsetOf(dfs.time, dfs.steps - 1), time.last);
    t.is(
      dfs.time.start === undefined ? null : new Date(dfs.time.start).toISOString().slice(0, 19).replace('T', ' '),
      time.start,
    );
    t.deepEqual(
      header.statics.map(({ item, values: { count } }) => ({ name: item.name, count })),
      statics.map(({ name, count }) => ({ name, count })),
    );
    for (const [n, item] of items.entries()) {
      const { name, eumItem, eumUnit, type, valueKind, summary } = header.items[n]!;
      t.deepEqual(
        { name, eumItem, eumUnit, dataType: type.toLowerCase(), valueType: valueKind },
        {
          name: item.name,
          eumItem: item.eumItem,
          eumUnit: item.eumUnit,
          dataType: item.dataType,
          valueType: item.valueType,
        },
      );
      t.deepEqual(summary, { maximum: item.max, minimum: item.min, deleted: item.deleted });
      if (compressed) continue;
      const first = await dfs.readItem(n, 0);
      t.is(createHash('sha256').update(first).digest('hex'), item.sha256First);
      const last = await dfs.readItem(n, dfs.steps - 1);
      t.is(createHash('sha256').update(last).digest('hex'), item.sha256Last);
    }
    t.true(bytes.equals(await rewritten(dfs)), 'written anew');
    t.true(bytes.equals(await copied(dfs)), 'copied');
  });

const item = { name: 'Level', steps: [[1], [2], [3]] };

test('all value types, non-equidistant times, and custom, static and unknown blocks survive rewriting', async (t) => {
  const types = ['Float32', 'Float64', 'Int8', 'Int32', 'UInt32', 'Int16', 'UInt16'] as const;
  const summaries = { Int16: [-1e-255, -1e-255, 6], UInt16: [-1e-255, -1e-255, 6] } as Record<
    string,
    [number, number, number]
  >;
  const bytes = dfsBytes({
    title: 'Højvand €'.replace('€', '\x80'),
    time: { start: undefined, times: [5, 1, 3] } as never,
    items: types.map((type) => ({
      name: type,
      type,
      axis: axes.line(2),
      summary: summaries[type] ?? [6, 1, 0],
      steps: [
        [1, 2],
        [3, 4],
        [5, 6],
      ],
      more: type === 'Int8' ? block(31999 + 2000, values('Int16', 9)) : Buffer.alloc(0),
    })),
    custom: Buffer.concat([block(60000, values('Int8', 65, 0), values('Float32', 1, 2)), block(777)]),
    statics: [{ name: 'Topography', type: 'Float64', values: [1, 2, 3] }],
    unknownInHeader: Buffer.concat([block(888, values('Float32', 1)), block(889)]),
    unknownAtEnd: block(890, values('Int32', 5)),
  });
  const file = await open(bytes);
  t.is(file.header.title, 'Højvand €');
  t.deepEqual(
    [...Array(3).keys()].map((step) => offsetOf(file.time, step)),
    [5, 1, 3],
  );
  t.true(bytes.equals(await rewritten(file)));
});

test('element statistics equal those of the DHI library: products of neighbours, last values, deleted values', async (t) => {
  const deleted = Math.fround(-1e-35);
  const statistics = [5, 1, 8, 30, 1 * 2, -1e-255, 3, 1, 2].map(Number);
  const bytes = dfsBytes({
    statisticsType: 2,
    items: [
      {
        name: 'Level',
        summary: [5, 1, 2],
        more: block(30003, values('Float64', ...statistics)),
        steps: [[1], [2], [deleted], [5], [deleted]],
      },
    ],
  });
  t.true(bytes.equals(await rewritten(await open(bytes))));
});

test('minimum and maximum follow the library’s rule for NaN, and are -1e-255 without a value', async (t) => {
  const deleted = Math.fround(-1e-35);
  const summaryOf = async (...numbers: number[]) => {
    const file = await open(
      dfsBytes({ items: [{ name: 'Level', axis: axes.line(numbers.length), steps: [numbers] }] }),
    );
    const { summary } = (await open(await rewritten(file))).header.items[0]!;
    return [summary.maximum, summary.minimum, summary.deleted];
  };
  t.deepEqual(await summaryOf(deleted, deleted), [-1e-255, -1e-255, 2]);
  t.deepEqual(await summaryOf(deleted, 3, -4), [3, -4, 1]);
  t.deepEqual(await summaryOf(9, Number.NaN, 1), [1, 1, 0]);
  t.deepEqual(await summaryOf(9, Number.NaN), [Number.NaN, Number.NaN, 0]);
});

test('a Float64 item also treats the Float32 delete value as deleted', async (t) => {
  const file = await open(
    dfsBytes({ items: [{ name: 'Level', type: 'Float64', steps: [[1], [Math.fround(-1e-35)], [-1e-255]] }] }),
  );
  t.deepEqual(
    await Promise.all([0, 1, 2].map(async (step) => (await file.readItem(0, step))[0])),
    [1, -1e-255, -1e-255],
  );
});

test('the number of steps is counted from the data, not read from the header', async (t) => {
  const whole = dfsBytes({ items: [item] });
  const seven = await open(dfsBytes({ items: [item], declared: 7 }));
  t.is(seven.steps, 3);
  t.deepEqual(seven.defects, [
    `The header declares 7 time steps, but the file ends at byte ${whole.length}, in step 4. 3 whole steps were read.`,
  ]);
  for (const declared of [-1, 1]) {
    const more = await open(dfsBytes({ items: [item], declared }));
    t.is(more.steps, 3);
    t.is(more.defects.length, 1);
  }
  const trailing = await open(dfsBytes({ items: [item], trailing: Buffer.alloc(100, 7) }));
  t.is(trailing.steps, 3);
  t.deepEqual(trailing.defects, []);
  const cut = await open(whole.subarray(0, -1));
  t.is(cut.steps, 2);
  t.true((await copied(cut)).equals(dfsBytes({ items: [{ ...item, steps: [[1], [2]] }] })));
});

test('a file truncated in its header is refused with an offset; one truncated in its data is read', async (t) => {
  const bytes = dfsBytes({ items: [item], custom: block(60000, values('Int8', 65, 0), values('Float32', 1)) });
  const { dataStart } = await open(bytes);
  for (let length = 0; length < dataStart; length++) {
    const error = await t.throwsAsync(open(bytes.subarray(0, length)), { instanceOf: FormatError });
    t.is(typeof (error as FormatError).offset, 'number');
  }
  for (let length = dataStart; length < bytes.length; length++)
    t.is((await open(bytes.subarray(0, length))).steps, Math.floor((length - dataStart) / 13));
});

test('reading one step of one item reads only the bytes of its record', async (t) => {
  const steps = Array.from({ length: 50 }, (_, step) => Array.from({ length: 1000 }, (_, n) => step * n));
  const two = ['One', 'Two'].map((name) => ({ name, axis: axes.line(1000), steps }));
  const source = new CountedSource(dfsBytes({ items: two }));
  const file = await DfsFile.open(source);
  source.bytesRead = 0;
  t.is((await file.readItem(1, 30))[999], 30 * 999);
  t.is(source.bytesRead, 5 + 4000);
  source.bytesRead = 0;
  t.is((await file.readItem(0, 40, 10, 2))[1], 40 * 11);
  t.is(source.bytesRead, 5 + 8);
});

test('files with a signature of another length or without optional blocks are read', async (t) => {
  const bytes = dfsBytes({ items: [item] });
  const short = Buffer.concat([Buffer.from('DHI_DFS_ x\x1a'), bytes.subarray(0x52)]);
  t.is((await open(short)).steps, 3);
  const withoutTitle = Buffer.concat([
    bytes.subarray(0, bytes.indexOf(block(10001).subarray(0, 3))),
    bytes.subarray(bytes.indexOf(block(10002).subarray(0, 3))),
  ]);
  const file = await open(withoutTitle);
  t.is(file.header.title, '');
  t.is((await file.readItem(0, 2))[0], 3);
});

test('start dates are validated, and time units come from EUM', async (t) => {
  const at = (start: [string, string], unit = 1400) =>
    open(dfsBytes({ items: [item], time: { start, unit, interval: 1 } }));
  for (const start of [
    ['2020-02-30', '00:00:00'],
    ['2020-13-01', '00:00:00'],
    ['2020-01-01', '24:00:00'],
  ] as [string, string][])
    await t.throwsAsync(at(start), { instanceOf: FormatError, message: /not a valid date and time/ });
  await t.throwsAsync(at(['2020-01-01', '00:00:00'], 1000), { message: /is not a unit of time/ });
  const lengths = { 1400: 1000, 1401: 60e3, 1402: 3600e3, 1403: 864e5, 1404: 365 * 864e5, 1405: 30 * 864e5, 1406: 1 };
  for (const [unit, length] of Object.entries(lengths))
    t.is(timeOf((await at(['2020-01-01', '00:00:00'], Number(unit))).time, 2), Date.UTC(2020, 0, 1) + 2 * length);
});

test('DFS file types that no known program writes are refused', async (t) => {
  const bytes = dfsBytes({ items: [item] });
  const type = bytes.indexOf(block(10004).subarray(0, 3)) + 8;
  for (const [number, sentence] of [
    [2, /file type is 2/],
    [8, /file type is 8/],
    [4, /does not match/],
  ] as const) {
    const changed = Buffer.from(bytes);
    changed[type] = number;
    await t.throwsAsync(open(changed), { instanceOf: FormatError, message: sentence });
  }
  await t.throwsAsync(open(dfsBytes({ items: [{ ...item, axis: block(31054, values('Int32', 1000, 1)) }] })), {
    message: /varies over time/,
  });
});

test('32-bit integers are written as Float64, unless WriteAsFloat asks for Float32', (t) => {
  const typeOf = (type: 'Int32' | 'UInt32' | 'Int16', asFloat: boolean) => writtenType({ name: 'n', type }, asFloat);
  t.is(typeOf('Int32', false), 'Float64');
  t.is(typeOf('UInt32', false), 'Float64');
  t.is(typeOf('Int16', false), 'Float32');
  t.is(typeOf('Int32', true), 'Float32');
});
