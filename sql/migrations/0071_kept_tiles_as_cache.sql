-- Kept tiles are a cache: Postgres writes no log of them, and empties them after a crash. A table may refer to an unlogged one
-- only when it is unlogged itself.
alter table kept_tiles set unlogged;
alter table kept_tile_contents set unlogged;
alter table deleted_kept_tiles set unlogged;
alter table kept_tile_bytes set unlogged;

-- Takes the lock of a tile, and looks for the tile: another process may have kept it since it was looked for before the lock. Each
-- statement of a function sees what was committed before it.
create function lock_kept_tile(
  number bigint, dataset uuid, of_blob text, scheme text, of_step int, of_layer int, of_level int, of_column int, of_row int,
  out locked boolean, out bytes bytea
) language plpgsql as $$
begin
  locked := pg_try_advisory_lock(number);
  select c.bytes into bytes from kept_tiles t join kept_tile_contents c on c.hash = t.content
  where t.dataset_id = dataset and t.blob = of_blob and t.scheme_id = scheme and t.step = of_step and t.layer = of_layer
    and t.level = of_level and t.tile_column = of_column and t.tile_row = of_row;
end $$;

-- Keeps a tile, counts its bytes, and tells on a channel those who wait for it.
create function keep_tile(
  number bigint, channel text, overhead int, dataset uuid, of_blob text, scheme text, of_step int, of_layer int, of_level int,
  of_column int, of_row int, of_hash bytea, of_bytes bytea
) returns void language plpgsql as $$
declare
  added bigint := 0;
begin
  -- Not while contents without tiles are deleted.
  perform pg_advisory_xact_lock_shared(hashtextextended('kept tile contents', 0));
  insert into kept_tile_contents (hash, bytes, size) values (of_hash, of_bytes, octet_length(of_bytes))
  on conflict (hash) do nothing;
  if found then added := added + octet_length(of_bytes); end if;
  insert into kept_tiles (dataset_id, blob, scheme_id, step, layer, level, tile_column, tile_row, content)
  values (dataset, of_blob, scheme, of_step, of_layer, of_level, of_column, of_row, of_hash)
  on conflict do nothing;
  if found then added := added + overhead; end if;
  perform count_kept_bytes(pg_backend_pid() % 16, added);
  perform pg_notify(channel, number::text);
end $$;

-- After a crash there are no counters.
create function count_kept_bytes(of_part int, added bigint) returns void language sql as $$
  insert into kept_tile_bytes as counted (part, bytes) values (of_part, added)
  on conflict (part) do update set bytes = counted.bytes + excluded.bytes
$$;
