import { z } from 'zod';
import { type Fragment, sql } from '../../../db.ts';
import type { Rule, Violation } from '../rule.ts';
import { sqlRule } from '../sql-rule.queries.ts';

const Key = z.object({
  name: z.string(),
  child: z.string(),
  parent: z.string(),
  columns: z.array(z.string()),
  keys: z.array(z.string()),
});

const keys = sql.type(Key)`
  select c.conname::text as name, child.relname::text as child, parent.relname::text as parent,
    array(select a.attname::text from unnest(c.conkey) with ordinality k (number, n)
      join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.number order by n) as columns,
    array(select a.attname::text from unnest(c.confkey) with ordinality k (number, n)
      join pg_attribute a on a.attrelid = c.confrelid and a.attnum = k.number order by n) as keys
  from pg_constraint c join pg_class child on child.oid = c.conrelid join pg_class parent on parent.oid = c.confrelid
  where c.contype = 'f' and c.connamespace = 'public'::regnamespace order by c.conname`;

/** Rows that name a row which does not exist: a restore without triggers, or a damaged index, lets them in. */
function orphans({ name, child, parent, columns, keys: named }: z.infer<typeof Key>): Fragment {
  const column = (table: string, text: string | undefined) => sql.identifier([table, text ?? '']);
  const and = (parts: readonly Fragment[]) => sql.join(parts, sql.fragment` and `);
  return sql.fragment`
    select ${name} as id, count(*) || ' rows of ' || ${child} || ' name a row of ' || ${parent} || ' that does not exist.' as message
    from ${sql.identifier([child])} child
    where ${and(columns.map((each) => sql.fragment`${column('child', each)} is not null`))}
      and not exists (
        select from ${sql.identifier([parent])} parent
        where ${and(columns.map((each, n) => sql.fragment`${column('parent', named[n])} = ${column('child', each)}`))})
    having count(*) > 0`;
}

/** Each foreign key of the tables holds. */
export const foreignKeys: Rule = {
  name: 'foreign-key',
  async find(parts) {
    const found: Violation[] = [];
    for (const key of await parts.db.any(keys)) {
      parts.signal?.throwIfAborted();
      found.push(...(await sqlRule(key.name, orphans(key)).find(parts)));
    }
    return found;
  },
};
