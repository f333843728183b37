-- Whose bytes are whose: the blob store carries a marker with the identity of its database, and the sweep of blobs stops before it
-- removes many that this database has never named.

create table blob_store (
  one boolean primary key default true check (one),
  -- with the cluster's and the database's own numbers it is the identity in the marker, so that a copy of the database is another one
  id uuid not null default gen_random_uuid(),
  -- where the marker was last seen: a bucket that is away at a start is still found
  place text,
  -- after an adoption: no unknown blob is removed before somebody has confirmed it
  confirm_all boolean not null default false,
  -- why the last sweep removed no unknown blobs; null: it did its work
  stopped_because text,
  stopped_at timestamptz,
  -- of the last sweep: blobs that this database has never named, their bytes, and all blobs
  unknown_blobs bigint not null default 0,
  unknown_bytes bigint not null default 0,
  all_blobs bigint not null default 0,
  -- how many unknown blobs somebody has allowed the next sweep to remove
  confirmed bigint,
  swept_at timestamptz
);

-- Names of bytes that a row has let go of on purpose: expired, replaced, taken over. The sweep removes them unasked.
create table released_blobs (
  name text primary key,
  released_at timestamptz not null default now()
);
create index released_blobs_time on released_blobs (released_at);

create function release_blob() returns trigger language plpgsql as $$ begin
  insert into released_blobs (name) values (old.blob) on conflict do nothing;
  return null;
end $$;
create function release_output_blob() returns trigger language plpgsql as $$ begin
  insert into released_blobs (name) values (old.output_blob) on conflict do nothing;
  return null;
end $$;
create function release_bad_records_blob() returns trigger language plpgsql as $$ begin
  insert into released_blobs (name) values (old.bad_records_blob) on conflict do nothing;
  return null;
end $$;

create trigger release_blob after update of blob on datasets for each row
  when (old.blob is not null and old.blob is distinct from new.blob) execute function release_blob();
create trigger release_blob after update of blob on staged_blobs for each row
  when (old.blob is not null and old.blob is distinct from new.blob) execute function release_blob();
create trigger release_output_blob after update of output_blob on transfers for each row
  when (old.output_blob is not null and old.output_blob is distinct from new.output_blob) execute function release_output_blob();
create trigger release_bad_records_blob after update of bad_records_blob on transfers for each row
  when (old.bad_records_blob is not null and old.bad_records_blob is distinct from new.bad_records_blob)
  execute function release_bad_records_blob();
