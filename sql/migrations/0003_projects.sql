-- What there is: projects (a subproject is a project with a parent), their members, datasets, and files on their way in.

create table projects (
  id uuid primary key default uuidv7(),
  tenant_id uuid not null references tenants,
  parent_id uuid references projects,
  root_id uuid not null references projects,
  -- ids from the root to this project, both included
  path uuid[] not null check (path[cardinality(path)] = id and path[1] = root_id),
  -- nearest ancestor or self that does not inherit; resolving it per row costs a hundred times more on large folders
  member_source_id uuid not null references projects,
  name text not null check (length(name) between 1 and 255 and name = trim(name) and position('/' in name) = 0),
  description text,
  metadata jsonb not null default '{}',
  settings jsonb not null default '{}',
  access_level text not null default 'Shared' check (access_level in ('Confidential', 'Private', 'Shared')),
  inherits_members boolean not null default false,
  permissions jsonb not null default '[]',
  row_version bigint not null default 1,
  created_at timestamptz not null default now(),
  created_by uuid not null,
  updated_at timestamptz not null default now(),
  updated_by uuid not null,
  deleted_at timestamptz,
  deleted_by uuid,
  check ((parent_id is null) = (root_id = id)),
  check (inherits_members = (member_source_id <> id)),
  check ((deleted_at is null) = (deleted_by is null))
);
create index projects_parent on projects (parent_id, name collate "C", id) where parent_id is not null;
create index projects_roots on projects (tenant_id, name collate "C", id) where parent_id is null;
create index projects_member_source on projects (member_source_id);
create index projects_path on projects using gin (path);
-- few are deleted, so "no ancestor is deleted" costs next to nothing
create index projects_deleted on projects (id) where deleted_at is not null;

create table project_members (
  project_id uuid not null references projects on delete cascade,
  -- memberships go with the account
  user_id uuid not null references accounts on delete cascade,
  role text not null check (role in ('Owner', 'Contributor', 'Reader')),
  principal_type text not null default 'UserIdentity'
    check (principal_type in ('UserIdentity', 'OpenAPIAccount', 'MemberGroup', 'Unknown')),
  primary key (project_id, user_id)
);
create index project_members_user on project_members (user_id);

create table datasets (
  id uuid primary key default uuidv7(),
  project_id uuid not null references projects,
  name text not null check (length(name) between 1 and 255),
  description text,
  dataset_type text not null check (dataset_type in ('file', 'multidimensional', 'timeseries', 'gisvectordata', 'tiles')),
  dataset_format text not null,
  metadata jsonb not null default '{}',
  properties jsonb not null default '{}',
  tags text[] not null default '{}',
  temporal_information jsonb,
  spatial_information jsonb,
  permissions jsonb not null default '[]',
  -- name of the bytes in the blob store; each write makes a new one, so readers under way keep the old
  blob text not null unique,
  storage_size bigint not null check (storage_size >= 0),
  -- the transfer that is writing this dataset
  locked_by uuid,
  row_version bigint not null default 1,
  created_at timestamptz not null default now(),
  created_by uuid not null,
  updated_at timestamptz not null default now(),
  updated_by uuid not null,
  deleted_at timestamptz,
  deleted_by uuid,
  check ((deleted_at is null) = (deleted_by is null))
);
create index datasets_project on datasets (project_id, name collate "C", id);

-- A place that was handed out for a file to be put into; its account and its tenant may name it in transfers.
create table staged_blobs (
  -- last segment of the address
  name text primary key check (name ~ '^[A-Za-z0-9._~-]{1,100}$'),
  user_id uuid not null,
  tenant_id uuid,
  -- name of the bytes in the blob store, absent until something was put; each write makes a new one, so that what a transfer was given
  -- never changes under it
  blob text unique,
  size bigint,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  -- writable until the first transfer names it
  named_at timestamptz,
  -- hidden at once; the bytes stay while a transfer that named it still needs them
  deleted_at timestamptz,
  check ((blob is null) = (size is null))
);
create index staged_blobs_expiry on staged_blobs (expires_at);
