import test from 'ava';
import type { Series } from '../../src/files/data/series.ts';
import { ConversionError, RequestError } from '../../src/files/errors.ts';
import { csvOf, series, seriesTable } from '../../src/files/preview.ts';
import { flatMesh } from '../formats/meshes.ts';
import { go, hours, level, seriesOf, start } from './made.ts';

test('a short series has all of its values, and nulls for gaps', async (t) => {
  const data = seriesOf(
    [
      { name: 'level', unit: 'm', type: 'Float32', nodata: -1e-35 },
      { name: 'flow', type: 'Float64', valueKind: 'meanStepBackward' },
    ],
    [Float32Array.of(0.1, -1e-35, 0.3), Float64Array.of(1, 2, Number.NaN)],
    hours(3, start),
  );
  const times = ['2026-01-01T00:00:00', '2026-01-01T01:00:00', '2026-01-01T02:00:00'];
  const answer = await series(data, {}, go);
  t.deepEqual(answer, {
    rows: 3,
    items: [
      { id: '0', name: 'level', unit: 'm', time: { times }, values: [0.1, null, 0.3] },
      { id: '1', name: 'flow', valueKind: 'meanStepBackward', time: { times }, values: [1, 2, null] },
    ],
  });
  t.is(
    (await csvOf(seriesTable(answer))).toString(),
    'time,level [m],flow\r\n2026-01-01T00:00:00,0.1,1\r\n2026-01-01T01:00:00,,2\r\n2026-01-01T02:00:00,0.3,\r\n',
  );
  const part = await series(data, { items: ['flow'], from: '2026-01-01T01:00:00', to: '2026-01-01T01:00:00' }, go);
  t.deepEqual(part.items[0]!.values, [2]);
  t.is((await series(data, { from: '2027-01-01' }, go)).rows, 0);
});

/** The least and greatest value of each of `pixels` intervals of the axis, and the ends. */
function extremesOf(values: readonly number[], pixels: number): number[] {
  const rows = new Set([0, values.length - 1]);
  const pixel = (n: number) => Math.min(pixels - 1, Math.floor((n / (values.length - 1)) * pixels));
  for (let first = 0; first < values.length; ) {
    let end = first;
    while (end < values.length && pixel(end) === pixel(first)) end++;
    const part = values.slice(first, end);
    rows.add(first + part.indexOf(Math.min(...part)));
    rows.add(first + part.indexOf(Math.max(...part)));
    first = end;
  }
  return [...rows].sort((one, other) => one - other);
}

test('a long series has the least and the greatest value of each pixel at their own times, and both ends', async (t) => {
  const values = Array.from({ length: 10_007 }, (_, n) => Math.sin(n / 50) * 10 + ((n * 7919) % 101) / 7);
  const data = seriesOf([level], [Float64Array.from(values)], hours(values.length), { chunk: 977 });
  const { items, rows } = await series(data, { points: 202 }, go);
  const kept = extremesOf(values, 100);
  t.is(rows, values.length);
  t.true(kept.length <= 202);
  t.deepEqual(items[0]!.time, { offsets: kept, unit: 'hour' });
  t.deepEqual(
    items[0]!.values,
    kept.map((row) => values[row]!),
  );
});

test('a pixel of a long series without any value is a gap', async (t) => {
  const values = Float64Array.from({ length: 1000 }, (_, n) => ((n >= 300 && n < 500) || n === 700 ? Number.NaN : n));
  const { items } = await series(seriesOf([level], [values], hours(1000), { chunk: 64 }), { points: 22 }, go);
  const [item] = items;
  const offsets = 'offsets' in item!.time ? item!.time.offsets : [];
  t.deepEqual(
    offsets.filter((_, n) => item!.values[n] === null),
    [300, 400],
  );
  t.is(item!.values[0], 0);
  t.is(item!.values.at(-1), 999);
});

test('integers of 64 bits are exact, those beyond 2^53 are text', async (t) => {
  const count = 5000;
  const big = 2n ** 60n;
  const values = BigInt64Array.from({ length: count }, (_, n) => (n === 7 ? -1n : big + BigInt((n * 31) % count)));
  const item = { name: 'volume', type: 'Float64', integer64: 'Int64', nodata: -1 } as const;
  const data = seriesOf([item], [values], hours(count));
  const { items } = await series(data, { points: 10 }, go);
  const found = items[0]!.values;
  t.true(found.includes(String(big + 4999n)) && found.includes(String(big)));
  const few = await series(data, { from: '6', to: '8' }, go);
  t.deepEqual(few.items[0]!.values, [String(big + 186n), null, String(big + 248n)]);
});

test('a million values are read once, in chunks, in memory that does not grow', async (t) => {
  const count = 1_000_000;
  let read = 0;
  const data: Series = {
    kind: 'series',
    items: [level],
    time: hours(count, start),
    async *chunks() {
      for (let firstStep = 0; firstStep < count; firstStep += 10_000) {
        read++;
        const offsets = Float64Array.from({ length: 10_000 }, (_, n) => firstStep + n);
        yield { firstStep, offsets, values: [offsets.map((one) => (one === 654_321 ? 1e9 : Math.sin(one)))] };
      }
    },
  };
  const { items, rows } = await series(data, {}, go);
  t.is(rows, count);
  t.is(read, 100);
  t.true(items[0]!.values.length <= 2000 && items[0]!.values.includes(1e9));
  const at = items[0]!.values.indexOf(1e9);
  t.is(
    'times' in items[0]!.time && items[0]!.time.times[at],
    new Date(start + 654_321 * 3_600_000).toISOString().slice(0, 19),
  );
});

test('of a series whose times come with its values, the interval is found by a first pass', async (t) => {
  const offsets = Float64Array.from({ length: 3000 }, (_, n) => 100 + n * n);
  const data = seriesOf([level], [offsets.map(Math.sqrt)], { spacing: 'pulled', unit: 'second', start }, { offsets });
  const { items, rows } = await series(data, { points: 100 }, go);
  t.is(rows, 3000);
  t.true(items[0]!.values.length <= 100);
  t.is(items[0]!.values[0], 10);
  t.is(items[0]!.values.at(-1), Math.sqrt(100 + 2999 ** 2));
});

test('wrong requests of series are told with the value', async (t) => {
  const data = seriesOf([level, level], [Float64Array.of(1), Float64Array.of(1)], hours(1, start));
  const refused = async (more: object, message: RegExp) =>
    t.throwsAsync(series(data, more, go), { instanceOf: RequestError, message });
  await refused({ points: 3 }, /points must be a whole number from 4 to 20000, not 3/);
  await refused({ items: ['level'] }, /2 items are named 'level'. Name one of them by its id: 0, 1/);
  await refused({ items: ['2'] }, /There is no item 2/);
  await refused({ to: '1.5' }, /to is '1.5', which is no time/);
  await t.throwsAsync(series(flatMesh(), {}, go), {
    instanceOf: ConversionError,
    message: /holds meshes, which have no series over time/,
  });
});
