-- Previews of datasets: what is derived from a content to draw it, and the colours that a dataset keeps.

create table previews (
  blob text primary key,
  state text not null default 'building' check (state in ('building', 'ready', 'failed')),
  progress real not null default 0 check (progress between 0 and 1),
  reason text,
  attempt int not null default 0 check (attempt >= 0),
  digest bytea check (octet_length(digest) = 32),
  store text,
  store_format text,
  store_size bigint check (store_size >= 0),
  used_at timestamptz not null default now(),
  check ((state = 'ready') = (store is not null)),
  check ((store is null) = (store_format is null) and (store is null) = (store_size is null)),
  check ((state = 'failed') = (reason is not null))
);
create index previews_store on previews (store) where store is not null;
create index previews_used_at on previews (used_at);
create unique index previews_building on previews (digest) where state = 'building';
create index previews_digest on previews (digest) where state = 'ready';

create table preview_schemes (
  dataset_id uuid primary key references datasets (id) on delete cascade,
  scheme jsonb not null check (jsonb_typeof(scheme) = 'object'),
  updated_at timestamptz not null default now(),
  updated_by uuid not null
);
