import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import pg from 'pg';
import { sweep } from '../../src/transfers/queue/sweep.ts';
import { statementsOf } from '../world/statements.ts';
import { copyRequest, newProject, start, upload } from '../world/transfers.ts';
import { world } from '../world.ts';

const w = world(test);
const WAITING = 12_000;

/** Creates this number of copies of a transfer, with or without rows in the queue. */
async function multiply(id: string, count: number, differing: { transfer: string; job?: string }) {
  const columns = async (schema: string, table: string, but: string[]) => {
    const rows = await w.sql<{ name: string }>(
      `select quote_ident(column_name) as name from information_schema.columns
       where table_schema = $1 and table_name = $2 and is_generated = 'NEVER' and column_name <> all($3)`,
      [schema, table, but],
    );
    return rows.map(({ name }) => name).join(', ');
  };
  const own = ['id', 'created_at', 'status', 'finished_at', 'progress', 'error_message'];
  const transfer = await columns('public', 'transfers', own);
  const job = await columns('graphile_worker', '_private_jobs', ['id', 'key', 'payload', 'locked_by', 'locked_at']);
  const jobs = `, jobs as (
      insert into graphile_worker._private_jobs (key, payload, locked_by, locked_at, ${job})
      select fresh.id::text, json_build_object('transferId', fresh.id), ${differing.job}, ${job}
      from graphile_worker._private_jobs, fresh where key = $1)`;
  await w.sql(
    `with fresh as materialized (select gen_random_uuid() as id, n from generate_series(1, $2::int) n)
     ${differing.job === undefined ? '' : jobs}
     insert into transfers (id, created_at, status, finished_at, progress, error_message, ${transfer})
     select fresh.id, now() - n * interval '1 second', ${differing.transfer}, ${transfer} from transfers t, fresh where t.id = $1::uuid`,
    [id, count],
  );
}

/**
 * Vacuums a table until all its pages are marked visible, which the costs of index-only scans depend on. A vacuum marks
 * no page of a commit that is not yet in the log on disk, and commits of the test server do not wait for that.
 */
async function settle(table: string) {
  for (let visible = false; !visible; ) {
    await w.sql(`begin; set local synchronous_commit = on; select pg_logical_emit_message(true, 'test', ''); commit`);
    await w.sql(`vacuum analyze ${table}`);
    const [row] = await w.sql<{ visible: boolean }>(
      'select relallvisible = relpages as visible from pg_class where oid = $1::regclass',
      [table],
    );
    visible = row!.visible;
  }
}

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  Plans?: Plan[];
}
const isUuid = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f-]{36}$/.test(value);
const nodes = (plan: Plan): Plan[] => [plan, ...(plan.Plans ?? []).flatMap(nodes)];

test.serial(
  'with a long queue and history no recurring statement scans all transfers or the whole queue',
  async (t) => {
    const owner = await w.account({ tenantId: await w.tenant(), role: 'Owner' });
    const client = w.as(owner);
    const projectId = await newProject(client);
    const uploadUrl = await upload(w, client, 'words');
    const again = () => start(client, copyRequest(projectId, uploadUrl));
    const { body } = await again();
    await multiply(body.id, WAITING, { transfer: `'Pending', null, 0, null`, job: 'null, null' });
    await multiply(body.id, WAITING, { transfer: `'Completed', now(), 100, null` });
    await settle('transfers');
    await settle('graphile_worker._private_jobs');

    const read = async (path: string) => t.is((await client.get(path)).status, 200, path);
    const statements = await statementsOf(/transfers|_private_jobs/, async () => {
      t.is((await again()).status, 200);
      await sweep(w.db, { thorough: true, patience: 60_000 });
      t.is((await w.as(await w.administrator()).get('/metrics')).status, 200);
      await read('/api/conversion/transfer/list-summaries?limit=50');
      await read(`/api/conversion/transfer/${body.id}`);
    });
    t.true(statements.length > 10, String(statements.length));
    const explain = async (text: string, values: unknown[]) => {
      const [row] = await w.sql<{ 'QUERY PLAN': [{ Plan: Plan }] }>(`explain (format json) ${text}`, values);
      for (const node of nodes(row!['QUERY PLAN'][0].Plan)) {
        const whole =
          node['Node Type'] === 'Seq Scan' && ['transfers', '_private_jobs'].includes(node['Relation Name'] ?? '');
        t.false(whole, `${text} ${values}`);
      }
    };
    const samples = statements.filter(({ text }) => text.includes(' sample limit '));
    t.is(samples.length, 2);
    for (const { text, values } of statements) await explain(text, values);
    // samples start at a random id, wherever it lies among the others
    for (const { text, values } of samples)
      for (const digit of '0123456789abcdef') {
        const starting = (value: unknown) => (isUuid(value) ? `${digit}${value.slice(1)}` : value);
        await explain(text, values.map(starting));
      }
  },
);

test.serial('progress updates are HOT: they stay in their page and touch no index', async (t) => {
  const hot = async () => {
    const [row] = await w.sql<{ all: number; hot: number }>(
      `select n_tup_upd::int as all, n_tup_hot_upd::int as hot from pg_stat_user_tables where relname = 'transfers'`,
    );
    return row!;
  };
  // Random ids: each row has a page of its own, with the room that `fillfactor` leaves, so that nothing depends on what
  // Postgres may prune.
  const ids = await w.sql<{ id: string }>(`select id from transfers where status = 'Pending' order by id limit 50`);
  const client = new pg.Client({ connectionString: w.url });
  await client.connect();
  t.teardown(() => client.end());
  await client.query('select pg_stat_force_next_flush()');
  const before = await hot();
  for (const { id } of ids)
    await client.query(`update transfers set progress = 10, phase = 'Reading', updated_at = now() where id = $1`, [id]);
  await client.query('select pg_stat_force_next_flush()');
  const after = await hot();
  t.is(after.all - before.all, ids.length);
  t.true(after.hot - before.hot > 0.9 * ids.length, `${after.hot - before.hot} of ${ids.length}`);
});

test.serial('workers are notified once per committed start, and not by dry runs', async (t) => {
  const client = w.as(await w.account({ tenantId: await w.tenant(), role: 'Owner' }));
  const projectId = await newProject(client);
  const request = copyRequest(projectId, await upload(w, client, 'words'));
  const ear = new pg.Client({ connectionString: w.url });
  await ear.connect();
  t.teardown(() => ear.end());
  let called = 0;
  const heard = new EventTarget();
  ear.on('notification', ({ channel, payload = '' }) => {
    if (channel === 'jobs:insert') called += JSON.parse(payload).count;
    heard.dispatchEvent(new Event(channel));
  });
  await ear.query('listen "jobs:insert"; listen nothing_more');

  t.is((await client.post('/api/conversion/upload-convert?dryRun=true', request)).status, 200);
  const first = once(heard, 'jobs:insert');
  t.is((await start(client, request)).status, 200);
  await first;
  t.is(called, 1);
  await Promise.all([
    start(client, request, { 'idempotency-key': 'one' }),
    start(client, request),
    start(client, request),
  ]);
  while (called < 4) await once(heard, 'jobs:insert');
  await turn();
  const end = once(heard, 'nothing_more');
  await w.sql('notify nothing_more');
  await end;
  t.is(called, 4);
});
