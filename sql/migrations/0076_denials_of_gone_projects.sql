-- Whom the permissions of a project denied to read it, when it was removed for good: its events stay hidden from them. Names as in
-- permission_grants: user ids and folded login ids, and groups.
alter table gone_projects
  add denied_ids text[] not null default '{}',
  add denied_groups text[] not null default '{}';

create or replace function remember_project() returns trigger language plpgsql as $$
begin
  insert into gone_projects (id, member_source_id, denied_ids, denied_groups)
  select old.id, old.member_source_id, coalesce(array_agg(distinct g.folded_principal), '{}'), coalesce(array_agg(distinct g.principal), '{}')
  from permission_grants g
  where g.project_id = any(old.path[array_position(old.path, old.member_source_id):]) and g.operation = 'read' and g.denied
  on conflict do nothing;
  if old.member_source_id = old.id then
    insert into gone_members (project_id, user_id)
    select project_id, user_id from project_members where project_id = old.id on conflict do nothing;
  end if;
  return old;
end $$;
