import { type Fragment, sql } from '../../../db.ts';
import { lockTables, sqlRule, uuids } from '../sql-rule.queries.ts';

/** Grants as the trigger `keep_permission_grants` derives them. */
const derived = (entity: Fragment, permissions: Fragment) => sql.fragment`
  select distinct ${entity} as id, principal, lower(trim(entry->>'operation')) as operation,
    coalesce(entry->>'type' = 'Denied', false) as denied
  from jsonb_array_elements(${permissions}) entry, jsonb_array_elements_text(entry->'principals') principal
  where lower(trim(entry->>'operation')) in ('read', 'update', 'delete')`;

const wanted = sql.fragment`
  wanted as (
    select g.* from projects p cross join lateral (${derived(sql.fragment`p.id`, sql.fragment`p.permissions`)}) g
    where p.permissions <> '[]'
    union all
    select g.* from datasets d cross join lateral (${derived(sql.fragment`d.id`, sql.fragment`d.permissions`)}) g
    where d.permissions <> '[]')`;

/** The rows of `permission_grants` are those that follow from `permissions`. */
export const permissionGrants = sqlRule(
  'permission-grants',
  sql.fragment`
    with ${wanted},
    present as (select coalesce(project_id, dataset_id) as id, principal, operation, denied from permission_grants),
    missing as (select * from wanted except all select * from present),
    surplus as (select * from present except all select * from wanted)
    select id, 'The table permission_grants differs from the permissions of the project or dataset: '
      || string_agg(sentence, ', ' order by sentence) || '.' as message
    from (
      select id, 'no row for ' || operation || ' by ''' || principal || '''' as sentence from missing
      union all select id, 'a row too many for ' || operation || ' by ''' || principal || '''' from surplus) differences
    group by id`,
  async (tx, ids) => {
    await lockTables(tx, ['projects', 'datasets', 'permission_grants']);
    await tx.query(sql.unsafe`
      delete from permission_grants where project_id = any(${uuids(ids)}) or dataset_id = any(${uuids(ids)})`);
    await tx.query(sql.unsafe`
      with ${wanted}
      insert into permission_grants (project_id, dataset_id, principal, operation, denied)
      select (select p.id from projects p where p.id = w.id), (select d.id from datasets d where d.id = w.id), w.principal, w.operation, w.denied
      from wanted w where w.id = any(${uuids(ids)})`);
  },
);
