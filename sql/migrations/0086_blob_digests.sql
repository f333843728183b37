-- What each blob must contain, so that changed and lost bytes are found: by transfers and copies when they read a whole blob, and by the
-- verification of all blobs.

create table blob_digests (
  name text primary key,
  size bigint not null,
  -- XXH3, 64 bits, in hex
  digest text not null,
  -- when the bytes were last seen to be right: at the write, or by a verification
  checked_at timestamptz not null default now()
);

-- Blobs that were found to be damaged or missing, until they are found to be right.
create table damaged_blobs (
  name text primary key,
  problem text not null check (problem in ('damaged', 'missing')),
  -- of the damaged state: a blob that was written anew has another one
  etag text,
  found_at timestamptz not null default now()
);

-- To find what names a blob.
create index datasets_blob on datasets (blob) where blob is not null;
create index staged_blobs_blob on staged_blobs (blob) where blob is not null;
create index transfers_output_blob on transfers (output_blob) where output_blob is not null;
create index transfers_bad_records_blob on transfers (bad_records_blob) where bad_records_blob is not null;

-- Blobs with content that cannot be made again, by name; an archive of drawn tiles can.
create view named_blobs as
  select blob as name from datasets where blob is not null
  union all select blob from staged_blobs where blob is not null
  union all select output_blob from transfers where type = 'Export' and output_blob is not null
  union all select bad_records_blob from transfers where bad_records_blob is not null;

-- The running or last verification. It continues after `cursor` in any process.
create table blob_verification (
  one boolean primary key default true check (one),
  id uuid not null,
  started_at timestamptz not null default now(),
  finished_at timestamptz,
  -- only blobs that were not checked since this time
  due_before timestamptz not null,
  -- only these, a sample
  names text[],
  cursor text not null default '',
  total bigint not null,
  checked bigint not null default 0,
  bytes bigint not null default 0,
  problems bigint not null default 0
);

-- Raised in the database first and then in the marker of the store, so that a database with a lower one than the marker is an old one.
alter table blob_store add column counter bigint not null default 0;
