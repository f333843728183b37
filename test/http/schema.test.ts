import { readFile } from 'node:fs/promises';
import test from 'ava';
import { describeSchema, SCHEMA } from '../world/schema.ts';
import { world } from '../world.ts';

const w = world(test);

test('sql/schema.sql shows the tables as the migrations make them', async (t) => {
  t.is(await readFile(SCHEMA, 'utf8'), await describeSchema(w.url), 'Run `npm run schema`.');
});
