-- Drawn tiles have one store, which `tiles.keptBytes` bounds. It is a cache, so the tiles of its former tables are drawn
-- again. The vector tiles of many features were in archives: the clean-up deletes these, and jobs draw the tiles.
do $$ declare
  former uuid;
begin
  for former in delete from vector_overviews returning dataset_id loop
    perform enqueue_vector_overview(id, storage_size) from datasets where id = former and blob is not null;
  end loop;
end $$;
drop table vector_overviews, kept_tiles, kept_tile_contents, kept_tile_bytes, deleted_kept_tiles;
-- Of a database that is older than `sql/functions/`.
drop function if exists release_archive, note_deleted_kept_tiles, lock_kept_tile, keep_tile, count_kept_bytes;

-- Equal tiles have one content.
create unlogged table drawn_tile_contents (
  hash bytea primary key check (octet_length(hash) = 32),
  bytes bytea storage external not null,
  size int not null check (size > 0)
);
create unlogged table drawn_tiles (
  dataset_id uuid not null references datasets on delete cascade,
  -- Each write of a dataset makes a new blob.
  blob text not null,
  -- Of a vector tile: `features` or `elements`, and the numbers of its attributes if it has not all.
  scheme_id text not null,
  step int not null check (step >= 0),
  layer int not null check (layer >= 0),
  level int not null check (level between 0 and 24),
  tile_column int not null check (tile_column >= 0),
  tile_row int not null check (tile_row >= 0),
  content bytea not null references drawn_tile_contents,
  drawn_at timestamptz not null default now(),
  used_at timestamptz not null default now(),
  primary key (dataset_id, blob, scheme_id, step, layer, level, tile_column, tile_row)
);
create index drawn_tiles_used_at on drawn_tiles (used_at);
create index drawn_tiles_content on drawn_tiles (content);

-- Bytes of contents, and 300 for each tile, counted where they are written. In several rows, so that processes seldom wait
-- for each other; only their sum has a meaning.
create unlogged table drawn_tile_bytes (
  part int primary key,
  bytes bigint not null
) with (fillfactor = 50);

-- Contents of deleted tiles, a row for each tile. The eviction deletes those that no tile has any more.
create unlogged table deleted_drawn_tiles (
  content bytea not null
);
