-- Tiles that were drawn at their first request, bounded by the setting `tiles.keptBytes`; see `src/tiles/raster/kept-tiles.ts`.
-- Equal tiles have one content.
create table kept_tile_contents (
  hash bytea primary key check (octet_length(hash) = 32),
  bytes bytea not null,
  size int not null check (size > 0)
);
-- Pictures and gzip do not compress further.
alter table kept_tile_contents alter column bytes set storage external;

create table kept_tiles (
  dataset_id uuid not null references datasets on delete cascade,
  -- Each write of a dataset makes a new blob.
  blob text not null,
  scheme_id text not null,
  step int not null check (step >= 0),
  layer int not null check (layer >= 0),
  level int not null check (level between 0 and 24),
  tile_column int not null check (tile_column >= 0),
  tile_row int not null check (tile_row >= 0),
  content bytea not null references kept_tile_contents,
  used_at timestamptz not null default now(),
  primary key (dataset_id, blob, scheme_id, step, layer, level, tile_column, tile_row)
);
create index kept_tiles_used_at on kept_tiles (used_at);
create index kept_tiles_content on kept_tiles (content);
