comment on table recycle_bin is
  'Projects and datasets that were deleted themselves; what is below a deleted project has no row. The truth is '
  '`deleted_at` of the entity; the triggers `…_binned`, `…_binned_made`, `…_unbinned` and `projects_followed` fill '
  'this table.';
comment on column recycle_bin.container_id is 'Parent of a subproject, or project of a dataset. Null: a root project.';
comment on column recycle_bin.own_source_id is
  '`projects.member_source_id` of the deleted project, to find who may see it. Null: a dataset.';
comment on column recycle_bin.container_source_id is
  '`projects.member_source_id` of the container. Null: a root project.';
comment on column recycle_bin.storage_size is 'Bytes; for a project without what was deleted below it before.';
comment on column recycle_bin.weight is
  'Number of projects and datasets that are deleted for good with it, itself included.';
