-- Transfers that a dispatcher hands to a Kubernetes cluster, and which workers are dispatchers.

alter table workers add column hands_over text check (hands_over in ('all', 'rest'));

create table kubernetes_jobs (
  transfer_id uuid primary key references transfers (id) on delete cascade,
  number int not null default 1 check (number > 0),
  handed_over_at timestamptz,
  attempt int not null,
  oom_kills int not null default 0 check (oom_kills >= 0),
  failures int not null default 0 check (failures >= 0),
  not_before timestamptz,
  reason text,
  node text,
  unscheduled text
);
