-- Small pictures of projects, apart from the rows that lists read.

create table project_thumbnails (
  project_id uuid primary key references projects on delete cascade,
  content_type text not null check (content_type in ('image/png', 'image/jpeg', 'image/webp')),
  content bytea not null check (length(content) between 1 and 1048576)
);
-- they are packed already
alter table project_thumbnails alter column content set storage external;
