-- Small pictures of the contents of datasets. Triggers of `sql/functions/thumbnails.sql` keep the rows.

create table dataset_thumbnails (
  dataset_id uuid primary key references datasets(id) on delete cascade,
  project_id uuid not null,
  created_at timestamptz not null,
  content text,
  png_512 bytea storage external check (octet_length(png_512) between 1 and 4194304),
  png_256 bytea storage external check (octet_length(png_256) between 1 and 2097152),
  png_128 bytea storage external check (octet_length(png_128) between 1 and 1048576),
  png_64 bytea storage external check (octet_length(png_64) between 1 and 1048576),
  due_at timestamptz,
  attempts int not null default 0 check (attempts >= 0),
  check (num_nulls(png_512, png_256, png_128, png_64) in (0, 4))
);
insert into dataset_thumbnails (dataset_id, project_id, created_at, content, due_at)
  select id, project_id, created_at, blob, now() from datasets;
create index dataset_thumbnails_due on dataset_thumbnails (due_at) where due_at is not null;
create index dataset_thumbnails_drawn on dataset_thumbnails (dataset_id) where png_512 is not null;
create index dataset_thumbnails_project on dataset_thumbnails (project_id, created_at) where png_512 is not null;
