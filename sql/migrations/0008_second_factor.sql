-- The second factor, failed logins by client, logins by address, answers of exchanges that may be lost, keys published before their use.

-- An account's authenticators: those that its groups share once a code was accepted, and one of its own.
create table account_authenticators (
  user_id uuid not null references accounts on delete cascade,
  type text not null,
  -- SHA-256 of type and setup code
  fingerprint bytea not null,
  -- the setup code of one of its own, encrypted; absent: a group's
  sealed bytea,
  created_at timestamptz not null default now(),
  -- since then the setup code is shown to nobody
  proved_at timestamptz,
  -- time step of the last accepted code: no code is accepted twice
  last_step bigint,
  primary key (user_id, fingerprint)
);
create unique index account_authenticators_own on account_authenticators (user_id, type) where sealed is not null;

create table recovery_codes (
  user_id uuid not null references accounts on delete cascade,
  -- SHA-256 of the code
  hash bytea not null,
  primary key (user_id, hash)
);

-- Wrong one-time passwords in a row.
create table otp_failures (
  user_id uuid primary key references accounts on delete cascade,
  failures integer not null,
  blocked_until timestamptz
);

-- Failed logins in a row of one client: an IPv4 address or the /64 of an IPv6 address.
create table login_failures (
  client text primary key,
  failures integer not null,
  last_at timestamptz not null default now()
);
create index login_failures_last on login_failures (last_at);

-- Who has logged in from where in the last 30 days, for replaying a change of the rules.
create table logins (
  user_id uuid not null references accounts on delete cascade,
  address text not null,
  day date not null,
  times integer not null default 1,
  last_at timestamptz not null default now(),
  primary key (user_id, address, day)
);
create index logins_day on logins (day);

-- The answer to an exchange, encrypted under the token that was exchanged and the request's own key, kept for a minute in case it is lost.
alter table refresh_tokens add sealed_answer bytea;
create index refresh_tokens_answered on refresh_tokens (used_at) where sealed_answer is not null;
create index refresh_families_expires on refresh_families (expires_at);
create index refresh_families_revoked on refresh_families (revoked_at) where revoked_at is not null;
create index refresh_tokens_expires on refresh_tokens (expires_at);

-- The next key is published before it signs; what signs now is activated and not retired.
alter table signing_keys add activated_at timestamptz default now();
alter table signing_keys drop constraint signing_keys_use_check;
alter table signing_keys add check (use ~ '^[a-z]+$');
drop index signing_keys_current;
create unique index signing_keys_current on signing_keys (use) where activated_at is not null and retired_at is null;
create unique index signing_keys_next on signing_keys (use) where activated_at is null;
