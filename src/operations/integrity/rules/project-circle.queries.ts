import { sql } from '../../../db.ts';
import { sqlRule } from '../sql-rule.queries.ts';
import { tree } from '../tree.queries.ts';

/** Parents lead to a root project. */
export const projectCircle = sqlRule(
  'project-circle',
  sql.fragment`
    with ${tree}
    select id, 'The parents of the project ''' || name || ''' lead to no root project, but in a circle.' as message
    from projects p where not exists (select from tree t where t.id = p.id)`,
);
