import { sql } from '../../../db.ts';
import { lockTables, sqlRule, uuids } from '../sql-rule.queries.ts';
import { tree } from '../tree.queries.ts';

/** `member_source_id` is the nearest project that does not inherit members. */
export const memberSource = sqlRule(
  'member-source',
  sql.fragment`
    with ${tree}
    select p.id, 'The project ''' || p.name || ''' has the members of ' || p.member_source_id || ', but '
      || case when t.source = p.id then 'does not inherit members.' else 'inherits those of ' || t.source || '.' end as message
    from projects p join tree t using (id) where p.member_source_id <> t.source`,
  async (tx, ids) => {
    await lockTables(tx, ['projects']);
    await tx.query(sql.unsafe`
      with ${tree}
      update projects p set member_source_id = t.source from tree t
      where p.id = t.id and p.id = any(${uuids(ids)}) and p.member_source_id <> t.source
        -- a root project inherits nothing: whether its flag or its members are right is not known
        and (p.parent_id is not null or not p.inherits_members)`);
  },
);
