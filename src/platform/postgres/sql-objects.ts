import type pg from 'pg';

/** Routines, triggers and views, each with the version of its row in the catalogue: `create or replace` changes it. */
export async function listObjects(client: pg.Client): Promise<Map<string, string>> {
  const { rows } = await client.query<{ object: string; version: string }>(`
    select 'routine ' || oid::regprocedure as object, ctid::text as version
    from pg_proc where pronamespace = 'public'::regnamespace
    union all
    select format('trigger %I on %s', tgname, tgrelid::regclass), t.ctid::text
    from pg_trigger t join pg_class c on c.oid = tgrelid
    where relnamespace = 'public'::regnamespace and not tgisinternal
    union all
    select 'view ' || ev_class::regclass, r.ctid::text
    from pg_rewrite r join pg_class c on c.oid = ev_class
    where relnamespace = 'public'::regnamespace and relkind = 'v'`);
  return new Map(rows.map(({ object, version }) => [object, version]));
}

/** Drops those of the objects that no file of functions creates any more: views, then triggers, then routines. */
export async function dropObjects(client: pg.Client, objects: string[]) {
  const { rows } = await client.query<{ object: string }>(
    `select object from unnest($1::text[]) object
    where not exists (select from migrations where object = any(objects)) order by object desc`,
    [objects],
  );
  // a migration may have dropped the table of a trigger
  for (const { object } of rows) await client.query(`drop ${object.replace(' ', ' if exists ')}`);
}
