import { writeFile } from 'node:fs/promises';
import pg from 'pg';
import { testDatabase } from './database.ts';

export const SCHEMA = new URL('../../sql/schema.sql', import.meta.url);

const TABLES = `
  select relname as name, obj_description(c.oid) as comment, case relpersistence when 'u' then 'unlogged ' else '' end as kind,
    array(
      select format('%s%I %s%s%s%s', '-- ' || col_description(c.oid, attnum) || E'\\n  ', attname,
        format_type(atttypid, atttypmod), case when attnotnull then ' not null' end,
        case when attidentity <> '' then ' generated always as identity' end,
        case when attgenerated <> '' then ' generated always as (' || pg_get_expr(adbin, adrelid) || ') stored'
          else ' default ' || pg_get_expr(adbin, adrelid) end)
      from pg_attribute left join pg_attrdef on adrelid = attrelid and adnum = attnum
      where attrelid = c.oid and attnum > 0 and not attisdropped order by attnum) as columns,
    array(
      select format('constraint %I %s', conname, pg_get_constraintdef(oid)) from pg_constraint
      where conrelid = c.oid and contype not in ('n', 't') order by contype = 'c', contype <> 'p', conname) as constraints,
    array(
      select pg_get_indexdef(indexrelid) from pg_index where indrelid = c.oid
        and not exists (select from pg_constraint where conindid = indexrelid and conrelid = c.oid)
      order by 1) as indexes,
    array(
      select format('trigger %s: %s', tgname, tgfoid::regproc) from pg_trigger
      where tgrelid = c.oid and not tgisinternal order by tgname) as triggers
  from pg_class c where relnamespace = 'public'::regnamespace and relkind = 'r' order by relname collate "C"`;

interface Table {
  name: string;
  comment: string | null;
  kind: string;
  columns: string[];
  constraints: string[];
  indexes: string[];
  triggers: string[];
}

/** The tables of a migrated database, for people: with columns, constraints, indexes, and the names of triggers. */
export async function describeSchema(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Table>(TABLES);
    const head = '-- The tables as they are after all migrations. Written by `npm run schema`; do not edit.\n';
    return [head, ...rows.map(describeTable)].join('\n');
  } finally {
    await client.end();
  }
}

function describeTable({ name, comment, kind, columns, constraints, indexes, triggers }: Table): string {
  const indented = (parts: string[]) => parts.map((part) => `  ${part}`).join(',\n');
  return [
    ...(comment === null ? [] : [`-- ${comment}`]),
    `create ${kind}table ${name} (`,
    `${indented([...columns, ...constraints])}`,
    ');',
    ...indexes.map((index) => `${index.replace(' USING btree', '').replaceAll('public.', '')};`),
    ...triggers.map((trigger) => `-- ${trigger}`),
    '',
  ].join('\n');
}

if (import.meta.main) {
  const database = await testDatabase(1);
  await writeFile(SCHEMA, await describeSchema(database.url));
  await database.close();
}
