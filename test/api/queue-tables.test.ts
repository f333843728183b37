import test from 'ava';
import { world } from '../world.ts';

const w = world(test);

const EXPECTED = {
  _private_jobs: [
    'id bigint not null generated',
    'task_id integer not null',
    "payload json not null default '{}'::json",
    'priority smallint not null default 0',
    'run_at timestamp with time zone not null default now()',
    'attempts smallint not null default 0',
    'max_attempts smallint not null default 25',
    'last_error text',
    'created_at timestamp with time zone not null default now()',
    'updated_at timestamp with time zone not null default now()',
    'key text',
    'locked_at timestamp with time zone',
    'locked_by text',
    'flags jsonb',
    'is_available boolean not null generated ((locked_at IS NULL) AND (attempts < max_attempts))',
    'btree (id) primary key',
    'btree (key) unique',
    'btree (priority, run_at) INCLUDE (id, task_id) WHERE ((is_available = true) AND (job_queue_id IS NULL))',
    'btree (priority, run_at) INCLUDE (id, task_id, job_queue_id) WHERE (is_available = true)',
  ],
  _private_known_crontabs: ['identifier text not null', 'last_execution timestamp with time zone'],
  _private_tasks: [
    'id integer not null generated',
    'identifier text not null',
    'btree (id) primary key',
    'btree (identifier) unique',
  ],
};
test('the tables of graphile-worker have the columns, types and indexes that the platform relies on', async (t) => {
  const lines = (await w.sql(`
    select relname as name, format('%s %s%s%s%s', attname, format_type(atttypid, atttypmod),
      case when attnotnull then ' not null' end, case when attidentity <> '' or attgenerated <> '' then ' generated' end,
      case when attgenerated <> '' then ' ' else ' default ' end || pg_get_expr(adbin, adrelid)) as line
    from pg_class c join pg_attribute a on attrelid = c.oid and attnum > 0 and not attisdropped
      left join pg_attrdef on adrelid = attrelid and adnum = attnum
    where relnamespace = 'graphile_worker'::regnamespace and relkind = 'r'
    union all
    select relname, format('%s%s', regexp_replace(pg_get_indexdef(indexrelid), '^.* USING ', ''),
      case when indisprimary then ' primary key' when indisunique then ' unique' end)
    from pg_class c join pg_index on indrelid = c.oid where relnamespace = 'graphile_worker'::regnamespace`)) as {
    name: string;
    line: string;
  }[];
  for (const [table, expected] of Object.entries(EXPECTED)) {
    const found = lines.filter(({ name }) => name === table).map(({ line }) => line);
    const missing = expected.filter((line) => !found.includes(line));
    t.deepEqual(
      missing,
      [],
      `graphile-worker.${table} has changed. Adapt sql/functions/queue.sql, what reads its views, and this test.`,
    );
  }
  const jobs = lines.filter(({ name }) => name === '_private_jobs').map(({ line }) => line);
  const required = jobs.filter((line) => / not null$/.test(line)).map((line) => line.split(' ')[0]);
  t.deepEqual(
    required,
    ['task_id'],
    'An insert into graphile_worker._private_jobs must name other columns now: see `enqueueFragment` in src/jobs.ts.',
  );
});
