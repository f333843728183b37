import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import pg from 'pg';
import { parse } from 'yaml';
import { main } from '../../cli/main.ts';
import { loadConfig } from '../../src/config.ts';
import { openDatabase } from '../../src/platform/postgres/database.ts';
import { startLocalPostgres } from '../../src/platform/postgres/local-postgres.ts';
import { migrate } from '../../src/platform/postgres/migrate.ts';
import { serve } from '../../src/server.ts';
import { person } from '../cli/person.ts';
import { createDatabase } from '../world/database.ts';
import { workHere } from '../world/worker-here.ts';
import { ownWorld } from '../world.ts';

const w = ownWorld(test);
const DENIED = '42501';

/** Runs each statement as the role of `url`. Returns the SQLSTATE of its error, or 'done'. */
async function outcomes(url: string, statements: readonly string[]): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const found = [];
  for (const statement of statements)
    found.push(
      await client.query(statement).then(
        () => 'done',
        ({ code }) => code as string,
      ),
    );
  await client.end();
  return found;
}

const FORBIDDEN = [
  "update audit set action = 'other'",
  'delete from audit',
  'truncate audit',
  'delete from credit_entries',
  'alter table audit add column note text',
  'drop table projects',
  'create table own (id int)',
  'create function own() returns int language sql as $$select 1$$',
  'create role other',
  'alter role platform_runtime superuser',
  "copy (select 1) to program 'true'",
  "select pg_read_file('postgresql.conf')",
  "update migrations set sha256 = ''",
  'create temporary table own (id int)',
];

async function rolesOf(url: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(`
    select rolname as name, rolsuper or rolcreaterole or rolcreatedb or rolbypassrls or rolreplication as mighty
    from pg_roles where rolname in ('platform_owner', 'platform_runtime') order by 1`);
  const { rows: owners } = await client.query(`
    select distinct pg_get_userbyid(owner) as name from (
      select relowner as owner from pg_class where relkind <> 'i' and relnamespace in ('public'::regnamespace, 'graphile_worker'::regnamespace)
      union all select proowner from pg_proc where pronamespace in ('public'::regnamespace, 'graphile_worker'::regnamespace)
      union all select typowner from pg_type where typnamespace in ('public'::regnamespace, 'graphile_worker'::regnamespace)
      union all select datdba from pg_database where datname = current_database()) owned`);
  await client.end();
  return { roles: rows, owners: owners.map(({ name }) => name) };
}

test('API and workers use a role that changes neither tables nor the audit trail, only adds to it', async (t) => {
  await w.administrator();
  t.deepEqual(
    await outcomes(w.runtimeUrl, FORBIDDEN.slice(0, -1)),
    FORBIDDEN.slice(1).map(() => DENIED),
  );
  t.deepEqual(await outcomes(w.runtimeUrl, ["insert into audit (action, subject) values ('test', 'x')"]), ['done']);
});

test('a data folder of a version without roles gets both, and its platform goes on', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'platform-roles-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const settings = { PLATFORM_DATA: folder, PLATFORM_PORT: '0', PLATFORM_LOG_LEVEL: 'silent' };
  // the superuser did all
  const older = await startLocalPostgres(join(folder, 'postgres'), { settings: { fsync: 'off' } });
  await migrate(older.url);
  t.deepEqual((await rolesOf(older.url)).owners, ['platform']);
  const config = loadConfig(settings);
  const opened = await Promise.all([1, 2, 3].map(() => openDatabase(config)));
  const [{ url }] = opened as [(typeof opened)[number]];
  t.is(new URL(url).username, 'platform_runtime');
  t.false(opened[0]!.ownsTables);
  t.deepEqual(await rolesOf(older.url), {
    roles: [
      { name: 'platform_owner', mighty: false },
      { name: 'platform_runtime', mighty: false },
    ],
    owners: ['platform_owner'],
  });
  t.deepEqual(
    await outcomes(url, FORBIDDEN),
    FORBIDDEN.map(() => DENIED),
  );
  t.false(url.includes(new URL(older.url).password));
  const server = await serve(config);
  t.is((await fetch(`${server.url}/health/ready`)).status, 200);
  await server.close();

  // what the services of docker-compose.yml do, on a database of the same server
  await createDatabase(older.url, 'composed');
  const at = (role: string, password: string) => {
    const to = new URL(older.url);
    Object.assign(to, { pathname: '/composed', username: role, password });
    return to.href;
  };
  const { services } = parse(await readFile(new URL('../../docker-compose.yml', import.meta.url), 'utf8'), {
    merge: true,
  });
  const passwords: Record<string, string> = { OWNER_PASSWORD: 'of-the-owner', RUNTIME_PASSWORD: 'of-the-runtime' };
  const filled = (text: string) => text.replace(/\$\{(\w+):\?[^}]*\}/g, (_, name) => passwords[name] ?? 'other');
  const admin = new pg.Client({
    connectionString: at('platform', new URL(older.url).password),
    options: filled(services.roles.environment.PGOPTIONS),
  });
  await admin.connect();
  const [script] = services.roles.volumes[0].split(':');
  for (let time = 0; time < 2; time++)
    await admin.query(await readFile(new URL(`../../${script}`, import.meta.url), 'utf8'));
  await admin.end();

  /** The environment of a service, on this server. */
  const envOf = (name: string) => {
    const env = Object.fromEntries(
      Object.entries<string>(services[name].environment).map(([key, value]) => [key, filled(String(value))]),
    );
    for (const key of ['DATABASE_URL', 'PLATFORM_DATABASE_OWNER_URL']) {
      const url = env[key]?.replace(/\[env:(\w+)\]/, (_, name) => env[name] ?? '');
      if (url !== undefined) env[key] = at(new URL(url).username, new URL(url).password);
    }
    return env;
  };
  const runtime = envOf('api').DATABASE_URL!;
  t.false('PLATFORM_DATABASE_OWNER_URL' in envOf('worker'));
  const early = await t.throwsAsync(openDatabase(loadConfig({ DATABASE_URL: runtime })));
  t.regex(early!.message, /needs an update, which its role is not allowed.*PLATFORM_DATABASE_OWNER_URL/);
  const run = async () => {
    const { io, out, err } = person(envOf('migrate'));
    return { code: await main(services.migrate.command, io), text: out() + err() };
  };
  t.regex((await run()).text, /^Applied 0001/);
  t.like(await run(), { code: 0, text: 'The database is up to date.\n' });
  t.deepEqual(
    await outcomes(runtime, FORBIDDEN),
    FORBIDDEN.map(() => DENIED),
  );
  const work = await workHere({ url: runtime, folder: join(folder, 'composed') });
  const api = await serve(loadConfig({ ...settings, DATABASE_URL: runtime, PLATFORM_DATA: join(folder, 'composed') }));
  t.is((await fetch(`${api.url}/health/ready`)).status, 200);
  await api.close();
  await work.stop();
  for (const { close } of opened) await close();
  await older.stop();
});
