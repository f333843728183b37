-- The link by which the first administrator is made in a browser.

create table first_administrator_link (
  one boolean primary key default true check (one),
  hash bytea not null check (octet_length(hash) = 32),
  expires_at timestamptz not null default now() + interval '1 hour'
);
