-- The unique constraints on `blob` have indexes of the same column.
drop index datasets_blob;
drop index staged_blobs_blob;
