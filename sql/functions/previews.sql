-- Enqueues the making of the store of a preview. A job that waits already keeps its time.
create or replace function enqueue_preview(of_blob text, delay interval) returns void language sql as $$
  select graphile_worker.add_job('makePreview', json_build_object('blob', of_blob),
    job_key => 'preview ' || of_blob, job_key_mode => 'preserve_run_at', run_at => now() + delay,
    -- needs the capacity of a transfer, and runs after all transfers; one attempt more than a store is begun, for the run
    -- that says that all others ended with their worker
    flags => array['transfer'], priority => 20, max_attempts => 6)
$$;

-- A preview goes with the content that it was made of.
create or replace function drop_previews() returns trigger language plpgsql as $$ begin
  delete from previews where blob in (select blob from gone where blob is not null);
  return null;
end $$;
create or replace trigger drop_previews after delete on datasets
  referencing old table as gone for each statement execute function drop_previews();

-- What was made may have the coordinate system of the record, if its format stores none. A run that has read the former
-- one writes nothing any more, and the next request enqueues another.
create or replace function drop_former_preview() returns trigger language plpgsql as $$ begin
  if old.blob is distinct from new.blob then
    delete from previews where blob = old.blob;
  else
    delete from previews where blob = old.blob and state <> 'building';
    update previews set attempt = attempt + 1 where blob = old.blob;
  end if;
  return null;
end $$;
create or replace trigger drop_former_preview after update of blob, spatial_information on datasets for each row
  when (old.blob is not null and (old.blob is distinct from new.blob
    or old.spatial_information->'srid' is distinct from new.spatial_information->'srid'))
  execute function drop_former_preview();

-- Lets a job delete a store and an overview that no preview has any more. Equal contents share them.
create or replace function release_preview_store() returns trigger language plpgsql as $$ begin
  insert into blob_deletions (name)
  select old.store where old.store is not null and not exists (select from previews p where p.store = old.store)
  union all
  select old.overview where old.overview is not null
    and not exists (select from previews p where p.overview = old.overview)
  on conflict do nothing;
  return null;
end $$;
create or replace trigger release_store after delete on previews for each row
  when (old.store is not null or old.overview is not null) execute function release_preview_store();
create or replace trigger release_changed_store after update of store, overview on previews for each row
  when (old.store is distinct from new.store or old.overview is distinct from new.overview)
  execute function release_preview_store();
