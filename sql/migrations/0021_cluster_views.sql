-- Dispatchers write what they know of their clusters. Lost in a crash, it is written again within seconds.
create unlogged table cluster_views (
  name text primary key,
  settings jsonb not null,
  nodes jsonb,
  digest text not null,
  seen_at timestamptz not null default now()
);
