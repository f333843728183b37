drop function lock_kept_tile;

-- Looks for a tile, after trying to take its lock, so that what another process kept before is found; the lock is only held where the
-- tile is not there. Each statement of a function sees what was committed before it.
create function lock_kept_tile(
  number bigint, dataset uuid, of_blob text, scheme text, of_step int, of_layer int, of_level int, of_column int, of_row int,
  out locked boolean, out bytes bytea, out is_old boolean
) language plpgsql as $$
begin
  locked := pg_try_advisory_lock(number);
  select c.bytes, t.used_at < now() - interval '10 minutes' into bytes, is_old
  from kept_tiles t join kept_tile_contents c on c.hash = t.content
  where t.dataset_id = dataset and t.blob = of_blob and t.scheme_id = scheme and t.step = of_step and t.layer = of_layer
    and t.level = of_level and t.tile_column = of_column and t.tile_row = of_row;
  if locked and bytes is not null then
    perform pg_advisory_unlock(number);
    locked := false;
  end if;
end $$;
