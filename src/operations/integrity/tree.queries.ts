import { sql } from '../../db.ts';

/** CTE `tree`: what follows for each project from its parents alone. Projects in a circle of parents are missing. */
export const tree = sql.fragment`recursive tree (id, tenant_id, path, source) as (
    select id, tenant_id, array[id], id from projects where parent_id is null
    union all
    select c.id, t.tenant_id, t.path || c.id, case when c.inherits_members then t.source else c.id end
    from tree t join projects c on c.parent_id = t.id)`;
