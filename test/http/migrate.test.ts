import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import test from 'ava';
import pg from 'pg';
import { migrate } from '../../src/platform/postgres/migrate.ts';
import { createDatabase, dropDatabase } from '../world/database.ts';
import { type TestDatabase, testDatabase } from '../world.ts';

let world: TestDatabase;
test.before(async () => {
  world = await testDatabase(2);
});
test.after.always(() => world.close());

async function query(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}

let count = 0;
/** An empty database on the test server, and a folder for migrations. */
async function empty(t: { teardown(f: () => Promise<void>): void }, files: Record<string, string>) {
  const number = ++count;
  const url = new URL(world.url);
  const name = `${url.pathname.slice(1)}_${number}`;
  await createDatabase(world.url, name);
  t.teardown(() => dropDatabase(world.url, name));
  url.pathname = `/${name}`;
  const folder = join(world.folder, String(number));
  await mkdir(folder);
  const write = async (changed: Record<string, string>) => {
    for (const [file, text] of Object.entries(changed)) await writeFile(join(folder, file), text);
  };
  await write(files);
  return { url: url.href, write, run: () => migrate(url.href, { folder: pathToFileURL(`${folder}/`) }) };
}

test('four processes migrating an empty database concurrently apply each file once, in order of name', async (t) => {
  const { url, run } = await empty(t, {
    '0002_more.sql': `insert into first values (2);`,
    '0001_first.sql': 'create table first (n int); insert into first values (1);',
    'README.md': 'not sql',
  });
  const applied = await Promise.all([run(), run(), run(), run()]);
  t.deepEqual(applied.map((names) => names.length).sort(), [0, 0, 0, 2]);
  t.deepEqual(applied.flat(), ['0001_first.sql', '0002_more.sql']);
  t.deepEqual(await query(url, 'select n from first order by n'), [{ n: 1 }, { n: 2 }]);
  t.deepEqual(await run(), []);
});

test("one call creates the platform's tables and those of the queue", async (t) => {
  const { url } = await empty(t, {});
  const names = await migrate(url);
  t.true(names.length > 0);
  t.deepEqual(
    await query(url, 'select name from migrations order by name'),
    names.map((name) => ({ name })),
  );
  t.deepEqual(
    await query(url, `select to_regprocedure('graphile_worker.force_unlock_workers(text[])') is not null as ok`),
    [{ ok: true }],
  );
});

test('a migration changed after it was applied is refused by name, and no later file is applied', async (t) => {
  const { url, run, write } = await empty(t, { '0001_first.sql': 'create table first (n int);' });
  await run();
  await write({ '0001_first.sql': 'create table first (n bigint);', '0002_next.sql': 'create table next (n int);' });
  const error = await t.throwsAsync(run());
  t.regex(
    error!.message,
    /^Migration 0001_first\.sql was changed after it was applied \(was [0-9a-f]{8}, is [0-9a-f]{8}\)\.$/,
  );
  t.deepEqual(await query(url, `select to_regclass('next') as next`), [{ next: null }]);
});

const MISTAKES: [string, string, string][] = [
  [
    'a name that does not exist',
    '-- one\ncreate table t (n int);\nselect\n  oops from t;',
    '0001.sql:4: column "oops" does not exist',
  ],
  [
    'a statement that does not parse',
    'create table t (n int);\n\ncreat table u ();',
    '0001.sql:3: syntax error at or near "creat"',
  ],
  [
    'a statement that cannot be carried out',
    `create table t (n int); -- a comment; with a semicolon\ndo $x$ begin perform 1; end $x$;\n/* and\n; */\ninsert into t values (';');`,
    '0001.sql:5: invalid input syntax for type integer: ";"',
  ],
  [
    'a table that is there already',
    `create table t (n text default 'a;b''c');\n\ncomment on table t is '--';\n-- again\ncreate table\n  t (n int);`,
    '0001.sql:5: relation "t" already exists',
  ],
];
for (const [what, text, message] of MISTAKES) {
  test(`the error names file and line for ${what}, and the file is rolled back`, async (t) => {
    const { url, run, write } = await empty(t, { '0001.sql': text });
    await t.throwsAsync(run(), { message });
    t.deepEqual(await query(url, `select to_regclass('t') as t, (select count(*)::int from migrations) as applied`), [
      { t: null, applied: 0 },
    ]);
    await write({ '0001.sql': 'create table t (n int);' });
    t.deepEqual(await run(), ['0001.sql']);
  });
}
