-- Notes who did what to a project or dataset, in the transaction of the change. `places`: projects whose activity it is
-- part of.
create or replace function record_activity(
  action text, user_id uuid, project_id uuid, dataset_id uuid, subject_kind text, subject_id uuid, subject_name text, places uuid[],
  before jsonb default '{}', after jsonb default '{}', changed text[] default '{}', from_project_id uuid default null,
  to_project_id uuid default null, restricted boolean default false, transfer_id uuid default null) returns void language sql as $$
  with made as (
    insert into activity (action, user_id, project_id, dataset_id, subject_kind, subject_id, subject_name, before, after, changed,
      from_project_id, to_project_id, restricted, transfer_id)
    values ($1, $2, $3, $4, $5, $6, $7, $9, $10, $11, $12, $13, $14, $15) returning id)
  insert into activity_places (project_id, activity_id) select distinct place, made.id from made, unnest($8) place
$$;

-- Names of the members that differ.
create or replace function changed_members(before jsonb, after jsonb) returns text[] language sql immutable parallel safe as $$
  select coalesce(array_agg(key order by key), '{}') from jsonb_each(after) where value is distinct from before -> key
$$;
-- These members without null, and with at most 300 characters of each text.
create or replace function shown_members(record jsonb, names text[]) returns jsonb language sql immutable parallel safe as $$
  select coalesce(jsonb_object_agg(key, case when length(value #>> '{}') > 300 then to_jsonb(left(value #>> '{}', 300) || '…') else value end), '{}')
  from jsonb_each(record) where key = any(names) and value <> 'null'
$$;

-- Creations once per statement, because a copy makes ten thousand projects.
create or replace function record_made_projects() returns trigger language plpgsql as $$
begin
  with noted as (
    insert into activity (action, user_id, project_id, subject_kind, subject_id, subject_name, after)
    select 'project.create', created_by, id, 'project', id, name,
      jsonb_build_object('name', name, 'accessLevel', access_level, 'inheritsMembers', inherits_members)
    from made order by id returning id, project_id)
  insert into activity_places (project_id, activity_id)
  select place, n.id from noted n join made m on m.id = n.project_id cross join unnest(m.path) place;
  return null;
end $$;
create or replace trigger projects_activity_made after insert on projects
  referencing new table as made for each statement execute function record_made_projects();

create or replace function record_made_datasets() returns trigger language plpgsql as $$
begin
  with noted as (
    insert into activity (action, user_id, dataset_id, subject_kind, subject_id, subject_name, after)
    select 'dataset.create', created_by, id, 'dataset', id, name,
      jsonb_build_object('name', name, 'datasetFormat', dataset_format, 'storageSize', storage_size)
    from made order by id returning id, dataset_id)
  insert into activity_places (project_id, activity_id)
  select place, n.id from noted n join made m on m.id = n.dataset_id join projects p on p.id = m.project_id cross join unnest(p.path) place;
  return null;
end $$;
create or replace trigger datasets_activity_made after insert on datasets
  referencing new table as made for each statement execute function record_made_datasets();

-- The actor of an update is `updated_by` if the transaction has set it. Others have none: permissions follow the new
-- login id of an account.
create or replace function record_project_activity() returns trigger language plpgsql as $$
declare
  actor uuid := case when new.updated_at = now() then new.updated_by end;
  was jsonb;
  -- shown with their values
  plain text[];
  -- their values may contain secrets, or names of accounts
  others text[];
  now_is jsonb := jsonb_build_object('name', new.name, 'description', new.description, 'accessLevel', new.access_level,
    'inheritsMembers', new.inherits_members);
begin
  if old.deleted_at is null and new.deleted_at is not null then
    perform record_activity('project.delete', new.deleted_by, new.id, null, 'project', new.id, new.name, new.path);
  elsif new.deleted_at is null and old.deleted_at is not null then
    perform record_activity('project.restore', actor, new.id, null, 'project', new.id, new.name, new.path);
  end if;
  was := jsonb_build_object('name', old.name, 'description', old.description, 'accessLevel', old.access_level,
    'inheritsMembers', old.inherits_members);
  plain := changed_members(was, now_is);
  others := array_remove(array[case when old.metadata <> new.metadata then 'metadata' end,
    case when old.settings <> new.settings then 'settings' end, case when old.permissions <> new.permissions then 'permissions' end], null);
  if old.parent_id is distinct from new.parent_id then
    perform record_activity('project.move', actor, new.id, null, 'project', new.id, new.name, old.path || new.path,
      shown_members(was, plain), shown_members(now_is, plain), array['parentProjectId'] || plain || others, old.parent_id, new.parent_id);
  elsif plain || others <> '{}' then
    perform record_activity('project.change', actor, new.id, null, 'project', new.id, new.name, new.path,
      shown_members(was, plain), shown_members(now_is, plain), plain || others);
  end if;
  return null;
end $$;
create or replace trigger projects_activity_changed after update on projects for each row
  when ((old.name, old.description, old.access_level, old.inherits_members, old.metadata, old.settings, old.permissions, old.parent_id, old.deleted_at)
    is distinct from (new.name, new.description, new.access_level, new.inherits_members, new.metadata, new.settings, new.permissions,
      new.parent_id, new.deleted_at))
  execute function record_project_activity();

create or replace function record_dataset_activity() returns trigger language plpgsql as $$
declare
  actor uuid := case when new.updated_at = now() then new.updated_by end;
  places uuid[] := (select path from projects where id = new.project_id);
  was jsonb;
  plain text[];
  others text[];
  now_is jsonb := jsonb_build_object('name', new.name, 'description', new.description, 'datasetFormat', new.dataset_format,
    'storageSize', new.storage_size);
  moved boolean;
  replaced boolean;
  -- what the store has of the content before and after, for its history
  had jsonb;
  has jsonb;
begin
  moved := old.project_id <> new.project_id;
  if moved then places := places || (select path from projects where id = old.project_id); end if;
  if old.deleted_at is null and new.deleted_at is not null then
    perform record_activity('dataset.delete', new.deleted_by, null, new.id, 'dataset', new.id, new.name, places);
  elsif new.deleted_at is null and old.deleted_at is not null then
    perform record_activity('dataset.restore', actor, null, new.id, 'dataset', new.id, new.name, places,
      from_project_id => case when moved then old.project_id end, to_project_id => case when moved then new.project_id end);
    moved := false;
  end if;
  -- series have no blob: a transfer that replaces their values unlocks them
  replaced := old.blob is distinct from new.blob
    or new.blob is null and old.locked_by is not null and new.locked_by is null and old.row_version <> new.row_version and not moved;
  was := jsonb_build_object('name', old.name, 'description', old.description, 'datasetFormat', old.dataset_format,
    'storageSize', old.storage_size);
  plain := changed_members(was, now_is);
  if not replaced then plain := array_remove(plain, 'storageSize'); end if;
  others := array_remove(array[case when old.metadata <> new.metadata then 'metadata' end,
    case when old.properties <> new.properties then 'properties' end, case when old.tags <> new.tags then 'tags' end,
    case when old.temporal_information is distinct from new.temporal_information then 'temporalInformation' end,
    case when old.spatial_information is distinct from new.spatial_information then 'spatialInformation' end,
    case when old.permissions <> new.permissions then 'permissions' end], null);
  if moved then
    perform record_activity('dataset.move', actor, null, new.id, 'dataset', new.id, new.name, places,
      shown_members(was, plain), shown_members(now_is, plain), array['projectId'] || plain || others, old.project_id, new.project_id);
  elsif replaced then
    had := jsonb_build_object('xxh3', (select digest from blob_digests where name = old.blob));
    has := jsonb_build_object('xxh3', (select digest from blob_digests where name = new.blob));
    perform record_activity('dataset.content.replace', actor, null, new.id, 'dataset', new.id, new.name, places,
      shown_members(was || had, plain || '{storageSize,xxh3}'), shown_members(now_is || has, plain || '{storageSize,xxh3}'),
      array['content'] || plain || others,
      transfer_id => old.locked_by);
  elsif plain || others <> '{}' then
    perform record_activity('dataset.change', actor, null, new.id, 'dataset', new.id, new.name, places,
      shown_members(was, plain), shown_members(now_is, plain), plain || others);
  end if;
  return null;
end $$;
-- Writes of single values of series change size and period of their dataset, and are no entries.
create or replace trigger datasets_activity_changed after update on datasets for each row
  when ((old.name, old.description, old.dataset_format, old.metadata, old.properties, old.tags, old.spatial_information,
      old.permissions, old.project_id, old.deleted_at, old.blob)
    is distinct from (new.name, new.description, new.dataset_format, new.metadata, new.properties, new.tags, new.spatial_information,
      new.permissions, new.project_id, new.deleted_at, new.blob)
    or new.blob is not null and old.temporal_information is distinct from new.temporal_information
    or new.blob is null and old.locked_by is not null and new.locked_by is null and old.row_version <> new.row_version)
  execute function record_dataset_activity();

-- Entries end with their project or dataset; those that remain leave the activity of the removed project.
create or replace function forget_places() returns trigger language plpgsql as $$
begin
  delete from activity_places where project_id in (select id from gone);
  return null;
end $$;
create or replace trigger projects_activity_removed after delete on projects
  referencing old table as gone for each statement execute function forget_places();
