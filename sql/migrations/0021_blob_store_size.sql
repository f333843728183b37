-- The size of the blob store, which each sweep finds.

alter table blob_store add all_bytes bigint not null default 0 check (all_bytes >= 0);
