-- Permissions that an entity carries besides its members: one row per principal and operation, so that finding those of a caller is
-- one look into an index. `permissions` of the entity stays what people wrote; these rows follow it in the same statement.

create table permission_grants (
  project_id uuid references projects on delete cascade,
  dataset_id uuid references datasets on delete cascade,
  -- a user id, a login id or the name of a group, as it was written
  principal text not null,
  operation text not null check (operation in ('read', 'update', 'delete')),
  denied boolean not null,
  check (num_nonnulls(project_id, dataset_id) = 1)
);
create index permission_grants_principal on permission_grants (lower(principal));
create index permission_grants_project on permission_grants (project_id) where project_id is not null;
create index permission_grants_dataset on permission_grants (dataset_id) where dataset_id is not null;

-- Operations that decide nothing here are kept in `permissions` alone.
create function keep_permission_grants() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    if new.permissions = old.permissions then return null; end if;
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
create trigger projects_permissions_made after insert on projects
  for each row when (new.permissions <> '[]') execute function keep_permission_grants();
create trigger projects_permissions_changed after update of permissions on projects
  for each row execute function keep_permission_grants();
create trigger datasets_permissions_made after insert on datasets
  for each row when (new.permissions <> '[]') execute function keep_permission_grants();
create trigger datasets_permissions_changed after update of permissions on datasets
  for each row execute function keep_permission_grants();
