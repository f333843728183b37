-- The tables of graphile-worker that the platform reads and writes. They are private to that library, and nothing else
-- names them but the index `jobs_unavailable` of the baseline. `test/api/queue-tables.test.ts` fails when an upgrade
-- changes them. The views are read, written and planned like their tables.

create or replace view queue_jobs as
  select id, task_id, payload, priority, run_at, attempts, max_attempts, last_error, created_at, updated_at, key,
    locked_at, locked_by, flags, is_available
  from graphile_worker._private_jobs;

create or replace view queue_tasks as
  select id, identifier from graphile_worker._private_tasks;

create or replace view queue_crontabs as
  select identifier, last_execution from graphile_worker._private_known_crontabs;
