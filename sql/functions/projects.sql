-- A name as it stands in a path. A %2F of the name becomes %252F, a %252F becomes %25252F, and so on, so that each
-- segment is one name.
create or replace function path_segment(name text) returns text language sql immutable parallel safe
return case when strpos(name, '/') = 0 and strpos(name, '%') = 0 then name
  else replace(regexp_replace(name, '%(?=(25)*2F)', '%25', 'g'), '/', '%2F') end;

-- Locks the groups and accounts that new permissions name: their deletion waits for this transaction, and then finds
-- the permissions.
create or replace function keep_permission_grants() returns trigger language plpgsql as $$
declare
  named text[];
begin
  if tg_op = 'UPDATE' and new.permissions = old.permissions then return null; end if;
  named := array(
    select fold_name(principal)
    from jsonb_array_elements(new.permissions) entry, jsonb_array_elements_text(entry->'principals') principal);
  perform from user_groups where fold_name(name) = any(named)
  order by id <> 'Administrators', id collate "C" for key share;
  perform from accounts where folded_id = any(named)
  order by user_id for key share;
  if tg_op = 'UPDATE' then
    if tg_table_name = 'projects' then delete from permission_grants where project_id = new.id;
    else delete from permission_grants where dataset_id = new.id;
    end if;
  end if;
  insert into permission_grants (project_id, dataset_id, principal, operation, denied)
  select case when tg_table_name = 'projects' then new.id end, case when tg_table_name = 'datasets' then new.id end,
    principal, lower(trim(entry->>'operation')), coalesce(entry->>'type' = 'Denied', false)
  from jsonb_array_elements(new.permissions) entry, jsonb_array_elements_text(entry->'principals') principal
  where lower(trim(entry->>'operation')) in ('read', 'update', 'delete')
  group by principal, lower(trim(entry->>'operation')), coalesce(entry->>'type' = 'Denied', false);
  return null;
end $$;
create or replace trigger projects_permissions_made after insert on projects
  for each row when (new.permissions <> '[]') execute function keep_permission_grants();
create or replace trigger projects_permissions_changed after update of permissions on projects
  for each row execute function keep_permission_grants();
create or replace trigger datasets_permissions_made after insert on datasets
  for each row when (new.permissions <> '[]') execute function keep_permission_grants();
create or replace trigger datasets_permissions_changed after update of permissions on datasets
  for each row execute function keep_permission_grants();

-- `permissions` with the name `fresh` instead of `named`, in any letter case. `fresh` null: removes the name from
-- entries that allow, and entries without principals; denials stay. Exact names of groups stay.
create or replace function replaced_principal(permissions jsonb, named text, fresh text) returns jsonb language sql stable as $$
  select coalesce(jsonb_agg(jsonb_set(entry, '{principals}', principals) order by m), '[]')
  from jsonb_array_elements(permissions) with ordinality e (entry, m), lateral (
    select coalesce(jsonb_agg(replaced order by n) filter (where replaced is not null), '[]') as principals
    from jsonb_array_elements_text(entry->'principals') with ordinality p (principal, n),
      lateral (select case
        when fold_name(principal) <> fold_name(named) then principal
        when fresh is null and entry->>'type' = 'Denied' then principal
        when exists (select from user_groups g where g.name = principal) then principal
        else fresh end as replaced) r) kept
  where principals <> '[]' or entry->'principals' = '[]'
$$;

-- Replaces a name in the permissions of all projects and datasets. Raises their row version, so that a client that read
-- the old permissions cannot write them back. Skips what was changed after `unless_after`. Returns the number of
-- changed projects and datasets.
create or replace function replace_principal(named text, fresh text, unless_after timestamptz default 'infinity') returns integer
language plpgsql as $$
declare
  in_projects integer;
  in_datasets integer;
begin
  update projects set permissions = replaced_principal(permissions, named, fresh), row_version = row_version + 1
  where id = any(array(select project_id from permission_grants where folded_principal = fold_name(named))) and updated_at <= unless_after
    and permissions <> replaced_principal(permissions, named, fresh);
  get diagnostics in_projects = row_count;
  update datasets set permissions = replaced_principal(permissions, named, fresh), row_version = row_version + 1
  where id = any(array(select dataset_id from permission_grants where folded_principal = fold_name(named))) and updated_at <= unless_after
    and permissions <> replaced_principal(permissions, named, fresh);
  get diagnostics in_datasets = row_count;
  return in_projects + in_datasets;
end $$;

-- Locks all projects and datasets whose permissions have these names. A deletion of an account or group calls it before
-- it locks the account or group, the order in which changes of permissions lock.
create or replace function lock_entities_permitting(names text[]) returns void language plpgsql as $$
declare
  folded text[] := array(select fold_name(name) from unnest(names) name);
begin
  perform from projects where id = any(array(select project_id from permission_grants where folded_principal = any(folded)))
  order by id for no key update;
  perform from datasets where id = any(array(select dataset_id from permission_grants where folded_principal = any(folded)))
  order by id for no key update;
end $$;

-- Keeps revoked addresses of a dataset void after a move: addresses that a project of the old path revoked stay void.
-- Addresses of the new path's folders are valid for the dataset as for the others there.
create or replace function keep_grants_void() returns trigger language plpgsql as $$ begin
  new.own_min_grant_generation := greatest(new.own_min_grant_generation, (
    select max(a.min_grant_generation) from projects p join projects a on a.id = any(p.path) where p.id = old.project_id));
  return new;
end $$;
create or replace trigger keep_grants_void before update of project_id on datasets for each row
  when (old.project_id is distinct from new.project_id) execute function keep_grants_void();

-- Keeps addresses void that a project above the moved one had revoked. Projects below keep the moved one in their path,
-- so its generation counts for them, too.
create or replace function keep_project_grants_void() returns trigger language plpgsql as $$ begin
  new.min_grant_generation := greatest(new.min_grant_generation, (select max(a.min_grant_generation) from projects a where a.id = any(old.path)));
  return new;
end $$;
create or replace trigger keep_grants_void before update of parent_id on projects for each row
  when (old.parent_id is distinct from new.parent_id) execute function keep_project_grants_void();
