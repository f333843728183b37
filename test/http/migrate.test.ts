import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
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

async function query(url: string, text: string, values: unknown[] = []): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text, values)).rows;
  } finally {
    await client.end();
  }
}

let count = 0;
interface Test {
  teardown(f: () => Promise<void>): void;
}
/** Connection string of an empty database on the test server. */
async function emptyDatabase(t: Test) {
  const url = new URL(world.url);
  const name = `${url.pathname.slice(1)}_${++count}`;
  await createDatabase(world.url, name);
  t.teardown(() => dropDatabase(world.url, name));
  url.pathname = `/${name}`;
  return url.href;
}

/** An empty database, and files of `sql/migrations/` or, if their names begin so, of `sql/functions/` and `sql/comments/`. */
async function empty(t: Test, files: Record<string, string>) {
  const url = await emptyDatabase(t);
  const folder = join(world.folder, new URL(url).pathname);
  for (const subfolder of ['migrations', 'functions', 'comments'])
    await mkdir(join(folder, subfolder), { recursive: true });
  const pathOf = (file: string) => join(folder, file.includes('/') ? '' : 'migrations', file);
  const write = async (changed: Record<string, string>) => {
    for (const [file, text] of Object.entries(changed)) await writeFile(pathOf(file), text);
  };
  await write(files);
  return {
    url,
    write,
    remove: (file: string) => rm(pathOf(file)),
    run: () => migrate(url, { folder: pathToFileURL(`${folder}/`) }),
  };
}

/** A database as the migrations before the baseline made it, up to one of them. */
async function beforeBaseline(t: Test, last = '9999') {
  const url = await emptyDatabase(t);
  const folder = join(world.folder, new URL(url).pathname);
  for (const subfolder of ['migrations', 'functions', 'comments'])
    await mkdir(join(folder, subfolder), { recursive: true });
  await migrate(url, { folder: pathToFileURL(`${folder}/`) }); // the tables of the queue
  await query(url, 'alter table migrations drop column objects');
  const file = new URL('migrations-before-baseline.json.gz', import.meta.url);
  const migrations: Record<string, string> = JSON.parse(String(gunzipSync(await readFile(file))));
  for (const [name, text] of Object.entries(migrations)) {
    if (name > last) continue;
    await query(url, text);
    const sha256 = createHash('sha256').update(text).digest('hex');
    await query(url, 'insert into migrations (name, sha256) values ($1, $2)', [name, sha256]);
  }
  return url;
}

test('four processes migrating an empty database concurrently apply each file once, in order of name', async (t) => {
  const { url, run } = await empty(t, {
    '0002_more.sql': `insert into first values (2);`,
    '0001_first.sql': 'create table first (n int); insert into first values (1);',
    'README.md': 'not sql',
    'functions/b.sql':
      'create or replace function second() returns bigint language sql as $$ select count(*) from first $$;',
  });
  const applied = await Promise.all([run(), run(), run(), run()]);
  t.deepEqual(applied.map((names) => names.length).sort(), [0, 0, 0, 3]);
  t.deepEqual(applied.flat(), ['0001_first.sql', '0002_more.sql', 'functions/b.sql']);
  t.deepEqual(await query(url, 'select n from first order by n'), [{ n: 1 }, { n: 2 }]);
  t.deepEqual(await run(), []);
});

test('one call creates the tables of the platform and of the queue', async (t) => {
  const url = await emptyDatabase(t);
  const names = await migrate(url);
  t.true(names.length > 0);
  t.deepEqual(
    await query(url, 'select name from migrations order by name collate "C"'),
    names.toSorted().map((name) => ({ name })),
  );
  t.deepEqual(
    await query(url, `select to_regprocedure('graphile_worker.force_unlock_workers(text[])') is not null as ok`),
    [{ ok: true }],
  );
});

test('an upgrade of the queue may change a column that a view uses', async (t) => {
  const url = await emptyDatabase(t);
  await migrate(url);
  // the last migration of the library is pending, and changes a column
  await query(
    url,
    `create function upgrade() returns trigger language plpgsql as $$ begin
      alter table graphile_worker._private_jobs alter payload type jsonb;
      return new;
    end $$;
    delete from graphile_worker.migrations where id = (select max(id) from graphile_worker.migrations);
    create trigger upgrade before insert on graphile_worker.migrations for each row execute function upgrade()`,
  );
  t.deepEqual(await migrate(url), ['functions/queue.sql']);
  t.deepEqual(
    await query(
      url,
      "select format_type(atttypid, -1) as type from pg_attribute where attrelid = 'queue_jobs'::regclass and attname = 'payload'",
    ),
    [{ type: 'jsonb' }],
  );
  t.deepEqual(await query(url, 'select count(*)::int from queue_tasks, queue_crontabs'), [{ count: 0 }]);
  t.deepEqual(await migrate(url), []);
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

const f = (text: string) => `create or replace function f() returns text language sql as $$ select '${text}' $$;`;
const TRIGGERED = `create or replace function g() returns trigger language plpgsql as $$ begin return null; end $$;
  create or replace trigger touched after insert on t for each row execute function g();
  create or replace view v as select n from t;`;
const OBJECTS = `
  select oid::regprocedure::text as name from pg_proc where pronamespace = 'public'::regnamespace
  union all select tgname from pg_trigger t join pg_class c on c.oid = tgrelid and relnamespace = 'public'::regnamespace
  union all select viewname from pg_views where schemaname = 'public' order by 1`;

test('functions follow their files, and functions, triggers and views that are no longer in files are dropped', async (t) => {
  const { url, run, write, remove } = await empty(t, {
    '0001.sql': 'create table t (n int); create function of_tables() returns int language sql as $$ select 1 $$;',
    'functions/a.sql': `${f('a')}\n${TRIGGERED}`,
    'functions/b.sql': 'create or replace function h() returns int language sql as $$ select 1 $$;',
  });
  const objects = async () => (await query(url, OBJECTS)).map((row) => (row as { name: string }).name);
  t.deepEqual(await run(), ['0001.sql', 'functions/a.sql', 'functions/b.sql']);
  t.deepEqual(await objects(), ['f()', 'g()', 'h()', 'of_tables()', 'touched', 'v']);
  t.deepEqual(await run(), []);

  await write({ 'functions/a.sql': f('changed') });
  t.deepEqual(await run(), ['functions/a.sql']);
  t.deepEqual(await query(url, 'select f()'), [{ f: 'changed' }]);
  t.deepEqual(await objects(), ['f()', 'h()', 'of_tables()']);

  await write({ 'functions/c.sql': f('moved') });
  await remove('functions/a.sql');
  t.deepEqual(await run(), ['functions/c.sql']);
  t.deepEqual(await query(url, 'select f()'), [{ f: 'moved' }], 'a function that moved to another file stays');

  await remove('functions/b.sql');
  t.deepEqual(await run(), []);
  t.deepEqual(await objects(), ['f()', 'of_tables()']);
});

test('comments are what their files say, after migrations too', async (t) => {
  const { url, run, write } = await empty(t, {
    '0001.sql': 'create table t (n int); create table u (n int);',
    'comments/a.sql': "comment on table t is 'old'; comment on table u is 'other';",
  });
  const comment = () => query(url, "select obj_description('t'::regclass)");
  t.deepEqual(await run(), ['0001.sql', 'comments/a.sql']);
  await write({ 'comments/a.sql': "comment on table t is 'new';", '0002.sql': 'drop table u;' });
  t.deepEqual(await run(), ['0002.sql', 'comments/a.sql']);
  t.deepEqual(await comment(), [{ obj_description: 'new' }]);
  t.deepEqual(await run(), []);
});

test('a migration and the functions that go with it are applied together or not at all', async (t) => {
  const { url, run, write } = await empty(t, { '0001.sql': 'create table t (n int);', 'functions/a.sql': f('old') });
  await run();
  await write({ '0002.sql': 'alter table t add m int; drop function f();', 'functions/b.sql': 'select\noops;' });
  await t.throwsAsync(run(), { message: 'functions/b.sql:2: column "oops" does not exist' });
  t.deepEqual(await query(url, 'select f(), to_jsonb(t) from t right join (select 1) one on true'), [
    { f: 'old', to_jsonb: null },
  ]);
  await write({ 'functions/b.sql': '' });
  t.deepEqual(await run(), ['0002.sql', 'functions/a.sql', 'functions/b.sql']);
  t.deepEqual(await query(url, 'select f(), m from t right join (select 1) one on true'), [{ f: 'old', m: null }]);
});

test('functions are replaced while a transaction that others would queue behind is open', async (t) => {
  const { url, run, write } = await empty(t, {
    '0001.sql': 'create table t (n int);',
    'functions/a.sql': TRIGGERED,
  });
  await run();
  await write({ 'functions/a.sql': `${TRIGGERED}\n${f('new')}` });
  const busy = new pg.Client({ connectionString: url });
  await busy.connect();
  await busy.query('begin; lock table t in row exclusive mode');
  const running = run();
  let waits = 0;
  // two attempts
  for (let before = false; waits < 2; ) {
    const isWaiting =
      (await query(url, "select from pg_locks where relation = 't'::regclass and not granted")).length > 0;
    if (isWaiting && !before) waits++;
    before = isWaiting;
  }
  await busy.end();
  t.deepEqual(await running, ['functions/a.sql']);
  t.deepEqual(await query(url, 'select f()'), [{ f: 'new' }]);
});

/** Tables, columns, constraints, indexes, triggers, routines, types, sequences and rights. */
const CATALOGUE = `
  with tables as (select * from pg_class where relnamespace = 'public'::regnamespace)
  select format('%s %s %s %s %s', relname, relkind, relpersistence, reloptions, relacl) as line from tables where relkind <> 'i'
  union all
  select format('%s.%s %s %s %s %s %s %s %s %s', attrelid::regclass, attname,
    row_number() over (partition by attrelid order by attnum), format_type(atttypid, atttypmod), attnotnull, attidentity,
    attgenerated, attstorage, attcollation::regcollation, pg_get_expr(adbin, adrelid))
  from pg_attribute a join tables c on c.oid = attrelid left join pg_attrdef on adrelid = attrelid and adnum = attnum
  where relkind in ('r', 'c', 'v') and attnum > 0 and not attisdropped
  union all
  select format('%s %s %s %s %s', conrelid::regclass, conname, condeferrable, condeferred, pg_get_constraintdef(oid))
  from pg_constraint where connamespace = 'public'::regnamespace
  union all
  select indexdef from pg_indexes where schemaname in ('public', 'graphile_worker')
  union all
  select pg_get_triggerdef(t.oid) from pg_trigger t join tables c on c.oid = tgrelid where not tgisinternal
  union all
  select pg_get_functiondef(oid) from pg_proc where pronamespace = 'public'::regnamespace
  union all
  select format('%s %s', typname, format_type(typbasetype, typtypmod))
  from pg_type where typnamespace = 'public'::regnamespace and typtype = 'd'
  union all
  select format('%s %s %s', sequencename, data_type, last_value) from pg_sequences where schemaname = 'public'
  union all
  select definition from pg_views where schemaname = 'public'
  union all
  select format('%s %s', objoid::regclass, description) from pg_description
  where classoid = 'pg_class'::regclass and objoid in (select oid from tables)
  order by 1`;

const ROWS = `
  insert into tenants (id, name) values ('00000000-0000-7000-8000-000000000001', 'T');
  insert into accounts (id, password_hash) values ('Ann', '!');
  insert into projects (id, tenant_id, root_id, path, member_source_id, name, created_by, updated_by, permissions)
  select t.id, t.id, t.id, array[t.id], t.id, 'P', t.id, t.id,
    '[{"type": "Denied", "operation": "read", "principals": ["ann"]}]' from tenants t;
  insert into transfers (tenant_id, project_id, type, format, request, created_by, updated_by, account_id, memory_mb)
  select id, id, 'Import', 'file', '{}', id, id, 'Ann', 1 from tenants;
  select from tenants, credit_add(id, 10, now() + interval '1 year', 'then', 'so', 'r', 't', '', null, null, false);`;

test('a database at the last migration before the baseline is upgraded: it gets the current tables and keeps its rows', async (t) => {
  const [old, fresh] = [await beforeBaseline(t), await emptyDatabase(t)];
  await query(
    old,
    `${ROWS} update transfers set turn = 7; insert into figures values ('n', 't', 'r', 'w', 'o', 1, 2, 3)`,
  );
  const files = await migrate(fresh);
  const applied = await Promise.all([migrate(old), migrate(old), migrate(old)]);
  t.deepEqual(
    applied.flat(),
    files.filter((name) => name !== '0001_baseline.sql'),
    'one of three processes applied what came after the baseline',
  );
  await query(fresh, ROWS);
  t.deepEqual(await query(old, CATALOGUE), await query(fresh, CATALOGUE));
  t.deepEqual(await migrate(old), []);
  t.deepEqual(await query(old, 'select principal from permission_grants'), [{ principal: 'ann' }]);
  t.like(await query(old, 'select * from transfers'), [{ account_id: 'Ann', virtual_time: '7' }]);
  t.like(await query(old, 'select * from transfer_metrics'), [{ name: 'n', count: '2', sum: 3 }]);
  t.deepEqual(await query(old, 'select count::int from transfer_counts'), [{ count: 1 }]);
  t.deepEqual(await query(old, 'select pool_id, available from credit_lots'), [
    { pool_id: '00000000-0000-7000-8000-000000000001', available: '10.000000' },
  ]);
});

test('a database at an earlier migration is refused, with the version that brings it on', async (t) => {
  const url = await beforeBaseline(t, '0090_endings_of_ids.sql');
  await t.throwsAsync(migrate(url), {
    message:
      'The tables of this database are too old: they are at 0090_endings_of_ids.sql, and this version needs 0098_last_login.sql. Start version 0.1.0 of the platform on the database first, then this version.',
  });
  t.deepEqual(await query(url, "select name from migrations where name = '0001_baseline.sql'"), []);
});
