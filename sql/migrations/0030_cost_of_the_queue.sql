-- What each step of a transfer costs the database.

-- Room for a second version of some of a page's rows, so that what a run tells of its progress stays there and touches no index.
alter table transfers set (fillfactor = 80);

-- The kind of a failure is computed where one is written, but made ready at each write of any transfer. A function that is not in SQL
-- stays a call then; one in SQL is read and put in its place each time, with all its regular expressions.
create function failure_kind(type text, request jsonb, sentence text) returns text language plpgsql immutable parallel safe as $$
begin
  return left(md5(type || '/' || coalesce(request ->> 'readerName', '') || '/' || coalesce(request ->> 'writerName', '') || '/'
    || failure_pattern(sentence)), 16);
end $$;
alter table transfers alter column failure set expression as (
  case when status = 'Error' and error_message <> 'Cancelled.' then failure_kind(type, request, error_message) end);

-- Rows of the queue that do not just wait for a worker: those that one has locked, and those that were tried in vain. Few, whatever waits.
create index jobs_unavailable on graphile_worker._private_jobs (locked_by) where not is_available;
