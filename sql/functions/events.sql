-- Records who was denied to read a project that is deleted for good, so that they do not get to read its events.
-- Accounts are recorded by their user ids.
create or replace function record_removed_project() returns trigger language plpgsql as $$
begin
  insert into removed_projects (id, member_source_id, denied_ids, denied_groups)
  select old.id, old.member_source_id, coalesce(array_agg(distinct coalesce(a.user_id::text, g.folded_principal)), '{}'),
    coalesce(array_agg(distinct g.principal), '{}')
  from permission_grants g left join accounts a on a.folded_id = g.folded_principal
  where g.project_id = any(old.path[array_position(old.path, old.member_source_id):]) and g.operation = 'read' and g.denied
  on conflict do nothing;
  if old.member_source_id = old.id then
    insert into removed_project_members (project_id, user_id)
    select project_id, user_id from project_members where project_id = old.id on conflict do nothing;
  end if;
  return old;
end $$;
create or replace trigger projects_removed before delete on projects for each row execute function record_removed_project();
