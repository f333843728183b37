-- Each dataset has a row of `dataset_thumbnails` that names its content, whoever wrote it. A content without a picture is
-- due: the transfer that makes it draws it in its own transaction, or the job `drawThumbnails` does.

create or replace function new_thumbnails() returns trigger language plpgsql as $$ begin
  insert into dataset_thumbnails (dataset_id, project_id, created_at, content, due_at, is_deleted)
  select id, project_id, created_at, blob, now(), deleted_at is not null from made;
  return null;
end $$;
create or replace trigger thumbnails_made after insert on datasets
  referencing new table as made for each statement execute function new_thumbnails();

-- The picture of an earlier content is dropped.
create or replace function outdate_thumbnail() returns trigger language plpgsql as $$ begin
  update dataset_thumbnails
  set content = new.blob, png_512 = null, png_256 = null, png_128 = null, png_64 = null, due_at = now(), attempts = 0
  where dataset_id = new.id;
  return null;
end $$;
create or replace trigger thumbnail_outdated after update of blob on datasets for each row
  when (old.blob is distinct from new.blob) execute function outdate_thumbnail();

-- Time series have no blob, and may grow each second: their picture stays, and is drawn anew after ten minutes.
create or replace function redraw_series_thumbnail() returns trigger language plpgsql as $$ begin
  update dataset_thumbnails
  set due_at = case when png_512 is null then now() else now() + interval '10 minutes' end, attempts = 0
  where dataset_id = new.id
    and (due_at is null or due_at > case when png_512 is null then now() else now() + interval '10 minutes' end);
  return null;
end $$;
create or replace trigger series_thumbnail_outdated after update of storage_size on datasets for each row
  when (new.dataset_format = 'ts') execute function redraw_series_thumbnail();

-- A project shows no picture of a dataset in the recycle bin.
create or replace function bin_thumbnail() returns trigger language plpgsql as $$ begin
  update dataset_thumbnails set is_deleted = new.deleted_at is not null where dataset_id = new.id;
  return null;
end $$;
create or replace trigger thumbnail_binned after update of deleted_at on datasets for each row
  when ((old.deleted_at is null) <> (new.deleted_at is null)) execute function bin_thumbnail();

create or replace function move_thumbnail() returns trigger language plpgsql as $$ begin
  update dataset_thumbnails set project_id = new.project_id where dataset_id = new.id;
  return null;
end $$;
create or replace trigger thumbnail_moved after update of project_id on datasets for each row
  when (old.project_id <> new.project_id) execute function move_thumbnail();
