-- What operators look at and steer: failures in groups, retries of many, workers that take nothing more, figures.

-- A sentence with what differs from one failure to the next taken out: addresses, quoted names, ids, paths, numbers.
create function failure_pattern(sentence text) returns text language sql immutable parallel safe as $$
  select regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(left(sentence, 4000),
    '\m[a-z][a-z0-9+.-]*://[^\s''"<>]+', '<address>', 'gi'),
    '(?<!\w)''(?:[^'']|''(?=\w))*''(?!\w)|"[^"]*"', '<name>', 'g'),
    '\m[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}\M|\m[0-9a-f]{16,}\M', '<id>', 'gi'),
    '(?<![\w<])(?:[a-z]:)?[\\/][^\s''",;)]+', '<path>', 'gi'),
    '(?<![\w.])[-+]?(?:0x[0-9a-f]+|(?:\d+(?:[.,]\d+)*|\.\d+)(?:e[-+]?\d+)?)', '<number>', 'gi'),
    '\d+', '<number>', 'g')
$$;

-- Failures of one kind: the same sort of transfer, reader and writer, and the same sentence but for what differs. A cancel is no failure.
alter table transfers add column failure text generated always as (
  case when status = 'Error' and error_message <> 'Cancelled.' then
    left(md5(type || '/' || coalesce(request ->> 'readerName', '') || '/' || coalesce(request ->> 'writerName', '') || '/'
      || failure_pattern(error_message)), 16)
  end) stored;
create index transfers_failures on transfers (failure, finished_at, id) where failure is not null;
create index transfers_unfinished on transfers (created_at, id) where finished_at is null;
create index transfers_finished on transfers (finished_at, id) where finished_at is not null;
create index transfers_retries on transfers (retry_of) where retry_of is not null;

-- Where its run belongs in a trace (W3C).
alter table transfers add column traceparent text check (length(traceparent) = 55);

-- An operator's order to try all failures of one kind again, at a pace. Workers follow it step by step; this row is the truth.
create table mass_retries (
  id uuid primary key default uuidv7(),
  failure text not null,
  per_second double precision not null check (per_second > 0),
  -- at most so many; absent: all there are
  most bigint check (most > 0),
  stop_on_fail boolean not null,
  -- what fails later is not looked at, so that nothing is tried again twice by one order
  failed_until timestamptz not null default now(),
  -- where it stands in the order of (finished_at, id)
  after_time timestamptz not null default '-infinity',
  after_id uuid not null default '00000000-0000-0000-0000-000000000000',
  -- when the next one is due
  next_at timestamptz not null default now(),
  state text not null default 'Running' check (state in ('Running', 'Done', 'Stopped')),
  note text,
  created_at timestamptz not null default now(),
  created_by uuid not null,
  account_id text not null,
  request_id text not null,
  finished_at timestamptz,
  check ((state = 'Running') = (finished_at is null))
);
create unique index mass_retries_running on mass_retries (failure) where state = 'Running';
create index mass_retries_created on mass_retries (created_at, id);

-- What an order has come to: the new transfer, or why there is none.
create table mass_retried (
  retry_id uuid not null references mass_retries on delete cascade,
  transfer_id uuid not null references transfers on delete cascade,
  started_id uuid references transfers on delete cascade,
  refusal text,
  primary key (retry_id, transfer_id),
  check ((started_id is null) <> (refusal is null))
);
create unique index mass_retried_once on mass_retried (transfer_id) where started_id is not null;
create index mass_retried_started on mass_retried (started_id) where started_id is not null;

-- Workers that take no more transfers: all, those of a machine, or one (its pool). Read by each worker, so it outlives restarts.
create table drains (
  scope text not null check (scope in ('all', 'host', 'pool')),
  name text not null,
  since timestamptz not null default now(),
  account_id text not null,
  primary key (scope, name),
  check ((scope = 'all') = (name = ''))
);
-- since when it certainly takes none
alter table workers add column draining_since timestamptz;

-- Figures of transfers that ended, added up from the events of their ends in the order in which these were published, so that each
-- counts once and none is lost however many processes come and go. A histogram has a row for each bucket.
create table figures (
  name text not null,
  type text not null,
  reader text not null,
  writer text not null,
  outcome text not null,
  -- upper bound of a bucket, in seconds
  upper double precision not null default 'infinity',
  count bigint not null,
  sum double precision not null,
  primary key (name, type, reader, writer, outcome, upper)
);
create table figures_position ("offset" bigint not null);
create unique index figures_position_single on figures_position ((true));
insert into figures_position values (0);
