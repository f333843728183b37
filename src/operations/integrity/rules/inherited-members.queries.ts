import { sql } from '../../../db.ts';
import { sqlRule } from '../sql-rule.queries.ts';

/** A project that inherits members has none of its own. */
export const inheritedMembers = sqlRule(
  'inherited-members',
  sql.fragment`
    select p.id, 'The project ''' || p.name || ''' inherits its members, but has ' || count(*) || ' of its own.' as message
    from project_members m join projects p on p.id = m.project_id where p.inherits_members group by p.id`,
);
