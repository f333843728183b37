comment on table datasets is 'Datasets of projects.';
comment on column datasets.permissions is
  'Permissions as they were written. The triggers `datasets_permissions_…` copy them to `permission_grants`.';
comment on column datasets.blob is
  'Name in the blob store. Each write makes a new blob, so that readers keep the old one. Null only for the format '
  '`ts`, whose values are in `ts_blocks`.';
comment on column datasets.storage_size is 'Bytes.';
comment on column datasets.locked_by is
  '`transfers.id` of the transfer that writes it. Null: none does. Transfers that read it: `dataset_readers`.';
comment on column datasets.row_version is 'Raised by each change; clients send it back to detect changes by others.';
comment on column datasets.deleted_at is
  'Time at which this dataset itself was deleted. Null does not mean visible: a project above may be deleted. The '
  'triggers `datasets_binned…` copy it to `recycle_bin`.';
comment on column datasets.min_grant_generation is
  'Signed addresses of an earlier generation are void, however they reach this dataset. See `grant_generations`.';
comment on column datasets.own_min_grant_generation is
  'Signed addresses of this dataset itself, not of a project above it, are void if they are of an earlier '
  'generation.';
comment on column datasets.file_extension is
  'Extension of the file, where the format has several (such as a zip of VTU files). Null: the format decides.';

comment on table dataset_readers is
  'Transfers that read a dataset until they end. Meanwhile nobody may write, move or delete it. Taken under the '
  'lock of the dataset''s row, and released by the statement that ends the transfer.';
comment on column dataset_readers.transfer_id is '`transfers.id`.';

comment on table dataset_thumbnails is
  'Small pictures of the contents of datasets: a row for each dataset, whether or not it has a picture. Triggers of '
  '`datasets` insert the row, and drop the picture when the content changes.';
comment on column dataset_thumbnails.project_id is
  '`datasets.project_id`, which the trigger `thumbnail_moved` follows, for the index of pictures of a project.';
comment on column dataset_thumbnails.created_at is '`datasets.created_at`: a project shows its newest dataset.';
comment on column dataset_thumbnails.content is
  '`datasets.blob` of the content. Whoever draws a picture writes it only if this is still what was drawn. Null for '
  'time series.';
comment on column dataset_thumbnails.png_512 is
  'PNG whose longer side has at most 512 pixels. Null, as the others: it was not drawn, or cannot be.';
comment on column dataset_thumbnails.due_at is
  'From when on the job `drawThumbnails` may draw it. A worker that takes it postpones it; null: nothing is to be done.';
comment on column dataset_thumbnails.attempts is
  'How often the job has taken this content. After 3 times, a worker that ends at it was the last one.';
comment on column dataset_thumbnails.is_deleted is
  'Whether `datasets.deleted_at` is set, which the trigger `thumbnail_binned` follows.';
