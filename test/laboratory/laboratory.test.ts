import test from 'ava';
import { Bench } from './bench.ts';
import { examine, pairs } from './laboratory.ts';
import type { Row } from './properties.ts';
import { readPage, readPublished, withTables } from './publish.ts';

test('the tables of the guide are those of the published results', async (t) => {
  const page = await readPage();
  t.is(withTables(page, await readPublished()), page, 'Run npm run laboratory -- --publish.');
});

test('each pair of reader and writer keeps, names or refuses what the guide says', async (t) => {
  await using bench = await Bench.open();
  const rows: Row[] = [];
  const differences: string[] = [];
  for await (const some of examine(bench, pairs(), (one) => differences.push(one))) rows.push(...some);
  t.deepEqual(differences, [], 'the header tells the losses of the receipt');
  const lines = (list: readonly Row[]) =>
    list.map(({ reader, writer, property, result }) => `${reader} ${writer} ${property} ${result}`);
  t.true(rows.every(({ result, sentence = '' }) => result === 'kept' || result === 'silent' || sentence !== ''));
  t.deepEqual(lines(rows), lines(await readPublished()), 'Run npm run laboratory -- --publish.');
});
