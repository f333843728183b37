-- The tables as they are after all migrations. Written by `npm run schema`; do not edit.

create table account_authenticators (
  user_id uuid not null,
  type text not null,
  fingerprint bytea not null,
  sealed bytea,
  created_at timestamp with time zone not null default now(),
  proved_at timestamp with time zone,
  last_step bigint,
  constraint account_authenticators_pkey PRIMARY KEY (user_id, fingerprint),
  constraint account_authenticators_user_id_fkey FOREIGN KEY (user_id) REFERENCES accounts(user_id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX account_authenticators_own ON account_authenticators (user_id, type) WHERE (sealed IS NOT NULL);

create table account_file (
  one boolean not null default true,
  sha256 bytea not null,
  pending text,
  replaces bytea,
  constraint account_file_pkey PRIMARY KEY (one),
  constraint account_file_one_check CHECK (one)
);

create table account_mails (
  id uuid not null default uuidv7(),
  kind text not null,
  user_id uuid,
  recipient text,
  identifier text,
  address text,
  request_id text,
  created_at timestamp with time zone not null default now(),
  constraint account_mails_pkey PRIMARY KEY (id),
  constraint account_mails_user_id_fkey FOREIGN KEY (user_id) REFERENCES accounts(user_id) ON DELETE CASCADE,
  constraint account_mails_check CHECK (
CASE kind
    WHEN 'idTaken'::text THEN ((recipient IS NOT NULL) AND (identifier IS NOT NULL))
    WHEN 'passwordResetAsked'::text THEN (identifier IS NOT NULL)
    ELSE (user_id IS NOT NULL)
END),
  constraint account_mails_kind_check CHECK ((kind = ANY (ARRAY['activation'::text, 'passwordReset'::text, 'passwordResetAsked'::text, 'idTaken'::text])))
);
CREATE INDEX account_mails_user ON account_mails (user_id);
CREATE UNIQUE INDEX account_mails_reset ON account_mails (lower(identifier)) WHERE (kind = 'passwordResetAsked'::text);

create table account_tokens (
  hash bytea not null,
  user_id uuid not null,
  kind text not null,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  mail_id uuid,
  constraint account_tokens_pkey PRIMARY KEY (hash),
  constraint account_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES accounts(user_id) ON DELETE CASCADE,
  constraint account_tokens_kind_check CHECK ((kind = ANY (ARRAY['activation'::text, 'passwordReset'::text])))
);
CREATE INDEX account_tokens_user ON account_tokens (user_id, kind);

create table accounts (
  user_id uuid not null default uuidv7(),
  id text not null,
  tenant_id uuid,
  name text not null default ''::text,
  email text,
  company text,
  phone_number text,
  roles text[] not null default '{}'::text[],
  metadata jsonb not null default '{}'::jsonb,
  password_hash text not null,
  activated boolean not null default true,
  enabled boolean not null default true,
  locked boolean not null default false,
  locked_date_end timestamp with time zone,
  no_of_unsuccessful_login_attempts integer not null default 0,
  last_login_attempted_date timestamp with time zone,
  allow_me_password_change boolean not null default true,
  created_at timestamp with time zone not null default now(),
  created_by uuid,
  updated_at timestamp with time zone not null default now(),
  updated_by uuid,
  locked_out_until timestamp with time zone,
  registered boolean not null default false,
  folded_id text not null generated always as (fold_name(id)) stored,
  last_login_at timestamp with time zone,
  constraint accounts_pkey PRIMARY KEY (user_id),
  constraint accounts_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE SET NULL,
  constraint accounts_id_check CHECK (((length(id) >= 1) AND (length(id) <= 255))),
  constraint accounts_id_is_no_uuid CHECK ((folded_id !~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'::text))
);
CREATE INDEX accounts_email ON accounts (lower(email));
CREATE INDEX accounts_tenant ON accounts (tenant_id);
CREATE UNIQUE INDEX accounts_folded_id ON accounts (folded_id);
-- trigger accounts_cached: raise_cache_generation
-- trigger accounts_not_named_like_a_group: refuse_group_name
-- trigger accounts_permissions_ended: keep_permissions_of_account
-- trigger accounts_permissions_renamed: keep_permissions_of_account

create table api_keys (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  name text not null,
  role text not null,
  hash bytea not null,
  expires_at timestamp with time zone,
  expires_at_given text,
  allowed_networks text[] not null default '{}'::text[],
  created_at timestamp with time zone not null default now(),
  created_by uuid not null,
  last_used_at timestamp with time zone,
  last_used_from text,
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_hash_key UNIQUE (hash),
  constraint api_keys_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint api_keys_check CHECK (((expires_at IS NULL) = (expires_at_given IS NULL))),
  constraint api_keys_name_check CHECK (((length(name) >= 1) AND (length(name) <= 255))),
  constraint api_keys_role_check CHECK ((role = ANY (ARRAY['Owner'::text, 'Contributor'::text, 'Reader'::text])))
);
CREATE INDEX api_keys_tenant ON api_keys (tenant_id, name COLLATE "C", id);

create table audit (
  id bigint not null generated always as identity,
  "time" timestamp with time zone not null default now(),
  action text not null,
  account_id text,
  subject text not null,
  tenant_id uuid,
  address text,
  request_id text,
  details jsonb not null default '{}'::jsonb,
  reason text,
  agent text,
  constraint audit_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_account ON audit (fold_name(account_id), id);
CREATE INDEX audit_subject ON audit (fold_name(subject), id);

create table blob_deletions (
  name text not null,
  requested_at timestamp with time zone not null default now(),
  constraint blob_deletions_pkey PRIMARY KEY (name)
);

create table blob_digests (
  name text not null,
  size bigint not null,
  digest text not null,
  checked_at timestamp with time zone not null default now(),
  constraint blob_digests_pkey PRIMARY KEY (name)
);

create table blob_store (
  one boolean not null default true,
  id uuid not null default gen_random_uuid(),
  place text,
  confirm_all boolean not null default false,
  stopped_because text,
  stopped_at timestamp with time zone,
  unknown_blobs bigint not null default 0,
  unknown_bytes bigint not null default 0,
  all_blobs bigint not null default 0,
  confirmed bigint,
  swept_at timestamp with time zone,
  counter bigint not null default 0,
  constraint blob_store_pkey PRIMARY KEY (one),
  constraint blob_store_one_check CHECK (one)
);

create table blob_verification (
  one boolean not null default true,
  id uuid not null,
  started_at timestamp with time zone not null default now(),
  finished_at timestamp with time zone,
  due_before timestamp with time zone not null,
  names text[],
  cursor text not null default ''::text,
  total bigint not null,
  checked bigint not null default 0,
  bytes bigint not null default 0,
  problems bigint not null default 0,
  constraint blob_verification_pkey PRIMARY KEY (one),
  constraint blob_verification_one_check CHECK (one)
);

create table cache_generations (
  resource text not null,
  generation bigint not null,
  constraint cache_generations_pkey PRIMARY KEY (resource)
);

create table credit_commits (
  pool_id uuid not null,
  committed_at timestamp with time zone not null,
  seq bigint not null,
  constraint credit_commits_pkey PRIMARY KEY (pool_id, committed_at, seq)
);
-- trigger only_inserts: refuse_change

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
  created_at timestamp with time zone not null,
  created_by uuid,
  request_id text,
  hash credit_digest not null,
  constraint credit_entries_pkey PRIMARY KEY (pool_id, seq)
);
CREATE INDEX credit_entries_arrivals ON credit_entries (pool_id, lot_id, seq) WHERE (((account)::text = 'Available'::text) AND ((amount)::numeric > (0)::numeric));
CREATE INDEX credit_entries_operation ON credit_entries (pool_id, operation_id, seq) WHERE (operation_id IS NOT NULL);
-- trigger only_inserts: refuse_change
-- trigger sums: check_credit_postings

create table credit_holds (
  id bigint not null generated always as identity,
  pool_id uuid not null,
  lot_id bigint not null,
  operation_id credit_text not null,
  project_id uuid,
  amount credit_amount not null,
  spent credit_part not null default 0,
  released credit_part not null default 0,
  created_at timestamp with time zone not null,
  created_by uuid,
  is_open boolean not null generated always as ((((spent)::numeric + (released)::numeric) < (amount)::numeric)) stored,
  constraint credit_holds_pkey PRIMARY KEY (id),
  constraint credit_holds_lot_id_pool_id_fkey FOREIGN KEY (lot_id, pool_id) REFERENCES credit_lots(id, pool_id),
  constraint credit_holds_check CHECK ((((spent)::numeric + (released)::numeric) <= (amount)::numeric))
);
CREATE INDEX credit_holds_open ON credit_holds (pool_id, operation_id) WHERE is_open;
-- trigger ends: refuse_change
-- trigger stays: refuse_change
-- trigger terms: refuse_change

create table credit_lots (
  id bigint not null generated always as identity,
  pool_id uuid not null,
  amount credit_amount not null,
  expires_at timestamp with time zone not null,
  expires_text text not null,
  sales_order_id credit_text not null,
  billing_reference credit_text not null,
  billing_reference_type credit_text not null,
  billing_reference_tag credit_tag not null,
  source_id bigint,
  available credit_part not null,
  reserved credit_part not null default 0,
  spent credit_part not null default 0,
  expired credit_part not null default 0,
  moved credit_part not null default 0,
  warned_days smallint,
  created_at timestamp with time zone not null,
  created_by uuid,
  is_open boolean not null generated always as ((((available)::numeric > (0)::numeric) OR ((reserved)::numeric > (0)::numeric))) stored,
  constraint credit_lots_pkey PRIMARY KEY (id),
  constraint credit_lots_id_pool_id_key UNIQUE (id, pool_id),
  constraint credit_lots_pool_id_fkey FOREIGN KEY (pool_id) REFERENCES credit_pools(id),
  constraint credit_lots_source_id_fkey FOREIGN KEY (source_id) REFERENCES credit_lots(id),
  constraint credit_lots_check CHECK (((amount)::numeric = (((((available)::numeric + (reserved)::numeric) + (spent)::numeric) + (expired)::numeric) + (moved)::numeric)))
);
CREATE INDEX credit_lots_expiry ON credit_lots (expires_at) WHERE is_open;
CREATE INDEX credit_lots_open ON credit_lots (pool_id, expires_at, id) WHERE is_open;
CREATE INDEX credit_lots_references ON credit_lots (pool_id, billing_reference, billing_reference_type);
-- trigger stays: refuse_change
-- trigger terms: refuse_change

create table credit_pools (
  id uuid not null,
  last_seq credit_end not null default 0,
  last_hash bytea not null default '\x'::bytea,
  commit_before timestamp with time zone,
  constraint credit_pools_pkey PRIMARY KEY (id)
);
-- trigger commits: commit_credits
-- trigger stays: refuse_change

create table damaged_blobs (
  name text not null,
  problem text not null,
  etag text,
  found_at timestamp with time zone not null default now(),
  constraint damaged_blobs_pkey PRIMARY KEY (name),
  constraint damaged_blobs_problem_check CHECK ((problem = ANY (ARRAY['damaged'::text, 'missing'::text])))
);

create table dataset_readers (
  dataset_id uuid not null,
  transfer_id uuid not null,
  constraint dataset_readers_pkey PRIMARY KEY (dataset_id, transfer_id),
  constraint dataset_readers_dataset_id_fkey FOREIGN KEY (dataset_id) REFERENCES datasets(id) ON DELETE CASCADE
);
CREATE INDEX dataset_readers_transfer ON dataset_readers (transfer_id);

create table datasets (
  id uuid not null default uuidv7(),
  project_id uuid not null,
  name text not null,
  description text,
  dataset_type text not null,
  dataset_format text not null,
  metadata jsonb not null default '{}'::jsonb,
  properties jsonb not null default '{}'::jsonb,
  tags text[] not null default '{}'::text[],
  temporal_information jsonb,
  spatial_information jsonb,
  permissions jsonb not null default '[]'::jsonb,
  blob text,
  storage_size bigint not null,
  locked_by uuid,
  row_version bigint not null default 1,
  created_at timestamp with time zone not null default now(),
  created_by uuid not null,
  updated_at timestamp with time zone not null default now(),
  updated_by uuid not null,
  deleted_at timestamp with time zone,
  deleted_by uuid,
  min_grant_generation bigint not null default 0,
  own_min_grant_generation bigint not null default 0,
  file_extension text,
  constraint datasets_pkey PRIMARY KEY (id),
  constraint datasets_blob_key UNIQUE (blob),
  constraint datasets_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id),
  constraint datasets_bytes CHECK (((blob IS NULL) = (dataset_format = 'ts'::text))),
  constraint datasets_check CHECK (((deleted_at IS NULL) = (deleted_by IS NULL))),
  constraint datasets_dataset_type_check CHECK ((dataset_type = ANY (ARRAY['file'::text, 'multidimensional'::text, 'timeseries'::text, 'gisvectordata'::text, 'tiles'::text]))),
  constraint datasets_name_check CHECK (is_entity_name(name)),
  constraint datasets_storage_size_check CHECK ((storage_size >= 0))
);
CREATE INDEX datasets_blob ON datasets (blob) WHERE (blob IS NOT NULL);
CREATE INDEX datasets_locked ON datasets (locked_by) WHERE (locked_by IS NOT NULL);
CREATE INDEX datasets_named ON datasets (name COLLATE "C", project_id);
CREATE INDEX datasets_project ON datasets (project_id, name COLLATE "C", id);
-- trigger changed_vector_content: new_vector_content
-- trigger datasets_binned: bin_dataset
-- trigger datasets_binned_made: bin_dataset
-- trigger datasets_permissions_changed: keep_permission_grants
-- trigger datasets_permissions_made: keep_permission_grants
-- trigger datasets_unbinned: unbin_removed
-- trigger keep_grants_void: keep_grants_void
-- trigger new_vector_content: new_vector_content
-- trigger release_blob: release_blob

create unlogged table deleted_drawn_tiles (
  content bytea not null
);

create table deliveries (
  webhook_id uuid not null,
  event_id uuid not null,
  state text not null default 'Pending'::text,
  attempts integer not null default 0,
  next_at timestamp with time zone default now(),
  worker text,
  claim integer not null default 0,
  status integer,
  error text,
  created_at timestamp with time zone not null default now(),
  updated_at timestamp with time zone not null default now(),
  constraint deliveries_pkey PRIMARY KEY (webhook_id, event_id),
  constraint deliveries_event_id_fkey FOREIGN KEY (event_id) REFERENCES events(id) ON DELETE CASCADE,
  constraint deliveries_webhook_id_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks(id) ON DELETE CASCADE,
  constraint deliveries_check CHECK (((state = 'Pending'::text) = (next_at IS NOT NULL))),
  constraint deliveries_check1 CHECK (((worker IS NULL) OR (state = 'Pending'::text))),
  constraint deliveries_state_check CHECK ((state = ANY (ARRAY['Pending'::text, 'Delivered'::text, 'Failed'::text])))
);
CREATE INDEX deliveries_due ON deliveries (webhook_id, next_at, event_id) WHERE (state = 'Pending'::text);
CREATE INDEX deliveries_event ON deliveries (event_id);
CREATE INDEX deliveries_next ON deliveries (next_at) WHERE (state = 'Pending'::text);
CREATE INDEX deliveries_of_worker ON deliveries (worker) WHERE (worker IS NOT NULL);
CREATE INDEX deliveries_under_way ON deliveries (webhook_id) WHERE (worker IS NOT NULL);

create table drains (
  scope text not null,
  name text not null,
  since timestamp with time zone not null default now(),
  account_id text not null,
  constraint drains_pkey PRIMARY KEY (scope, name),
  constraint drains_check CHECK (((scope = 'all'::text) = (name = ''::text))),
  constraint drains_scope_check CHECK ((scope = ANY (ARRAY['all'::text, 'host'::text, 'pool'::text])))
);

create unlogged table drawn_tile_bytes (
  part integer not null,
  bytes bigint not null,
  constraint drawn_tile_bytes_pkey PRIMARY KEY (part)
);

create unlogged table drawn_tile_contents (
  hash bytea not null,
  bytes bytea not null,
  size integer not null,
  constraint drawn_tile_contents_pkey PRIMARY KEY (hash),
  constraint drawn_tile_contents_hash_check CHECK ((octet_length(hash) = 32)),
  constraint drawn_tile_contents_size_check CHECK ((size > 0))
);

create unlogged table drawn_tiles (
  dataset_id uuid not null,
  blob text not null,
  scheme_id text not null,
  step integer not null,
  layer integer not null,
  level integer not null,
  tile_column integer not null,
  tile_row integer not null,
  content bytea not null,
  drawn_at timestamp with time zone not null default now(),
  used_at timestamp with time zone not null default now(),
  constraint drawn_tiles_pkey PRIMARY KEY (dataset_id, blob, scheme_id, step, layer, level, tile_column, tile_row),
  constraint drawn_tiles_content_fkey FOREIGN KEY (content) REFERENCES drawn_tile_contents(hash),
  constraint drawn_tiles_dataset_id_fkey FOREIGN KEY (dataset_id) REFERENCES datasets(id) ON DELETE CASCADE,
  constraint drawn_tiles_layer_check CHECK ((layer >= 0)),
  constraint drawn_tiles_level_check CHECK (((level >= 0) AND (level <= 24))),
  constraint drawn_tiles_step_check CHECK ((step >= 0)),
  constraint drawn_tiles_tile_column_check CHECK ((tile_column >= 0)),
  constraint drawn_tiles_tile_row_check CHECK ((tile_row >= 0))
);
CREATE INDEX drawn_tiles_content ON drawn_tiles (content);
CREATE INDEX drawn_tiles_used_at ON drawn_tiles (used_at);
-- trigger note_deleted: note_deleted_tiles

create table events (
  "offset" bigint,
  id uuid not null default uuidv7(),
  type text not null,
  source text not null,
  subject text,
  tenant_id uuid,
  project_id uuid,
  user_id uuid,
  resource_id text,
  request_id text,
  data jsonb not null,
  "time" timestamp with time zone not null default now(),
  constraint events_pkey PRIMARY KEY (id)
);
CREATE INDEX events_unpublished ON events (id) WHERE ("offset" IS NULL);
CREATE UNIQUE INDEX events_published ON events ("offset") WHERE ("offset" IS NOT NULL);

create table feature_licences (
  tenant_id uuid not null,
  feature_id uuid not null,
  enabled boolean not null default true,
  created_at timestamp with time zone not null default now(),
  created_by uuid,
  updated_at timestamp with time zone not null default now(),
  updated_by uuid,
  constraint feature_licences_pkey PRIMARY KEY (tenant_id, feature_id),
  constraint feature_licences_feature_id_fkey FOREIGN KEY (feature_id) REFERENCES features(id) ON DELETE CASCADE,
  constraint feature_licences_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
);
CREATE INDEX feature_licences_feature ON feature_licences (feature_id);

create table features (
  id uuid not null default uuidv7(),
  name text not null,
  type text not null,
  url text,
  response_url text,
  created_at timestamp with time zone not null default now(),
  created_by uuid,
  updated_at timestamp with time zone not null default now(),
  updated_by uuid,
  constraint features_pkey PRIMARY KEY (id),
  constraint features_name_key UNIQUE (name),
  constraint features_name_check CHECK ((((length(name) >= 1) AND (length(name) <= 255)) AND (name = TRIM(BOTH FROM name)))),
  constraint features_response_url_check CHECK (((length(response_url) >= 1) AND (length(response_url) <= 2048))),
  constraint features_type_check CHECK ((type = ANY (ARRAY['Application'::text, 'Service'::text]))),
  constraint features_url_check CHECK (((length(url) >= 1) AND (length(url) <= 2048)))
);

create table grant_generations (
  one boolean not null default true,
  generation bigint not null,
  constraint grant_generations_pkey PRIMARY KEY (one),
  constraint grant_generations_one_check CHECK (one)
);

create table group_members (
  group_id text not null,
  user_id uuid not null,
  constraint group_members_pkey PRIMARY KEY (group_id, user_id),
  constraint group_members_group_id_fkey FOREIGN KEY (group_id) REFERENCES user_groups(id) ON DELETE CASCADE,
  constraint group_members_user_id_fkey FOREIGN KEY (user_id) REFERENCES accounts(user_id) ON DELETE CASCADE
);
CREATE INDEX group_members_user ON group_members (user_id);

create table group_setup_codes (
  group_id text not null,
  "position" integer not null,
  sealed bytea not null,
  constraint group_setup_codes_pkey PRIMARY KEY (group_id, "position"),
  constraint group_setup_codes_group_id_fkey FOREIGN KEY (group_id) REFERENCES user_groups(id) ON DELETE CASCADE
);

create unlogged table idempotency_claims (
  user_id uuid not null,
  key text not null,
  claim uuid not null,
  leased_until timestamp with time zone not null,
  constraint idempotency_claims_pkey PRIMARY KEY (user_id, key),
  constraint idempotency_claims_claim_key UNIQUE (claim),
  constraint idempotency_claims_key_check CHECK (((length(key) >= 1) AND (length(key) <= 255)))
);

create table idempotency_keys (
  user_id uuid not null,
  key text not null,
  request_hash bytea not null,
  status integer not null,
  headers jsonb not null,
  body text,
  created_at timestamp with time zone not null default now(),
  constraint idempotency_keys_pkey PRIMARY KEY (user_id, key),
  constraint idempotency_keys_key_check CHECK (((length(key) >= 1) AND (length(key) <= 255)))
);
CREATE INDEX idempotency_keys_created ON idempotency_keys (created_at);

create table login_failures (
  client text not null,
  failures integer not null,
  last_at timestamp with time zone not null default now(),
  constraint login_failures_pkey PRIMARY KEY (client)
);
CREATE INDEX login_failures_last ON login_failures (last_at);

create table login_pair_failures (
  client text not null,
  account bytea not null,
  failures integer not null,
  last_at timestamp with time zone not null default now(),
  constraint login_pair_failures_pkey PRIMARY KEY (client, account)
);
CREATE INDEX login_pair_failures_last ON login_pair_failures (last_at);

create unlogged table login_waits (
  id uuid not null,
  client text not null,
  account bytea,
  until timestamp with time zone not null,
  abandoned boolean not null default false,
  constraint login_waits_pkey PRIMARY KEY (id)
);
CREATE INDEX login_waits_until ON login_waits (until);

create table logins (
  user_id uuid not null,
  address text not null,
  day date not null,
  times integer not null default 1,
  last_at timestamp with time zone not null default now(),
  constraint logins_pkey PRIMARY KEY (user_id, address, day),
  constraint logins_user_id_fkey FOREIGN KEY (user_id) REFERENCES accounts(user_id) ON DELETE CASCADE
);
CREATE INDEX logins_day ON logins (day);

create table maintenance_runs (
  name text not null,
  started_at timestamp with time zone not null,
  finished_at timestamp with time zone not null default now(),
  failed bigint not null,
  failures jsonb not null,
  constraint maintenance_runs_pkey PRIMARY KEY (name),
  constraint maintenance_runs_failed_check CHECK ((failed >= 0))
);

create table mass_retries (
  id uuid not null default uuidv7(),
  fingerprint text not null,
  per_second double precision not null,
  max_transfers bigint,
  stop_on_fail boolean not null,
  failed_until timestamp with time zone not null default now(),
  after_time timestamp with time zone not null default '-infinity'::timestamp with time zone,
  after_id uuid not null default '00000000-0000-0000-0000-000000000000'::uuid,
  next_at timestamp with time zone not null default now(),
  state text not null default 'Running'::text,
  note text,
  created_at timestamp with time zone not null default now(),
  created_by uuid not null,
  account_id text not null,
  request_id text not null,
  finished_at timestamp with time zone,
  constraint mass_retries_pkey PRIMARY KEY (id),
  constraint mass_retries_check CHECK (((state = 'Running'::text) = (finished_at IS NULL))),
  constraint mass_retries_max_transfers_check CHECK ((max_transfers > 0)),
  constraint mass_retries_per_second_check CHECK ((per_second > (0)::double precision)),
  constraint mass_retries_state_check CHECK ((state = ANY (ARRAY['Running'::text, 'Done'::text, 'Stopped'::text])))
);
CREATE INDEX mass_retries_created ON mass_retries (created_at, id);
CREATE UNIQUE INDEX mass_retries_running ON mass_retries (fingerprint) WHERE (state = 'Running'::text);

create table mass_retry_transfers (
  retry_id uuid not null,
  transfer_id uuid not null,
  new_transfer_id uuid,
  refusal text,
  constraint mass_retry_transfers_pkey PRIMARY KEY (retry_id, transfer_id),
  constraint mass_retry_transfers_new_transfer_id_fkey FOREIGN KEY (new_transfer_id) REFERENCES transfers(id) ON DELETE CASCADE,
  constraint mass_retry_transfers_retry_id_fkey FOREIGN KEY (retry_id) REFERENCES mass_retries(id) ON DELETE CASCADE,
  constraint mass_retry_transfers_transfer_id_fkey FOREIGN KEY (transfer_id) REFERENCES transfers(id) ON DELETE CASCADE,
  constraint mass_retry_transfers_check CHECK (((new_transfer_id IS NULL) <> (refusal IS NULL)))
);
CREATE INDEX mass_retry_transfers_started ON mass_retry_transfers (new_transfer_id) WHERE (new_transfer_id IS NOT NULL);
CREATE UNIQUE INDEX mass_retry_transfers_once ON mass_retry_transfers (transfer_id) WHERE (new_transfer_id IS NOT NULL);

create table migrations (
  name text not null,
  sha256 text not null,
  applied_at timestamp with time zone not null default now(),
  objects text[],
  constraint migrations_pkey PRIMARY KEY (name)
);

create table otp_failures (
  user_id uuid not null,
  failures integer not null,
  blocked_until timestamp with time zone,
  constraint otp_failures_pkey PRIMARY KEY (user_id),
  constraint otp_failures_user_id_fkey FOREIGN KEY (user_id) REFERENCES accounts(user_id) ON DELETE CASCADE
);

create table password_history (
  user_id uuid not null,
  password_hash text not null,
  replaced_at timestamp with time zone not null default clock_timestamp(),
  constraint password_history_pkey PRIMARY KEY (user_id, replaced_at),
  constraint password_history_user_id_fkey FOREIGN KEY (user_id) REFERENCES accounts(user_id) ON DELETE CASCADE
);

create table permission_grants (
  project_id uuid,
  dataset_id uuid,
  principal text not null,
  operation text not null,
  denied boolean not null,
  folded_principal text not null generated always as (fold_name(principal)) stored,
  constraint permission_grants_dataset_id_fkey FOREIGN KEY (dataset_id) REFERENCES datasets(id) ON DELETE CASCADE,
  constraint permission_grants_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE,
  constraint permission_grants_check CHECK ((num_nonnulls(project_id, dataset_id) = 1)),
  constraint permission_grants_operation_check CHECK ((operation = ANY (ARRAY['read'::text, 'update'::text, 'delete'::text])))
);
CREATE INDEX permission_grants_dataset ON permission_grants (dataset_id) WHERE (dataset_id IS NOT NULL);
CREATE INDEX permission_grants_folded_principal ON permission_grants (folded_principal);
CREATE INDEX permission_grants_principal ON permission_grants (principal);
CREATE INDEX permission_grants_project ON permission_grants (project_id) WHERE (project_id IS NOT NULL);

create table project_members (
  project_id uuid not null,
  user_id uuid not null,
  role text not null,
  principal_type text not null default 'UserIdentity'::text,
  account_id uuid generated always as (
CASE
    WHEN (principal_type = 'UserIdentity'::text) THEN user_id
    ELSE NULL::uuid
END) stored,
  key_id uuid generated always as (
CASE
    WHEN (principal_type = 'OpenAPIAccount'::text) THEN user_id
    ELSE NULL::uuid
END) stored,
  constraint project_members_pkey PRIMARY KEY (project_id, user_id),
  constraint project_members_account_id_fkey FOREIGN KEY (account_id) REFERENCES accounts(user_id) ON DELETE CASCADE,
  constraint project_members_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_keys(id) ON DELETE CASCADE,
  constraint project_members_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE,
  constraint project_members_principal_type_check CHECK ((principal_type = ANY (ARRAY['UserIdentity'::text, 'OpenAPIAccount'::text, 'MemberGroup'::text, 'Unknown'::text]))),
  constraint project_members_role_check CHECK ((role = ANY (ARRAY['Owner'::text, 'Contributor'::text, 'Reader'::text])))
);
CREATE INDEX project_members_account ON project_members (account_id);
CREATE INDEX project_members_key ON project_members (key_id) WHERE (key_id IS NOT NULL);
CREATE INDEX project_members_user ON project_members (user_id) INCLUDE (project_id);

create table project_thumbnails (
  project_id uuid not null,
  content_type text not null,
  content bytea not null,
  constraint project_thumbnails_pkey PRIMARY KEY (project_id),
  constraint project_thumbnails_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE,
  constraint project_thumbnails_content_check CHECK (((length(content) >= 1) AND (length(content) <= 1048576))),
  constraint project_thumbnails_content_type_check CHECK ((content_type = ANY (ARRAY['image/png'::text, 'image/jpeg'::text, 'image/webp'::text])))
);

create table projects (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  parent_id uuid,
  root_id uuid not null,
  path uuid[] not null,
  member_source_id uuid not null,
  name text not null,
  description text,
  metadata jsonb not null default '{}'::jsonb,
  settings jsonb not null default '{}'::jsonb,
  access_level text not null default 'Shared'::text,
  inherits_members boolean not null default false,
  permissions jsonb not null default '[]'::jsonb,
  row_version bigint not null default 1,
  created_at timestamp with time zone not null default now(),
  created_by uuid not null,
  updated_at timestamp with time zone not null default now(),
  updated_by uuid not null,
  deleted_at timestamp with time zone,
  deleted_by uuid,
  min_grant_generation bigint not null default 0,
  constraint projects_pkey PRIMARY KEY (id),
  constraint projects_parent_id_fkey FOREIGN KEY (parent_id) REFERENCES projects(id),
  constraint projects_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint projects_access_level_check CHECK ((access_level = ANY (ARRAY['Confidential'::text, 'Private'::text, 'Shared'::text]))),
  constraint projects_check CHECK (((path[cardinality(path)] = id) AND (path[1] = root_id))),
  constraint projects_check1 CHECK (((parent_id IS NULL) = (root_id = id))),
  constraint projects_check2 CHECK ((inherits_members = (member_source_id <> id))),
  constraint projects_check3 CHECK (((deleted_at IS NULL) = (deleted_by IS NULL))),
  constraint projects_name_check CHECK (is_entity_name(name))
);
CREATE INDEX projects_deleted ON projects (id) WHERE (deleted_at IS NOT NULL);
CREATE INDEX projects_member_source ON projects (member_source_id);
CREATE INDEX projects_named ON projects (tenant_id, name COLLATE "C");
CREATE INDEX projects_parent ON projects (parent_id, name COLLATE "C", id) INCLUDE (inherits_members, deleted_at, updated_at) WHERE (parent_id IS NOT NULL);
CREATE INDEX projects_parent_created ON projects (parent_id, created_at, id) INCLUDE (inherits_members, deleted_at) WHERE (parent_id IS NOT NULL);
CREATE INDEX projects_path ON projects USING gin (path) WITH (fastupdate=off);
CREATE INDEX projects_root ON projects (root_id);
CREATE INDEX projects_roots ON projects (tenant_id, name COLLATE "C", id) WHERE (parent_id IS NULL);
-- trigger keep_grants_void: keep_project_grants_void
-- trigger projects_binned: bin_project
-- trigger projects_binned_made: bin_project
-- trigger projects_followed: follow_member_source
-- trigger projects_permissions_changed: keep_permission_grants
-- trigger projects_permissions_made: keep_permission_grants
-- trigger projects_removed: record_removed_project
-- trigger projects_unbinned: unbin_removed

create table recovery_codes (
  user_id uuid not null,
  hash bytea not null,
  constraint recovery_codes_pkey PRIMARY KEY (user_id, hash),
  constraint recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES accounts(user_id) ON DELETE CASCADE
);

create table recycle_bin (
  id uuid not null,
  item_type text not null,
  tenant_id uuid not null,
  container_id uuid,
  own_source_id uuid,
  container_source_id uuid,
  name text not null,
  storage_size bigint not null,
  weight bigint not null,
  deleted_at timestamp with time zone not null,
  deleted_by uuid not null,
  constraint recycle_bin_pkey PRIMARY KEY (id),
  constraint recycle_bin_check CHECK (((item_type = 'Project'::text) = (own_source_id IS NOT NULL))),
  constraint recycle_bin_check1 CHECK (((container_id IS NULL) = (container_source_id IS NULL))),
  constraint recycle_bin_check2 CHECK (((item_type = 'Project'::text) OR (container_id IS NOT NULL))),
  constraint recycle_bin_item_type_check CHECK ((item_type = ANY (ARRAY['Project'::text, 'Dataset'::text])))
);
CREATE INDEX recycle_bin_container ON recycle_bin (container_id, deleted_at, id) WHERE (container_id IS NOT NULL);
CREATE INDEX recycle_bin_container_source ON recycle_bin (container_source_id) WHERE (container_source_id IS NOT NULL);
CREATE INDEX recycle_bin_deleter ON recycle_bin (deleted_by, deleted_at, id);
CREATE INDEX recycle_bin_own_source ON recycle_bin (own_source_id) WHERE (own_source_id IS NOT NULL);
CREATE INDEX recycle_bin_tenant ON recycle_bin (tenant_id, deleted_at, id);
CREATE INDEX recycle_bin_type ON recycle_bin (tenant_id, item_type, deleted_at, id);

create table refresh_families (
  id uuid not null default uuidv7(),
  user_id uuid not null,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  refreshes boolean not null default true,
  constraint refresh_families_pkey PRIMARY KEY (id),
  constraint refresh_families_user_id_fkey FOREIGN KEY (user_id) REFERENCES accounts(user_id) ON DELETE CASCADE
);
CREATE INDEX refresh_families_expires ON refresh_families (expires_at);
CREATE INDEX refresh_families_revoked ON refresh_families (revoked_at) WHERE (revoked_at IS NOT NULL);
CREATE INDEX refresh_families_user ON refresh_families (user_id);

create table refresh_tokens (
  hash bytea not null,
  family_id uuid not null,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  used_from text,
  sealed_answer bytea,
  constraint refresh_tokens_pkey PRIMARY KEY (hash),
  constraint refresh_tokens_family_id_fkey FOREIGN KEY (family_id) REFERENCES refresh_families(id) ON DELETE CASCADE
);
CREATE INDEX refresh_tokens_answered ON refresh_tokens (used_at) WHERE (sealed_answer IS NOT NULL);
CREATE INDEX refresh_tokens_expires ON refresh_tokens (expires_at);
CREATE INDEX refresh_tokens_family ON refresh_tokens (family_id);

create table registration_mails (
  recipient text not null,
  ordered_at timestamp with time zone not null default clock_timestamp(),
  client text
);
CREATE INDEX registration_mails_client ON registration_mails (client, ordered_at);
CREATE INDEX registration_mails_recipient ON registration_mails (lower(recipient), ordered_at);

create table released_blobs (
  name text not null,
  released_at timestamp with time zone not null default now(),
  constraint released_blobs_pkey PRIMARY KEY (name)
);
CREATE INDEX released_blobs_time ON released_blobs (released_at);

create table remote_sources (
  id uuid not null,
  sealed bytea not null,
  constraint remote_sources_pkey PRIMARY KEY (id)
);

create table removed_project_members (
  project_id uuid not null,
  user_id uuid not null,
  removed_at timestamp with time zone not null default now(),
  constraint removed_project_members_pkey PRIMARY KEY (project_id, user_id)
);
CREATE INDEX removed_project_members_user ON removed_project_members (user_id);

create table removed_projects (
  id uuid not null,
  member_source_id uuid not null,
  removed_at timestamp with time zone not null default now(),
  denied_ids text[] not null default '{}'::text[],
  denied_groups text[] not null default '{}'::text[],
  constraint removed_projects_pkey PRIMARY KEY (id)
);

create table secret_keys (
  id text not null,
  created_at timestamp with time zone not null default now(),
  constraint secret_keys_pkey PRIMARY KEY (id),
  constraint secret_keys_id_check CHECK ((id ~ '^[0-9a-f]{16}$'::text))
);
CREATE UNIQUE INDEX secret_keys_one ON secret_keys ((true));

create table signing_keys (
  kid text not null,
  use text not null,
  material jsonb not null,
  created_at timestamp with time zone not null default now(),
  retired_at timestamp with time zone,
  activated_at timestamp with time zone default now(),
  secret_key_id text,
  constraint signing_keys_pkey PRIMARY KEY (kid),
  constraint signing_keys_secret_key_id_fkey FOREIGN KEY (secret_key_id) REFERENCES secret_keys(id) ON UPDATE CASCADE,
  constraint signing_keys_check CHECK (((secret_key_id IS NULL) OR (material ? 'sealed'::text))),
  constraint signing_keys_use_check CHECK ((use ~ '^[a-z]+$'::text))
);
CREATE UNIQUE INDEX signing_keys_current ON signing_keys (use) WHERE ((activated_at IS NOT NULL) AND (retired_at IS NULL));
CREATE UNIQUE INDEX signing_keys_next ON signing_keys (use) WHERE (activated_at IS NULL);
-- trigger signing_keys_clear: refuse_clear_key

create table staged_blobs (
  name text not null,
  user_id uuid not null,
  tenant_id uuid,
  blob text,
  size bigint,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  named_at timestamp with time zone,
  deleted_at timestamp with time zone,
  constraint staged_blobs_pkey PRIMARY KEY (name),
  constraint staged_blobs_blob_key UNIQUE (blob),
  constraint staged_blobs_check CHECK (((blob IS NULL) = (size IS NULL))),
  constraint staged_blobs_name_check CHECK ((name ~ '^[A-Za-z0-9._~-]{1,100}$'::text))
);
CREATE INDEX staged_blobs_blob ON staged_blobs (blob) WHERE (blob IS NOT NULL);
CREATE INDEX staged_blobs_expiry ON staged_blobs (expires_at);
-- trigger release_blob: release_blob

create table tenant_members (
  tenant_id uuid not null,
  user_id uuid not null,
  role text not null,
  constraint tenant_members_pkey PRIMARY KEY (tenant_id, user_id),
  constraint tenant_members_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
  constraint tenant_members_user_id_fkey FOREIGN KEY (user_id) REFERENCES accounts(user_id) ON DELETE CASCADE,
  constraint tenant_members_role_check CHECK ((role = ANY (ARRAY['Owner'::text, 'Member'::text])))
);
CREATE INDEX tenant_members_user ON tenant_members (user_id);

create table tenants (
  id uuid not null default uuidv7(),
  name text not null,
  weight numeric not null default 1,
  created_at timestamp with time zone not null default now(),
  created_by uuid,
  updated_at timestamp with time zone not null default now(),
  updated_by uuid,
  recycle_bin_days integer,
  constraint tenants_pkey PRIMARY KEY (id),
  constraint tenants_name_check CHECK (((length(name) >= 1) AND (length(name) <= 255))),
  constraint tenants_recycle_bin_days_check CHECK (((recycle_bin_days >= 1) AND (recycle_bin_days <= 36500))),
  constraint tenants_weight_check CHECK ((weight > (0)::numeric))
);

create table transfer_counts (
  tenant_id uuid not null,
  created_by uuid not null,
  status text not null,
  count bigint not null
);
CREATE INDEX transfer_counts_creator ON transfer_counts (created_by);
CREATE INDEX transfer_counts_tenant ON transfer_counts (tenant_id);

create table transfer_log (
  id bigint not null generated always as identity,
  transfer_id uuid not null,
  "time" timestamp with time zone not null default now(),
  level text not null,
  message text not null,
  constraint transfer_log_pkey PRIMARY KEY (id),
  constraint transfer_log_transfer_id_fkey FOREIGN KEY (transfer_id) REFERENCES transfers(id) ON DELETE CASCADE,
  constraint transfer_log_level_check CHECK ((level = ANY (ARRAY['debug'::text, 'info'::text, 'warning'::text, 'error'::text])))
);
CREATE INDEX transfer_log_transfer ON transfer_log (transfer_id, id);

create table transfer_metrics (
  name text not null,
  type text not null,
  reader text not null,
  writer text not null,
  outcome text not null,
  upper double precision not null default 'Infinity'::double precision,
  count bigint not null,
  sum double precision not null,
  constraint transfer_metrics_pkey PRIMARY KEY (name, type, reader, writer, outcome, upper)
);

create table transfer_metrics_position (
  "offset" bigint not null
);
CREATE UNIQUE INDEX transfer_metrics_position_single ON transfer_metrics_position ((true));

create table transfers (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  project_id uuid not null,
  type text not null,
  status text not null default 'Pending'::text,
  format text not null,
  request jsonb not null,
  staged_blob text,
  input_dataset_id uuid,
  created_at timestamp with time zone not null default now(),
  created_by uuid not null,
  account_id text not null,
  updated_at timestamp with time zone not null default now(),
  updated_by uuid not null,
  request_id text,
  retry_of uuid,
  attempt integer not null default 0,
  worker_pool text,
  deadline timestamp with time zone,
  worker_losses integer not null default 0,
  child_deaths integer not null default 0,
  outages integer not null default 0,
  cancel_requested_at timestamp with time zone,
  progress real not null default 0,
  phase text,
  records_read bigint,
  records_written bigint,
  records_skipped bigint,
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  error_message text,
  output_dataset_id uuid,
  output_blob text,
  output_file_name text,
  receipt jsonb,
  memory_mb integer not null,
  cores numeric,
  bad_records_blob text,
  carry text,
  source_tenant_id uuid,
  source_project_id uuid,
  source_id uuid,
  flags text[] not null default '{}'::text[],
  virtual_time bigint not null default 0,
  fingerprint text generated always as (
CASE
    WHEN ((status = 'Error'::text) AND (error_message <> 'Cancelled.'::text)) THEN failure_fingerprint(type, request, error_message)
    ELSE NULL::text
END) stored,
  traceparent text,
  handed_back integer not null default 0,
  requested_flags text[] generated always as (
CASE
    WHEN (flags <> '{}'::text[]) THEN requested_flags(flags)
    ELSE NULL::text[]
END) stored,
  output_media_type text,
  price jsonb,
  constraint transfers_pkey PRIMARY KEY (id),
  constraint transfers_retry_of_fkey FOREIGN KEY (retry_of) REFERENCES transfers(id),
  constraint transfers_staged_blob_fkey FOREIGN KEY (staged_blob) REFERENCES staged_blobs(name),
  constraint transfers_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
  constraint transfers_carry_check CHECK ((carry = ANY (ARRAY['move'::text, 'copy'::text]))),
  constraint transfers_carry_whole CHECK ((num_nonnulls(carry, source_tenant_id, source_project_id) = ANY (ARRAY[0, 3]))),
  constraint transfers_check CHECK (((status = ANY (ARRAY['Completed'::text, 'Error'::text])) = (finished_at IS NOT NULL))),
  constraint transfers_check1 CHECK (((status = 'Error'::text) = (error_message IS NOT NULL))),
  constraint transfers_check2 CHECK (((status <> 'InProgress'::text) OR ((worker_pool IS NOT NULL) AND (deadline IS NOT NULL)))),
  constraint transfers_check3 CHECK (((progress = (100)::double precision) = (status = 'Completed'::text))),
  constraint transfers_progress_check CHECK (((progress >= (0)::double precision) AND (progress <= (100)::double precision))),
  constraint transfers_status_check CHECK ((status = ANY (ARRAY['Pending'::text, 'InProgress'::text, 'Completed'::text, 'Error'::text]))),
  constraint transfers_traceparent_check CHECK ((length(traceparent) = 55)),
  constraint transfers_type_check CHECK ((type = ANY (ARRAY['Import'::text, 'Export'::text, 'Conversion'::text, 'Update'::text, 'Append'::text]))),
  constraint transfers_virtual_time_check CHECK ((virtual_time >= 0))
);
CREATE INDEX transfers_bad_records ON transfers (finished_at) WHERE (bad_records_blob IS NOT NULL);
CREATE INDEX transfers_bad_records_blob ON transfers (bad_records_blob) WHERE (bad_records_blob IS NOT NULL);
CREATE INDEX transfers_creator ON transfers (created_by, created_at DESC, id DESC) INCLUDE (tenant_id, status);
CREATE INDEX transfers_ending ON transfers ("right"((id)::text, 6));
CREATE INDEX transfers_exports ON transfers (finished_at) WHERE ((type = 'Export'::text) AND (output_blob IS NOT NULL));
CREATE INDEX transfers_fingerprint ON transfers (fingerprint, finished_at, id) WHERE (fingerprint IS NOT NULL);
CREATE INDEX transfers_finished ON transfers (finished_at, id) WHERE (finished_at IS NOT NULL);
CREATE INDEX transfers_input ON transfers (input_dataset_id) WHERE (input_dataset_id IS NOT NULL);
CREATE INDEX transfers_output ON transfers (output_dataset_id) WHERE (output_dataset_id IS NOT NULL);
CREATE INDEX transfers_output_blob ON transfers (output_blob) WHERE (output_blob IS NOT NULL);
CREATE INDEX transfers_pending ON transfers (id) WHERE (status = 'Pending'::text);
CREATE INDEX transfers_project ON transfers (project_id, created_at);
CREATE INDEX transfers_requested_flags ON transfers (tenant_id, requested_flags) WHERE ((finished_at IS NULL) AND (requested_flags IS NOT NULL));
CREATE INDEX transfers_retries ON transfers (retry_of) WHERE (retry_of IS NOT NULL);
CREATE INDEX transfers_running ON transfers (worker_pool) WHERE (status = 'InProgress'::text);
CREATE INDEX transfers_source ON transfers (source_id) WHERE (source_id IS NOT NULL);
CREATE INDEX transfers_source_tenant ON transfers (source_tenant_id, created_at DESC) WHERE (source_tenant_id IS NOT NULL);
CREATE INDEX transfers_staged ON transfers (staged_blob) WHERE (staged_blob IS NOT NULL);
CREATE INDEX transfers_tenant ON transfers (tenant_id, created_at DESC, id DESC) INCLUDE (status);
CREATE INDEX transfers_unfinished ON transfers (created_at, id) WHERE (finished_at IS NULL);
CREATE INDEX transfers_virtual_time ON transfers (tenant_id, virtual_time) WHERE (finished_at IS NULL);
CREATE INDEX transfers_waiting ON transfers (flags, virtual_time, id) WHERE (status = 'Pending'::text);
-- trigger release_bad_records_blob: release_bad_records_blob
-- trigger release_output_blob: release_output_blob
-- trigger releases_price: settle_price
-- trigger reserves_price: reserve_price
-- trigger settles_price: settle_price
-- trigger transfers_counted: count_transfer
-- trigger transfers_counted_anew: count_transfer
-- trigger transfers_uncounted: forget_transfer_counts

create table ts_blocks (
  series_key bigint not null,
  first bigint not null,
  last bigint not null,
  count integer not null,
  data bytea not null,
  constraint ts_blocks_pkey PRIMARY KEY (series_key, first),
  constraint ts_blocks_series_key_fkey FOREIGN KEY (series_key) REFERENCES ts_series(key) ON DELETE CASCADE,
  constraint ts_blocks_check CHECK ((first <= last)),
  constraint ts_blocks_count_check CHECK ((count > 0))
);

create table ts_datasets (
  dataset_id uuid not null,
  schema jsonb not null default '[]'::jsonb,
  constraint ts_datasets_pkey PRIMARY KEY (dataset_id),
  constraint ts_datasets_dataset_id_fkey FOREIGN KEY (dataset_id) REFERENCES datasets(id) ON DELETE CASCADE DEFERRABLE
);

create table ts_series (
  key bigint not null generated always as identity,
  dataset_id uuid not null,
  id text not null,
  item jsonb not null,
  properties jsonb not null default '{}'::jsonb,
  data_fields jsonb not null default '[]'::jsonb,
  bytes bigint not null default 0,
  first bigint,
  last bigint,
  constraint ts_series_pkey PRIMARY KEY (key),
  constraint ts_series_dataset_id_fkey FOREIGN KEY (dataset_id) REFERENCES ts_datasets(dataset_id) ON DELETE CASCADE,
  constraint ts_series_dataset_id_id_key UNIQUE (dataset_id, id),
  constraint ts_series_check CHECK ((((first IS NULL) = (last IS NULL)) AND ((first IS NOT NULL) OR (bytes = 0)))),
  constraint ts_series_id_check CHECK ((id ~ '^[A-Za-z0-9._~-]{1,128}$'::text))
);

create table user_groups (
  id text not null,
  name text not null,
  metadata jsonb not null default '{}'::jsonb,
  built_in boolean not null default false,
  constraint user_groups_pkey PRIMARY KEY (id),
  constraint user_groups_name_key UNIQUE (name),
  constraint user_groups_id_check CHECK ((((length(id) >= 1) AND (length(id) <= 255)) AND (id = TRIM(BOTH FROM id)))),
  constraint user_groups_name_check CHECK ((((length(name) >= 1) AND (length(name) <= 255)) AND (name = TRIM(BOTH FROM name))))
);
CREATE INDEX user_groups_folded_name ON user_groups (fold_name(name));
CREATE UNIQUE INDEX user_groups_id ON user_groups (lower(id));
CREATE UNIQUE INDEX user_groups_name ON user_groups (lower(name));
-- trigger user_groups_permissions_ended: end_permissions_of_group

create table waiting_requirements (
  flags text[] not null,
  reason text,
  constraint waiting_requirements_pkey PRIMARY KEY (flags)
);

create table webhooks (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  url text not null,
  types text[] not null,
  secret bytea,
  created_at timestamp with time zone not null default now(),
  created_by uuid not null,
  sealed_secret bytea,
  failing_since timestamp with time zone,
  failures integer not null default 0,
  retry_at timestamp with time zone,
  disabled_at timestamp with time zone,
  constraint webhooks_pkey PRIMARY KEY (id),
  constraint webhooks_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
  constraint webhooks_check CHECK ((num_nonnulls(secret, sealed_secret) = 1)),
  constraint webhooks_secret_check CHECK (((length(secret) >= 24) AND (length(secret) <= 64))),
  constraint webhooks_url_check CHECK (((length(url) >= 1) AND (length(url) <= 2048)))
);
CREATE INDEX webhooks_tenant ON webhooks (tenant_id, id);

create table workers (
  pool text not null,
  host text not null,
  pid integer not null,
  concurrency integer not null,
  memory_mb integer not null,
  cores numeric not null,
  labels text[] not null default '{}'::text[],
  started_at timestamp with time zone not null default now(),
  scratch_gb integer not null default 0,
  reserved_for uuid,
  draining_since timestamp with time zone,
  constraint workers_pkey PRIMARY KEY (pool)
);
