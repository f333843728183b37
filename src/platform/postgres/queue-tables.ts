import type pg from 'pg';
import { openPool } from '../sql/pool.ts';

/** SQLSTATEs of a change of a column that a view uses. */
const VIEW_CONFLICTS = new Set(['0A000', '2BP01']);

/**
 * Drops the views of the queue's tables, and notes that their files of functions must be applied again. Until then,
 * statements that use the views fail.
 */
const DROP_QUEUE_VIEWS = `do $$ declare
  found record;
begin
  for found in
    select distinct ev_class::regclass::text as view from pg_rewrite r
      join pg_depend d on d.classid = 'pg_rewrite'::regclass and d.objid = r.oid and d.refclassid = 'pg_class'::regclass
      join pg_class used on used.oid = d.refobjid and used.relnamespace = 'graphile_worker'::regnamespace
      join pg_class v on v.oid = ev_class and v.relnamespace = 'public'::regnamespace
  loop
    execute format('drop view %s', found.view);
    update migrations set sha256 = '' where 'view ' || found.view = any(objects);
  end loop;
end $$`;

/**
 * graphile-worker's tables. An upgrade of the library may change columns that views use, which Postgres refuses: the
 * views are dropped then. The library would stop listening to the errors of a pool of its own before that is closed.
 */
export async function migrateQueue(client: pg.Client, databaseUrl: string) {
  const { runMigrations } = await import('graphile-worker');
  const pgPool = openPool({ connectionString: databaseUrl });
  try {
    await runMigrations({ pgPool }).catch(async (error: { code?: string }) => {
      if (!VIEW_CONFLICTS.has(error.code ?? '')) throw error;
      await client.query(DROP_QUEUE_VIEWS);
      await runMigrations({ pgPool });
    });
  } finally {
    await pgPool.end();
  }
}
