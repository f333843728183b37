import test, { type ExecutionContext } from 'ava';
import { stepCount, timeOf } from '../../../src/files/data/time-axis.ts';
import { DfsFile } from '../../../src/files/formats/io/dfs/dfs-file.ts';
import { type Asked, converted } from '../files.ts';
import { axes, CountedSource, dfsBytes, type TestFile, type TestItem } from './dfs-bytes.ts';

type Change = Partial<TestFile> & { first?: number; steps?: number; item?: Partial<TestItem>; cells?: Buffer };

/** Steps from an hour on, one value or four cells each. */
const levels = ({ first = 0, steps = 2, item = {}, cells, ...file }: Change = {}, size = 1) =>
  dfsBytes({
    time: { start: ['2020-01-01', `0${first}:00:00`], interval: 3600 },
    ...file,
    items: [
      {
        name: 'Level',
        ...(cells === undefined ? {} : { axis: cells }),
        steps: Array.from({ length: steps }, (_, step) =>
          Array.from({ length: size }, (__, n) => 100 * (first + step) + n),
        ),
        ...item,
      },
    ],
  });

const append = (t: ExecutionContext, n: number, present: Buffer, added: Buffer, asked: Partial<Asked> = {}) =>
  converted(t, added, {
    reader: `Dfs${n}Reader`,
    writer: `Dfs${n}Writer`,
    existing: { content: present, format: `dfs${n}` },
    ...asked,
  });

const plane = (change: Change = {}) =>
  levels({ cells: axes.plane(2, 2), projection: ['UTM-33', 15, 55, 0], ...change }, 4);

async function contentOf(bytes: Uint8Array) {
  const file = await DfsFile.open(new CountedSource(bytes));
  const { time } = file;
  const values = await Promise.all(
    Array.from({ length: file.steps }, async (_, step) => (await file.readItem(0, step))[0]!),
  );
  const hours = Array.from(
    { length: stepCount(time) },
    (_, step) => (timeOf(time, step) - Date.UTC(2020, 0, 1)) / 3_600_000,
  );
  return { spacing: time.spacing, values, hours, header: file.header };
}

test('appending at the same interval keeps a series equidistant; a gap makes it non-equidistant', async (t) => {
  const even = await append(t, 0, levels(), levels({ first: 2 }));
  const { spacing, values, hours, header } = await contentOf(even.bytes);
  t.deepEqual([spacing, values, hours], ['equidistant', [0, 100, 200, 300], [0, 1, 2, 3]]);
  t.is(header.items[0]!.summary.maximum, 300);
  t.deepEqual(even.receipt.appended, { present: 2, added: 2 });
  t.like(even.receipt.statistics.after, {
    items: [{ name: 'Level', unit: 'm', values: 4, empty: 0, minimum: 0, maximum: 300, mean: 150 }],
  });
  t.like(even.temporalInformation, { endTime: '2020-01-01T03:00:00.0000000', interval: 'PT1H' });
  const gap = await contentOf((await append(t, 0, levels(), levels({ first: 5 }))).bytes);
  t.deepEqual([gap.spacing, gap.hours], ['nonEquidistant', [0, 1, 5, 6]]);
});

test('steps are appended to DFS1, DFS2 and DFS3 grids with the same cells', async (t) => {
  const { bytes, receipt } = await append(t, 2, plane(), plane({ first: 2 }));
  const { spacing, values, header } = await contentOf(bytes);
  t.deepEqual([spacing, values], ['equidistant', [0, 100, 200, 300]]);
  t.is(header.projection?.text, 'UTM-33');
  t.deepEqual(receipt.appended, { present: 2, added: 2 });
});

test('appended values get the item type and delete value of the dataset', async (t) => {
  const added = levels({ first: 2, deleteFloat: -5, item: { steps: [[-5], [7]] } });
  const { values } = await contentOf((await append(t, 0, levels(), added)).bytes);
  t.deepEqual(values, [0, 100, Math.fround(-1e-35), 7]);
});

test('an append is refused if its times are not after the last one, or items, quantities, cells, location or axes differ', async (t) => {
  const cases: [number, Buffer, Buffer, RegExp][] = [
    [0, levels(), levels({ first: 1 }), /step at 2020-01-01T01:00:00, which is not after 2020-01-01T01:00:00/],
    [0, levels({ first: 4 }), levels(), /not after 2020-01-01T05:00:00/],
    [0, levels(), levels({ first: 2, item: { name: 'Depth' } }), /The dataset has no item 'Depth'; it has 'Level'/],
    [0, levels(), levels({ first: 2, item: { eum: [100001, 1800] } }), /EUM item 100000 and unit 1000 in the dataset/],
    [
      0,
      levels(),
      levels({ time: { start: undefined, offset: 9e9, interval: 1 } as never }),
      /are dates, and those of the input relative/,
    ],
    [
      2,
      plane(),
      levels({ first: 2, cells: axes.plane(4, 1), projection: ['UTM-33', 15, 55, 0] }, 4),
      /2 × 2 × 1 cells, and the input 4 × 1 × 1/,
    ],
    [
      2,
      plane(),
      plane({ first: 2, projection: ['UTM-32', 15, 55, 0] }),
      /EPSG:32633, and that of the input EPSG:32632/,
    ],
    [2, plane(), plane({ first: 2, projection: ['UTM-33', 15.1, 55, 0] }), /lie at other coordinates/],
  ];
  for (const [n, present, added, sentence] of cases)
    await t.throwsAsync(append(t, n, present, added), { message: sentence });
});
