-- What is done: transfers. The row is the truth; the queue row is only a wake-up call.

create table transfers (
  id uuid primary key default uuidv7(),
  tenant_id uuid not null references tenants,
  project_id uuid not null references projects,
  type text not null check (type in ('Import', 'Export', 'Conversion', 'Update', 'Append')),
  status text not null default 'Pending' check (status in ('Pending', 'InProgress', 'Completed', 'Error')),
  -- the writer's
  format text not null,
  -- what was asked for, as accepted: reader, writer, their parameters, transformations, names, resources
  request jsonb not null,
  -- where the input is
  staged_blob text references staged_blobs,
  input_dataset_id uuid references datasets,
  created_at timestamptz not null default now(),
  created_by uuid not null,
  account_id text not null,
  updated_at timestamptz not null default now(),
  updated_by uuid not null,
  request_id text,
  retry_of uuid references transfers,
  -- raised at each claim; every write of an effect carries it, so that a worker that was overtaken writes nothing
  attempt integer not null default 0,
  worker_pool text,
  deadline timestamptz,
  -- workers that died or sat on it while it ran; children that died without the worker's doing; store or machine out of order
  worker_losses integer not null default 0,
  child_deaths integer not null default 0,
  outages integer not null default 0,
  cancel_requested_at timestamptz,
  progress real not null default 0 check (progress between 0 and 100),
  phase text,
  waiting_reason text,
  records_read bigint,
  records_written bigint,
  records_skipped bigint,
  started_at timestamptz,
  finished_at timestamptz,
  error_message text,
  output_dataset_id uuid,
  output_blob text,
  output_file_name text,
  receipt jsonb,
  memory_mb integer not null,
  cores numeric,
  check ((status in ('Completed', 'Error')) = (finished_at is not null)),
  check ((status = 'Error') = (error_message is not null)),
  check (status <> 'InProgress' or (worker_pool is not null and deadline is not null)),
  check ((progress = 100) = (status = 'Completed'))
);
create index transfers_creator on transfers (created_by, created_at);
create index transfers_project on transfers (project_id, created_at);
create index transfers_pending on transfers (id) where status = 'Pending';
create index transfers_running on transfers (worker_pool) where status = 'InProgress';
-- files made for downloading, until they are swept
create index transfers_exports on transfers (finished_at) where type = 'Export' and output_blob is not null;
create index transfers_staged on transfers (staged_blob) where staged_blob is not null;
create index transfers_input on transfers (input_dataset_id) where input_dataset_id is not null;

create table transfer_log (
  id bigint generated always as identity primary key,
  transfer_id uuid not null references transfers on delete cascade,
  time timestamptz not null default now(),
  level text not null check (level in ('debug', 'info', 'warning', 'error')),
  message text not null
);
create index transfer_log_transfer on transfer_log (transfer_id, id);

-- A worker process; it lives as long as it holds the advisory lock of its pool. Only pools that stand here may claim a transfer.
create table workers (
  pool text primary key,
  host text not null,
  pid integer not null,
  concurrency integer not null,
  memory_mb integer not null,
  cores numeric not null,
  labels text[] not null default '{}',
  started_at timestamptz not null default now()
);
