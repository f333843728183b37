-- Features that tenants license. Gates of the settings name features; see `src/licensing/gates.ts`.
create table features (
  id uuid primary key default uuidv7(),
  name text not null unique check (length(name) between 1 and 255 and name = trim(name)),
  type text not null check (type in ('Application', 'Service')),
  url text check (length(url) between 1 and 2048),
  response_url text check (length(response_url) between 1 and 2048),
  created_at timestamptz not null default now(),
  created_by uuid,
  updated_at timestamptz not null default now(),
  updated_by uuid
);

create table feature_licences (
  tenant_id uuid not null references tenants on delete cascade,
  feature_id uuid not null references features on delete cascade,
  enabled boolean not null default true,
  created_at timestamptz not null default now(),
  created_by uuid,
  updated_at timestamptz not null default now(),
  updated_by uuid,
  primary key (tenant_id, feature_id)
);
create index feature_licences_feature on feature_licences (feature_id);
