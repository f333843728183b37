-- The recycle bin: what lies in it, found without looking at everything that is alive, and the bytes of what was removed for good.

-- One row for each project and dataset that was deleted itself; what is only below a deleted project has none. `deleted_at` of the entity
-- stays the truth, the triggers below keep these rows to it.
create table recycle_bin (
  id uuid primary key,
  item_type text not null check (item_type in ('Project', 'Dataset')),
  tenant_id uuid not null,
  -- where it lies: the parent of a subproject, the project of a dataset; a root project lies nowhere
  container_id uuid,
  -- where members come from: of a project itself, and of the container. Who is Owner there is found by these, not row by row.
  own_source_id uuid,
  container_source_id uuid,
  name text not null,
  -- bytes; of a project what its deletion took away, so without what was deleted below it before
  storage_size bigint not null,
  -- projects and datasets that go with it when it is removed, itself included: how much one transaction takes on
  weight bigint not null,
  deleted_at timestamptz not null,
  deleted_by uuid not null,
  check ((item_type = 'Project') = (own_source_id is not null)),
  check ((container_id is null) = (container_source_id is null)),
  check (item_type = 'Project' or container_id is not null)
);
create index recycle_bin_tenant on recycle_bin (tenant_id, deleted_at, id);
create index recycle_bin_type on recycle_bin (tenant_id, item_type, deleted_at, id);
create index recycle_bin_deleter on recycle_bin (deleted_by, deleted_at, id);
create index recycle_bin_container on recycle_bin (container_id, deleted_at, id) where container_id is not null;
create index recycle_bin_own_source on recycle_bin (own_source_id) where own_source_id is not null;
create index recycle_bin_container_source on recycle_bin (container_source_id) where container_source_id is not null;

create function bin_project() returns trigger language plpgsql as $$
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
  -- project by project: how many there are is nothing that a plan made once could know
  cross join lateral (
    select sum(d.storage_size) filter (where d.deleted_at is null) as bytes, count(*) as datasets
    from datasets d where d.project_id = p.id) held
  where p.path @> array[new.id]
  on conflict (id) do update set deleted_at = excluded.deleted_at, deleted_by = excluded.deleted_by;
  return null;
end $$;
create trigger projects_binned_made after insert on projects
  for each row when (new.deleted_at is not null) execute function bin_project();
create trigger projects_binned after update of deleted_at on projects
  for each row when (old.deleted_at is distinct from new.deleted_at) execute function bin_project();

create function bin_dataset() returns trigger language plpgsql as $$
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
create trigger datasets_binned_made after insert on datasets
  for each row when (new.deleted_at is not null) execute function bin_dataset();
create trigger datasets_binned after update of deleted_at on datasets
  for each row when (old.deleted_at is distinct from new.deleted_at) execute function bin_dataset();

create function unbin_removed() returns trigger language plpgsql as $$
begin
  delete from recycle_bin where id in (select id from gone);
  return null;
end $$;
create trigger projects_unbinned after delete on projects
  referencing old table as gone for each statement execute function unbin_removed();
create trigger datasets_unbinned after delete on datasets
  referencing old table as gone for each statement execute function unbin_removed();

-- Once a statement: a move takes ten thousand projects along, nearly none of them in the bin.
create function follow_member_source() returns trigger language plpgsql as $$
begin
  update recycle_bin b set own_source_id = n.member_source_id
  from after_it n join before_it o on o.id = n.id
  where o.member_source_id <> n.member_source_id and b.id = n.id and b.own_source_id is not null;
  update recycle_bin b set container_source_id = n.member_source_id
  from after_it n join before_it o on o.id = n.id
  where o.member_source_id <> n.member_source_id and b.container_id = n.id;
  return null;
end $$;
create trigger projects_followed after update on projects
  referencing old table as before_it new table as after_it for each statement execute function follow_member_source();

insert into recycle_bin (id, item_type, tenant_id, container_id, own_source_id, container_source_id, name, storage_size, weight, deleted_at,
  deleted_by)
select p.id, 'Project', p.tenant_id, p.parent_id, p.member_source_id, parent.member_source_id, p.name, 0, 1, p.deleted_at, p.deleted_by
from projects p left join projects parent on parent.id = p.parent_id where p.deleted_at is not null
union all
select d.id, 'Dataset', p.tenant_id, p.id, null, p.member_source_id, d.name, d.storage_size, 1, d.deleted_at, d.deleted_by
from datasets d join projects p on p.id = d.project_id where d.deleted_at is not null;

-- Removing a project looks for others of its tree; without this at all projects, each time.
create index projects_root on projects (root_id);

-- Every deletion and every move looks into this index. With a list of pending entries, which only vacuum works off, each look reads all
-- of that list: a thousand times slower after some ten thousand changes.
alter index projects_path set (fastupdate = off);

-- Names of bytes in the store whose rows are gone; a name stays until the store has said that the bytes are gone, too.
create table spent_blobs (
  name text primary key,
  spent_at timestamptz not null default now()
);

-- Transfers tell what was done, to those who did it, also when what it was done with is removed: the ids stay, without a key.
alter table transfers drop constraint transfers_project_id_fkey;
alter table transfers drop constraint transfers_input_dataset_id_fkey;
-- they go with their tenant
alter table transfers drop constraint transfers_tenant_id_fkey;
alter table transfers add constraint transfers_tenant_id_fkey foreign key (tenant_id) references tenants on delete cascade;

-- Days that deleted things of a tenant are kept; absent: as many as the platform's setting says.
alter table tenants add column recycle_bin_days integer check (recycle_bin_days between 1 and 36500);
