comment on table previews is
  'Previews of contents that cannot be drawn as they are stored or need an overview, and of those that cannot be read. '
  'Deleted with the content, by triggers of `datasets`. No foreign key: a write gives a dataset another blob.';
comment on column previews.blob is 'The content: `datasets.blob`.';
comment on column previews.state is
  '`building`: a job waits or runs. `ready`: what it `needs` exists. `failed`: the content cannot be read, for `reason`.';
comment on column previews.needs is
  '`store`: is drawn of a store, with an overview if that is large. `overview`: is drawn as it is stored, also while its '
  'overview is made and if that fails.';
comment on column previews.overview is
  'Name of a Zarr store in the blob store: the same grid in fewer cells. Released like `store`.';
comment on column previews.overview_size is 'Bytes.';
comment on column previews.progress is '0 to 1.';
comment on column previews.reason is 'The sentence of the reader.';
comment on column previews.attempt is 'Raised by each run of the job. A run writes nothing after a later one has begun.';
comment on column previews.digest is
  'SHA-256 of the content and of how it is read. Equal contents share a store, which one job at a time makes.';
comment on column previews.store is
  'Name in the blob store. The triggers `release_…` write those that no row has any more to `blob_deletions`.';
comment on column previews.store_format is 'Format of the store: `md`, `gis` or `ts`.';
comment on column previews.store_size is 'Bytes.';
comment on column previews.used_at is
  'Time of use, with a tolerance of an hour. The clean-up deletes those that nobody uses.';

comment on table preview_schemes is 'Item and colours with which previews of a dataset begin, instead of computed ones.';
comment on column preview_schemes.scheme is '`{item, colors, min, max, log, steps?}`.';
