import { sql } from '../../../db.ts';
import { lockTables, sqlRule, uuids } from '../sql-rule.queries.ts';
import { tree } from '../tree.queries.ts';

/** `path` and `root_id` follow from the parents. */
export const projectPath = sqlRule(
  'project-path',
  sql.fragment`
    with ${tree}
    select p.id, 'The path of the project ''' || p.name || ''' is ' || array_to_string(p.path, '/') || ', but its parents are '
      || array_to_string(t.path, '/') || '.' as message
    from projects p join tree t using (id) where p.path <> t.path or p.root_id <> t.path[1]`,
  async (tx, ids) => {
    await lockTables(tx, ['projects']);
    await tx.query(sql.unsafe`
      with ${tree}
      update projects p set path = t.path, root_id = t.path[1] from tree t
      where p.id = t.id and p.id = any(${uuids(ids)}) and (p.path <> t.path or p.root_id <> t.path[1])`);
  },
);
