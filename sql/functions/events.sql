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

-- Writes an event for each changed thing. One transaction writes one event of a type and a thing: a second change adds
-- its names to it, and what is changed in the transaction that creates it is only created.
create or replace function emit_changes(changes entity_change[]) returns void language sql as $$
  with merged as (
    select 'svc.platform.events.' || noun || verb || 'event' as type, initcap(noun) || ' ' || verb as subject, resource_id,
      '/svc/platform/' || case noun when 'credits' then 'credit' else 'metadata' end as source,
      'svc.platform.events.' || case when min(dataset_id::text) is null then 'project' else 'dataset' end || 'createdevent' as creation,
      min(tenant_id::text)::uuid as tenant_id, min(project_id::text)::uuid as project_id, min(dataset_id::text)::uuid as dataset_id,
      min(user_id::text)::uuid as user_id, max(row_version)::text as row_version,
      array(select distinct name from unnest(string_to_array(string_agg(array_to_string(changed, ','), ','), ',')) name
        where name <> '' order by name) as changed,
      string_to_array(string_agg(nullif(array_to_string(former_readers, ','), ''), ','), ',')::uuid[] as former_readers
    from unnest(changes) group by noun, verb, resource_id)
  insert into events (type, source, subject, tenant_id, project_id, dataset_id, user_id, resource_id, former_readers, transaction_id, data)
  select m.type, m.source, m.subject, m.tenant_id, m.project_id, m.dataset_id, m.user_id, m.resource_id, m.former_readers,
    pg_current_xact_id(), jsonb_strip_nulls(jsonb_build_object('Id', m.resource_id, 'ProjectId', m.project_id,
      'RowVersion', m.row_version, 'Change', m.changed))
  from merged m
  where not exists (
    select from events e where e.transaction_id = pg_current_xact_id() and e."offset" is null and e.resource_id = m.resource_id
      and e.type = m.creation)
  on conflict (transaction_id, resource_id, type) where "offset" is null and transaction_id is not null do update set
    project_id = excluded.project_id, user_id = coalesce(excluded.user_id, events.user_id),
    former_readers = events.former_readers || excluded.former_readers,
    data = events.data || excluded.data || jsonb_build_object('Change', (
      select coalesce(jsonb_agg(distinct name order by name), '[]')
      from jsonb_array_elements_text((events.data->'Change') || (excluded.data->'Change')) name))
$$;

-- Whether permissions of these projects deny this account or key to read.
create or replace function is_denied_reader(who uuid, tenant uuid, projects uuid[]) returns boolean language sql stable as $$
  select exists (
    select from permission_grants g where g.project_id = any(projects) and g.operation = 'read' and g.denied and (
      g.folded_principal = who::text or g.folded_principal = (select folded_id from accounts where user_id = who)
      or g.principal in (select u.name from group_members m join user_groups u on u.id = m.group_id where m.user_id = who)))
    and (exists (select from tenant_members where tenant_id = tenant and user_id = who) or exists (select from api_keys where id = who))
$$;

-- Accounts that permissions name: by user id or login id, in any letter case, or by the exact name of a group.
create or replace function accounts_named(names text[]) returns setof uuid language sql stable as $$
  select user_id from accounts where folded_id = any(array(select fold_name(name) from unnest(names) name))
  union select user_id from accounts where user_id = any(array(
    select name::uuid from unnest(names) name where name ~* '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'))
  union select m.user_id from group_members m join user_groups u on u.id = m.group_id where u.name = any(names)
$$;

-- Accounts and keys that members of `source` and permissions of `projects` let read.
create or replace function readers_at(source uuid, tenant uuid, projects uuid[]) returns uuid[] language sql stable as $$
  select array_agg(reader) from (
    select user_id as reader from project_members where project_id = source
    union select named from accounts_named(array(
      select principal from permission_grants where project_id = any(projects) and operation = 'read' and not denied)) named
    where exists (select from tenant_members where tenant_id = tenant and user_id = named)) readers
  where not is_denied_reader(reader, tenant, projects)
$$;

-- Accounts that permissions to read name, and that could read a project or dataset with its permissions `before`.
-- `source`: the project whose members count. `above`: the projects whose permissions count as well.
create or replace function readers_before(before jsonb, after jsonb, source uuid, tenant uuid, above uuid[]) returns uuid[]
language sql stable as $$
  with own as materialized (
    select principal, fold_name(principal) as folded, coalesce(entry->>'type' = 'Denied', false) as denied, n = 1 as is_old
    from (values (1, before), (2, after)) permissions (n, entries), jsonb_array_elements(entries) entry,
      jsonb_array_elements_text(entry->'principals') principal
    where lower(trim(entry->>'operation')) = 'read'),
  people as (
    select a.user_id, array[a.user_id::text, a.folded_id] as ids,
      array(select u.name from group_members m join user_groups u on u.id = m.group_id where m.user_id = a.user_id) as groups
    from accounts_named(array(select principal from own)) named join accounts a on a.user_id = named
    join tenant_members t on t.user_id = named and t.tenant_id = tenant),
  standing as (
    select p.user_id, bool_or(o.denied) as denied, bool_or(not o.denied) as allowed
    from people p left join own o on o.is_old and (o.folded = any(p.ids) or o.principal = any(p.groups)) group by p.user_id)
  select array_agg(s.user_id) from standing s
  where s.denied is not true
    and (s.user_id = any(readers_at(source, tenant, above)) or s.allowed and not is_denied_reader(s.user_id, tenant, above))
$$;

-- The triggers below run once per statement: a statement may change ten thousand rows.

create or replace function tell_created_projects() returns trigger language plpgsql as $$
begin
  perform emit_changes(array_agg(row('project', 'created', id, tenant_id, id, null, created_by, row_version, '{}', null)::entity_change))
  from after_it;
  return null;
end $$;
create or replace trigger projects_created after insert on projects
  referencing new table as after_it for each statement execute function tell_created_projects();

-- Descendants of a moved project have no events: their record is the same. A row version that is raised after a change
-- outside of the row belongs to the event of that change.
create or replace function tell_changed_projects() returns trigger language plpgsql as $$
declare
  changes entity_change[];
begin
  with changed as materialized (
    select n.id, n.tenant_id, n.row_version, n.row_version <> o.row_version as raised, o.parent_id,
      case when n.deleted_at is distinct from o.deleted_at then n.deleted_by when n.updated_at <> o.updated_at then n.updated_by end as actor,
      o.deleted_at is null and n.deleted_at is not null as deleted, o.deleted_at is not null and n.deleted_at is null as restored,
      n.deleted_at is null and n.parent_id is distinct from o.parent_id as moved,
      n.deleted_at is null and (n.inherits_members <> o.inherits_members
        or o.inherits_members and n.parent_id is distinct from o.parent_id and (n.member_source_id <> o.member_source_id
          or exists (select from permission_grants g where g.project_id = any(o.path || n.path) and g.operation = 'read'))) as resourced,
      n.permissions <> o.permissions as permitted, o.permissions as old_permissions, n.permissions as new_permissions,
      o.member_source_id, o.path[array_position(o.path, o.member_source_id):] as counting,
      array_remove(array[case when n.name <> o.name then 'name' end,
        case when n.description is distinct from o.description then 'description' end,
        case when n.metadata <> o.metadata then 'metadata' end, case when n.settings <> o.settings then 'settings' end,
        case when n.access_level <> o.access_level then 'accessLevel' end,
        case when n.permissions <> o.permissions then 'permissions' end], null) as names
    from before_it o join after_it n on n.id = o.id
    where n.row_version <> o.row_version or n.parent_id is distinct from o.parent_id or n.inherits_members <> o.inherits_members),
  touched as (
    update events e set user_id = coalesce(c.actor, e.user_id), data = e.data || jsonb_build_object('RowVersion', c.row_version::text)
    from changed c
    where c.raised and e.transaction_id = pg_current_xact_id() and e."offset" is null and e.resource_id = c.id::text
    returning c.id),
  told as (
    select c.id, c.tenant_id, c.actor, c.row_version, 'project' as noun, 'deleted' as verb, '{}'::text[] as names, null::uuid[] as former
    from changed c where c.deleted
    union all select c.id, c.tenant_id, c.actor, c.row_version, 'project', 'restored', '{}', null from changed c where c.restored
    union all select c.id, c.tenant_id, c.actor, c.row_version, 'project', 'moved', '{parentId}', null from changed c where c.moved
    union all select c.id, c.tenant_id, c.actor, c.row_version, 'members', 'changed', '{members}',
      readers_at(c.member_source_id, c.tenant_id, c.counting)
    from changed c where c.resourced
    union all select c.id, c.tenant_id, c.actor, c.row_version, 'members', 'changed', '{permissions}',
      readers_before(c.old_permissions, c.new_permissions, c.member_source_id, c.tenant_id, array_remove(c.counting, c.id))
    from changed c where c.permitted
    union all select c.id, c.tenant_id, c.actor, c.row_version, 'project', 'changed', c.names, null from changed c
    where c.names <> '{}' or c.raised and not (c.deleted or c.restored or c.moved or c.resourced)
      and not exists (select from touched t where t.id = c.id)
    union all select p.id, p.tenant_id, c.actor, p.row_version, 'project', 'changed', '{projects}', null
    from changed c join projects p on p.id = c.parent_id where c.moved)
  select array_agg(row(noun, verb, id, tenant_id, id, null, actor, row_version, names, former)::entity_change) into changes from told;
  if changes is not null then perform emit_changes(changes); end if;
  return null;
end $$;
create or replace trigger projects_changed after update on projects
  referencing old table as before_it new table as after_it for each statement execute function tell_changed_projects();

create or replace function tell_created_datasets() returns trigger language plpgsql as $$
begin
  perform emit_changes(
    array_agg(row('dataset', 'created', n.id, p.tenant_id, n.project_id, n.id, n.created_by, n.row_version, '{}', null)::entity_change))
  from after_it n join projects p on p.id = n.project_id;
  return null;
end $$;
create or replace trigger datasets_created after insert on datasets
  referencing new table as after_it for each statement execute function tell_created_datasets();

-- Who sees only the project that a dataset leaves hears that the project's datasets have changed.
create or replace function tell_changed_datasets() returns trigger language plpgsql as $$
declare
  changes entity_change[];
begin
  with changed as materialized (
    select n.id, n.project_id, o.project_id as old_project_id, n.row_version,
      case when n.deleted_at is distinct from o.deleted_at then n.deleted_by when n.updated_at <> o.updated_at then n.updated_by end as actor,
      case when o.deleted_at is null and n.deleted_at is not null then 'deleted'
        when o.deleted_at is not null and n.deleted_at is null then 'restored' else 'changed' end as verb,
      n.permissions <> o.permissions as permitted, o.permissions as old_permissions, n.permissions as new_permissions,
      array_remove(array[case when n.project_id <> o.project_id then 'projectId' end, case when n.name <> o.name then 'name' end,
        case when n.description is distinct from o.description then 'description' end,
        case when n.metadata <> o.metadata then 'metadata' end, case when n.properties <> o.properties then 'properties' end,
        case when n.tags <> o.tags then 'tags' end,
        case when n.temporal_information is distinct from o.temporal_information then 'temporalInformation' end,
        case when n.spatial_information is distinct from o.spatial_information then 'spatialInformation' end,
        case when n.permissions <> o.permissions then 'permissions' end,
        case when n.blob <> o.blob or n.storage_size <> o.storage_size then 'content' end], null) as names
    from before_it o join after_it n on n.id = o.id where n.row_version <> o.row_version),
  touched as (
    update events e set data = e.data || jsonb_build_object('RowVersion', c.row_version::text)
    from changed c where e.transaction_id = pg_current_xact_id() and e."offset" is null and e.resource_id = c.id::text),
  told as (
    select 'dataset' as noun, c.verb, c.id::text as resource_id, c.project_id, c.id as dataset_id, c.actor, c.row_version, c.names,
      null::uuid[] as former
    from changed c
    union all select 'members', 'changed', c.id::text, c.project_id, c.id, c.actor, c.row_version, '{permissions}',
      readers_before(c.old_permissions, c.new_permissions, p.member_source_id, p.tenant_id,
        p.path[array_position(p.path, p.member_source_id):])
    from changed c join projects p on p.id = c.old_project_id where c.permitted
    union all select 'project', 'changed', p.id::text, p.id, null, c.actor, p.row_version, '{datasets}', null
    from changed c join projects p on p.id = c.old_project_id where c.project_id <> c.old_project_id)
  select array_agg(row(t.noun, t.verb, t.resource_id, p.tenant_id, t.project_id, t.dataset_id, t.actor, t.row_version, t.names,
    t.former)::entity_change) into changes
  from told t join projects p on p.id = t.project_id;
  if changes is not null then perform emit_changes(changes); end if;
  return null;
end $$;
create or replace trigger datasets_changed after update on datasets
  referencing old table as before_it new table as after_it for each statement execute function tell_changed_datasets();

-- The events of members that a deletion of their project takes along are those of the project.
create or replace function tell_members(changed jsonb) returns void language sql as $$
  select emit_changes(array_agg(row('members', 'changed', p.id, p.tenant_id, p.id, null, null, p.row_version, '{members}', array(
    select u from jsonb_array_elements_text(c.value) left_by, lateral (select left_by::uuid as u) m
    where not is_denied_reader(u, p.tenant_id, array[p.id])))::entity_change))
  from jsonb_each(changed) c join projects p on p.id = c.key::uuid where p.deleted_at is null having count(*) > 0
$$;
create or replace function tell_added_members() returns trigger language plpgsql as $$
begin
  perform tell_members(jsonb_object_agg(project_id, '[]'::jsonb)) from after_it having count(*) > 0;
  return null;
end $$;
create or replace function tell_changed_roles() returns trigger language plpgsql as $$
begin
  perform tell_members(jsonb_object_agg(n.project_id, '[]'::jsonb))
  from after_it n join before_it o using (project_id, user_id) where n.role <> o.role having count(*) > 0;
  return null;
end $$;
create or replace function tell_removed_members() returns trigger language plpgsql as $$
begin
  perform tell_members(jsonb_object_agg(project_id, users)) from (
    select project_id, jsonb_agg(user_id) as users from before_it group by project_id) gone having count(*) > 0;
  return null;
end $$;
create or replace trigger members_added after insert on project_members
  referencing new table as after_it for each statement execute function tell_added_members();
create or replace trigger members_changed after update on project_members
  referencing old table as before_it new table as after_it for each statement execute function tell_changed_roles();
create or replace trigger members_removed after delete on project_members
  referencing old table as before_it for each statement execute function tell_removed_members();

create or replace function tell_thumbnail() returns trigger language plpgsql as $$
begin
  perform emit_changes(array[row('project', 'changed', p.id, p.tenant_id, p.id, null, null, p.row_version, '{thumbnail}', null)::entity_change])
  from projects p where p.id = coalesce(new.project_id, old.project_id);
  return null;
end $$;
create or replace trigger thumbnails_changed after insert or update or delete on project_thumbnails
  for each row execute function tell_thumbnail();

create or replace function tell_credits() returns trigger language plpgsql as $$
begin
  perform emit_changes(array_agg(row('credits', 'changed', pool_id, nullif(pool_id, '00000000-0000-0000-0000-000000000000'), null, null,
    created_by, null, array[lower(account::text)], null)::entity_change)) from added;
  return null;
end $$;
create or replace trigger changes_told after insert on credit_entries
  referencing new table as added for each statement execute function tell_credits();

-- Whether permissions of these projects or of this dataset, other than those of the group `but`, deny this account to read.
create or replace function is_denied_by_name(who uuid, projects uuid[], dataset uuid, but text) returns boolean language sql stable as $$
  select exists (
    select from permission_grants o left join accounts a on a.user_id = who
    where (o.project_id = any(projects) or o.dataset_id = dataset) and o.operation = 'read' and o.denied and o.principal <> but
      and (o.folded_principal in (who::text, a.folded_id) or o.principal in (
        select u.name from group_members m join user_groups u on u.id = m.group_id where m.user_id = who)))
$$;

-- Who joins or leaves a group gains or loses what permissions to read allow or deny the group.
create or replace function tell_group_members() returns trigger language plpgsql as $$
declare
  changes entity_change[];
begin
  with named as (
    select g.project_id, g.dataset_id, g.denied, u.name, m.user_id
    from changed m join user_groups u on u.id = m.group_id join permission_grants g on g.principal = u.name and g.operation = 'read'),
  things as (
    select n.*, d.project_id as of_project, d.row_version as dataset_version from named n left join datasets d on d.id = n.dataset_id),
  told as (
    select coalesce(t.dataset_id, p.id)::text as resource_id, p.tenant_id, p.id as project_id, t.dataset_id,
      coalesce(t.dataset_version, p.row_version) as row_version,
      -- whom the group let read, or denies to read now
      case when (tg_op = 'INSERT') = t.denied and (not t.denied or exists (
          select from project_members m where m.project_id = p.member_source_id and m.user_id = t.user_id))
        and not is_denied_by_name(t.user_id, p.path[array_position(p.path, p.member_source_id):], t.dataset_id, t.name)
        and exists (select from tenant_members m where m.tenant_id = p.tenant_id and m.user_id = t.user_id)
      then array[t.user_id] end as former
    from things t join projects p on p.id = coalesce(t.project_id, t.of_project))
  select array_agg(row('members', 'changed', resource_id, tenant_id, project_id, dataset_id, null, row_version, '{members}', former)::entity_change)
  into changes from told;
  if changes is not null then perform emit_changes(changes); end if;
  return null;
end $$;
create or replace trigger group_members_added after insert on group_members
  referencing new table as changed for each statement execute function tell_group_members();
create or replace trigger group_members_removed after delete on group_members
  referencing old table as changed for each statement execute function tell_group_members();

-- Permissions concern members of the tenant alone: who joins or leaves it gains or loses what they allow, and what they deny.
create or replace function tell_tenant_members() returns trigger language plpgsql as $$
declare
  changes entity_change[];
begin
  with people as (
    select c.tenant_id, c.user_id, array[c.user_id::text, a.folded_id] as ids,
      array(select u.name from group_members m join user_groups u on u.id = m.group_id where m.user_id = c.user_id) as groups
    from changed c left join accounts a on a.user_id = c.user_id),
  named as (
    select h.tenant_id, h.user_id, g.project_id, g.dataset_id, bool_or(not g.denied) as allowed
    from people h join permission_grants g on g.folded_principal = any(h.ids) or g.principal = any(h.groups)
    where g.operation = 'read' group by h.tenant_id, h.user_id, g.project_id, g.dataset_id),
  told as (
    select coalesce(n.dataset_id, p.id)::text as resource_id, p.tenant_id, p.id as project_id, n.dataset_id,
      coalesce(d.row_version, p.row_version) as row_version,
      -- whom the permissions let read, or a guest whom they deny to read now
      case when is_denied_by_name(n.user_id, p.path[array_position(p.path, p.member_source_id):], n.dataset_id, '')
        then tg_op = 'INSERT' and exists (
          select from project_members m where m.project_id = p.member_source_id and m.user_id = n.user_id)
        else tg_op = 'DELETE' and n.allowed end as is_former, n.user_id
    from named n left join datasets d on d.id = n.dataset_id
      join projects p on p.id = coalesce(n.project_id, d.project_id) and p.tenant_id = n.tenant_id
    where p.deleted_at is null and d.deleted_at is null)
  select array_agg(row('members', 'changed', resource_id, tenant_id, project_id, dataset_id, null, row_version, '{members}',
    case when is_former then array[user_id] end)::entity_change) into changes
  from told;
  if changes is not null then perform emit_changes(changes); end if;
  return null;
end $$;
create or replace trigger tenant_members_added after insert on tenant_members
  referencing new table as changed for each statement execute function tell_tenant_members();
create or replace trigger tenant_members_removed after delete on tenant_members
  referencing old table as changed for each statement execute function tell_tenant_members();
