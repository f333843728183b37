-- How the last run of each job of the clock went, one row each.
create table chore_runs (
  name text primary key,
  started_at timestamptz not null,
  finished_at timestamptz not null default now(),
  -- items that it could not deal with; the next run tries them again
  failed bigint not null check (failed >= 0),
  -- the first of them: [{part, item?, reason}]
  failures jsonb not null
);
