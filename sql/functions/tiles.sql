-- Adds to the counter of bytes. Inserts it if it is missing: the table is unlogged, so a crash empties it.
create or replace function count_drawn_bytes(of_part int, added bigint) returns void language sql as $$
  insert into drawn_tile_bytes as counted (part, bytes) values (of_part, added)
  on conflict (part) do update set bytes = counted.bytes + excluded.bytes
$$;

-- Stores a tile, counts its bytes, and announces the number of its lock on a channel.
create or replace function store_tile(
  number bigint, channel text, overhead int, dataset uuid, of_blob text, scheme text, of_step int, of_layer int, of_level int,
  of_column int, of_row int, of_hash bytea, of_bytes bytea
) returns void language plpgsql as $$
declare
  added bigint := 0;
begin
  -- excludes the deletion of contents without tiles, which could delete this content before its tile is inserted
  perform pg_advisory_xact_lock_shared(hashtextextended('drawn tile contents', 0));
  insert into drawn_tile_contents (hash, bytes, size) values (of_hash, of_bytes, octet_length(of_bytes))
  on conflict (hash) do nothing;
  if found then added := added + octet_length(of_bytes); end if;
  insert into drawn_tiles (dataset_id, blob, scheme_id, step, layer, level, tile_column, tile_row, content)
  values (dataset, of_blob, scheme, of_step, of_layer, of_level, of_column, of_row, of_hash)
  on conflict do nothing;
  if found then added := added + overhead; end if;
  perform count_drawn_bytes(pg_backend_pid() % 16, added);
  perform pg_notify(channel, number::text);
end $$;

-- Finds a tile, or takes its lock. The lock is tried first, so that a tile that another process stored meanwhile is
-- found: each statement of a function sees what was committed before it. The lock of a stored tile is released.
create or replace function find_or_lock_tile(
  number bigint, dataset uuid, of_blob text, scheme text, of_step int, of_layer int, of_level int, of_column int, of_row int,
  out locked boolean, out bytes bytea, out is_old boolean
) language plpgsql as $$
begin
  locked := pg_try_advisory_lock(number);
  select c.bytes, t.used_at < now() - interval '10 minutes' into bytes, is_old
  from drawn_tiles t join drawn_tile_contents c on c.hash = t.content
  where t.dataset_id = dataset and t.blob = of_blob and t.scheme_id = scheme and t.step = of_step and t.layer = of_layer
    and t.level = of_level and t.tile_column = of_column and t.tile_row = of_row;
  if locked and bytes is not null then
    perform pg_advisory_unlock(number);
    locked := false;
  end if;
end $$;

create or replace function note_deleted_tiles() returns trigger language plpgsql as $$
begin
  insert into deleted_drawn_tiles (content) select content from gone;
  return null;
end $$;
create or replace trigger note_deleted after delete on drawn_tiles
  referencing old table as gone for each statement execute function note_deleted_tiles();

-- Enqueues the drawing of vector tiles for new content of features, whoever wrote it. The job waits longer for larger
-- content, and draws what is current when it starts, so that many small edits do not cost one pyramid each. Further
-- edits do not postpone it.
create or replace function enqueue_vector_overview(dataset uuid, size bigint) returns void language sql as $$
  select graphile_worker.add_job('drawVectorOverview', json_build_object('datasetId', dataset),
    job_key => 'vector overview ' || dataset, job_key_mode => 'preserve_run_at',
    run_at => now() + least(60, 5 + size / 20000000) * interval '1 second',
    -- needs the capacity of a transfer, and runs after all transfers
    flags => array['transfer'], priority => 20, max_attempts => 5)
$$;

create or replace function new_vector_content() returns trigger language plpgsql as $$ begin
  -- tiles of smaller contents are drawn fast enough on request
  if new.blob is not null and new.storage_size > 1000000 then
    perform enqueue_vector_overview(new.id, new.storage_size);
  end if;
  return null;
end $$;
create or replace trigger new_vector_content after insert on datasets for each row
  when (new.dataset_type = 'gisvectordata') execute function new_vector_content();
create or replace trigger changed_vector_content after update of blob on datasets for each row
  when (new.dataset_type = 'gisvectordata' and old.blob is distinct from new.blob) execute function new_vector_content();
