-- The tables of the platform, by room, as they were when the migrations before the first release became this file.
-- What the tables look like now, with comments: `schema.sql`. Functions, triggers and comments: `functions/`.
-- The functions below belong to the tables: generated columns, checks and indexes use them, so they never change.

-- Unicode's full case folding of the normalized name, the same in every locale. JavaScript's and Postgres's lower case
-- differ (İbrahim, ΝΙΚΟΣ), and neither takes ς and σ, or ß and ss, for the same.
create function fold_name(name text) returns text language sql immutable strict parallel safe
  return normalize(casefold(normalize(name, nfd) collate "pg_unicode_fast"), nfc);

-- 1 to 255 characters without control characters, line or paragraph separators, and blanks at its ends.
create function is_entity_name(name text) returns boolean language sql immutable parallel safe
return length(name) between 1 and 255 and name = trim(name) and name !~ '[\u0001-\u001f\u007f-\u009f\u2028\u2029]';

-- An error message without what differs between failures of one kind: URLs, quoted names, ids, paths, numbers.
create function failure_pattern(sentence text) returns text language sql immutable parallel safe as $$
  select regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(left(sentence, 4000),
    '\m[a-z][a-z0-9+.-]*://[^\s''"<>]+', '<address>', 'gi'),
    '(?<!\w)''(?:[^'']|''(?=\w))*''(?!\w)|"[^"]*"', '<name>', 'g'),
    '\m[0-9a-f]{8}(?:-?[0-9a-f]{4}){3}-?[0-9a-f]{12}\M|\m[0-9a-f]{16,}\M', '<id>', 'gi'),
    '(?<![\w<])(?:[a-z]:)?[\\/][^\s''",;)]+', '<path>', 'gi'),
    '(?<![\w.])[-+]?(?:0x[0-9a-f]+|(?:\d+(?:[.,]\d+)*|\.\d+)(?:e[-+]?\d+)?)', '<number>', 'gi'),
    '\d+', '<number>', 'g')
$$;

-- Id of the kind of a failure: type, reader, writer and pattern of the message. In plpgsql, because a function in SQL
-- would be inlined, with all its regular expressions, into each write of a transfer.
create function failure_kind(type text, request jsonb, sentence text) returns text language plpgsql immutable parallel safe as $$
begin
  return left(md5(type || '/' || coalesce(request ->> 'readerName', '') || '/' || coalesce(request ->> 'writerName', '') || '/'
    || failure_pattern(sentence)), 16);
end $$;

-- The flags that a request names, without the estimated ones, which contain ~.
create function asked_needs(flags text[]) returns text[] language sql immutable parallel safe
  return (select array_agg(flag order by place) from unnest(flags) with ordinality as each (flag, place) where flag not like '%~%');

-- platform -----------------------------------------------------------------------------------------------------------

create table secret_keys (
  id text primary key check (id ~ '^[0-9a-f]{16}$'),
  created_at timestamptz not null default now()
);
create unique index secret_keys_one on secret_keys ((true));

create table signing_keys (
  kid text primary key,
  use text not null check (use ~ '^[a-z]+$'),
  material jsonb not null,
  created_at timestamptz not null default now(),
  retired_at timestamptz,
  activated_at timestamptz default now(),
  secret_key_id text references secret_keys on update cascade,
  check (secret_key_id is null or material ? 'sealed')
);
create unique index signing_keys_current on signing_keys (use) where activated_at is not null and retired_at is null;
create unique index signing_keys_next on signing_keys (use) where activated_at is null;

create table cache_generations (
  resource text primary key,
  generation bigint not null
);

create table idempotency_keys (
  user_id uuid not null,
  key text not null check (length(key) between 1 and 255),
  request_hash bytea not null,
  status integer not null,
  headers jsonb not null,
  body text,
  created_at timestamptz not null default now(),
  primary key (user_id, key)
);
create index idempotency_keys_created on idempotency_keys (created_at);

create unlogged table idempotency_claims (
  user_id uuid not null,
  key text not null check (length(key) between 1 and 255),
  claim uuid not null unique,
  leased_until timestamptz not null,
  primary key (user_id, key)
);

create table audit (
  id bigint generated always as identity primary key,
  time timestamptz not null default now(),
  action text not null,
  account_id text,
  subject text not null,
  tenant_id uuid,
  address text,
  request_id text,
  details jsonb not null default '{}',
  reason text,
  agent text
);
create index audit_account on audit (fold_name(account_id), id);
create index audit_subject on audit (fold_name(subject), id);

-- accounts -----------------------------------------------------------------------------------------------------------

create table tenants (
  id uuid primary key default uuidv7(),
  name text not null check (length(name) between 1 and 255),
  weight numeric not null default 1 check (weight > 0),
  created_at timestamptz not null default now(),
  created_by uuid,
  updated_at timestamptz not null default now(),
  updated_by uuid,
  recycle_bin_days integer check (recycle_bin_days between 1 and 36500)
);

create table accounts (
  user_id uuid primary key default uuidv7(),
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
  updated_by uuid,
  locked_out_until timestamptz,
  registered boolean not null default false,
  folded_id text collate "C" not null generated always as (fold_name(id)) stored,
  last_login_at timestamptz,
  constraint accounts_id_is_no_uuid check (folded_id !~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$')
);
create index accounts_tenant on accounts (tenant_id);
create index accounts_email on accounts (lower(email));
create unique index accounts_folded_id on accounts (folded_id);

create table tenant_members (
  tenant_id uuid not null references tenants on delete cascade,
  user_id uuid not null references accounts on delete cascade,
  role text not null check (role in ('Owner', 'Member')),
  primary key (tenant_id, user_id)
);
create index tenant_members_user on tenant_members (user_id);

create table account_tokens (
  hash bytea primary key,
  user_id uuid not null references accounts on delete cascade,
  kind text not null check (kind in ('activation', 'passwordReset')),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  mail_id uuid
);
create index account_tokens_user on account_tokens (user_id, kind);

create table account_mails (
  id uuid primary key default uuidv7(),
  kind text not null check (kind in ('activation', 'passwordReset', 'passwordResetAsked', 'idTaken')),
  user_id uuid references accounts on delete cascade,
  recipient text,
  asked text,
  address text,
  request_id text,
  created_at timestamptz not null default now(),
  check (case kind when 'idTaken' then recipient is not null and asked is not null
    when 'passwordResetAsked' then asked is not null else user_id is not null end)
);
create index account_mails_user on account_mails (user_id);
create unique index account_mails_asked on account_mails (lower(asked)) where kind = 'passwordResetAsked';

create table registration_mails (
  recipient text not null,
  ordered_at timestamptz not null default clock_timestamp(),
  client text
);
create index registration_mails_recipient on registration_mails (lower(recipient), ordered_at);
create index registration_mails_client on registration_mails (client, ordered_at);

create table password_history (
  user_id uuid not null references accounts on delete cascade,
  password_hash text not null,
  replaced_at timestamptz not null default clock_timestamp(),
  primary key (user_id, replaced_at)
);

create table account_file (
  one boolean primary key default true check (one),
  sha256 bytea not null,
  pending text,
  replaces bytea
);

create table login_failures (
  client text primary key,
  failures integer not null,
  last_at timestamptz not null default now()
);
create index login_failures_last on login_failures (last_at);

create table login_pair_failures (
  client text not null,
  account bytea not null,
  failures integer not null,
  last_at timestamptz not null default now(),
  primary key (client, account)
);
create index login_pair_failures_last on login_pair_failures (last_at);

create unlogged table login_waits (
  id uuid primary key,
  client text not null,
  account bytea,
  until timestamptz not null,
  abandoned boolean not null default false
);
create index login_waits_until on login_waits (until);

-- groups -------------------------------------------------------------------------------------------------------------

create table user_groups (
  id text primary key check (length(id) between 1 and 255 and id = trim(id)),
  name text not null unique check (length(name) between 1 and 255 and name = trim(name)),
  metadata jsonb not null default '{}',
  built_in boolean not null default false
);
create unique index user_groups_id on user_groups (lower(id));
create unique index user_groups_name on user_groups (lower(name));
create index user_groups_folded_name on user_groups (fold_name(name));
insert into user_groups (id, name, built_in)
values ('Administrators', 'Administrators', true), ('Editors', 'Editors', true);

create table group_members (
  group_id text not null references user_groups on delete cascade,
  user_id uuid not null references accounts on delete cascade,
  primary key (group_id, user_id)
);
create index group_members_user on group_members (user_id);

create table group_setup_codes (
  group_id text not null references user_groups on delete cascade,
  position integer not null,
  sealed bytea not null,
  primary key (group_id, position)
);

-- tokens -------------------------------------------------------------------------------------------------------------

create table refresh_families (
  id uuid primary key default uuidv7(),
  user_id uuid not null references accounts on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz,
  refreshes boolean not null default true
);
create index refresh_families_user on refresh_families (user_id);
create index refresh_families_expires on refresh_families (expires_at);
create index refresh_families_revoked on refresh_families (revoked_at) where revoked_at is not null;

create table refresh_tokens (
  hash bytea primary key,
  family_id uuid not null references refresh_families on delete cascade,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz,
  used_from text,
  sealed_answer bytea
);
create index refresh_tokens_family on refresh_tokens (family_id);
create index refresh_tokens_answered on refresh_tokens (used_at) where sealed_answer is not null;
create index refresh_tokens_expires on refresh_tokens (expires_at);

create table logins (
  user_id uuid not null references accounts on delete cascade,
  address text not null,
  day date not null,
  times integer not null default 1,
  last_at timestamptz not null default now(),
  primary key (user_id, address, day)
);
create index logins_day on logins (day);

create table account_authenticators (
  user_id uuid not null references accounts on delete cascade,
  type text not null,
  fingerprint bytea not null,
  sealed bytea,
  created_at timestamptz not null default now(),
  proved_at timestamptz,
  last_step bigint,
  primary key (user_id, fingerprint)
);
create unique index account_authenticators_own on account_authenticators (user_id, type) where sealed is not null;

create table recovery_codes (
  user_id uuid not null references accounts on delete cascade,
  hash bytea not null,
  primary key (user_id, hash)
);

create table otp_failures (
  user_id uuid primary key references accounts on delete cascade,
  failures integer not null,
  blocked_until timestamptz
);

-- keys ---------------------------------------------------------------------------------------------------------------

create table api_keys (
  id uuid primary key default uuidv7(),
  tenant_id uuid not null references tenants,
  name text not null check (length(name) between 1 and 255),
  role text not null check (role in ('Owner', 'Contributor', 'Reader')),
  hash bytea not null unique,
  expires_at timestamptz,
  expires_at_given text,
  allowed_networks text[] not null default '{}',
  created_at timestamptz not null default now(),
  created_by uuid not null,
  last_used_at timestamptz,
  last_used_from text,
  check ((expires_at is null) = (expires_at_given is null))
);
create index api_keys_tenant on api_keys (tenant_id, name collate "C", id);

-- projects -----------------------------------------------------------------------------------------------------------

create table projects (
  id uuid primary key default uuidv7(),
  tenant_id uuid not null references tenants,
  parent_id uuid references projects,
  root_id uuid not null,
  path uuid[] not null check (path[cardinality(path)] = id and path[1] = root_id),
  member_source_id uuid not null,
  name text not null check (is_entity_name(name)),
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
  grants_since bigint not null default 0,
  check ((parent_id is null) = (root_id = id)),
  check (inherits_members = (member_source_id <> id)),
  check ((deleted_at is null) = (deleted_by is null))
);
create index projects_parent on projects (parent_id, name collate "C", id)
  include (inherits_members, deleted_at, updated_at) where parent_id is not null;
create index projects_roots on projects (tenant_id, name collate "C", id) where parent_id is null;
create index projects_member_source on projects (member_source_id);
create index projects_path on projects using gin (path) with (fastupdate = off);
create index projects_deleted on projects (id) where deleted_at is not null;
create index projects_parent_created on projects (parent_id, created_at, id) include (inherits_members, deleted_at)
  where parent_id is not null;
create index projects_root on projects (root_id);
create index projects_named on projects (tenant_id, name collate "C");

create table project_members (
  project_id uuid not null references projects on delete cascade,
  user_id uuid not null,
  role text not null check (role in ('Owner', 'Contributor', 'Reader')),
  principal_type text not null default 'UserIdentity'
    check (principal_type in ('UserIdentity', 'OpenAPIAccount', 'MemberGroup', 'Unknown')),
  account_id uuid generated always as (case when principal_type = 'UserIdentity' then user_id end) stored
    references accounts on delete cascade,
  key_id uuid generated always as (case when principal_type = 'OpenAPIAccount' then user_id end) stored
    references api_keys on delete cascade,
  primary key (project_id, user_id)
);
create index project_members_user on project_members (user_id) include (project_id);
create index project_members_account on project_members (account_id);
create index project_members_key on project_members (key_id) where key_id is not null;

create table project_thumbnails (
  project_id uuid primary key references projects on delete cascade,
  content_type text not null check (content_type in ('image/png', 'image/jpeg', 'image/webp')),
  content bytea storage external not null check (length(content) between 1 and 1048576)
);

create table grant_generations (
  one boolean primary key default true check (one),
  generation bigint not null
);
insert into grant_generations (generation) values (1);

-- datasets -----------------------------------------------------------------------------------------------------------

create table datasets (
  id uuid primary key default uuidv7(),
  project_id uuid not null references projects,
  name text not null check (is_entity_name(name)),
  description text,
  dataset_type text not null
    check (dataset_type in ('file', 'multidimensional', 'timeseries', 'gisvectordata', 'tiles')),
  dataset_format text not null,
  metadata jsonb not null default '{}',
  properties jsonb not null default '{}',
  tags text[] not null default '{}',
  temporal_information jsonb,
  spatial_information jsonb,
  permissions jsonb not null default '[]',
  blob text unique,
  storage_size bigint not null check (storage_size >= 0),
  locked_by uuid,
  row_version bigint not null default 1,
  created_at timestamptz not null default now(),
  created_by uuid not null,
  updated_at timestamptz not null default now(),
  updated_by uuid not null,
  deleted_at timestamptz,
  deleted_by uuid,
  grants_since bigint not null default 0,
  own_grants_since bigint not null default 0,
  file_extension text,
  check ((deleted_at is null) = (deleted_by is null)),
  constraint datasets_bytes check ((blob is null) = (dataset_format = 'ts'))
);
create index datasets_project on datasets (project_id, name collate "C", id);
create index datasets_locked on datasets (locked_by) where locked_by is not null;
create index datasets_named on datasets (name collate "C", project_id);
create index datasets_blob on datasets (blob) where blob is not null;

create table dataset_readers (
  dataset_id uuid not null references datasets on delete cascade,
  transfer_id uuid not null,
  primary key (dataset_id, transfer_id)
);
create index dataset_readers_transfer on dataset_readers (transfer_id);

create table permission_grants (
  project_id uuid references projects on delete cascade,
  dataset_id uuid references datasets on delete cascade,
  principal text not null,
  operation text not null check (operation in ('read', 'update', 'delete')),
  denied boolean not null,
  folded_principal text collate "C" not null generated always as (fold_name(principal)) stored,
  check (num_nonnulls(project_id, dataset_id) = 1)
);
create index permission_grants_principal on permission_grants (principal);
create index permission_grants_project on permission_grants (project_id) where project_id is not null;
create index permission_grants_dataset on permission_grants (dataset_id) where dataset_id is not null;
create index permission_grants_folded_principal on permission_grants (folded_principal);

-- uploads ------------------------------------------------------------------------------------------------------------

create table staged_blobs (
  name text primary key check (name ~ '^[A-Za-z0-9._~-]{1,100}$'),
  user_id uuid not null,
  tenant_id uuid,
  blob text unique,
  size bigint,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  named_at timestamptz,
  deleted_at timestamptz,
  check ((blob is null) = (size is null))
);
create index staged_blobs_expiry on staged_blobs (expires_at);
create index staged_blobs_blob on staged_blobs (blob) where blob is not null;

-- blobs --------------------------------------------------------------------------------------------------------------

create table blob_store (
  one boolean primary key default true check (one),
  id uuid not null default gen_random_uuid(),
  place text,
  confirm_all boolean not null default false,
  stopped_because text,
  stopped_at timestamptz,
  unknown_blobs bigint not null default 0,
  unknown_bytes bigint not null default 0,
  all_blobs bigint not null default 0,
  confirmed bigint,
  swept_at timestamptz,
  counter bigint not null default 0
);

create table released_blobs (
  name text primary key,
  released_at timestamptz not null default now()
);
create index released_blobs_time on released_blobs (released_at);

create table spent_blobs (
  name text primary key,
  spent_at timestamptz not null default now()
);

create table blob_digests (
  name text primary key,
  size bigint not null,
  digest text not null,
  checked_at timestamptz not null default now()
);

create table damaged_blobs (
  name text primary key,
  problem text not null check (problem in ('damaged', 'missing')),
  etag text,
  found_at timestamptz not null default now()
);

create table blob_verification (
  one boolean primary key default true check (one),
  id uuid not null,
  started_at timestamptz not null default now(),
  finished_at timestamptz,
  due_before timestamptz not null,
  names text[],
  cursor text not null default '',
  total bigint not null,
  checked bigint not null default 0,
  bytes bigint not null default 0,
  problems bigint not null default 0
);

-- transfers ----------------------------------------------------------------------------------------------------------

create table transfers (
  id uuid primary key default uuidv7(),
  tenant_id uuid not null references tenants on delete cascade,
  project_id uuid not null,
  type text not null check (type in ('Import', 'Export', 'Conversion', 'Update', 'Append')),
  status text not null default 'Pending' check (status in ('Pending', 'InProgress', 'Completed', 'Error')),
  format text not null,
  request jsonb not null,
  staged_blob text references staged_blobs,
  input_dataset_id uuid,
  created_at timestamptz not null default now(),
  created_by uuid not null,
  account_id text not null,
  updated_at timestamptz not null default now(),
  updated_by uuid not null,
  request_id text,
  retry_of uuid references transfers,
  attempt integer not null default 0,
  worker_pool text,
  deadline timestamptz,
  worker_losses integer not null default 0,
  child_deaths integer not null default 0,
  outages integer not null default 0,
  cancel_requested_at timestamptz,
  progress real not null default 0 check (progress between 0 and 100),
  phase text,
  records_read bigint,
  records_written bigint,
  records_skipped bigint,
  started_at timestamptz,
  finished_at timestamptz,
  error_message text,
  output_dataset_id uuid,
  output_blob text,
  output_file_name text,
  receipt jsonb,
  memory_mb integer not null,
  cores numeric,
  bad_records_blob text,
  carry text check (carry in ('move', 'copy')),
  source_tenant_id uuid,
  source_project_id uuid,
  source_id uuid,
  flags text[] not null default '{}',
  turn bigint not null default 0 check (turn >= 0),
  failure text generated always as (
    case when status = 'Error' and error_message <> 'Cancelled.'
      then failure_kind(type, request, error_message) end) stored,
  traceparent text check (length(traceparent) = 55),
  handed_back integer not null default 0,
  asked text[] generated always as (case when flags <> '{}' then asked_needs(flags) end) stored,
  output_media_type text,
  price jsonb,
  check ((status in ('Completed', 'Error')) = (finished_at is not null)),
  check ((status = 'Error') = (error_message is not null)),
  check (status <> 'InProgress' or (worker_pool is not null and deadline is not null)),
  check ((progress = 100) = (status = 'Completed')),
  constraint transfers_carry_whole check (num_nonnulls(carry, source_tenant_id, source_project_id) in (0, 3))
) with (fillfactor = 80);
create index transfers_creator on transfers (created_by, created_at desc, id desc) include (tenant_id, status);
create index transfers_project on transfers (project_id, created_at);
create index transfers_pending on transfers (id) where status = 'Pending';
create index transfers_running on transfers (worker_pool) where status = 'InProgress';
create index transfers_exports on transfers (finished_at) where type = 'Export' and output_blob is not null;
create index transfers_staged on transfers (staged_blob) where staged_blob is not null;
create index transfers_input on transfers (input_dataset_id) where input_dataset_id is not null;
create index transfers_bad_records on transfers (finished_at) where bad_records_blob is not null;
create index transfers_output on transfers (output_dataset_id) where output_dataset_id is not null;
create index transfers_source on transfers (source_id) where source_id is not null;
create index transfers_waiting on transfers (flags, turn, id) where status = 'Pending';
create index transfers_turns on transfers (tenant_id, turn) where finished_at is null;
create index transfers_failures on transfers (failure, finished_at, id) where failure is not null;
create index transfers_unfinished on transfers (created_at, id) where finished_at is null;
create index transfers_finished on transfers (finished_at, id) where finished_at is not null;
create index transfers_retries on transfers (retry_of) where retry_of is not null;
create index transfers_tenant on transfers (tenant_id, created_at desc, id desc) include (status);
create index transfers_source_tenant on transfers (source_tenant_id, created_at desc)
  where source_tenant_id is not null;
create index transfers_asked on transfers (tenant_id, asked) where finished_at is null and asked is not null;
create index transfers_output_blob on transfers (output_blob) where output_blob is not null;
create index transfers_bad_records_blob on transfers (bad_records_blob) where bad_records_blob is not null;
create index transfers_ending on transfers (right(id::text, 6));

create table transfer_log (
  id bigint generated always as identity primary key,
  transfer_id uuid not null references transfers on delete cascade,
  time timestamptz not null default now(),
  level text not null check (level in ('debug', 'info', 'warning', 'error')),
  message text not null
);
create index transfer_log_transfer on transfer_log (transfer_id, id);

create table remote_sources (
  id uuid primary key,
  sealed bytea not null
);

create table transfer_counts (
  tenant_id uuid not null,
  created_by uuid not null,
  status text not null,
  count bigint not null
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
create index transfer_counts_tenant on transfer_counts (tenant_id);
create index transfer_counts_creator on transfer_counts (created_by);

create table workers (
  pool text primary key,
  host text not null,
  pid integer not null,
  concurrency integer not null,
  memory_mb integer not null,
  cores numeric not null,
  labels text[] not null default '{}',
  started_at timestamptz not null default now(),
  scratch_gb integer not null default 0,
  holds_for uuid,
  draining_since timestamptz
);

create table waiting_needs (
  flags text[] primary key,
  reason text
);

create sequence transfer_clock as bigint minvalue 0 start 0;
select setval('transfer_clock', 0);
-- Rows of the queue that do not just wait for a worker: locked, or tried in vain. They are few, however many wait.
create index jobs_unavailable on graphile_worker._private_jobs (locked_by) where not is_available;

-- tiles --------------------------------------------------------------------------------------------------------------

create unlogged table kept_tile_contents (
  hash bytea primary key check (octet_length(hash) = 32),
  bytes bytea storage external not null,
  size int not null check (size > 0)
);

create unlogged table kept_tiles (
  dataset_id uuid not null references datasets on delete cascade,
  blob text not null,
  scheme_id text not null,
  step int not null check (step >= 0),
  layer int not null check (layer >= 0),
  level int not null check (level between 0 and 24),
  tile_column int not null check (tile_column >= 0),
  tile_row int not null check (tile_row >= 0),
  content bytea not null references kept_tile_contents,
  used_at timestamptz not null default now(),
  primary key (dataset_id, blob, scheme_id, step, layer, level, tile_column, tile_row)
);
create index kept_tiles_used_at on kept_tiles (used_at);
create index kept_tiles_content on kept_tiles (content);

create unlogged table kept_tile_bytes (
  part int primary key,
  bytes bigint not null
) with (fillfactor = 50);
insert into kept_tile_bytes (part, bytes) select part, 0 from generate_series(0, 15) part;

create unlogged table deleted_kept_tiles (
  content bytea not null
);

create table vector_overviews (
  dataset_id uuid primary key references datasets on delete cascade,
  blob text not null,
  archive text unique,
  tiles int not null check (tiles >= 0),
  bytes bigint not null check (bytes >= 0),
  last_level int check (last_level between 0 and 22),
  made_at timestamptz not null default now()
);

-- series -------------------------------------------------------------------------------------------------------------

create table ts_datasets (
  dataset_id uuid primary key references datasets on delete cascade deferrable,
  schema jsonb not null default '[]'
);

create table ts_series (
  key bigint generated always as identity primary key,
  dataset_id uuid not null references ts_datasets on delete cascade,
  id text collate "C" not null check (id ~ '^[A-Za-z0-9._~-]{1,128}$'),
  item jsonb not null,
  properties jsonb not null default '{}',
  data_fields jsonb not null default '[]',
  bytes bigint not null default 0,
  first bigint,
  last bigint,
  unique (dataset_id, id),
  check ((first is null) = (last is null) and (first is not null or bytes = 0))
);

create table ts_blocks (
  series_key bigint not null references ts_series on delete cascade,
  first bigint not null,
  last bigint not null,
  count integer not null check (count > 0),
  data bytea storage external not null,
  primary key (series_key, first),
  check (first <= last)
);

-- credits ------------------------------------------------------------------------------------------------------------

-- Domains instead of checks: Postgres reads the text of a check constraint anew for every statement that writes.
create domain credit_amount as numeric(15, 6) check (value > 0);
create domain credit_part as numeric(15, 6) check (value >= 0);
create domain credit_change as numeric(15, 6) check (value <> 0);
create domain credit_text as text check (length(value) between 1 and 255);
create domain credit_tag as text check (length(value) <= 255);
create domain credit_kind as text check (value in ('Add', 'Reserve', 'Spend', 'Release', 'Move', 'Expire'));
create domain credit_account as text check (value in ('Issued', 'Available', 'Reserved', 'Spent', 'Expired'));
create domain credit_digest as bytea check (length(value) = 32);
create domain credit_seq as bigint check (value > 0);
create domain credit_end as bigint check (value >= 0);
create type credit_leg as (
  pool_id uuid, lot_id bigint, account text, amount numeric(15, 6), hold_id bigint, project_id uuid);
create type credit_outcome as (
  refusal text, credits numeric(24, 6), available numeric(24, 6), reserved numeric(24, 6), operation_id text);
create sequence credit_postings;

create table credit_pools (
  id uuid primary key,
  last_seq credit_end not null default 0,
  last_hash bytea not null default '',
  commit_before timestamptz
) with (fillfactor = 50);
insert into credit_pools (id) values ('00000000-0000-0000-0000-000000000000');

create table credit_lots (
  id bigint generated always as identity primary key,
  pool_id uuid not null references credit_pools,
  amount credit_amount not null,
  expires_at timestamptz not null,
  expires_text text not null,
  sales_order_id credit_text not null,
  billing_reference credit_text not null,
  billing_reference_type credit_text not null,
  billing_reference_tag credit_tag not null,
  source_id bigint references credit_lots,
  available credit_part not null,
  reserved credit_part not null default 0,
  spent credit_part not null default 0,
  expired credit_part not null default 0,
  moved credit_part not null default 0,
  warned_days smallint,
  created_at timestamptz not null,
  created_by uuid,
  is_open boolean not null generated always as (available > 0 or reserved > 0) stored,
  unique (id, pool_id),
  check (amount = available + reserved + spent + expired + moved)
) with (fillfactor = 50);
create index credit_lots_open on credit_lots (pool_id, expires_at, id) where is_open;
create index credit_lots_references on credit_lots (pool_id, billing_reference, billing_reference_type);
create index credit_lots_expiry on credit_lots (expires_at) where is_open;

create table credit_holds (
  id bigint generated always as identity primary key,
  pool_id uuid not null,
  lot_id bigint not null,
  operation_id credit_text not null,
  project_id uuid,
  amount credit_amount not null,
  spent credit_part not null default 0,
  released credit_part not null default 0,
  created_at timestamptz not null,
  created_by uuid,
  is_open boolean not null generated always as (spent + released < amount) stored,
  foreign key (lot_id, pool_id) references credit_lots (id, pool_id),
  check (spent + released <= amount)
) with (fillfactor = 80);
create index credit_holds_open on credit_holds (pool_id, operation_id) where is_open;

create table credit_entries (
  pool_id uuid not null,
  seq credit_seq not null,
  posting_id bigint not null,
  kind credit_kind not null,
  account credit_account not null,
  amount credit_change not null,
  lot_id bigint not null,
  hold_id bigint,
  operation_id credit_text,
  project_id uuid,
  created_at timestamptz not null,
  created_by uuid,
  request_id text,
  hash credit_digest not null,
  primary key (pool_id, seq)
);
create index credit_entries_operation on credit_entries (pool_id, operation_id, seq) where operation_id is not null;
create index credit_entries_arrivals on credit_entries (pool_id, lot_id, seq)
  where account = 'Available' and amount > 0;

create table credit_commits (
  pool_id uuid not null,
  committed_at timestamptz not null,
  seq bigint not null,
  primary key (pool_id, committed_at, seq)
);

-- The ledger only grows. The owner could take these rights back, hence the triggers `only_inserts` and `stays`.
revoke all on credit_entries, credit_commits, credit_pools, credit_lots, credit_holds from public;
revoke update, delete, truncate on credit_entries, credit_commits from current_user;
revoke delete, truncate on credit_pools, credit_lots, credit_holds from current_user;

-- licensing ----------------------------------------------------------------------------------------------------------

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

-- recycle-bin --------------------------------------------------------------------------------------------------------

create table recycle_bin (
  id uuid primary key,
  item_type text not null check (item_type in ('Project', 'Dataset')),
  tenant_id uuid not null,
  container_id uuid,
  own_source_id uuid,
  container_source_id uuid,
  name text not null,
  storage_size bigint not null,
  weight bigint not null,
  deleted_at timestamptz not null,
  deleted_by uuid not null,
  check ((item_type = 'Project') = (own_source_id is not null)),
  check ((container_id is null) = (container_source_id is null)),
  check (item_type = 'Project' or container_id is not null)
);
create index recycle_bin_tenant on recycle_bin (tenant_id, deleted_at, id);
create index recycle_bin_type on recycle_bin (tenant_id, item_type, deleted_at, id);
create index recycle_bin_deleter on recycle_bin (deleted_by, deleted_at, id);
create index recycle_bin_container on recycle_bin (container_id, deleted_at, id) where container_id is not null;
create index recycle_bin_own_source on recycle_bin (own_source_id) where own_source_id is not null;
create index recycle_bin_container_source on recycle_bin (container_source_id) where container_source_id is not null;

-- events -------------------------------------------------------------------------------------------------------------

create table events (
  "offset" bigint,
  id uuid primary key default uuidv7(),
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
create unique index events_published on events ("offset") where "offset" is not null;
create index events_unpublished on events (id) where "offset" is null;
create sequence event_offsets owned by events."offset";

create table webhooks (
  id uuid primary key default uuidv7(),
  tenant_id uuid not null references tenants on delete cascade,
  url text not null check (length(url) between 1 and 2048),
  types text[] not null,
  secret bytea check (length(secret) between 24 and 64),
  created_at timestamptz not null default now(),
  created_by uuid not null,
  sealed_secret bytea,
  failing_since timestamptz,
  failures integer not null default 0,
  retry_at timestamptz,
  disabled_at timestamptz,
  check (num_nonnulls(secret, sealed_secret) = 1)
);
create index webhooks_tenant on webhooks (tenant_id, id);

create table deliveries (
  webhook_id uuid not null references webhooks on delete cascade,
  event_id uuid not null references events on delete cascade,
  state text not null default 'Pending' check (state in ('Pending', 'Delivered', 'Failed')),
  attempts integer not null default 0,
  next_at timestamptz default now(),
  worker text,
  claim integer not null default 0,
  status integer,
  error text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  primary key (webhook_id, event_id),
  check ((state = 'Pending') = (next_at is not null)),
  check (worker is null or state = 'Pending')
);
create index deliveries_due on deliveries (webhook_id, next_at, event_id) where state = 'Pending';
create index deliveries_next on deliveries (next_at) where state = 'Pending';
create index deliveries_under_way on deliveries (webhook_id) where worker is not null;
create index deliveries_event on deliveries (event_id);
create index deliveries_of_worker on deliveries (worker) where worker is not null;

create table gone_projects (
  id uuid primary key,
  member_source_id uuid not null,
  gone_at timestamptz not null default now(),
  denied_ids text[] not null default '{}',
  denied_groups text[] not null default '{}'
);

create table gone_members (
  project_id uuid not null,
  user_id uuid not null,
  gone_at timestamptz not null default now(),
  primary key (project_id, user_id)
);
create index gone_members_user on gone_members (user_id);

-- operations ---------------------------------------------------------------------------------------------------------

create table mass_retries (
  id uuid primary key default uuidv7(),
  failure text not null,
  per_second double precision not null check (per_second > 0),
  most bigint check (most > 0),
  stop_on_fail boolean not null,
  failed_until timestamptz not null default now(),
  after_time timestamptz not null default '-infinity',
  after_id uuid not null default '00000000-0000-0000-0000-000000000000',
  next_at timestamptz not null default now(),
  state text not null default 'Running' check (state in ('Running', 'Done', 'Stopped')),
  note text,
  created_at timestamptz not null default now(),
  created_by uuid not null,
  account_id text not null,
  request_id text not null,
  finished_at timestamptz,
  check ((state = 'Running') = (finished_at is null))
);
create unique index mass_retries_running on mass_retries (failure) where state = 'Running';
create index mass_retries_created on mass_retries (created_at, id);

create table mass_retried (
  retry_id uuid not null references mass_retries on delete cascade,
  transfer_id uuid not null references transfers on delete cascade,
  started_id uuid references transfers on delete cascade,
  refusal text,
  primary key (retry_id, transfer_id),
  check ((started_id is null) <> (refusal is null))
);
create unique index mass_retried_once on mass_retried (transfer_id) where started_id is not null;
create index mass_retried_started on mass_retried (started_id) where started_id is not null;

create table drains (
  scope text not null check (scope in ('all', 'host', 'pool')),
  name text not null,
  since timestamptz not null default now(),
  account_id text not null,
  primary key (scope, name),
  check ((scope = 'all') = (name = ''))
);

create table figures (
  name text not null,
  type text not null,
  reader text not null,
  writer text not null,
  outcome text not null,
  upper double precision not null default 'infinity',
  count bigint not null,
  sum double precision not null,
  primary key (name, type, reader, writer, outcome, upper)
);

create table figures_position ("offset" bigint not null);
create unique index figures_position_single on figures_position ((true));
insert into figures_position values (0);

create table chore_runs (
  name text primary key,
  started_at timestamptz not null,
  finished_at timestamptz not null default now(),
  failed bigint not null check (failed >= 0),
  failures jsonb not null
);
