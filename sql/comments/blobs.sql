comment on table blob_store is
  'One row: the identity of this database in the marker of its blob store, and the state of the sweep that deletes '
  'blobs without references.';
comment on column blob_store.one is 'Always true: the table has at most one row.';
comment on column blob_store.id is
  'Part of the identity, with the ids of cluster and database, so that a copy of the database is another one.';
comment on column blob_store.place is 'Bucket or folder in which the marker was last seen.';
comment on column blob_store.confirm_all is
  'True after the adoption of a store: the sweep deletes no unknown blob without confirmation.';
comment on column blob_store.stopped_because is 'Why the last sweep deleted no unknown blobs. Null: it did.';
comment on column blob_store.stopped_at is 'Since when. Null: the last sweep was not stopped.';
comment on column blob_store.unknown_blobs is 'Blobs of the last sweep that this database has never referenced.';
comment on column blob_store.unknown_bytes is 'Their size.';
comment on column blob_store.all_blobs is 'Blobs of the last sweep.';
comment on column blob_store.all_bytes is 'Their size, before the sweep deleted any.';
comment on column blob_store.confirmed is 'Unknown blobs that an operator allows the next sweep to delete. Null: none.';
comment on column blob_store.counter is
  'Raised here first, then in the marker: a database with a lower one than its store''s was restored from an old '
  'backup.';

comment on table released_blobs is
  'Blobs that a row no longer references: replaced or expired. Triggers `release_…` of `datasets`, `staged_blobs` '
  'and `transfers` fill it; the sweep deletes them without confirmation.';

comment on table blob_deletions is
  'Blobs whose rows were deleted for good. A name stays until the store has deleted the blob.';

comment on table blob_digests is 'What each blob must contain, to find changed and lost bytes.';
comment on column blob_digests.digest is 'XXH3 of the bytes, 64 bits, hexadecimal.';
comment on column blob_digests.checked_at is 'When the bytes were last right: at the write, or by a verification.';

comment on table damaged_blobs is 'Blobs that were found damaged or missing, until they are found right.';
comment on column damaged_blobs.etag is
  'ETag of the damaged object: an object that was written again has another one. Null: missing, or the store has '
  'none.';

comment on table blob_verification is
  'The running or last verification of blobs. Any process can continue it after `cursor`.';
comment on column blob_verification.one is 'Always true: the table has at most one row.';
comment on column blob_verification.finished_at is 'Null: it runs.';
comment on column blob_verification.due_before is 'Checks only blobs that were not checked since this time.';
comment on column blob_verification.names is 'Checks only these: a sample. Null: all that are due.';
comment on column blob_verification.cursor is 'Name of the last blob that was checked.';
comment on column blob_verification.bytes is 'Bytes that were read.';
comment on column blob_verification.problems is 'Damaged and missing blobs that it found.';
