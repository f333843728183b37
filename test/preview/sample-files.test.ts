import { existsSync } from 'node:fs';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { openFile } from '../../src/files/main.ts';
import { type PreviewData, series, statistics, table, valuesAt } from '../../src/files/preview.ts';
import { go } from './made.ts';
import * as figures from './sample-figures.ts';

/** Real files of other programs, which are no part of this repository. */
const folder = '/work/shared/data/dfs';
const present = existsSync(folder);
if (!present) console.warn(`SKIPPED: the sample files in ${folder} are absent, so tests on them do not run.`);
const sample = (name: string, run: (t: ExecutionContext, data: PreviewData) => Promise<void>) =>
  (present ? test : test.skip)(`${name} has the values that another program reads`, async (t) => {
    await using file = await openFile(join(folder, name));
    await run(t, file.data as PreviewData);
  });

/** Singles as the figures have them, with nine digits. */
function near(t: ExecutionContext, actual: readonly unknown[], wanted: readonly unknown[]): void {
  t.is(actual.length, wanted.length);
  for (const [n, one] of wanted.entries()) {
    const own = actual[n];
    if (typeof one !== 'number' || typeof own !== 'number') t.is(own, one, `${n}`);
    else t.true(Math.abs(own - one) <= 1e-7 * Math.max(1e-3, Math.abs(one)), `${n}: ${own} instead of ${one}`);
  }
}

/** Values of an item at places: for each place those of the last steps. */
async function valuesOf(data: PreviewData, item: string, rows: readonly (readonly unknown[])[], more: object = {}) {
  const points = rows.map(([x, y]) => [x, y] as [number, number]);
  const answer = await valuesAt(data, { points, items: [item], ...more }, go);
  return answer.kind === 'steps' ? answer.points.map(({ values }) => values[0]!) : [];
}

sample('gebco_sound.dfs2', async (t, data) => {
  near(
    t,
    (await valuesOf(data, '0', figures.sound)).flat(),
    figures.sound.map(([, , value]) => value),
  );
  const { first, last, std, count, empty, min, max, mean } = figures.soundStatistics;
  const found = await statistics(data, { item: 'Elevation' }, go);
  near(
    t,
    [found.count, found.empty, found.min, found.max, found.mean, found.standardDeviation],
    [count, empty, min, max, mean, std],
  );
  const { counts } = found.histogram!;
  near(t, [...counts.slice(0, 5), ...counts.slice(-5)], [...first, ...last]);
});

sample('europe_wind_long_lat.dfs2', async (t, data) => {
  near(
    t,
    (await valuesOf(data, '1', figures.wind)).flat(),
    figures.wind.map(([, , value]) => value),
  );
});

for (const [name, item, rows, of] of [
  ['HD2D.dfsu', 'U velocity', figures.elements2D, figures.elements2DStatistics],
  ['OresundHD.dfsu', 'Current speed', figures.oresund, figures.oresundStatistics],
] as const)
  sample(name, async (t, data) => {
    near(
      t,
      (await valuesOf(data, item, rows)).flatMap((own) => own.slice(-3)),
      rows.flatMap((row) => row.slice(3)),
    );
    const found = await statistics(data, { item }, go);
    near(
      t,
      [found.count, found.min, found.max, found.mean, found.standardDeviation],
      [of.count, of.min, of.max, of.mean, of.std],
    );
    t.deepEqual(found.histogram!.counts.slice(0, 4), [...of.hist]);
    // The table has the elements by their number.
    for (const [, , element, ...values] of rows) {
      const cursor = Buffer.from(`${element! - 1},0,0`).toString('base64url');
      t.is((await table(data, { cursor, limit: 1 }, go)).rows[0]![0], element!);
      t.is(values.length, 3);
    }
  });

sample('OdenseHD3D.dfsu', async (t, data) => {
  const last = async (layer: number) =>
    (await valuesOf(data, 'Temperature', figures.odense, { layer })).map((own) => own.at(-1));
  near(
    t,
    await last(6),
    figures.odense.map(([, , value]) => value),
  );
  near(
    t,
    await last(5),
    figures.odense.map(([, , , below]) => below),
  );
  const found = await statistics(data, { item: 'Temperature' }, go);
  const { count, min, max, mean, std } = figures.odenseStatistics;
  near(t, [found.count, found.min, found.max, found.mean, found.standardDeviation], [count, min, max, mean, std]);
});

for (const [name, item, of] of [
  ['random.dfs0', '0', figures.random],
  ['da_diagnostic.dfs0', '2', figures.diagnostic],
] as const)
  sample(name, async (t, data) => {
    const { items } = await series(data, { items: [item], points: of.points }, go);
    t.deepEqual('times' in items[0]!.time && items[0]!.time.times, [...of.times]);
    near(t, items[0]!.values, of.values);
    const found = await statistics(data, { item }, go);
    near(
      t,
      [found.count, found.min, found.max, found.mean, found.standardDeviation],
      [of.count, of.min, of.max, of.mean, of.std],
    );
    for (const [row, ...values] of of.rows) {
      const cursor = Buffer.from(`${row},0,0`).toString('base64url');
      near(t, (await table(data, { cursor, limit: 1 }, go)).rows[0]!.slice(1), values);
    }
  });
