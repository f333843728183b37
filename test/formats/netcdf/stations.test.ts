import test from 'ava';
import type { Series, SeriesItem } from '../../../src/files/data/series.ts';
import { read } from '../read.ts';
import { written } from '../written.ts';
import { dataOf } from '../zarr/whole.ts';

const level: Omit<SeriesItem, 'name' | 'position'> = {
  type: 'Float32',
  nodata: -1e-35,
  eum: { item: 100000, unit: 1000 },
  unit: 'm',
  valueKind: 'instantaneous',
};
const rain: typeof level = {
  type: 'Float64',
  nodata: Number.NaN,
  eum: { item: 100004, unit: 1002 },
  unit: 'mm',
  valueKind: 'stepAccumulated',
};
const steps = 70_000;

/** Item n has the value 100,000 · n + step. */
const seriesOf = (items: SeriesItem[], more: Partial<Series> = {}): Series => ({
  kind: 'series',
  crs: { authority: 'EPSG', code: 4326 },
  items,
  time: { spacing: 'equidistant', unit: 'minute', start: Date.UTC(2024, 0, 1), count: steps, offset: 0, interval: 5 },
  async *chunks() {
    for (let firstStep = 0; firstStep < steps; firstStep += 30_000) {
      const length = Math.min(30_000, steps - firstStep);
      yield {
        firstStep,
        offsets: Float64Array.from({ length }, (_, k) => 5 * (firstStep + k)),
        values: items.map(({ type }, n) => {
          const values = Float64Array.from({ length }, (_, k) => 100_000 * n + firstStep + k);
          return type === 'Float32' ? Float32Array.from(values) : values;
        }),
      };
    }
  },
  ...more,
});

const three = seriesOf([
  { ...level, name: 'Elbe, Hamburg, Level', position: [9.97, 53.54, -2] },
  { ...level, name: 'Øresund, Level', position: [12.6, 55.7, 1] },
  { ...rain, name: 'Øresund, Rain', position: [12.6, 55.7, 1] },
]);

async function all({ chunks, origin: _, ...rest }: Series): Promise<unknown> {
  const columns = rest.items.map((): number[] => []);
  for await (const { values } of chunks())
    for (const [n, column] of columns.entries()) for (const value of values[n]!) column.push(Number(value));
  return { ...rest, columns };
}

/** The classic format, whose description counts no more. */
const undescribed = (content: Buffer): Buffer =>
  Buffer.from(
    content.toString('latin1').replace('{"version":1,"kind":"series"', '{"version":9,"kind":"series"'),
    'latin1',
  );

for (const parameters of [{}, { Version: '3' }])
  test(`series with places come back from a ragged array: ${JSON.stringify(parameters)}`, async (t) => {
    const { content, lost } = await written(t, three, 'NetCdfWriter', parameters);
    t.deepEqual(await all((await dataOf(t, 'NetCdfReader', content)) as Series), await all(three));
    t.deepEqual(lost, []);
    const { offsets } = { offsets: Float64Array.from({ length: steps }, (_, n) => n * n) };
    const uneven = seriesOf([...three.items], {
      time: { spacing: 'nonEquidistant', unit: 'second', start: 0, offsets },
    });
    const other = (await written(t, uneven, 'NetCdfWriter', parameters)).content;
    t.deepEqual(await all((await dataOf(t, 'NetCdfReader', other)) as Series), await all(uneven));
  });

test('a ragged array has stations, their places and a variable for each quantity', async (t) => {
  const { content } = await written(t, three, 'NetCdfWriter', { Version: '3' });
  const { data } = await read(t, 'series', 'NetCdfReader', undescribed(content));
  t.deepEqual(
    data.items.map(({ name, position, eum }) => [name, position, eum?.item]),
    [
      ['Elbe, Hamburg, Level', [9.97, 53.54, -2], 100000],
      ['Øresund, Level', [12.6, 55.7, 1], 100000],
      ['Elbe, Hamburg, Rain', [9.97, 53.54, -2], 100004],
      ['Øresund, Rain', [12.6, 55.7, 1], 100004],
    ],
  );
  const { columns } = (await all(data)) as { columns: number[][] };
  t.is(columns[0]![steps - 1], steps - 1);
  t.is(columns[1]![1], Math.fround(100_001));
  t.true(columns[2]!.every(Number.isNaN));
  t.is(columns[3]![steps - 1], 200_000 + steps - 1);
});

test('items of one quantity at several places are stations', async (t) => {
  const gauges = seriesOf(
    ['North', 'South'].map((name, n) => ({ ...level, name, position: [500_000 + n, 6_000_000] })),
    { crs: { authority: 'EPSG', code: 25832 } },
  );
  const { content } = await written(t, gauges, 'NetCdfWriter', { Version: '3' });
  const { data } = await read(t, 'series', 'NetCdfReader', undescribed(content));
  t.deepEqual(
    data.items.map(({ name, position }) => [name, position]),
    [
      ['North', [500_000, 6_000_000]],
      ['South', [500_001, 6_000_000]],
    ],
  );
  t.is(data.crs?.code, 25832);
});

test('quantities that differ in a value for gaps that is no finite number are variables of their own', async (t) => {
  const gaps = seriesOf(
    [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].map((nodata, n) => ({
      ...level,
      nodata,
      name: `Gauge ${n}`,
      position: [9 + n, 54],
    })),
  );
  const { content } = await written(t, gaps, 'NetCdfWriter', { Version: '3' });
  const { data } = await read(t, 'series', 'NetCdfReader', undescribed(content));
  t.is(data.items.length, 4, 'two variables at each of two stations');
});

test('one station without steps is written and comes back', async (t) => {
  const none = seriesOf([{ ...level, name: 'Gauge', position: [9, 54] }], {
    time: { spacing: 'equidistant', unit: 'minute', start: Date.UTC(2024, 0, 1), count: 0, offset: 0, interval: 5 },
    async *chunks() {},
  });
  for (const parameters of [{}, { Version: '3' }]) {
    const { content } = await written(t, none, 'NetCdfWriter', parameters);
    t.deepEqual(await all((await dataOf(t, 'NetCdfReader', content)) as Series), await all(none));
  }
});
