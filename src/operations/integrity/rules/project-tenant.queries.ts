import { sql } from '../../../db.ts';
import { sqlRule } from '../sql-rule.queries.ts';
import { tree } from '../tree.queries.ts';

/** All projects of a tree belong to the tenant of its root. */
export const projectTenant = sqlRule(
  'project-tenant',
  sql.fragment`
    with ${tree}
    select p.id, 'The project ''' || p.name || ''' belongs to the tenant ' || p.tenant_id || ', but its root project to '
      || t.tenant_id || '.' as message
    from projects p join tree t using (id) where p.tenant_id <> t.tenant_id`,
);
