-- Names of blobs whose content cannot be made again from other data.
create or replace view named_blobs as
  select blob as name from datasets where blob is not null
  union all select blob from staged_blobs where blob is not null
  union all select output_blob from transfers where type = 'Export' and output_blob is not null
  union all select bad_records_blob from transfers where bad_records_blob is not null;

create or replace function release_blob() returns trigger language plpgsql as $$ begin
  insert into released_blobs (name) values (old.blob) on conflict do nothing;
  return null;
end $$;
create or replace trigger release_blob after update of blob on datasets for each row
  when (old.blob is not null and old.blob is distinct from new.blob) execute function release_blob();
create or replace trigger release_blob after update of blob on staged_blobs for each row
  when (old.blob is not null and old.blob is distinct from new.blob) execute function release_blob();

create or replace function release_output_blob() returns trigger language plpgsql as $$ begin
  insert into released_blobs (name) values (old.output_blob) on conflict do nothing;
  return null;
end $$;
create or replace trigger release_output_blob after update of output_blob on transfers for each row
  when (old.output_blob is not null and old.output_blob is distinct from new.output_blob) execute function release_output_blob();

create or replace function release_bad_records_blob() returns trigger language plpgsql as $$ begin
  insert into released_blobs (name) values (old.bad_records_blob) on conflict do nothing;
  return null;
end $$;
create or replace trigger release_bad_records_blob after update of bad_records_blob on transfers for each row
  when (old.bad_records_blob is not null and old.bad_records_blob is distinct from new.bad_records_blob)
  execute function release_bad_records_blob();
