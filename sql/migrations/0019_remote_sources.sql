-- Addresses of remote files that transfers read. They may hold passwords and signatures, so they stand here sealed, and go when the last
-- transfer that needs one has ended: the failed ones, which may be tried again, a day later.
create table remote_sources (
  id uuid primary key,
  sealed bytea not null
);
-- no reference: a transfer stays when its source has gone
alter table transfers add column source_id uuid;
create index transfers_source on transfers (source_id) where source_id is not null;
