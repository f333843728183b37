-- What every room leans on: the outbox, the audit trail, answers kept for repeated requests.

create table events (
  "offset" bigint generated always as identity primary key,
  id uuid not null default uuidv7() unique,
  type text not null,
  source text not null,
  subject text,
  tenant_id uuid,
  project_id uuid,
  user_id uuid,
  resource_id text,
  request_id text,
  data jsonb not null,
  time timestamptz not null default now()
);
create index events_project on events (project_id, "offset");

create table audit (
  id bigint generated always as identity primary key,
  time timestamptz not null default now(),
  action text not null,
  account_id text,
  subject text not null,
  tenant_id uuid,
  address text,
  request_id text,
  details jsonb not null default '{}'
);
create index audit_account on audit (account_id, id);

create table idempotency_keys (
  user_id uuid not null,
  key text not null check (length(key) between 1 and 255),
  -- SHA-256 over method, path with query, and body
  request_hash bytea not null,
  status integer not null,
  headers jsonb not null,
  -- absent: the answer held a secret and is not kept
  body text,
  created_at timestamptz not null default now(),
  primary key (user_id, key)
);
create index idempotency_keys_created on idempotency_keys (created_at);
