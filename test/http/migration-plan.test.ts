import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import test from 'ava';
import pg from 'pg';
import { migrate } from '../../src/platform/postgres/migrate.ts';
import { planMigration } from '../../src/platform/postgres/plan.ts';
import { createDatabase, dropDatabase } from '../world/database.ts';
import { type TestDatabase, testDatabase } from '../world.ts';

let world: TestDatabase;
test.before(async () => {
  world = await testDatabase(2);
});
test.after.always(() => world.close());

let count = 0;
/** A database with these files applied, and a folder for further ones. */
async function migrated(t: { teardown(work: () => Promise<void>): void }, files: Record<string, string>) {
  const address = new URL(world.url);
  const name = `${address.pathname.slice(1)}_plan_${++count}`;
  await createDatabase(world.url, name);
  t.teardown(() => dropDatabase(world.url, name));
  address.pathname = `/${name}`;
  const url = address.href;
  const path = join(world.folder, name);
  for (const subfolder of ['migrations', 'functions', 'comments'])
    await mkdir(join(path, subfolder), { recursive: true });
  const write = async (more: Record<string, string>) => {
    for (const [file, text] of Object.entries(more)) await writeFile(join(path, file), text);
  };
  await write(files);
  const folder = pathToFileURL(`${path}/`);
  await migrate(url, { folder });
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  t.teardown(() => client.end());
  return { url, write, client, plan: () => planMigration(url, { folder }) };
}

/** All that a plan could change. */
const STATE = `
  select (select array_agg(m.* order by name) from migrations m)::text as migrations,
    (select array_agg(row(oid, relname, relfilenode, relnatts) order by oid) from pg_class where relnamespace = 'public'::regnamespace)::text as tables,
    (select array_agg(row(oid, proname, ctid) order by oid) from pg_proc where pronamespace = 'public'::regnamespace)::text as functions,
    (select count(*) from rivers) as rivers`;

const FIRST = {
  'migrations/0001_first.sql': 'create table rivers (id int primary key, name text); create table gauges (river int);',
  'functions/first.sql': 'create or replace function one() returns int language sql as $$ select 1 $$;',
};

test('the plan tells locks and rewrites of each file, and changes nothing', async (t) => {
  const { client, write, plan } = await migrated(t, FIRST);
  await client.query("insert into rivers select n, 'river ' || n from generate_series(1, 1000) n");
  t.deepEqual(await plan(), { files: [] });
  await write({
    'migrations/0002_column.sql': 'alter table gauges add column place text;',
    'migrations/0003_rewrite.sql': 'alter table rivers alter column id type bigint; create table new_ones (id int);',
    'migrations/0004_rows.sql': "update gauges set place = 'x'; create index gauges_place on gauges (place);",
    'functions/first.sql': 'create or replace function one() returns int language sql as $$ select 2 $$;',
  });
  const before = (await client.query(STATE)).rows;
  const { files, stopped } = await plan();
  t.is(stopped, undefined);
  for (const { duration } of files) t.true((duration ?? -1) >= 0);
  const all = 'AccessExclusiveLock';
  t.deepEqual(
    files.map(({ name, tables }) => [name, tables]),
    [
      ['0002_column.sql', [{ name: 'gauges', lock: all, stops: 'reads and writes', rewritten: false }]],
      ['0003_rewrite.sql', [{ name: 'rivers', lock: all, stops: 'reads and writes', rewritten: true }]],
      ['0004_rows.sql', []],
      ['functions/first.sql', []],
    ],
  );
  t.deepEqual((await client.query(STATE)).rows, before);
  t.is((await client.query('select one()')).rows[0].one, 1);
});

test('a table that is in use stops the plan soon, which says so', async (t) => {
  const { client, write, plan } = await migrated(t, FIRST);
  await write({
    'migrations/0002_rows.sql': 'insert into gauges values (1);',
    'migrations/0003_column.sql': 'alter table rivers add column length int;',
  });
  await client.query('begin; select from rivers');
  const { files, stopped } = await plan();
  await client.query('rollback');
  t.regex(stopped ?? '', /^Others use a table of the next file now: 0003_column\.sql:1: .*lock timeout/);
  t.deepEqual(
    files.map(({ name, tables, duration }) => [name, tables.map(({ lock }) => lock), duration === undefined]),
    [
      ['0002_rows.sql', ['RowExclusiveLock'], false],
      ['0003_column.sql', [], true],
      ['functions/first.sql', [], true],
    ],
  );
});

test('a plan that takes too long is given up; a mistake in a file is an error', async (t) => {
  const { client, write, plan } = await migrated(t, FIRST);
  await write({ 'migrations/0002_slow.sql': 'lock table rivers; select pg_sleep(60);' });
  const slow = await plan();
  t.regex(slow.stopped ?? '', /^The next file takes longer than the 3 s/);
  t.is((await client.query('select count(*) from rivers')).rowCount, 1, 'nobody holds a lock');
  await write({ 'migrations/0002_slow.sql': 'alter table nowhere add column x int;' });
  await t.throwsAsync(plan(), { message: /^0002_slow\.sql:1: relation "nowhere" does not exist/ });
});
