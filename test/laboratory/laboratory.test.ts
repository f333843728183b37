import test from 'ava';
import { LONG } from '../reliability/flags.ts';
import { Bench } from './bench.ts';
import { examine, pairs } from './laboratory.ts';
import type { Row } from './properties.ts';
import { readPage, readPublished, withTables } from './publish.ts';

/** A usual run examines every fourth pair, others each day; `LABORATORY_PART=n` those of an earlier run, CRASH_TEST=long all. */
const PARTS = 4;
const PART = Number(process.env.LABORATORY_PART ?? Math.floor(Date.now() / 86_400_000) % PARTS);

test('the tables of the guide are those of the published results', async (t) => {
  const page = await readPage();
  t.is(withTables(page, await readPublished()), page, 'Run npm run laboratory -- --publish.');
});

test(`a share of the pairs of reader and writer keeps, names or refuses what the guide says (part ${PART})`, async (t) => {
  await using bench = await Bench.open();
  const chosen = pairs().filter((_, n) => LONG || n % PARTS === PART);
  const rows: Row[] = [];
  const differences: string[] = [];
  for await (const some of examine(bench, chosen, (one) => differences.push(one))) rows.push(...some);
  t.deepEqual(differences, [], 'the header tells the losses of the receipt');
  const names = new Set(chosen.map(({ reader, writer }) => `${reader.name} ${writer.name}`));
  const lines = (list: readonly Row[]) =>
    list
      .filter(({ reader, writer }) => names.has(`${reader} ${writer}`))
      .map(({ reader, writer, property, result }) => `${reader} ${writer} ${property} ${result}`);
  t.true(rows.every(({ result, sentence = '' }) => result === 'kept' || result === 'silent' || sentence !== ''));
  t.deepEqual(lines(rows), lines(await readPublished()), 'Run npm run laboratory -- --publish.');
});

test('the published results are of pairs that there are', async (t) => {
  const known = new Set(pairs().map(({ reader, writer }) => `${reader.name} ${writer.name}`));
  const published = await readPublished();
  t.true(published.length > 1000);
  t.deepEqual(
    published.filter(({ reader, writer }) => !known.has(`${reader} ${writer}`)),
    [],
  );
});
