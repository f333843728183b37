comment on table drawn_tiles is
  'Tiles that were drawn, on request or ahead of requests. A cache, bounded by the setting `tiles.keptBytes`. '
  'Unlogged: empty after a crash.';
comment on column drawn_tiles.blob is
  'Content of the dataset from which it was drawn. Each write of a dataset makes a new blob.';
comment on column drawn_tiles.scheme_id is
  'Tile scheme. For a vector tile: `features` or `elements`, and the numbers of its attributes if it has not all.';
comment on column drawn_tiles.step is 'Index of the time step.';
comment on column drawn_tiles.layer is 'Index of the vertical layer.';
comment on column drawn_tiles.level is 'Zoom level.';
comment on column drawn_tiles.content is
  '`drawn_tile_contents.hash`. The trigger `note_deleted` writes those of deleted tiles to `deleted_drawn_tiles`.';
comment on column drawn_tiles.used_at is
  'Time of use, with a tolerance of minutes. The eviction deletes the oldest first.';

comment on table drawn_tile_contents is 'Bytes of drawn tiles. Equal tiles share one row.';
comment on column drawn_tile_contents.hash is 'SHA-256 of the bytes.';
comment on column drawn_tile_contents.size is 'Bytes.';

comment on table drawn_tile_bytes is
  'Size of all drawn tiles. Only the sum of the rows has a meaning: there are several so that processes seldom wait '
  'for each other. The function `store_tile` and the eviction write it.';
comment on column drawn_tile_bytes.part is '0 to 15.';
comment on column drawn_tile_bytes.bytes is 'Bytes of contents, and 300 for each tile.';

comment on table deleted_drawn_tiles is
  'Contents of deleted tiles, a row for each tile. The trigger `note_deleted` of `drawn_tiles` fills it; the '
  'eviction deletes the contents that no tile has any more.';
comment on column deleted_drawn_tiles.content is '`drawn_tile_contents.hash`.';
