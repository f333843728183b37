import test from 'ava';
import pg from 'pg';
import { statementsOf } from '../world/statements.ts';
import { newProject } from '../world/transfers.ts';
import { world } from '../world.ts';

const w = world(test);

test.serial('a read by id is one prepared statement for every caller and id, with each value sent once', async (t) => {
  const owner = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const reader = await w.account({ tenantId: owner.tenantId, role: 'Member' });
  const ids = [
    await newProject(w.as(owner), 'one', [{ user: reader, role: 'Reader' }]),
    await newProject(w.as(owner), 'two'),
  ];
  const clients = [w.as(owner), w.as(reader)];
  for (const client of clients) await client.get(`/api/metadata/project/${ids[0]}`);
  const statements = await statementsOf(/projects/, async () => {
    for (const client of clients) for (const id of ids) await client.get(`/api/metadata/project/${id}`);
  });
  t.is(statements.length, 4);
  t.is(new Set(statements.map(({ text }) => text)).size, 1);
  const { text, values } = statements[0]!;
  const numbers = [...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number));
  t.is(Math.max(...numbers), values.length);
  t.false(text.includes(ids[0]!));
});

test.serial('a prepared read without a database is 503 with Retry-After', async (t) => {
  const owner = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const id = await newProject(w.as(owner), 'locked');
  const other = new pg.Client({ connectionString: w.url });
  await other.connect();
  t.teardown(() => other.end());
  await other.query('begin; lock table projects');
  const waiting = w.as(owner).get(`/api/metadata/project/${id}`);
  const pid = async () =>
    (
      await w.sql<{ pid: number }>(
        `select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
    )[0]?.pid;
  let found = await pid();
  while (found === undefined) found = await pid();
  await w.sql('select pg_terminate_backend($1)', [found]);
  const answer = await waiting;
  t.is(answer.status, 503);
  t.truthy(answer.headers['retry-after']);
  await other.query('rollback');
});

test.serial('a prepared read survives a migration of its table and broken connections', async (t) => {
  const owner = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
  const id = await newProject(w.as(owner), 'stays');
  // made before connections break: making one asks the database, too
  const headers = { authorization: `Bearer ${await w.tokenOf(owner)}` };
  const read = async () => (await w.app.inject({ url: `/api/metadata/project/${id}`, headers })).statusCode;
  t.is(await read(), 200);
  await w.sql(`alter table projects alter column created_at type timestamptz(3)`);
  t.is(await read(), 200);
  const broken = await w.sql(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and application_name = $1 and pid <> pg_backend_pid()`,
    ['platform'],
  );
  t.true(broken.length > 0);
  // a process that had not noticed the end of its connection reports a temporary outage
  let status = await read();
  while (status === 503) status = await read();
  t.is(status, 200);
});
