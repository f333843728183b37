-- Lists of what is below a project, moves of large subtrees, small pictures of projects.

-- Wide enough that counting and filtering the children of a folder, and sorting them by name or time, reads an index alone; rows are
-- fetched for one page.
drop index projects_parent;
create index projects_parent on projects (parent_id, name collate "C", id) include (inherits_members, deleted_at, updated_at)
  where parent_id is not null;
create index projects_parent_created on projects (parent_id, created_at, id) include (inherits_members, deleted_at)
  where parent_id is not null;

-- Root and member source are the project itself or above it, which the parents keep from being removed. A key besides would look for each
-- of ten thousand moved projects.
alter table projects drop constraint projects_root_id_fkey;
alter table projects drop constraint projects_member_source_id_fkey;

-- Small pictures of projects, apart from the rows that lists read.
create table project_thumbnails (
  project_id uuid primary key references projects on delete cascade,
  content_type text not null check (content_type in ('image/png', 'image/jpeg', 'image/webp')),
  content bytea not null check (length(content) between 1 and 1048576)
);
-- they are packed already
alter table project_thumbnails alter column content set storage external;

-- which projects name somebody, out of the index alone
drop index project_members_user;
create index project_members_user on project_members (user_id) include (project_id);
