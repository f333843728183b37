import test from 'ava';
import type { MultiArray } from '../../src/files/data/multi-array.ts';
import { RequestError } from '../../src/files/errors.ts';
import { csvOf, statistics, statisticsTable } from '../../src/files/preview.ts';
import { flatMesh, layeredMesh, value } from '../formats/meshes.ts';
import { featuresOf, go, heights, hours, level, seriesOf, stored } from './made.ts';

test('statistics of a grid are those of the physical values of a step and a layer', async (t) => {
  const values = Array.from({ length: 8000 }, (_, cell) => stored(3, 1, cell))
    .filter((one) => one !== -99)
    .map((one) => one * -0.5 + 3);
  const mean = values.reduce((sum, one) => sum + one, 0) / values.length;
  const deviation = Math.sqrt(values.reduce((sum, one) => sum + (one - mean) ** 2, 0) / values.length);
  const [min, max] = [Math.min(...values), Math.max(...values)];
  const counts = Array.from({ length: 64 }, () => 0);
  for (const one of values) counts[Math.min(63, Math.floor(((one - min) / (max - min)) * 64))]!++;
  const answer = await statistics(heights, { step: 3 }, go);
  t.deepEqual(
    { ...answer, mean: undefined, standardDeviation: undefined },
    {
      item: { id: '0', name: 'height', unit: 'm' },
      step: 3,
      layer: 1,
      count: values.length,
      empty: 8000 - values.length,
      min,
      max,
      mean: undefined,
      standardDeviation: undefined,
      histogram: { from: min, to: max, counts },
    },
  );
  t.true(Math.abs(answer.mean! - mean) < 1e-9 && Math.abs(answer.standardDeviation! - deviation) < 1e-9);
  const csv = (await csvOf(statisticsTable(answer))).toString().split('\r\n');
  t.deepEqual(csv.slice(0, 3), ['figure,from [m],to [m],text,value', 'count,,,,7200', 'empty,,,,800']);
  t.is(csv.length, 1 + 6 + 64 + 1);
  await t.throwsAsync(statistics(heights, { step: 7 }, go), {
    instanceOf: RequestError,
    message: /There is no step 7/,
  });
});

test('statistics without a value, and of equal values', async (t) => {
  const of = (values: number[]) =>
    statistics(seriesOf([level], [Float64Array.from(values)], hours(values.length)), {}, go);
  t.deepEqual(await of([Number.NaN]), { item: { id: '0', name: 'level', unit: 'm' }, count: 0, empty: 1 });
  const equal = await of([5, 5, Number.NaN]);
  t.is(equal.standardDeviation, 0);
  t.deepEqual(equal.histogram, { from: 5, to: 5, counts: [2, ...Array.from({ length: 63 }, () => 0)] });
});

test('statistics of a mesh are those of the elements of a layer', async (t) => {
  const lower = await statistics(layeredMesh(), { item: 'depth', step: 1, layer: 0 }, go);
  t.deepEqual([lower.count, lower.min, lower.max], [2, value(0, 1, 0), value(0, 1, 2)]);
  const whole = await statistics(flatMesh(), { item: 'salinity', step: 0 }, go);
  t.deepEqual(
    [whole.count, whole.min, whole.max, whole.mean],
    [8, value(2, 0, 0), value(2, 0, 7), value(2, 0, 0) + 3.5],
  );
});

test('statistics of a large array are read in blocks', async (t) => {
  const shape = [3, 700, 800];
  const read: number[] = [];
  const array: MultiArray = {
    kind: 'array',
    axes: shape.map((length, n) => ({ name: `d${n}`, values: new Float64Array(length) })),
    items: [{ name: 'a', type: 'Float64', axes: [0, 1, 2], overTime: false }],
    async read(_item, _step, [z, y, x], [nz, ny, nx]) {
      read.push(nz! * ny! * nx!);
      return Float64Array.from(
        { length: nz! * ny! * nx! },
        (_, n) => z! * 1e6 + (y! + Math.floor(n / nx!)) * 800 + x! + (n % nx!),
      );
    },
  };
  const { count, min, max, mean } = await statistics(array, { layer: 1 }, go);
  t.deepEqual([count, min, max, mean], [560_000, 1e6, 1e6 + 559_999, 1e6 + 559_999 / 2]);
  t.true(Math.max(...read) <= 1 << 18, read.join());
});

test('statistics of fields: numbers as of items, of texts the twenty most frequent', async (t) => {
  const rows = Array.from({ length: 1000 }, (_, n) => ({
    place: [0, 0] as const,
    values: [
      n === 5 ? null : n,
      `name ${Math.floor(Math.sqrt(n))}`,
      n % 3 === 0,
      `2026-01-${String((n % 28) + 1).padStart(2, '0')}`,
    ],
  }));
  const data = featuresOf(
    [
      { name: 'n', type: 'integer' },
      { name: 'name', type: 'string' },
      { name: 'third', type: 'boolean' },
      { name: 'day', type: 'date' },
    ],
    rows,
    64,
  );
  const n = await statistics(data, { item: 'n' }, go);
  t.deepEqual([n.count, n.empty, n.min, n.max], [999, 1, 0, 999]);
  t.is(
    n.histogram!.counts.reduce((sum, one) => sum + one, 0),
    999,
  );
  const { frequent } = await statistics(data, { item: 'name' }, go);
  t.is(frequent!.length, 20);
  t.deepEqual(frequent!.slice(0, 2), [
    { value: 'name 30', count: 61 },
    { value: 'name 29', count: 59 },
  ]);
  t.deepEqual((await statistics(data, { item: 'third' }, go)).frequent, [
    { value: false, count: 666 },
    { value: true, count: 334 },
  ]);
  const day = await statistics(data, { item: 'day' }, go);
  t.deepEqual([day.min, day.max], ['2026-01-01', '2026-01-28']);
});

test('of more different texts than are counted at once, the most frequent have exact counts', async (t) => {
  const rows = Array.from({ length: 60_000 }, (_, n) => ({
    place: [0, 0] as const,
    values: [n > 40_000 && n % 4 === 0 ? 'often' : n % 100 === 1 ? 'sometimes' : `${n}`],
  }));
  const { frequent } = await statistics(featuresOf([{ name: 'name', type: 'string' }], rows, 1000), {}, go);
  t.deepEqual(frequent!.slice(0, 2), [
    { value: 'often', count: 4999 },
    { value: 'sometimes', count: 600 },
  ]);
});
