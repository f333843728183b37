-- Lists of projects looked up the dataset of each picture, only to see whether it is deleted.

-- Until the trigger `thumbnail_binned` exists, nobody deletes or restores.
lock table datasets in share row exclusive mode;
alter table dataset_thumbnails add is_deleted boolean not null default false;
update dataset_thumbnails t set is_deleted = true from datasets d where d.id = t.dataset_id and d.deleted_at is not null;
