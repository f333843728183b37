-- A webhook that fails is sent fewer events, then none: it backs off until `retry_at`, and it is disabled after days of failures only.
alter table webhooks
  -- first failure since the last success; null: the last attempt succeeded
  add column failing_since timestamptz,
  -- failures since then
  add column failures integer not null default 0,
  -- no attempt before this time
  add column retry_at timestamptz,
  -- gets no deliveries until it is enabled again
  add column disabled_at timestamptz;
update webhooks set failing_since = now() where failing;
alter table webhooks drop column failing;
create index deliveries_of_worker on deliveries (worker) where worker is not null;
