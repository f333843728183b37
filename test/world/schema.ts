import { readdir, readFile, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import pg from 'pg';
import { DOMAINS } from '../architecture.ts';
import { testDatabase } from './database.ts';

export const SCHEMA = new URL('../../sql/schema.sql', import.meta.url);
const COMMENTS = new URL('../../sql/comments/', import.meta.url);

const TABLES = `
  select relname as name, obj_description(c.oid) as comment, case relpersistence when 'u' then 'unlogged ' else '' end as kind,
    array(
      select json_build_object('comment', col_description(c.oid, attnum), 'definition', format('%I %s%s%s%s', attname,
        format_type(atttypid, atttypmod), case when attnotnull then ' not null' end,
        case when attidentity <> '' then ' generated always as identity' end,
        case when attgenerated <> '' then ' generated always as (' || pg_get_expr(adbin, adrelid) || ') stored'
          else ' default ' || pg_get_expr(adbin, adrelid) end))
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
  columns: { comment: string | null; definition: string }[];
  constraints: string[];
  indexes: string[];
  triggers: string[];
}

/** The tables whose comments the running transaction has set, in this order. */
const COMMENTED = `
  select objoid::regclass::text as name from pg_description
  where classoid = 'pg_class'::regclass and objsubid = 0 and xmin = pg_current_xact_id()::xid order by cmin::text::int`;

/**
 * The tables of a migrated database, for people: by room, with columns, constraints, indexes, and the names of
 * triggers. The room of a table is the file of `sql/comments/` with its comment. Throws if a table has no comment.
 */
export async function describeSchema(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<Table>(TABLES);
    const tables = new Map(rows.map((table) => [table.name, table]));
    const parts = ['-- The tables as they are after all migrations. Written by `npm run schema`; do not edit.\n'];
    for (const file of await filesByRoom()) {
      parts.push(`-- ${basename(file, '.sql')} `.padEnd(120, '-'), '');
      for (const name of await commentedBy(client, file)) {
        parts.push(describeTable(tables.get(name)!));
        tables.delete(name);
      }
    }
    if (tables.size > 0) throw new Error(`No file of sql/comments/ has a comment of ${[...tables.keys()].join(', ')}.`);
    return parts.join('\n');
  } finally {
    await client.end();
  }
}

/** Files of `sql/comments/` in the order of the rooms of `src/`; the foundation comes last. */
async function filesByRoom(): Promise<string[]> {
  const placeOf = (file: string) => DOMAINS.indexOf(basename(file, '.sql')) + 1 || DOMAINS.length + 1;
  return (await readdir(COMMENTS)).sort().sort((a, b) => placeOf(a) - placeOf(b));
}

async function commentedBy(client: pg.Client, file: string): Promise<string[]> {
  await client.query('begin');
  await client.query(await readFile(new URL(file, COMMENTS), 'utf8'));
  const { rows } = await client.query<{ name: string }>(COMMENTED);
  await client.query('rollback');
  return rows.map(({ name }) => name);
}

function describeTable({ name, comment, kind, columns, constraints, indexes, triggers }: Table): string {
  const members = [
    ...columns.map((column) => `${commentLines(column.comment, '  ')}  ${column.definition}`),
    ...constraints.map((constraint) => `  ${constraint}`),
  ];
  return [
    `${commentLines(comment)}create ${kind}table ${name} (`,
    members.join(',\n'),
    ');',
    ...indexes.map((index) => `${index.replace(' USING btree', '').replaceAll('public.', '')};`),
    ...triggers.map((trigger) => `-- ${trigger}`),
    '',
  ].join('\n');
}

/** A comment in lines of at most 120 columns. */
function commentLines(comment: string | null, indent = ''): string {
  const lines: string[] = [];
  for (const word of comment?.split(' ') ?? []) {
    const longer = `${lines.at(-1)} ${word}`;
    if (lines.length === 0 || longer.length > 120) lines.push(`${indent}-- ${word}`);
    else lines[lines.length - 1] = longer;
  }
  return lines.map((line) => `${line}\n`).join('');
}

if (import.meta.main) {
  const database = await testDatabase(1);
  await writeFile(SCHEMA, await describeSchema(database.url));
  await database.close();
}
