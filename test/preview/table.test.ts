import test from 'ava';
import type { MultiArray } from '../../src/files/data/multi-array.ts';
import { RequestError } from '../../src/files/errors.ts';
import { csvOf, rowsTable, type TableAnswer, table } from '../../src/files/preview.ts';
import { flatMesh, layeredMesh, value } from '../formats/meshes.ts';
import { featuresOf, go, heights, hours, level, seriesOf, start, stored } from './made.ts';

/** All pages of a table. */
async function pagesOf(read: (cursor?: string) => Promise<TableAnswer>): Promise<TableAnswer[]> {
  const pages = [await read()];
  while (pages.at(-1)!.next !== undefined) pages.push(await read(pages.at(-1)!.next));
  return pages;
}
const page =
  (limit: number, more: object = {}) =>
  (cursor?: string) => ({ limit, ...more, ...(cursor ? { cursor } : {}) });

test('features as a table: ids, values and a short text of the geometry, in pages', async (t) => {
  const rows = Array.from({ length: 7 }, (_, n) => ({ place: [n, 55] as const, values: [`a, ${n}`, n / 2] }));
  const data = featuresOf(
    [
      { name: 'name', type: 'string' },
      { name: 'depth', type: 'real' },
    ],
    rows,
    3,
  );
  const pages = await pagesOf((cursor) => table(data, page(3)(cursor), go));
  t.deepEqual(
    pages.map(({ rows: own }) => own.length),
    [3, 3, 1],
  );
  t.deepEqual(pages[1]!.rows[0], [103, 'a, 3', 1.5, 'Point (3 55)']);
  const even = await pagesOf((cursor) => table(data, page(7)(cursor), go));
  t.is(even.length, 1);
  t.is((await csvOf(rowsTable(pages[2]!))).toString(), 'id,name,depth,geometry\r\n106,"a, 6",3,Point (6 55)\r\n');
});

test('series as a table: times and values', async (t) => {
  const data = seriesOf([{ ...level, nodata: 2 }], [Float64Array.of(1, 2, 3)], hours(3, start), { chunk: 2 });
  const answer = await table(data, { limit: 2 }, go);
  t.deepEqual(answer.columns, [
    { name: 'time', type: 'text' },
    { name: 'level', unit: 'm', type: 'number' },
  ]);
  t.deepEqual(answer.rows, [
    ['2026-01-01T00:00:00', 1],
    ['2026-01-01T01:00:00', null],
  ]);
  t.deepEqual((await table(data, { cursor: answer.next! }, go)).rows, [['2026-01-01T02:00:00', 3]]);
});

test('cells of a grid as a table: their centres and values at a step, which the pages keep', async (t) => {
  const pages = await pagesOf((cursor) => table(heights, page(1000, cursor ? {} : { step: 2, layer: 0 })(cursor), go));
  t.is(pages.length, 8);
  t.is(pages[0]!.count, 8000);
  t.deepEqual(
    pages.map(({ step, layer }) => [step, layer]),
    pages.map(() => [2, 0]),
  );
  t.is(pages[0]!.time, '2026-01-24T20:00:00');
  const all = pages.flatMap(({ rows }) => rows);
  t.is(all.length, 8000);
  t.deepEqual(all[0], [5, 795, null]);
  t.deepEqual(all[4321], [215, 365, stored(2, 0, 4321) * -0.5 + 3]);
});

test('elements of a mesh as a table: ids, centres, values of the layer', async (t) => {
  const { columns, rows } = await table(flatMesh(), { step: 1 }, go);
  t.deepEqual(
    columns.map(({ name }) => name),
    ['element', 'x', 'y', 'depth', 'velocity', 'salinity'],
  );
  t.deepEqual(rows[3], [10, 500_250, 6_000_050, value(0, 1, 3), value(1, 1, 3), value(2, 1, 0) + 4.5]);
  const upper = await table(layeredMesh(), { step: 0, layer: 1 }, go);
  t.deepEqual(
    upper.rows.map(([id, , , depth]) => [id, depth]),
    [
      [2, 1],
      [4, 3],
    ],
  );
});

test('values of an array as a table, with the coordinates of its dimensions', async (t) => {
  const array: MultiArray = {
    kind: 'array',
    axes: [
      { name: 'direction', unit: 'degree', values: Float64Array.of(0, 90, 180) },
      { name: 'frequency', unit: 'Hz', values: Float64Array.of(0.1, 0.2) },
    ],
    items: [{ name: 'energy', type: 'Float32', axes: [0, 1], overTime: false }],
    read: async (_item, _step, [d, f], [nd, nf]) =>
      Float32Array.from({ length: nd! * nf! }, (_, n) => (d! + Math.floor(n / nf!)) * 10 + f! + (n % nf!) + 0.1),
  };
  const pages = await pagesOf((cursor) => table(array, page(4)(cursor), go));
  t.deepEqual(
    pages[0]!.columns.map(({ name, unit }) => [name, unit]),
    [
      ['direction', 'degree'],
      ['frequency', 'Hz'],
      ['energy', undefined],
    ],
  );
  t.deepEqual(
    pages.flatMap(({ rows }) => rows),
    [
      [0, 0.1, 0.1],
      [0, 0.2, 1.1],
      [90, 0.1, 10.1],
      [90, 0.2, 11.1],
      [180, 0.1, 20.1],
      [180, 0.2, 21.1],
    ],
  );
});

test('wrong cursors and limits are told with the value', async (t) => {
  const refused = async (more: object, message: RegExp) =>
    t.throwsAsync(table(heights, more, go), { instanceOf: RequestError, message });
  await refused({ limit: 1001 }, /limit must be a whole number of rows from 1 to 1000, not 1001/);
  await refused({ cursor: 'abc' }, /'abc' is no cursor of this table/);
  await refused({ cursor: Buffer.from('9000,0,0').toString('base64url') }, /is no cursor of this table/);
  await refused({ step: -1 }, /step must be a whole number from 0, not -1/);
});
