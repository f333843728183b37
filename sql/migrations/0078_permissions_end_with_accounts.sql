-- Permissions name accounts by login id and groups by name, and both can be given again. What allowed something to one of them ends with
-- it, so that a later one with the same name does not get it, and follows an account to a new login id. Denials stay: without one, signed
-- addresses of a folder that were given out would open what it closed. Names that nobody has stay as they are: people who are invited.

-- `permissions` with `fresh` instead of a name in any letter case; null: without it where it is allowed something, and without entries
-- that have no principals then. What names a group exactly is left to it.
create function replaced_principal(permissions jsonb, named text, fresh text) returns jsonb language sql stable as $$
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

-- The row version is raised: a client that read the permissions before must not write them back unseen. `unless_after`: leaves out what
-- was changed since. Returns how many projects and datasets have other permissions now.
create function replace_principal(named text, fresh text, unless_after timestamptz default 'infinity') returns integer
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

-- For deletions, before they lock the account or group: whoever changes permissions locks the entity first, too.
create function lock_entities_permitting(names text[]) returns void language plpgsql as $$
declare
  folded text[] := array(select fold_name(name) from unnest(names) name);
begin
  perform from projects where id = any(array(select project_id from permission_grants where folded_principal = any(folded)))
  order by id for no key update;
  perform from datasets where id = any(array(select dataset_id from permission_grants where folded_principal = any(folded)))
  order by id for no key update;
end $$;

-- Locks the groups and accounts that new permissions name: their deletion waits for this transaction, and then finds the permissions.
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

-- Whom a project denied that was removed for good: accounts by their user ids.
create or replace function remember_project() returns trigger language plpgsql as $$
begin
  insert into gone_projects (id, member_source_id, denied_ids, denied_groups)
  select old.id, old.member_source_id, coalesce(array_agg(distinct coalesce(a.user_id::text, g.folded_principal)), '{}'),
    coalesce(array_agg(distinct g.principal), '{}')
  from permission_grants g left join accounts a on a.folded_id = g.folded_principal
  where g.project_id = any(old.path[array_position(old.path, old.member_source_id):]) and g.operation = 'read' and g.denied
  on conflict do nothing;
  if old.member_source_id = old.id then
    insert into gone_members (project_id, user_id)
    select project_id, user_id from project_members where project_id = old.id on conflict do nothing;
  end if;
  return old;
end $$;
update gone_projects set denied_ids = array(
  select coalesce(a.user_id::text, denied) from unnest(denied_ids) denied left join accounts a on a.folded_id = denied)
where denied_ids <> '{}' and exists (select from accounts where folded_id = any(denied_ids));

-- Permissions that are older than the deletion of the account or group that they name. What was changed since may have been given anew. A
-- group that was made again, as programs do that keep groups in step with another system, keeps them.
do $$
declare
  gone record;
  ended integer;
begin
  for gone in
    select name, max(time) as at from (
      select case when action = 'group.delete' then details->>'name' else subject end as name, time
      from audit where action in ('account.delete', 'group.delete')) deletions
    where fold_name(name) in (select folded_principal from permission_grants)
    group by name
  loop
    ended := replace_principal(gone.name, null, gone.at);
    if ended > 0 then
      insert into audit (action, subject, details) values ('permissions.end', gone.name,
        jsonb_build_object('entities', ended, 'because', 'they are older than the deletion of the account or group'));
    end if;
  end loop;
end $$;
-- a table with triggers that wait for the end of the transaction is not altered
set constraints all immediate;

create function keep_permissions_of_account() returns trigger language plpgsql as $$
begin
  perform replace_principal(old.id, case when tg_op = 'UPDATE' then new.id end);
  return null;
end $$;
create trigger accounts_permissions_renamed after update of id on accounts
  for each row when (old.folded_id <> new.folded_id) execute function keep_permissions_of_account();
-- Not of a registration that was never activated and never changed: by registering a login id anybody could end what is meant for the
-- person who is invited by it.
create trigger accounts_permissions_ended after delete on accounts
  for each row when (not (old.registered and not old.activated and old.tenant_id is null and old.updated_at = old.created_at))
  execute function keep_permissions_of_account();

-- A group has its exact name alone. Other spellings end with it nevertheless, for a later account would have them.
create function end_permissions_of_group() returns trigger language plpgsql as $$
begin
  perform replace_principal(old.name, null);
  return null;
end $$;
create trigger user_groups_permissions_ended after delete on user_groups
  for each row execute function end_permissions_of_group();
