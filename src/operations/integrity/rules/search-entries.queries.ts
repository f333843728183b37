import { sql } from '../../../db.ts';
import { lockTables, sqlRule, uuids } from '../sql-rule.queries.ts';

const derived = sql.fragment`
  derived as (
    select e.*, false as has_series from projects p cross join lateral search_entry(p) e
    union all
    select e.*, d.dataset_format = 'ts' from datasets d cross join lateral search_entry(d) e)`;

/** Entries for the search are those that follow from projects and datasets. Names of deleted series stay in them. */
export const searchEntries = sqlRule(
  'search-entry',
  sql.fragment`
    with ${derived}
    select coalesce(e.id, d.id) as id,
      case when e.id is null then 'The search has no entry of the project or dataset.'
        when d.id is null then 'The search has an entry of a project or dataset that does not exist.'
        else 'The entry of the search differs from the project or dataset.' end as message
    from derived d full join search_entries e on e.id = d.id
    where e.id is null or d.id is null or (e.project_id, e.kind, e.name, e.tenant_id, e.member_source_id)
          is distinct from (d.project_id, d.kind, d.name, d.tenant_id, d.member_source_id)
      or e.areas::text is distinct from d.areas::text
      or case when d.has_series then not tsvector_to_array(e.words) @> tsvector_to_array(d.words) else e.words <> d.words end`,
  async (tx, ids) => {
    await lockTables(tx, ['projects', 'datasets', 'ts_series', 'search_entries']);
    await tx.query(sql.unsafe`delete from search_entries where id = any(${uuids(ids)})`);
    await tx.query(sql.unsafe`
      insert into search_entries
      select e.* from projects p cross join lateral search_entry(p) e where p.id = any(${uuids(ids)})
      union all
      select e.* from datasets d cross join lateral search_entry(d) e where d.id = any(${uuids(ids)})`);
  },
);
