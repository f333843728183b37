import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'ava';
import { BlobFile } from '../../../src/blobs/file-source.ts';
import type { ByteSource } from '../../../src/files/data/bytes.ts';
import type { Grid } from '../../../src/files/data/grid.ts';
import type { Indices } from '../../../src/files/data/indices.ts';
import type { StoredValues } from '../../../src/files/data/stored-values.ts';
import { FormatError } from '../../../src/files/errors.ts';
import { ChunkThreads } from '../../../src/files/formats/zarr/chunk-threads.ts';
import { ZarrStore } from '../../../src/files/formats/zarr/store.ts';
import { storeOf } from '../../world/stores.ts';
import { memory } from '../read.ts';
import { folderOf } from '../transformed.ts';

const [width, height, steps] = [300, 200, 20];
const nodata = -1;

/** Every value once; a third of the rows has none, so that chunks are left out of the store. */
const valueAt = (step: number, cell: number) => (cell < (width * height) / 3 ? nodata : step * width * height + cell);

const grid: Grid = {
  kind: 'grid',
  width,
  height,
  affine: [0, 1, 0, 0, 0, -1],
  time: { spacing: 'equidistant', unit: 'hour', start: 0, count: steps, offset: 0, interval: 1 },
  bands: [{ name: 'Level', type: 'Float32', nodata }],
  async *rows({ step }) {
    yield {
      firstRow: 0,
      rowCount: height,
      samples: Float32Array.from({ length: width * height }, (_, n) => valueAt(step, n)),
    };
  },
};

const selections: readonly Indices[][] = [
  [
    { first: 3, length: 1 },
    { first: 0, length: height },
    { first: 0, length: width },
  ],
  [
    { first: 0, length: steps },
    { first: 150, length: 20 },
    { first: 100, length: 150 },
  ],
  [Uint32Array.of(0, 2, 9, 17), Uint32Array.of(5, 64, 100, 130, 131, 199), { first: 7, length: 290 }],
];

/** Whether values are those of a selection. */
function areThose(values: StoredValues, [times, rows, columns]: readonly Indices[]): boolean {
  const all = (indices: Indices) =>
    indices instanceof Uint32Array ? [...indices] : Array.from({ length: indices.length }, (_, n) => indices.first + n);
  const expected = all(times!).flatMap((step) =>
    all(rows!).flatMap((row) => all(columns!).map((column) => valueAt(step, row * width + column))),
  );
  return values.length === expected.length && expected.every((value, n) => values[n] === value);
}

test('threads select the values of the store, from a file and from ranges, concurrently, also with a small cache', async (t) => {
  const bytes = await storeOf(grid);
  const path = join(await folderOf(t), 'store.zip');
  await writeFile(path, bytes);
  const file = new BlobFile(bytes.length, () => open(path));
  for (const source of [file, memory(bytes)])
    for (const limit of [1 << 26, 1 << 17]) {
      const threads = new ChunkThreads(limit);
      const array = (await ZarrStore.open(source, { threads })).array('Level');
      for (let round = 0; round < 2; round++) {
        const selected = await Promise.all(selections.map((one) => array.select(one)));
        for (const [n, values] of selected.entries()) {
          t.true(values.buffer instanceof SharedArrayBuffer, 'a thread copied them');
          t.true(areThose(values, selections[n]!));
        }
      }
      await threads.close();
    }
});

test('chunks that threads keep are not read again; neighbours are read together', async (t) => {
  const bytes = await storeOf(grid);
  const reads: number[] = [];
  const inner = memory(bytes);
  const source: ByteSource = {
    size: bytes.length,
    read(offset, length) {
      reads.push(length);
      return inner.read(offset, length);
    },
  };
  const threads = new ChunkThreads(1 << 26);
  t.teardown(() => threads.close());
  const array = (await ZarrStore.open(source, { threads })).array('Level');
  reads.length = 0;
  const [whole] = selections;
  await array.select(whole!);
  t.true(reads.length <= 4, `${reads.length} reads for 20 chunks`);
  reads.length = 0;
  // the next step is in the same chunks
  await array.select([{ first: 4, length: 1 }, ...whole!.slice(1)]);
  t.deepEqual(reads, []);
});

test('a damaged chunk is refused with and without threads, each time; other chunks stay readable', async (t) => {
  const bytes = await storeOf(grid);
  const at = bytes.indexOf('Level/c/1/2/1');
  bytes.fill(0, at + 200, at + 300);
  const threads = new ChunkThreads(1 << 26);
  t.teardown(() => threads.close());
  const plain = (await ZarrStore.open(memory(bytes))).array('Level');
  const array = (await ZarrStore.open(memory(bytes), { threads })).array('Level');
  const damaged: Indices[] = [
    { first: 8, length: 1 },
    { first: 0, length: height },
    { first: 0, length: width },
  ];
  const error = await t.throwsAsync(plain.select(damaged), { instanceOf: FormatError });
  t.regex(error.message, /checksum of 'Level\/c\/1\/2\/1'/);
  for (let round = 0; round < 2; round++)
    await t.throwsAsync(array.select(damaged), { instanceOf: FormatError, message: error.message });
  t.true(areThose(await array.select(selections[0]!), selections[0]!));
  const stopped = AbortSignal.abort(new Error('gone'));
  await t.throwsAsync(array.select(selections[0]!, stopped), { message: 'gone' });
});
