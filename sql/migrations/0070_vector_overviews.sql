-- Vector tiles of many features that a job has drawn ahead of requests; see `src/tiles/vector/draw-overview.ts`.
create table vector_overviews (
  dataset_id uuid primary key references datasets on delete cascade,
  -- The content that was drawn. Each write of a dataset makes a new blob.
  blob text not null,
  -- Name of a PMTiles archive in the blob store. Null: no tile of the content has so many features.
  archive text unique,
  tiles int not null check (tiles >= 0),
  -- Of the archive.
  bytes bigint not null check (bytes >= 0),
  -- Zoom level of the most detailed tile.
  last_level int check (last_level between 0 and 22),
  made_at timestamptz not null default now()
);

-- The hourly clean-up deletes archives that no row names any more, as it does with other blobs.
create function release_archive() returns trigger language plpgsql as $$ begin
  insert into released_blobs (name) values (old.archive) on conflict do nothing;
  return null;
end $$;
create trigger release_replaced after update of archive on vector_overviews for each row
  when (old.archive is not null and old.archive is distinct from new.archive) execute function release_archive();
create trigger release_deleted after delete on vector_overviews for each row
  when (old.archive is not null) execute function release_archive();

-- A new content of features gets a job, however it came. Further contents do not delay the job, which draws the one that is
-- current when it starts: the larger it is, the later, so that many small edits do not cost one pyramid each.
create function enqueue_vector_overview(dataset uuid, size bigint) returns void language sql as $$
  select graphile_worker.add_job('drawVectorOverview', json_build_object('datasetId', dataset),
    job_key => 'vector overview ' || dataset, job_key_mode => 'preserve_run_at',
    run_at => now() + least(60, 5 + size / 20000000) * interval '1 second',
    -- Takes the capacity of a transfer, after all transfers.
    flags => array['transfer'], priority => 20, max_attempts => 5)
$$;
create function new_vector_content() returns trigger language plpgsql as $$ begin
  if tg_op = 'UPDATE' then delete from vector_overviews where dataset_id = new.id; end if;
  -- Smaller ones are drawn fast enough when they are asked for.
  if new.blob is not null and new.storage_size > 1000000 then
    perform enqueue_vector_overview(new.id, new.storage_size);
  end if;
  return null;
end $$;
create trigger new_vector_content after insert on datasets for each row
  when (new.dataset_type = 'gisvectordata') execute function new_vector_content();
create trigger changed_vector_content after update of blob on datasets for each row
  when (new.dataset_type = 'gisvectordata' and old.blob is distinct from new.blob) execute function new_vector_content();

select enqueue_vector_overview(id, storage_size) from datasets
where dataset_type = 'gisvectordata' and blob is not null and storage_size > 1000000;
