-- The bytes of kept tiles are counted where they are written, so that looking at them costs the same however many there are; see
-- `src/tiles/raster/make-room.ts`. Several rows, so that processes seldom wait for each other; only their sum says something.
create table kept_tile_bytes (
  part int primary key,
  -- Contents, and 300 for each tile.
  bytes bigint not null
) with (fillfactor = 50);
insert into kept_tile_bytes (part, bytes)
select part, case part when 0 then
  (select coalesce(sum(size), 0) from kept_tile_contents) + 300 * (select count(*) from kept_tiles) else 0 end
from generate_series(0, 15) part;

-- The contents of deleted tiles, one row for each. Whoever makes room deletes those that no tile has any more.
create table deleted_kept_tiles (
  content bytea not null
);
insert into deleted_kept_tiles (content)
select hash from kept_tile_contents c where not exists (select from kept_tiles t where t.content = c.hash);
-- Those rows stand for no tile that was counted.
update kept_tile_bytes set bytes = bytes + 300 * (select count(*) from deleted_kept_tiles) where part = 0;

create function note_deleted_kept_tiles() returns trigger language plpgsql as $$
begin
  insert into deleted_kept_tiles (content) select content from gone;
  return null;
end $$;
create trigger note_deleted after delete on kept_tiles
  referencing old table as gone for each statement execute function note_deleted_kept_tiles();
