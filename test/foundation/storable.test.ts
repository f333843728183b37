import test from 'ava';
import { z } from 'zod';
import { type Fragment, sql } from '../../src/db.ts';
import { storableError } from '../../src/platform/text/storable.ts';
import { type TestDatabase, testDatabase } from '../world.ts';

let database: TestDatabase;
test.before(async () => {
  database = await testDatabase(2);
});
test.after.always(() => database?.close());

/** Sends a value to Postgres and returns the stored one. */
const Row = z.object({ back: z.unknown().optional() });
const back = async (query: Fragment) => (await database.db.one(sql.type(Row)`select ${query} as back`)).back;

const NUL = '\0';
const HIGH = '\ud83d';
const LOW = '\ude00';
const BAD = [NUL, HIGH, LOW, `a${NUL}b`, `${LOW}${HIGH}`, 'cut 😀'.slice(0, 5)];
const good = (text: string) => text.replaceAll(NUL, '\ufffd').toWellFormed();

test('text that Postgres refuses is stored with U+FFFD in place of NUL and of halves of surrogate pairs', async (t) => {
  for (const bad of BAD) {
    t.is(await back(sql.fragment`${bad}::text`), good(bad));
    t.deepEqual(await back(sql.fragment`${sql.array([bad, 'x', bad], 'text')}`), [good(bad), 'x', good(bad)]);
    const prepared = sql.prepared('storable', Row)`
      select array_append(${sql.array([bad, 'a "b" \\ c', 'null', ''], 'text')}, ${bad}) as back`;
    t.deepEqual((await database.db.one(prepared)).back, [good(bad), 'a "b" \\ c', 'null', '', good(bad)]);
  }
});

test('text in arrays of unnest is replaced, too', async (t) => {
  const rows = BAD.map((bad, n) => [n, bad]);
  const found = await database.db.any(
    sql.type(z.object({ n: z.number(), bad: z.string() }))`
      select * from ${sql.unnest(rows, ['int4', 'text'])} as r (n, bad) order by n`,
  );
  t.deepEqual(
    found.map(({ bad }) => bad),
    BAD.map(good),
  );
});

test('text in JSON is replaced, too: nested values, keys, JSON given as text, arrays of JSON', async (t) => {
  for (const bad of BAD) {
    const nested = { [`key ${bad}`]: [bad, { [bad]: bad, number: 7, none: null }] };
    const wanted = { [`key ${good(bad)}`]: [good(bad), { [good(bad)]: good(bad), number: 7, none: null }] };
    t.deepEqual(await back(sql.jsonb(nested)), wanted);
    t.deepEqual(await back(sql.json(nested)), wanted);
    t.deepEqual(await back(sql.fragment`${JSON.stringify(nested)}::jsonb`), wanted);
    t.deepEqual(await back(sql.fragment`${JSON.stringify(nested)}::json`), wanted);
    t.deepEqual(await back(sql.fragment`to_jsonb(${sql.array([JSON.stringify(nested)], 'jsonb')})`), [wanted]);
    const many = sql.unnest([[JSON.stringify(nested)]], ['jsonb']);
    t.deepEqual(await back(sql.fragment`(select j from ${many} as r (j))`), wanted);
  }
});

test('other values are stored unchanged', async (t) => {
  const fine = ['', '😀', '\\u0000', '\\ud83d', 'C:\\users', '\u0001\u001f', '"\\\\u0000"'];
  for (const text of fine) {
    t.is(await back(sql.fragment`${text}::text`), text);
    t.deepEqual(await back(sql.fragment`${sql.array([text], 'text')}`), [text]);
    t.deepEqual(await back(sql.jsonb({ [text]: text })), { [text]: text });
    t.deepEqual(await back(sql.fragment`${JSON.stringify([text])}::jsonb`), [text]);
  }
  // two escapes of a surrogate pair are one character
  t.is(await back(sql.fragment`${'"\\ud83d\\ude00 \\\\u0000"'}::jsonb`), '😀 \\u0000');
  t.deepEqual(await back(sql.fragment`${sql.binary(Buffer.from([0, 1]))}::bytea`), Buffer.from([0, 1]));
  t.is(await back(sql.fragment`jsonb_typeof(${sql.jsonb(null)})`), 'null');
});

test('an error keeps its kind, with storable text', (t) => {
  const error = storableError(new RangeError(`a${NUL}b`)) as Error;
  t.is(error.message, 'a\ufffdb');
  t.true(error instanceof RangeError);
  t.is(storableError('text'), 'text');
});
