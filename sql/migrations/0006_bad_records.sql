-- GeoJSON of the places of records that a transfer skipped, kept as long as a file made for downloading.
alter table transfers add column bad_records_blob text;
create index transfers_bad_records on transfers (finished_at) where bad_records_blob is not null;
