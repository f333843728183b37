import test from 'ava';
import type { Grid } from '../../../src/files/data/grid.ts';
import { ConversionError } from '../../../src/files/errors.ts';
import { equidistantAxis } from '../../../src/files/formats/io/dfs/axes.ts';
import { DfsFile } from '../../../src/files/formats/io/dfs/dfs-file.ts';
import { usualDeleteValues } from '../../../src/files/formats/io/dfs/header.ts';
import { newItem } from '../../../src/files/formats/io/dfs/items.ts';
import { newDeleteValues, newHeader } from '../../../src/files/formats/io/dfs/new-header.ts';
import { newTime } from '../../../src/files/formats/io/dfs/time.ts';
import { writeHeader } from '../../../src/files/formats/io/dfs/write-header.ts';
import { written } from '../written.ts';
import { CountedSource } from './dfs-bytes.ts';

test('a new header can be read back', async (t) => {
  const axis = equidistantAxis([4, 3], [0, 0], [5, 6]);
  const item = newItem({ name: 'Depth' }, { type: 'Float32', axis, otherwise: '' }, { reportLoss() {} });
  const { time } = newTime(undefined);
  const header = newHeader({ items: [item], time, deleteValues: usualDeleteValues, title: 'New' }, undefined);
  const parts: Uint8Array[] = [];
  await writeHeader(header, {
    get position() {
      return Buffer.concat(parts).length;
    },
    append: async (bytes) => void parts.push(bytes),
    async patch() {},
    async restart() {},
  });
  const bytes = Buffer.concat(parts);
  const created = [0x52, 0x54, 0x56].map((at) => bytes.readInt16LE(at));
  const now = new Date();
  t.deepEqual(created, [now.getUTCFullYear(), now.getUTCMonth() + 1, now.getUTCDate()]);
  const file = await DfsFile.open(new CountedSource(bytes));
  t.is(file.header.title, 'New');
  t.deepEqual(file.header.items[0]!.axis.spacing, [0, 0, 5, 6]);
  t.deepEqual(file.header.items[0]!.axis.counts, [4, 3]);
});

test('data that came from a DFS file keep their delete values', (t) => {
  const eum = { item: 100000, unit: 1000 };
  t.is(newDeleteValues([{ eum, type: 'Float64', nodata: -999999 }], undefined).Float64, -999999);
  t.deepEqual(newDeleteValues([{ type: 'Float32', nodata: -9999 }], undefined), usualDeleteValues);
});

for (const [n, shape] of Object.entries({
  1: { width: 2 ** 31, height: 1 },
  2: { width: 65_536, height: 32_768 },
  3: { width: 65_536, height: 16_384, layers: { count: 2, first: 0, spacing: 1 } },
}))
  test(`more values than a DFS${n} file can count end in an error before rows are read`, async (t) => {
    for (const northward of [1, -1]) {
      const grid: Grid = {
        kind: 'grid',
        affine: [0, 1, 0, 0, 0, northward],
        bands: [{ name: 'Depth', type: 'Float32' }],
        async *rows() {
          yield t.fail('a row was read') as never;
        },
        ...shape,
      };
      await t.throwsAsync(written(t, grid, `Dfs${n}Writer`), {
        instanceOf: ConversionError,
        message: /has 2147483648 values per step\. A DFS file holds at most 2147483647\. .*spatialFilter/,
      });
    }
  });
