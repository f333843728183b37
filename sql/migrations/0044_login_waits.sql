-- Failed logins of one client with one login id. The id stands here as its hash: what people type in that place may be a password.
create table login_pair_failures (
  client text not null,
  account bytea not null,
  failures integer not null,
  last_at timestamptz not null default now(),
  primary key (client, account)
);
create index login_pair_failures_last on login_pair_failures (last_at);

-- Refused logins that wait for their answer, in all API processes. A row past its time counts no more.
create unlogged table login_waits (
  id uuid primary key,
  client text not null,
  account bytea,
  until timestamptz not null,
  -- The client has hung up: others may wait instead.
  abandoned boolean not null default false
);
create index login_waits_until on login_waits (until);

-- Whose request it was: an IPv4 address or the /64 of an IPv6 address. Absent in rows of an hour ago.
alter table registration_mails add column client text;
create index registration_mails_client on registration_mails (client, ordered_at);
