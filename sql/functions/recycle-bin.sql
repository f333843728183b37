create or replace function bin_project() returns trigger language plpgsql as $$
begin
  if new.deleted_at is null then
    delete from recycle_bin where id = new.id;
    return null;
  end if;
  insert into recycle_bin (id, item_type, tenant_id, container_id, own_source_id, container_source_id, name, storage_size, weight,
    deleted_at, deleted_by)
  select new.id, 'Project', new.tenant_id, new.parent_id, new.member_source_id,
    (select parent.member_source_id from projects parent where parent.id = new.parent_id), new.name,
    coalesce(sum(held.bytes) filter (where not exists (
      select from projects a where a.id = any(p.path[cardinality(new.path) + 1:]) and a.deleted_at is not null)), 0),
    count(*) + sum(held.datasets), new.deleted_at, new.deleted_by
  from projects p
  -- lateral, project by project: a generic plan cannot know the number of projects
  cross join lateral (
    select sum(d.storage_size) filter (where d.deleted_at is null) as bytes, count(*) as datasets
    from datasets d where d.project_id = p.id) held
  where p.path @> array[new.id]
  on conflict (id) do update set deleted_at = excluded.deleted_at, deleted_by = excluded.deleted_by;
  return null;
end $$;
create or replace trigger projects_binned_made after insert on projects
  for each row when (new.deleted_at is not null) execute function bin_project();
create or replace trigger projects_binned after update of deleted_at on projects
  for each row when (old.deleted_at is distinct from new.deleted_at) execute function bin_project();

create or replace function bin_dataset() returns trigger language plpgsql as $$
begin
  if new.deleted_at is null then
    delete from recycle_bin where id = new.id;
    return null;
  end if;
  insert into recycle_bin (id, item_type, tenant_id, container_id, container_source_id, name, storage_size, weight, deleted_at, deleted_by)
  select new.id, 'Dataset', p.tenant_id, p.id, p.member_source_id, new.name, new.storage_size, 1, new.deleted_at, new.deleted_by
  from projects p where p.id = new.project_id
  on conflict (id) do update set deleted_at = excluded.deleted_at, deleted_by = excluded.deleted_by;
  return null;
end $$;
create or replace trigger datasets_binned_made after insert on datasets
  for each row when (new.deleted_at is not null) execute function bin_dataset();
create or replace trigger datasets_binned after update of deleted_at on datasets
  for each row when (old.deleted_at is distinct from new.deleted_at) execute function bin_dataset();

create or replace function unbin_removed() returns trigger language plpgsql as $$
begin
  delete from recycle_bin where id in (select id from gone);
  return null;
end $$;
create or replace trigger projects_unbinned after delete on projects
  referencing old table as gone for each statement execute function unbin_removed();
create or replace trigger datasets_unbinned after delete on datasets
  referencing old table as gone for each statement execute function unbin_removed();

-- Runs once per statement, because a move may change ten thousand projects, hardly any of them in the recycle bin.
create or replace function follow_member_source() returns trigger language plpgsql as $$
begin
  update recycle_bin b set own_source_id = n.member_source_id
  from after_it n join before_it o on o.id = n.id
  where o.member_source_id <> n.member_source_id and b.id = n.id and b.own_source_id is not null;
  update recycle_bin b set container_source_id = n.member_source_id
  from after_it n join before_it o on o.id = n.id
  where o.member_source_id <> n.member_source_id and b.container_id = n.id;
  return null;
end $$;
create or replace trigger projects_followed after update on projects
  referencing old table as before_it new table as after_it for each statement execute function follow_member_source();
