-- The rights of most callers follow from the tenant and the member source of a project. Without them in the entry, each
-- match was looked up among the projects.

-- Until the trigger `search_projects_moved` exists, nobody writes.
lock table projects, datasets, ts_series in share row exclusive mode;
alter table search_entries add tenant_id uuid, add member_source_id uuid;

-- rows are written anew without them
drop index search_entries_words;
drop index search_entries_named;
drop index search_entries_kind;
drop index search_entries_project;
update search_entries e set tenant_id = p.tenant_id, member_source_id = p.member_source_id
from projects p where p.id = e.project_id;
alter table search_entries alter tenant_id set not null, alter member_source_id set not null;
create index search_entries_words on search_entries using gin (words) with (fastupdate = off);
create index search_entries_named on search_entries (name, id);
create index search_entries_kind on search_entries (kind, name, id);
create index search_entries_project on search_entries (project_id);

drop function search_entry(projects);
create function search_entry(p projects) returns setof search_entries language sql stable as $$
  select p.id, p.id, 'Project', search_name(p.name),
    search_vector(concat_ws(' ', p.name, p.description, regexp_replace(left(p.metadata::text, 100000), '\\["\\/bfnrt]', ' ', 'g'))),
    '{}'::box[], p.tenant_id, p.member_source_id
$$;

drop function search_entry(datasets);
create function search_entry(d datasets) returns setof search_entries language sql stable as $$
  select d.id, d.project_id, 'Dataset', search_name(d.name),
    search_vector(concat_ws(' ', d.name, array_to_string(d.tags, ' '), d.description,
      (select string_agg(distinct item->>'name', ' ') from ts_series s where s.dataset_id = d.id),
      -- a walk through a megabyte of nested lists would take seconds
      case when d.properties = '{}' then null when length(d.properties::text) <= 100000 then
        (select string_agg(value #>> '{}', ' ') from jsonb_path_query(d.properties, 'strict $.**') value where jsonb_typeof(value) = 'string')
        else left(d.properties::text, 100000) end,
      regexp_replace(left(d.metadata::text, 100000), '\\["\\/bfnrt]', ' ', 'g'))),
    case when d.spatial_information is null then '{}' else search_areas(d.spatial_information->>'location') end,
    p.tenant_id, p.member_source_id
  from projects p where p.id = d.project_id
$$;
