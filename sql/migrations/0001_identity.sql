-- Who is asking: accounts, groups, tenants, tokens; and the keys that sign what the platform hands out.

create table tenants (
  id uuid primary key default uuidv7(),
  name text not null check (length(name) between 1 and 255),
  -- share of the queue
  weight numeric not null default 1 check (weight > 0),
  created_at timestamptz not null default now(),
  created_by uuid,
  updated_at timestamptz not null default now(),
  updated_by uuid
);

create table accounts (
  user_id uuid primary key default uuidv7(),
  -- the login id: unique without regard to case, kept as it was typed
  id text not null check (length(id) between 1 and 255),
  tenant_id uuid references tenants on delete set null,
  name text not null default '',
  email text,
  company text,
  phone_number text,
  roles text[] not null default '{}',
  metadata jsonb not null default '{}',
  password_hash text not null,
  activated boolean not null default true,
  enabled boolean not null default true,
  locked boolean not null default false,
  locked_date_end timestamptz,
  no_of_unsuccessful_login_attempts integer not null default 0,
  last_login_attempted_date timestamptz,
  allow_me_password_change boolean not null default true,
  created_at timestamptz not null default now(),
  created_by uuid,
  updated_at timestamptz not null default now(),
  updated_by uuid
);
create unique index accounts_id on accounts (lower(id));
create index accounts_tenant on accounts (tenant_id);

create table tenant_members (
  tenant_id uuid not null references tenants on delete cascade,
  user_id uuid not null references accounts on delete cascade,
  role text not null check (role in ('Owner', 'Member')),
  primary key (tenant_id, user_id)
);
create index tenant_members_user on tenant_members (user_id);

create table user_groups (
  id text primary key,
  name text not null unique,
  metadata jsonb not null default '{}',
  built_in boolean not null default false
);
insert into user_groups (id, name, built_in) values ('Administrators', 'Administrators', true), ('Editors', 'Editors', true);

create table group_members (
  group_id text not null references user_groups on delete cascade,
  user_id uuid not null references accounts on delete cascade,
  primary key (group_id, user_id)
);
create index group_members_user on group_members (user_id);

-- A login starts a family of refresh tokens; each token is exchanged at most once.
create table refresh_families (
  id uuid primary key default uuidv7(),
  user_id uuid not null references accounts on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz
);
create index refresh_families_user on refresh_families (user_id);

create table refresh_tokens (
  -- SHA-256 of the token; the token itself is stored nowhere
  hash bytea primary key,
  family_id uuid not null references refresh_families on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  used_from text
);
create index refresh_tokens_family on refresh_tokens (family_id);

-- Keys of the platform itself: RS256 pairs for tokens, secrets for signed addresses and for cursors.
create table signing_keys (
  kid text primary key,
  use text not null check (use in ('token', 'address', 'cursor')),
  material jsonb not null,
  created_at timestamptz not null default now(),
  retired_at timestamptz
);
-- two processes on a first start make one key, not two
create unique index signing_keys_current on signing_keys (use) where retired_at is null;
