-- Links by which anybody who has one reads one dataset.

create table dataset_shares (
  id uuid primary key default uuidv7(),
  dataset_id uuid not null references datasets (id) on delete cascade,
  hash bytea not null unique check (octet_length(hash) = 32),
  name text check (length(name) between 1 and 255),
  downloads text not null check (downloads in ('None', 'Original', 'Formats')),
  created_at timestamptz not null default now(),
  created_by uuid not null,
  expires_at timestamptz not null,
  ended_at timestamptz,
  ended_by uuid,
  opens bigint not null default 0 check (opens >= 0),
  last_opened_at timestamptz,
  check ((ended_at is null) = (ended_by is null))
);
create index dataset_shares_dataset on dataset_shares (dataset_id, created_at desc, id desc);

create table share_days (
  day date primary key,
  salt bytea not null check (octet_length(salt) = 32)
);

create table share_opens (
  share_id uuid not null references dataset_shares (id) on delete cascade,
  day date not null references share_days (day) on delete cascade,
  browser bytea not null check (octet_length(browser) = 16),
  primary key (share_id, day, browser)
);
create index share_opens_day on share_opens (day);
