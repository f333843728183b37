-- The tables as they are after all migrations. Written by `npm run schema`; do not edit.

-- accounts ------------------------------------------------------------------------------------------------------------

-- People and programs that log in. If the setting `accounts.store` names a file, the table is a copy of it; see
-- `account_file`.
create table accounts (
  -- Never changes. The columns `created_by`, `updated_by` and the like of all tables contain it.
  user_id uuid not null default uuidv7(),
  -- Login id, as it was typed. Unique in its folded form.
  id text not null,
  -- Null: the account belongs to no tenant.
  tenant_id uuid,
  name text not null default ''::text,
  email text,
  company text,
  phone_number text,
  -- Roles in the whole platform; roles in a tenant are in `tenant_members`.
  roles text[] not null default '{}'::text[],
  metadata jsonb not null default '{}'::jsonb,
  -- Self-describing hash of the password; a value that is no hash matches no password.
  password_hash text not null,
  -- False until the person opens the link of the activation mail.
  activated boolean not null default true,
  -- False: an administrator has disabled the account.
  enabled boolean not null default true,
  -- True: an administrator has locked the account, until `locked_date_end` if that is set.
  locked boolean not null default false,
  locked_date_end timestamp with time zone,
  -- Wrong passwords in a row.
  no_of_unsuccessful_login_attempts integer not null default 0,
  -- Time of the last login with a password, successful or not.
  last_login_attempted_date timestamp with time zone,
  allow_me_password_change boolean not null default true,
  created_at timestamp with time zone not null default now(),
  created_by uuid,
  updated_at timestamp with time zone not null default now(),
  updated_by uuid,
  -- End of the lockout after too many wrong passwords. Null: not locked out.
  locked_out_until timestamp with time zone,
  -- True: made by a registration; false: by an administrator or the account file.
  registered boolean not null default false,
  -- Unicode case folding of `id`. Logins, permissions and uniqueness compare this.
  folded_id text not null generated always as (fold_name(id)) stored,
  -- Time of the last successful login. Null: never.
  last_login_at timestamp with time zone,
  -- Raised by each change of what people edit; clients send it back to detect changes by others.
  row_version bigint not null default 1,
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
-- trigger accounts_versioned: raise_row_version

-- Tokens in mails for activation and password reset. The tokens themselves are in the mails only.
create table account_tokens (
  -- SHA-256 of the token.
  hash bytea not null,
  user_id uuid not null,
  kind text not null,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  -- `account_mails.id` of the mail with the token. A mail that was sent again has several tokens, which count once.
  -- Null in rows of an earlier version.
  mail_id uuid,
  constraint account_tokens_pkey PRIMARY KEY (hash),
  constraint account_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES accounts(user_id) ON DELETE CASCADE,
  constraint account_tokens_kind_check CHECK ((kind = ANY (ARRAY['activation'::text, 'passwordReset'::text])))
);
CREATE INDEX account_tokens_user ON account_tokens (user_id, kind);

-- Mails to send. A job writes each from its row, tokens included, and deletes the row.
create table account_mails (
  id uuid not null default uuidv7(),
  kind text not null,
  -- Account that the mail is for. Null if there is none, or if it is not known yet (`passwordResetAsked`).
  user_id uuid,
  -- Address, if there is no account.
  recipient text,
  -- What was entered: a login id, or for a reset also an email address. Of an invitation its id.
  identifier text,
  -- IP address of the request, for the audit trail.
  address text,
  request_id text,
  created_at timestamp with time zone not null default now(),
  constraint account_mails_pkey PRIMARY KEY (id),
  constraint account_mails_user_id_fkey FOREIGN KEY (user_id) REFERENCES accounts(user_id) ON DELETE CASCADE,
  constraint account_mails_check CHECK (
CASE
    WHEN (kind = ANY (ARRAY['idTaken'::text, 'invitation'::text])) THEN ((recipient IS NOT NULL) AND (identifier IS NOT NULL))
    WHEN (kind = 'passwordResetAsked'::text) THEN (identifier IS NOT NULL)
    ELSE (user_id IS NOT NULL)
END),
  constraint account_mails_kind_check CHECK ((kind = ANY (ARRAY['activation'::text, 'passwordReset'::text, 'passwordResetAsked'::text, 'idTaken'::text, 'invitation'::text])))
);
CREATE INDEX account_mails_user ON account_mails (user_id);
CREATE UNIQUE INDEX account_mails_reset ON account_mails (lower(identifier)) WHERE (kind = 'passwordResetAsked'::text);

-- Mails that registrations caused within the last hour, to limit them by recipient and by client.
create table registration_mails (
  recipient text not null,
  ordered_at timestamp with time zone not null default clock_timestamp(),
  -- IPv4 address, or the /64 of an IPv6 address.
  client text
);
CREATE INDEX registration_mails_client ON registration_mails (client, ordered_at);
CREATE INDEX registration_mails_recipient ON registration_mails (lower(recipient), ordered_at);

-- Former passwords, which cannot be chosen again.
create table password_history (
  user_id uuid not null,
  password_hash text not null,
  replaced_at timestamp with time zone not null default clock_timestamp(),
  constraint password_history_pkey PRIMARY KEY (user_id, replaced_at),
  constraint password_history_user_id_fkey FOREIGN KEY (user_id) REFERENCES accounts(user_id) ON DELETE CASCADE
);

-- One row if the accounts are kept in a file: which text of the file the table `accounts` is a copy of.
create table account_file (
  -- Always true: the table has at most one row.
  one boolean not null default true,
  -- SHA-256 of the text.
  sha256 bytea not null,
  -- The text, while it is not known whether the file has it yet: the file is replaced after the commit. Null: the file
  -- has it.
  pending text,
  -- SHA-256 of the file that `pending` replaces. Null: there was no file.
  replaces bytea,
  constraint account_file_pkey PRIMARY KEY (one),
  constraint account_file_one_check CHECK (one)
);

-- Failed logins in a row by client.
create table login_failures (
  -- IPv4 address, or the /64 of an IPv6 address.
  client text not null,
  failures integer not null,
  last_at timestamp with time zone not null default now(),
  constraint login_failures_pkey PRIMARY KEY (client)
);
CREATE INDEX login_failures_last ON login_failures (last_at);

-- Failed logins in a row by client and login id.
create table login_pair_failures (
  -- IPv4 address, or the /64 of an IPv6 address.
  client text not null,
  -- SHA-256 of the folded login id: people sometimes type their password there.
  account bytea not null,
  failures integer not null,
  last_at timestamp with time zone not null default now(),
  constraint login_pair_failures_pkey PRIMARY KEY (client, account)
);
CREATE INDEX login_pair_failures_last ON login_pair_failures (last_at);

-- Refused logins whose answer is delayed, in all API processes. Unlogged: after a crash nobody waits.
create unlogged table login_waits (
  id uuid not null,
  -- IPv4 address, or the /64 of an IPv6 address.
  client text not null,
  -- SHA-256 of the folded login id. Null: the delay counts for the client only.
  account bytea,
  -- Rows after this time are ignored, and deleted by the next wait.
  until timestamp with time zone not null,
  -- The client has closed the connection, so its place is free.
  abandoned boolean not null default false,
  constraint login_waits_pkey PRIMARY KEY (id)
);
CREATE INDEX login_waits_until ON login_waits (until);

-- groups --------------------------------------------------------------------------------------------------------------

-- Groups of accounts. Permissions name groups by `name`.
create table user_groups (
  -- Unique in any letter case.
  id text not null,
  -- Unique in any letter case.
  name text not null,
  -- Members that the API returns as they are. Setup codes of a second factor appear as asterisks; see
  -- `group_setup_codes`.
  metadata jsonb not null default '{}'::jsonb,
  -- `Administrators` and `Editors`, which cannot be deleted.
  built_in boolean not null default false,
  -- Raised by each change but those of members; the version that clients send back is made of it and the members.
  row_version bigint not null default 1,
  constraint user_groups_pkey PRIMARY KEY (id),
  constraint user_groups_name_key UNIQUE (name),
  constraint user_groups_id_check CHECK ((((length(id) >= 1) AND (length(id) <= 255)) AND (id = TRIM(BOTH FROM id)))),
  constraint user_groups_name_check CHECK ((((length(name) >= 1) AND (length(name) <= 255)) AND (name = TRIM(BOTH FROM name))))
);
CREATE INDEX user_groups_folded_name ON user_groups (fold_name(name));
CREATE UNIQUE INDEX user_groups_id ON user_groups (lower(id));
CREATE UNIQUE INDEX user_groups_name ON user_groups (lower(name));
-- trigger user_groups_permissions_ended: end_permissions_of_group
-- trigger user_groups_versioned: raise_row_version

-- Members of groups.
create table group_members (
  group_id text not null,
  user_id uuid not null,
  constraint group_members_pkey PRIMARY KEY (group_id, user_id),
  constraint group_members_group_id_fkey FOREIGN KEY (group_id) REFERENCES user_groups(id) ON DELETE CASCADE,
  constraint group_members_user_id_fkey FOREIGN KEY (user_id) REFERENCES accounts(user_id) ON DELETE CASCADE
);
CREATE INDEX group_members_user ON group_members (user_id);
-- trigger group_members_added: tell_group_members
-- trigger group_members_removed: tell_group_members

-- Setup codes of authenticators that a group shares, encrypted.
create table group_setup_codes (
  group_id text not null,
  -- Index of the code in the list in `user_groups.metadata`, where asterisks stand for it.
  "position" integer not null,
  -- The code, encrypted with a key of `signing_keys`.
  sealed bytea not null,
  constraint group_setup_codes_pkey PRIMARY KEY (group_id, "position"),
  constraint group_setup_codes_group_id_fkey FOREIGN KEY (group_id) REFERENCES user_groups(id) ON DELETE CASCADE
);

-- tenants -------------------------------------------------------------------------------------------------------------

-- Customers. Projects, transfers and webhooks belong to one tenant.
create table tenants (
  id uuid not null default uuidv7(),
  name text not null,
  -- Share of the queue in weighted fair queueing.
  weight numeric not null default 1,
  created_at timestamp with time zone not null default now(),
  -- Null: created by a command on the server.
  created_by uuid,
  updated_at timestamp with time zone not null default now(),
  updated_by uuid,
  -- Days that deleted items are kept. Null: the platform's setting counts.
  recycle_bin_days integer,
  -- Raised by each change of what people edit; clients send it back to detect changes by others.
  row_version bigint not null default 1,
  constraint tenants_pkey PRIMARY KEY (id),
  constraint tenants_name_check CHECK (((length(name) >= 1) AND (length(name) <= 255))),
  constraint tenants_recycle_bin_days_check CHECK (((recycle_bin_days >= 1) AND (recycle_bin_days <= 36500))),
  constraint tenants_weight_check CHECK ((weight > (0)::numeric))
);
-- trigger tenants_versioned: raise_row_version

-- Accounts with a role in a tenant.
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
-- trigger tenant_members_added: tell_tenant_members
-- trigger tenant_members_removed: tell_tenant_members

-- The link that a start without an administrator prints, by which a person on this machine makes the first one. One row
-- at most: a new link ends the one before. Its use deletes it.
create table first_administrator_link (
  one boolean not null default true,
  -- SHA-256 of the token in the link.
  hash bytea not null,
  expires_at timestamp with time zone not null default (now() + '01:00:00'::interval),
  constraint first_administrator_link_pkey PRIMARY KEY (one),
  constraint first_administrator_link_hash_check CHECK ((octet_length(hash) = 32)),
  constraint first_administrator_link_one_check CHECK (one)
);

-- tokens --------------------------------------------------------------------------------------------------------------

-- Logins. A login starts a family of refresh tokens.
create table refresh_families (
  id uuid not null default uuidv7(),
  user_id uuid not null,
  created_at timestamp with time zone not null default now(),
  -- End of the login, however often it is refreshed.
  expires_at timestamp with time zone not null,
  -- Time of the logout or revocation. Null: the login is active until `expires_at`.
  revoked_at timestamp with time zone,
  -- False: the login has no refresh tokens and ends with its access token.
  refreshes boolean not null default true,
  -- Cookie of a browser that keeps the refresh token: `session` ends with the browser, `persistent` does not. Null: the
  -- client keeps the token by itself.
  cookie text,
  -- User-Agent of the login.
  agent text,
  -- IP address of the login.
  address text,
  constraint refresh_families_pkey PRIMARY KEY (id),
  constraint refresh_families_user_id_fkey FOREIGN KEY (user_id) REFERENCES accounts(user_id) ON DELETE CASCADE,
  constraint refresh_families_cookie_check CHECK ((cookie = ANY (ARRAY['session'::text, 'persistent'::text])))
);
CREATE INDEX refresh_families_expires ON refresh_families (expires_at);
CREATE INDEX refresh_families_revoked ON refresh_families (revoked_at) WHERE (revoked_at IS NOT NULL);
CREATE INDEX refresh_families_user ON refresh_families (user_id);

-- Refresh tokens. Each can be exchanged once.
create table refresh_tokens (
  -- SHA-256 of the token, which is stored nowhere.
  hash bytea not null,
  family_id uuid not null,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  -- Time of the exchange. Null: not exchanged yet.
  used_at timestamp with time zone,
  -- IP address of the exchange.
  used_from text,
  -- Answer to the exchange, in case it was lost, encrypted with the exchanged token and the key of the request. Null:
  -- none, or its time is over.
  sealed_answer bytea,
  constraint refresh_tokens_pkey PRIMARY KEY (hash),
  constraint refresh_tokens_family_id_fkey FOREIGN KEY (family_id) REFERENCES refresh_families(id) ON DELETE CASCADE
);
CREATE INDEX refresh_tokens_answered ON refresh_tokens (used_at) WHERE (sealed_answer IS NOT NULL);
CREATE INDEX refresh_tokens_expires ON refresh_tokens (expires_at);
CREATE INDEX refresh_tokens_family ON refresh_tokens (family_id);

-- Successful logins of the last 30 days by account, IP address and day.
create table logins (
  user_id uuid not null,
  address text not null,
  day date not null,
  -- Number of logins on that day.
  times integer not null default 1,
  last_at timestamp with time zone not null default now(),
  constraint logins_pkey PRIMARY KEY (user_id, address, day),
  constraint logins_user_id_fkey FOREIGN KEY (user_id) REFERENCES accounts(user_id) ON DELETE CASCADE
);
CREATE INDEX logins_day ON logins (day);

-- Authenticators of the second factor: an account's own, and those of its groups from which it has used a code.
create table account_authenticators (
  user_id uuid not null,
  type text not null,
  -- SHA-256 of type and setup code.
  fingerprint bytea not null,
  -- Setup code of an own authenticator, encrypted. Null: it belongs to a group.
  sealed bytea,
  created_at timestamp with time zone not null default now(),
  -- Time of the first accepted code. After it, the setup code is not shown any more. Null: none accepted yet.
  proved_at timestamp with time zone,
  -- Time step of the last accepted code (RFC 6238). No code is accepted twice.
  last_step bigint,
  constraint account_authenticators_pkey PRIMARY KEY (user_id, fingerprint),
  constraint account_authenticators_user_id_fkey FOREIGN KEY (user_id) REFERENCES accounts(user_id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX account_authenticators_own ON account_authenticators (user_id, type) WHERE (sealed IS NOT NULL);

-- Unused recovery codes of the second factor.
create table recovery_codes (
  user_id uuid not null,
  -- SHA-256 of the code.
  hash bytea not null,
  constraint recovery_codes_pkey PRIMARY KEY (user_id, hash),
  constraint recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES accounts(user_id) ON DELETE CASCADE
);

-- Wrong one-time passwords in a row.
create table otp_failures (
  user_id uuid not null,
  failures integer not null,
  -- Null: not blocked.
  blocked_until timestamp with time zone,
  constraint otp_failures_pkey PRIMARY KEY (user_id),
  constraint otp_failures_user_id_fkey FOREIGN KEY (user_id) REFERENCES accounts(user_id) ON DELETE CASCADE
);

-- keys ----------------------------------------------------------------------------------------------------------------

-- API keys, which programs send instead of a token. Revoking a key deletes its row; the audit trail keeps who it was.
create table api_keys (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  name text not null,
  role text not null,
  -- SHA-256 of the key, which is stored nowhere.
  hash bytea not null,
  -- Null: never.
  expires_at timestamp with time zone,
  -- `expires_at` as the client wrote it, which is how the API shows it.
  expires_at_given text,
  -- CIDR networks. Empty: every address.
  allowed_networks text[] not null default '{}'::text[],
  created_at timestamp with time zone not null default now(),
  created_by uuid not null,
  last_used_at timestamp with time zone,
  -- IP address.
  last_used_from text,
  constraint api_keys_pkey PRIMARY KEY (id),
  constraint api_keys_hash_key UNIQUE (hash),
  constraint api_keys_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id),
  constraint api_keys_check CHECK (((expires_at IS NULL) = (expires_at_given IS NULL))),
  constraint api_keys_name_check CHECK (((length(name) >= 1) AND (length(name) <= 255))),
  constraint api_keys_role_check CHECK ((role = ANY (ARRAY['Owner'::text, 'Contributor'::text, 'Reader'::text])))
);
CREATE INDEX api_keys_tenant ON api_keys (tenant_id, name COLLATE "C", id);

-- projects ------------------------------------------------------------------------------------------------------------

-- Projects and subprojects: a tree for each root project.
create table projects (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  -- Null: a root project.
  parent_id uuid,
  -- Itself for a root project. No foreign key: a move would check it for each of many projects.
  root_id uuid not null,
  -- Ids from the root to this project, both included.
  path uuid[] not null,
  -- The nearest of this project and its ancestors that does not inherit members: whose `project_members` count here. No
  -- foreign key, as `root_id`.
  member_source_id uuid not null,
  name text not null,
  description text,
  metadata jsonb not null default '{}'::jsonb,
  settings jsonb not null default '{}'::jsonb,
  access_level text not null default 'Shared'::text,
  inherits_members boolean not null default false,
  -- Permissions as they were written. The triggers `projects_permissions_…` copy them to `permission_grants`.
  permissions jsonb not null default '[]'::jsonb,
  -- Raised by each change; clients send it back to detect changes by others.
  row_version bigint not null default 1,
  created_at timestamp with time zone not null default now(),
  created_by uuid not null,
  updated_at timestamp with time zone not null default now(),
  updated_by uuid not null,
  -- Time at which this project itself was deleted. Null does not mean visible: an ancestor may be deleted. The triggers
  -- `projects_binned…` copy it to `recycle_bin`.
  deleted_at timestamp with time zone,
  deleted_by uuid,
  -- Signed addresses of an earlier generation are void for all that is in this project. See `grant_generations`.
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
-- trigger projects_activity_changed: record_project_activity
-- trigger projects_activity_made: record_made_projects
-- trigger projects_activity_removed: forget_places
-- trigger projects_binned: bin_project
-- trigger projects_binned_made: bin_project
-- trigger projects_changed: tell_changed_projects
-- trigger projects_created: tell_created_projects
-- trigger projects_followed: follow_member_source
-- trigger projects_permissions_changed: keep_permission_grants
-- trigger projects_permissions_made: keep_permission_grants
-- trigger projects_removed: record_removed_project
-- trigger projects_unbinned: unbin_removed
-- trigger search_projects_changed: keep_project_entry
-- trigger search_projects_made: add_project_entries
-- trigger search_projects_moved: move_entries
-- trigger search_projects_removed: remove_entries

-- Members of projects that do not inherit members.
create table project_members (
  project_id uuid not null,
  -- `accounts.user_id`, or `api_keys.id` of a key.
  user_id uuid not null,
  role text not null,
  principal_type text not null default 'UserIdentity'::text,
  -- `user_id` of an account. A foreign key, so that the membership ends with the account.
  account_id uuid generated always as (
CASE
    WHEN (principal_type = 'UserIdentity'::text) THEN user_id
    ELSE NULL::uuid
END) stored,
  -- `user_id` of an API key. A foreign key, so that the membership ends with the key.
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
-- trigger members_added: tell_added_members
-- trigger members_changed: tell_changed_roles
-- trigger members_removed: tell_removed_members

-- Pictures of projects, in a table of their own so that lists do not read them.
create table project_thumbnails (
  project_id uuid not null,
  content_type text not null,
  content bytea not null,
  constraint project_thumbnails_pkey PRIMARY KEY (project_id),
  constraint project_thumbnails_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE,
  constraint project_thumbnails_content_check CHECK (((length(content) >= 1) AND (length(content) <= 1048576))),
  constraint project_thumbnails_content_type_check CHECK ((content_type = ANY (ARRAY['image/png'::text, 'image/jpeg'::text, 'image/webp'::text])))
);
-- trigger thumbnails_changed: tell_thumbnail

-- The permissions of projects and datasets, a row for each principal and operation, for searches by principal. The
-- truth is `permissions` of the entity; the triggers `…_permissions_made` and `…_permissions_changed` fill this table.
create table permission_grants (
  -- Null: of a dataset.
  project_id uuid,
  -- Null: of a project.
  dataset_id uuid,
  -- User id, login id or group name, as it was written.
  principal text not null,
  operation text not null,
  -- True: takes the operation away; false: allows it.
  denied boolean not null,
  -- Unicode case folding of `principal`.
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

-- One row: the number of the last commit that made signed addresses void. Signed addresses contain a generation instead
-- of a time: a move that is under way has no time yet. Read it before, or in the statement with, the rights.
create table grant_generations (
  -- Always true: the table has one row.
  one boolean not null default true,
  -- Raised by each change that makes addresses void, which locks the row until its commit.
  generation bigint not null,
  constraint grant_generations_pkey PRIMARY KEY (one),
  constraint grant_generations_one_check CHECK (one)
);

-- Who did what to projects and datasets. The triggers `projects_activity_…` and `datasets_activity_…` and the function
-- `record_activity` fill it in the transaction of the change; the runtime role changes nothing of it. An entry ends
-- with its project or dataset.
create table activity (
  id bigint not null generated always as identity,
  "time" timestamp with time zone not null default clock_timestamp(),
  -- `accounts.user_id`, or the id of an API key. Null: the platform.
  user_id uuid,
  action text not null,
  -- Whose readers may see it. Of a deletion for good: the project above. Null: `dataset_id`.
  project_id uuid,
  -- Whose readers may see it. Null: `project_id`.
  dataset_id uuid,
  subject_kind text not null,
  subject_id uuid not null,
  -- As it was then. Null: an account or API key.
  subject_name text,
  -- Of a move: the project before. Shown to those who see that project. Without a foreign key, as the next.
  from_project_id uuid,
  -- Of a move: the project after.
  to_project_id uuid,
  -- Names of the members that changed.
  changed text[] not null default '{}'::text[],
  -- Their plain values, texts of at most 301 characters. Never secrets.
  before jsonb not null default '{}'::jsonb,
  after jsonb not null default '{}'::jsonb,
  -- True: only Owners of the tenant see it. A deletion for good of what not all readers of the project above could see.
  restricted boolean not null default false,
  -- `transfers.id` of the transfer that wrote the content. Null: none did.
  transfer_id uuid,
  constraint activity_pkey PRIMARY KEY (id),
  constraint activity_dataset_id_fkey FOREIGN KEY (dataset_id) REFERENCES datasets(id) ON DELETE CASCADE,
  constraint activity_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE CASCADE,
  constraint activity_check CHECK ((num_nonnulls(project_id, dataset_id) = 1)),
  constraint activity_subject_kind_check CHECK ((subject_kind = ANY (ARRAY['project'::text, 'dataset'::text, 'account'::text])))
);
CREATE INDEX activity_dataset ON activity (dataset_id, id) WHERE (dataset_id IS NOT NULL);
CREATE INDEX activity_project ON activity (project_id) WHERE (project_id IS NOT NULL);

-- The projects whose activity an entry is part of: the project itself, or that of the dataset, and those above, as they
-- were; of a move, before and after. No foreign key: entries would lock the projects above.
create table activity_places (
  project_id uuid not null,
  activity_id bigint not null,
  constraint activity_places_pkey PRIMARY KEY (project_id, activity_id),
  constraint activity_places_activity_id_fkey FOREIGN KEY (activity_id) REFERENCES activity(id) ON DELETE CASCADE
);
CREATE INDEX activity_places_activity ON activity_places (activity_id);

-- Invitations to projects. Each gives one person a role, within seven days, if who invites may still grant access.
create table project_invitations (
  id uuid not null default uuidv7(),
  -- Null: the project was purged. The invitation stays for the limits of a day; nobody can accept it.
  project_id uuid,
  -- Whoever has the token that was mailed to this address may accept.
  email text,
  -- As it was entered, whether an account has it or not.
  login_id text,
  -- Account with `login_id` at the time of the invitation, who alone may accept. Null if there was none.
  user_id uuid,
  role text not null,
  created_at timestamp with time zone not null default now(),
  -- Account or API key.
  created_by uuid not null,
  expires_at timestamp with time zone not null default (now() + '7 days'::interval),
  accepted_at timestamp with time zone,
  accepted_by uuid,
  ended_at timestamp with time zone,
  -- Null: it had expired when the address was invited again.
  ended_by uuid,
  constraint project_invitations_pkey PRIMARY KEY (id),
  constraint project_invitations_project_id_fkey FOREIGN KEY (project_id) REFERENCES projects(id) ON DELETE SET NULL,
  constraint project_invitations_user_id_fkey FOREIGN KEY (user_id) REFERENCES accounts(user_id) ON DELETE SET NULL,
  constraint project_invitations_check CHECK ((num_nonnulls(email, login_id) = 1)),
  constraint project_invitations_check1 CHECK (((user_id IS NULL) OR (login_id IS NOT NULL))),
  constraint project_invitations_check2 CHECK (((accepted_at IS NULL) = (accepted_by IS NULL))),
  constraint project_invitations_check3 CHECK (((ended_by IS NULL) OR (ended_at IS NOT NULL))),
  constraint project_invitations_check4 CHECK ((num_nonnulls(accepted_at, ended_at) <= 1)),
  constraint project_invitations_email_check CHECK (((length(email) >= 1) AND (length(email) <= 254))),
  constraint project_invitations_login_id_check CHECK (((length(login_id) >= 1) AND (length(login_id) <= 255))),
  constraint project_invitations_role_check CHECK ((role = ANY (ARRAY['Owner'::text, 'Contributor'::text, 'Reader'::text])))
);
CREATE INDEX project_invitations_created_by ON project_invitations (created_by, created_at);
CREATE INDEX project_invitations_project ON project_invitations (project_id, created_at DESC, id DESC);
CREATE INDEX project_invitations_recipient ON project_invitations (lower(email), created_at);
CREATE INDEX project_invitations_user ON project_invitations (user_id);
CREATE UNIQUE INDEX project_invitations_email ON project_invitations (project_id, lower(email)) WHERE ((accepted_at IS NULL) AND (ended_at IS NULL));
CREATE UNIQUE INDEX project_invitations_login_id ON project_invitations (project_id, fold_name(login_id)) WHERE ((accepted_at IS NULL) AND (ended_at IS NULL));

-- Tokens of mails with invitations. A mail that was sent again has several.
create table project_invitation_tokens (
  -- SHA-256 of the token, which is in the mail only.
  hash bytea not null,
  invitation_id uuid not null,
  constraint project_invitation_tokens_pkey PRIMARY KEY (hash),
  constraint project_invitation_tokens_invitation_id_fkey FOREIGN KEY (invitation_id) REFERENCES project_invitations(id) ON DELETE CASCADE,
  constraint project_invitation_tokens_hash_check CHECK ((octet_length(hash) = 32))
);
CREATE INDEX project_invitation_tokens_invitation ON project_invitation_tokens (invitation_id);

-- uploads -------------------------------------------------------------------------------------------------------------

-- Uploaded files, and addresses for uploads to come. The account and the tenant of an upload may name it in transfers.
create table staged_blobs (
  -- Last segment of the upload address.
  name text not null,
  user_id uuid not null,
  -- Tenant whose members may use it. Null: only the account may.
  tenant_id uuid,
  -- Name in the blob store. Null: nothing was uploaded yet. Each upload makes a new blob, so that the input of a
  -- transfer never changes.
  blob text,
  -- Bytes.
  size bigint,
  created_at timestamp with time zone not null default now(),
  expires_at timestamp with time zone not null,
  -- Time at which a transfer first named it. From then on it cannot be written. Null: none has.
  named_at timestamp with time zone,
  -- Hidden from then on; the blob stays while a transfer needs it.
  deleted_at timestamp with time zone,
  constraint staged_blobs_pkey PRIMARY KEY (name),
  constraint staged_blobs_blob_key UNIQUE (blob),
  constraint staged_blobs_check CHECK (((blob IS NULL) = (size IS NULL))),
  constraint staged_blobs_name_check CHECK ((name ~ '^[A-Za-z0-9._~-]{1,100}$'::text))
);
CREATE INDEX staged_blobs_expiry ON staged_blobs (expires_at);
-- trigger release_blob: release_blob

-- datasets ------------------------------------------------------------------------------------------------------------

-- Datasets of projects.
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
  -- Permissions as they were written. The triggers `datasets_permissions_…` copy them to `permission_grants`.
  permissions jsonb not null default '[]'::jsonb,
  -- Name in the blob store. Each write makes a new blob, so that readers keep the old one. Null only for the format
  -- `ts`, whose values are in `ts_blocks`.
  blob text,
  -- Bytes.
  storage_size bigint not null,
  -- `transfers.id` of the transfer that writes it. Null: none does. Transfers that read it: `dataset_readers`.
  locked_by uuid,
  -- Raised by each change; clients send it back to detect changes by others.
  row_version bigint not null default 1,
  created_at timestamp with time zone not null default now(),
  created_by uuid not null,
  updated_at timestamp with time zone not null default now(),
  updated_by uuid not null,
  -- Time at which this dataset itself was deleted. Null does not mean visible: a project above may be deleted. The
  -- triggers `datasets_binned…` copy it to `recycle_bin`.
  deleted_at timestamp with time zone,
  deleted_by uuid,
  -- Signed addresses of an earlier generation are void, however they reach this dataset. See `grant_generations`.
  min_grant_generation bigint not null default 0,
  -- Signed addresses of this dataset itself, not of a project above it, are void if they are of an earlier generation.
  own_min_grant_generation bigint not null default 0,
  -- Extension of the file, where the format has several (such as a zip of VTU files). Null: the format decides.
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
CREATE INDEX datasets_locked ON datasets (locked_by) WHERE (locked_by IS NOT NULL);
CREATE INDEX datasets_named ON datasets (name COLLATE "C", project_id);
CREATE INDEX datasets_project ON datasets (project_id, name COLLATE "C", id);
-- trigger changed_vector_content: new_vector_content
-- trigger datasets_activity_changed: record_dataset_activity
-- trigger datasets_activity_made: record_made_datasets
-- trigger datasets_binned: bin_dataset
-- trigger datasets_binned_made: bin_dataset
-- trigger datasets_changed: tell_changed_datasets
-- trigger datasets_created: tell_created_datasets
-- trigger datasets_permissions_changed: keep_permission_grants
-- trigger datasets_permissions_made: keep_permission_grants
-- trigger datasets_unbinned: unbin_removed
-- trigger drop_former_preview: drop_former_preview
-- trigger drop_previews: drop_previews
-- trigger end_shares_of_moved: end_shares_of_moved
-- trigger keep_grants_void: keep_grants_void
-- trigger new_vector_content: new_vector_content
-- trigger release_blob: release_blob
-- trigger search_datasets_changed: keep_dataset_entry
-- trigger search_datasets_made: add_dataset_entries
-- trigger search_datasets_removed: remove_entries
-- trigger series_thumbnail_outdated: redraw_series_thumbnail
-- trigger thumbnail_binned: bin_thumbnail
-- trigger thumbnail_moved: move_thumbnail
-- trigger thumbnail_outdated: outdate_thumbnail
-- trigger thumbnails_made: new_thumbnails

-- Transfers that read a dataset until they end. Meanwhile nobody may write, move or delete it. Taken under the lock of
-- the dataset's row, and released by the statement that ends the transfer.
create table dataset_readers (
  dataset_id uuid not null,
  -- `transfers.id`.
  transfer_id uuid not null,
  constraint dataset_readers_pkey PRIMARY KEY (dataset_id, transfer_id),
  constraint dataset_readers_dataset_id_fkey FOREIGN KEY (dataset_id) REFERENCES datasets(id) ON DELETE CASCADE
);
CREATE INDEX dataset_readers_transfer ON dataset_readers (transfer_id);

-- Small pictures of the contents of datasets: a row for each dataset, whether or not it has a picture. Triggers of
-- `datasets` insert the row, and drop the picture when the content changes.
create table dataset_thumbnails (
  dataset_id uuid not null,
  -- `datasets.project_id`, which the trigger `thumbnail_moved` follows, for the index of pictures of a project.
  project_id uuid not null,
  -- `datasets.created_at`: a project shows its newest dataset.
  created_at timestamp with time zone not null,
  -- `datasets.blob` of the content. Whoever draws a picture writes it only if this is still what was drawn. Null for
  -- time series.
  content text,
  -- PNG whose longer side has at most 512 pixels. Null, as the others: it was not drawn, or cannot be.
  png_512 bytea,
  png_256 bytea,
  png_128 bytea,
  png_64 bytea,
  -- From when on the job `drawThumbnails` may draw it. A worker that takes it postpones it; null: nothing is to be
  -- done.
  due_at timestamp with time zone,
  -- How often the job has taken this content. After 3 times, a worker that ends at it was the last one.
  attempts integer not null default 0,
  -- Whether `datasets.deleted_at` is set, which the trigger `thumbnail_binned` follows.
  is_deleted boolean not null default false,
  constraint dataset_thumbnails_pkey PRIMARY KEY (dataset_id),
  constraint dataset_thumbnails_dataset_id_fkey FOREIGN KEY (dataset_id) REFERENCES datasets(id) ON DELETE CASCADE,
  constraint dataset_thumbnails_attempts_check CHECK ((attempts >= 0)),
  constraint dataset_thumbnails_check CHECK ((num_nulls(png_512, png_256, png_128, png_64) = ANY (ARRAY[0, 4]))),
  constraint dataset_thumbnails_png_128_check CHECK (((octet_length(png_128) >= 1) AND (octet_length(png_128) <= 1048576))),
  constraint dataset_thumbnails_png_256_check CHECK (((octet_length(png_256) >= 1) AND (octet_length(png_256) <= 2097152))),
  constraint dataset_thumbnails_png_512_check CHECK (((octet_length(png_512) >= 1) AND (octet_length(png_512) <= 4194304))),
  constraint dataset_thumbnails_png_64_check CHECK (((octet_length(png_64) >= 1) AND (octet_length(png_64) <= 1048576)))
);
CREATE INDEX dataset_thumbnails_drawn ON dataset_thumbnails (dataset_id) WHERE (png_512 IS NOT NULL);
CREATE INDEX dataset_thumbnails_due ON dataset_thumbnails (due_at) WHERE (due_at IS NOT NULL);
CREATE INDEX dataset_thumbnails_project ON dataset_thumbnails (project_id, created_at) WHERE (png_512 IS NOT NULL);

-- search --------------------------------------------------------------------------------------------------------------

-- An entry for each project and dataset, deleted or not, for the search. Filled by the triggers `search_…` of the
-- tables. No foreign keys: statements remove many entries at once.
create table search_entries (
  -- `projects.id` or `datasets.id`.
  id uuid not null,
  -- The project itself, or that of the dataset.
  project_id uuid not null,
  kind text not null,
  -- Folded words of the name, separated by blanks (`search_name`).
  name text not null,
  -- Folded words of name, description, tags, items and metadata (`search_words`). Names of deleted series stay until
  -- the dataset changes.
  words tsvector not null,
  -- Boxes of the rings of the location in degrees, longitude as x, which may run on beyond 180.
  areas box[] not null default '{}'::box[],
  -- `projects.tenant_id` of the project.
  tenant_id uuid not null,
  -- `projects.member_source_id` of the project.
  member_source_id uuid not null,
  constraint search_entries_pkey PRIMARY KEY (id),
  constraint search_entries_kind_check CHECK ((kind = ANY (ARRAY['Project'::text, 'Dataset'::text])))
);
CREATE INDEX search_entries_kind ON search_entries (kind, name, id);
CREATE INDEX search_entries_named ON search_entries (name, id);
CREATE INDEX search_entries_project ON search_entries (project_id);
CREATE INDEX search_entries_words ON search_entries USING gin (words) WITH (fastupdate=off);

-- credits -------------------------------------------------------------------------------------------------------------

-- The credits of a tenant. The row is the lock of the pool and the end of its chain of entries. No foreign key: the
-- ledger outlives its tenant. The trigger `commits` fills `credit_commits`.
create table credit_pools (
  -- `tenants.id`; the nil UUID is the generic pool.
  id uuid not null,
  -- `credit_entries.seq` of the last entry.
  last_seq credit_end not null default 0,
  -- `credit_entries.hash` of the last entry.
  last_hash bytea not null default '\x'::bytea,
  -- The last posting used credits that expire then, so it must be committed before. Null: no limit.
  commit_before timestamp with time zone,
  constraint credit_pools_pkey PRIMARY KEY (id)
);
-- trigger commits: commit_credits
-- trigger stays: refuse_change

-- What one addition or one move put into a pool. Its parts sum to `amount`. Follows the entries; `credit verify`
-- compares them.
create table credit_lots (
  id bigint not null generated always as identity,
  pool_id uuid not null,
  amount credit_amount not null,
  -- Unusable from this instant on.
  expires_at timestamp with time zone not null,
  -- `expires_at` as the client wrote it.
  expires_text text not null,
  sales_order_id credit_text not null,
  billing_reference credit_text not null,
  billing_reference_type credit_text not null,
  billing_reference_tag credit_tag not null,
  -- The lot that the credits were moved from. Null: they were added.
  source_id bigint,
  -- Can be reserved and spent.
  available credit_part not null,
  -- In holds that are open.
  reserved credit_part not null default 0,
  spent credit_part not null default 0,
  expired credit_part not null default 0,
  -- Now in lots of other pools.
  moved credit_part not null default 0,
  -- Days before the expiry for which the last warning event was written: 30, 14 or 3. Null: none yet.
  warned_days smallint,
  created_at timestamp with time zone not null,
  created_by uuid,
  -- Whether anything is available or reserved.
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

-- Credits of one lot that are reserved for an operation. All holds of an operation are one reservation. Follows the
-- entries.
create table credit_holds (
  id bigint not null generated always as identity,
  pool_id uuid not null,
  lot_id bigint not null,
  -- Chosen by the client; for the price of a transfer, the id of the transfer.
  operation_id credit_text not null,
  project_id uuid,
  -- Reserved at first; what is left is `amount - spent - released`.
  amount credit_amount not null,
  spent credit_part not null default 0,
  -- Returned to the lot, or expired.
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

-- The double-entry ledger, which is the truth: rows are only inserted. Entries of a posting have one `posting_id` and
-- sum to zero. Functions of `sql/functions/credits.sql` write it.
create table credit_entries (
  pool_id uuid not null,
  -- Position in the pool, from 1 without gaps.
  seq credit_seq not null,
  posting_id bigint not null,
  kind credit_kind not null,
  -- `Issued` is the other side of what was added.
  account credit_account not null,
  -- Credits with six decimals; negative: leaves the account.
  amount credit_change not null,
  -- `credit_lots.id`; the trigger `sums` checks it instead of a foreign key.
  lot_id bigint not null,
  -- `credit_holds.id`. Null: the posting has no reservation.
  hold_id bigint,
  operation_id credit_text,
  project_id uuid,
  created_at timestamp with time zone not null,
  created_by uuid,
  request_id text,
  -- SHA-256 of the hash of the entry before it in the pool, and of this entry.
  hash credit_digest not null,
  constraint credit_entries_pkey PRIMARY KEY (pool_id, seq)
);
CREATE INDEX credit_entries_arrivals ON credit_entries (pool_id, lot_id, seq) WHERE (((account)::text = 'Available'::text) AND ((amount)::numeric > (0)::numeric));
CREATE INDEX credit_entries_operation ON credit_entries (pool_id, operation_id, seq) WHERE (operation_id IS NOT NULL);
-- trigger changes_told: tell_credits
-- trigger only_inserts: refuse_change
-- trigger sums: check_credit_postings

-- Times of commits, so that balances in the past count what could be seen then. Rows are only inserted, by the trigger
-- `commits` of `credit_pools`.
create table credit_commits (
  pool_id uuid not null,
  committed_at timestamp with time zone not null,
  -- The entries of the pool up to this one were committed at that time.
  seq bigint not null,
  constraint credit_commits_pkey PRIMARY KEY (pool_id, committed_at, seq)
);
-- trigger only_inserts: refuse_change

-- licensing -----------------------------------------------------------------------------------------------------------

-- Features that tenants license. Settings name those that a route or a transfer needs; see `src/licensing/gates.ts`.
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
  -- Raised by each change; clients send it back to detect changes by others.
  row_version bigint not null default 1,
  constraint features_pkey PRIMARY KEY (id),
  constraint features_name_key UNIQUE (name),
  constraint features_name_check CHECK ((((length(name) >= 1) AND (length(name) <= 255)) AND (name = TRIM(BOTH FROM name)))),
  constraint features_response_url_check CHECK (((length(response_url) >= 1) AND (length(response_url) <= 2048))),
  constraint features_type_check CHECK ((type = ANY (ARRAY['Application'::text, 'Service'::text]))),
  constraint features_url_check CHECK (((length(url) >= 1) AND (length(url) <= 2048)))
);
-- trigger features_versioned: raise_row_version

-- Which tenants have licensed which features.
create table feature_licences (
  tenant_id uuid not null,
  feature_id uuid not null,
  enabled boolean not null default true,
  created_at timestamp with time zone not null default now(),
  created_by uuid,
  updated_at timestamp with time zone not null default now(),
  updated_by uuid,
  -- Raised by each change; clients send it back to detect changes by others.
  row_version bigint not null default 1,
  constraint feature_licences_pkey PRIMARY KEY (tenant_id, feature_id),
  constraint feature_licences_feature_id_fkey FOREIGN KEY (feature_id) REFERENCES features(id) ON DELETE CASCADE,
  constraint feature_licences_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE
);
CREATE INDEX feature_licences_feature ON feature_licences (feature_id);
-- trigger feature_licences_versioned: raise_row_version

-- series --------------------------------------------------------------------------------------------------------------

-- Datasets of the format `ts`: time series with values in Postgres. A transfer inserts this row before that of
-- `datasets`, hence the deferrable foreign key.
create table ts_datasets (
  dataset_id uuid not null,
  -- Properties that its series may have: [{name, dataType}].
  schema jsonb not null default '[]'::jsonb,
  constraint ts_datasets_pkey PRIMARY KEY (dataset_id),
  constraint ts_datasets_dataset_id_fkey FOREIGN KEY (dataset_id) REFERENCES datasets(id) ON DELETE CASCADE DEFERRABLE
);

-- Series of a dataset.
create table ts_series (
  key bigint not null generated always as identity,
  dataset_id uuid not null,
  -- Unique in the dataset; chosen by the client.
  id text not null,
  -- What the values are: name, type, unit.
  item jsonb not null,
  properties jsonb not null default '{}'::jsonb,
  -- Further values of each time step.
  data_fields jsonb not null default '[]'::jsonb,
  -- Size of its blocks.
  bytes bigint not null default 0,
  -- Time of its first value in microseconds since 1970, UTC. Null: no values.
  first bigint,
  -- Time of its last value in microseconds since 1970, UTC. Null: no values.
  last bigint,
  constraint ts_series_pkey PRIMARY KEY (key),
  constraint ts_series_dataset_id_fkey FOREIGN KEY (dataset_id) REFERENCES ts_datasets(dataset_id) ON DELETE CASCADE,
  constraint ts_series_dataset_id_id_key UNIQUE (dataset_id, id),
  constraint ts_series_check CHECK ((((first IS NULL) = (last IS NULL)) AND ((first IS NOT NULL) OR (bytes = 0)))),
  constraint ts_series_id_check CHECK ((id ~ '^[A-Za-z0-9._~-]{1,128}$'::text))
);
-- trigger search_series_made: add_item_words

-- Values of series in compressed blocks, packed by `src/files/formats/ts/block.ts`. The blocks of a series do not
-- overlap: each write holds the lock of the dataset's row.
create table ts_blocks (
  series_key bigint not null,
  -- Time of the first value in microseconds since 1970, UTC.
  first bigint not null,
  -- Time of the last value in microseconds since 1970, UTC.
  last bigint not null,
  -- Number of values.
  count integer not null,
  data bytea not null,
  constraint ts_blocks_pkey PRIMARY KEY (series_key, first),
  constraint ts_blocks_series_key_fkey FOREIGN KEY (series_key) REFERENCES ts_series(key) ON DELETE CASCADE,
  constraint ts_blocks_check CHECK ((first <= last)),
  constraint ts_blocks_count_check CHECK ((count > 0))
);

-- transfers -----------------------------------------------------------------------------------------------------------

-- Imports, exports, conversions, updates and appends. The row is the truth; a row of the queue only wakes a worker. Ids
-- of projects and datasets have no foreign key: a transfer outlives what it used.
create table transfers (
  id uuid not null default uuidv7(),
  -- Tenant of the result.
  tenant_id uuid not null,
  project_id uuid not null,
  type text not null,
  status text not null default 'Pending'::text,
  -- Name of the writer.
  format text not null,
  -- The accepted request: reader, writer, parameters, transformations, names, resources.
  request jsonb not null,
  -- `staged_blobs.name` of the input. Null: the input is a dataset or a remote file.
  staged_blob text,
  -- Dataset that is the input. Null: the input is an upload or a remote file.
  input_dataset_id uuid,
  created_at timestamp with time zone not null default now(),
  created_by uuid not null,
  -- Login id of `created_by` at the start.
  account_id text not null,
  updated_at timestamp with time zone not null default now(),
  updated_by uuid not null,
  request_id text,
  -- Failed transfer that this one repeats.
  retry_of uuid,
  -- Raised by each claim. Each write of a result names it, so that a worker that was overtaken writes nothing.
  attempt integer not null default 0,
  -- `workers.pool` of the worker that runs it, or ran it last. Null: it waits for a worker.
  worker_pool text,
  -- End of the time limit of the attempt. Null: it waits for a worker.
  deadline timestamp with time zone,
  -- Attempts that ended because the worker died or stopped responding.
  worker_losses integer not null default 0,
  -- Attempts whose child process died.
  child_deaths integer not null default 0,
  -- Attempts that ended because the blob store or the machine was out of order.
  outages integer not null default 0,
  -- Null: nobody has cancelled it.
  cancel_requested_at timestamp with time zone,
  -- Percent; 100 only if completed.
  progress real not null default 0,
  -- What the running attempt does, for people.
  phase text,
  records_read bigint,
  records_written bigint,
  -- Records that could not be read; their places are in `bad_records_blob`.
  records_skipped bigint,
  started_at timestamp with time zone,
  finished_at timestamp with time zone,
  -- Sentence for the user; `Cancelled.` if it was cancelled.
  error_message text,
  -- Dataset that it made or changed.
  output_dataset_id uuid,
  -- Name in the blob store: of an export the file to download; deleted after its time.
  output_blob text,
  output_file_name text,
  -- Names input and output with checksums, and what was changed or dropped.
  receipt jsonb,
  -- Megabytes that it needs.
  memory_mb integer not null,
  -- CPU cores that it needs. Null: the default.
  cores numeric,
  -- GeoJSON of the places of skipped records, in the blob store. Kept as long as an export.
  bad_records_blob text,
  -- Moves or copies a dataset without converting it. Null: a conversion.
  carry text,
  -- Tenant of the dataset that is moved or copied. `tenant_id` is that of the destination.
  source_tenant_id uuid,
  -- Project of the dataset that is moved or copied.
  source_project_id uuid,
  -- `remote_sources.id` of the remote input, without a foreign key: the transfer outlives the address. Null: the input
  -- is not remote.
  source_id uuid,
  -- What it needs of a worker beyond the minimum of every transfer, sorted, such as {label:gpu=a100,memory:4096}: the
  -- flags of its queue row.
  flags text[] not null default '{}'::text[],
  -- Place in weighted fair queueing: virtual microseconds (sequence `virtual_clock`). The lowest starts first.
  virtual_time bigint not null default 0,
  -- Hash of type, reader, writer and message without names, ids, paths and numbers: equal for failures of one kind.
  -- Null: not failed, or cancelled.
  fingerprint text generated always as (
CASE
    WHEN ((status = 'Error'::text) AND (error_message <> 'Cancelled.'::text)) THEN failure_fingerprint(type, request, error_message)
    ELSE NULL::text
END) stored,
  -- W3C Trace Context of the request.
  traceparent text,
  -- Attempts that a stopping worker returned. They are not part of the number of attempts that is shown.
  handed_back integer not null default 0,
  -- The flags that the request names, without estimated ones. Null: none.
  requested_flags text[] generated always as (
CASE
    WHEN (flags <> '{}'::text[]) THEN requested_flags(flags)
    ELSE NULL::text[]
END) stored,
  -- Media type of the export, where the format has several. Null: the format decides.
  output_media_type text,
  -- Price at the start: {fixed, perHour, …}. Null: free. The triggers `reserves_price`, `settles_price` and
  -- `releases_price` book it.
  price jsonb,
  -- `dataset_shares.id` of the link whose holder started it, without a foreign key: it stays hidden when the link is
  -- gone. Only the link shows it: it is in no list and has no events. Null: an account or API key started it.
  share_id uuid,
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
CREATE INDEX transfers_share ON transfers (share_id, created_at) WHERE (share_id IS NOT NULL);
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

-- Log lines of transfers.
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

-- Addresses of remote files that transfers read. Deleted when the last transfer that needs one has ended; a failed one
-- needs it for another day, for a retry.
create table remote_sources (
  id uuid not null,
  -- The address, encrypted: it may contain passwords and signatures.
  sealed bytea not null,
  constraint remote_sources_pkey PRIMARY KEY (id)
);

-- Numbers of transfers by tenant, creator and status, for lists. A cache that the triggers `transfers_counted` and
-- `transfers_counted_anew` fill: they only add rows, so that writers do not wait for each other, and
-- `compact_transfer_counts` replaces rows by their sums.
create table transfer_counts (
  tenant_id uuid not null,
  created_by uuid not null,
  status text not null,
  -- To add to the sum of the other rows; may be negative.
  count bigint not null
);
CREATE INDEX transfer_counts_creator ON transfer_counts (created_by);
CREATE INDEX transfer_counts_tenant ON transfer_counts (tenant_id);

-- Running worker processes. A worker is alive while it holds the advisory lock of its pool. Only a pool with a row may
-- claim transfers.
create table workers (
  -- Id that the worker chose at its start.
  pool text not null,
  host text not null,
  pid integer not null,
  -- Transfers at the same time.
  concurrency integer not null,
  -- Megabytes for all its transfers.
  memory_mb integer not null,
  -- CPU cores for all its transfers.
  cores numeric not null,
  labels text[] not null default '{}'::text[],
  started_at timestamp with time zone not null default now(),
  -- Gigabytes of scratch space for all its transfers.
  scratch_gb integer not null default 0,
  -- `transfers.id` of the transfer that it keeps capacity free for. Null: none.
  reserved_for uuid,
  -- It starts no transfer since then. Null: it does.
  draining_since timestamp with time zone,
  -- It hands transfers to a Kubernetes cluster and runs none: `all`, or the `rest` that no worker could take. Null: it
  -- runs transfers.
  hands_over text,
  -- Machine that it runs on, where `host` is the name of its pod. Null: `host` is the machine.
  node text,
  -- Server and namespace that it hands transfers to. Null: it hands none over, or has just begun.
  cluster text,
  -- Version that it runs. Null: an older one, which did not tell.
  version text,
  -- Commit of its source. Null: not known.
  commit_id text,
  constraint workers_pkey PRIMARY KEY (pool),
  constraint workers_hands_over_check CHECK ((hands_over = ANY (ARRAY['all'::text, 'rest'::text])))
);

-- Distinct `transfers.flags` of waiting transfers. A cache that the sweep writes every second.
create table waiting_requirements (
  flags text[] not null,
  -- Why no worker can start them now. Null: one can.
  reason text,
  constraint waiting_requirements_pkey PRIMARY KEY (flags)
);

-- What dispatchers know of the Kubernetes clusters that they hand transfers to. See `cluster/cluster-view.ts`.
create unlogged table cluster_views (
  -- Cluster, namespace and settings: dispatchers of one name share the view.
  name text not null,
  -- What dispatchers add to each transfer, and which ones they take.
  settings jsonb not null,
  -- Nodes with what their pods take. Null: the dispatcher may not list them.
  nodes jsonb,
  -- SHA-256 of settings and nodes, by which a dispatcher knows that nothing changed.
  digest text not null,
  -- When a dispatcher last wrote the row. After a minute it says nothing.
  seen_at timestamp with time zone not null default now(),
  -- Why no dispatcher hears the cluster, in a sentence. Null: one does, and `nodes` are those of now.
  trouble text,
  -- Server and namespace, as `kubernetes_jobs.cluster`. Null: written by a dispatcher of an older version.
  cluster text,
  constraint cluster_views_pkey PRIMARY KEY (name)
);

-- Files and datasets that a transfer reads besides its first input: files that a mosaic or stack joins, in the order of
-- `number`, and those that transformations name. Names are in `transfers.request`.
create table transfer_inputs (
  transfer_id uuid not null,
  number integer not null,
  -- Id or address by which a transformation of `transfers.request` names it. Null: a file that is joined with the first
  -- input.
  key text,
  -- `staged_blobs.name` of an upload.
  staged_blob text,
  -- `remote_sources.id` of a remote file, without a foreign key: the transfer outlives the address.
  source_id uuid,
  -- Dataset, which `dataset_readers` keeps as it is until the transfer ends.
  dataset_id uuid,
  constraint transfer_inputs_pkey PRIMARY KEY (transfer_id, number),
  constraint transfer_inputs_staged_blob_fkey FOREIGN KEY (staged_blob) REFERENCES staged_blobs(name),
  constraint transfer_inputs_transfer_id_fkey FOREIGN KEY (transfer_id) REFERENCES transfers(id) ON DELETE CASCADE,
  constraint transfer_inputs_number_check CHECK ((number > 0)),
  constraint transfer_inputs_one CHECK ((num_nonnulls(staged_blob, source_id, dataset_id) = 1))
);
CREATE INDEX transfer_inputs_dataset ON transfer_inputs (dataset_id) WHERE (dataset_id IS NOT NULL);
CREATE INDEX transfer_inputs_source ON transfer_inputs (source_id) WHERE (source_id IS NOT NULL);
CREATE INDEX transfer_inputs_staged ON transfer_inputs (staged_blob) WHERE (staged_blob IS NOT NULL);

-- Transfers that were handed to a Kubernetes cluster, until they have ended. The Job has the name
-- `transfer-<transfer_id>-<number>`. It is a wake-up call: its pod claims the transfer as any worker does.
create table kubernetes_jobs (
  transfer_id uuid not null,
  -- Counts the Jobs of this transfer.
  number integer not null default 1,
  -- When the Job `number` was about to be made. Null: there is to be none.
  handed_over_at timestamp with time zone,
  -- `transfers.attempt` at that time. A higher one there: the transfer was claimed since, and the Job is used up.
  attempt integer not null,
  -- Pods that were killed because they used more memory than they have.
  oom_kills integer not null default 0,
  -- Jobs in a row that ended before the transfer was claimed.
  failures integer not null default 0,
  -- It is not handed over again before. Null: at once.
  not_before timestamp with time zone,
  -- Why its pod cannot start, or why it is not handed over, in a sentence. Null: nothing is wrong.
  reason text,
  -- Node that its pod was given. Null: none yet.
  node text,
  -- In a sentence with the words of the scheduler: why its pod has no node. Null: it has one, or was just made.
  unscheduled text,
  -- Server and namespace of the Job, as in `workers.cluster`. Null: it was made before several could be told apart.
  cluster text,
  -- Hashes of the settings whose pods ended in a way that no further pod mends. A dispatcher with one of them hands the
  -- transfer over no more, unless it was started since.
  failed_with text[] not null default '{}'::text[],
  constraint kubernetes_jobs_pkey PRIMARY KEY (transfer_id),
  constraint kubernetes_jobs_transfer_id_fkey FOREIGN KEY (transfer_id) REFERENCES transfers(id) ON DELETE CASCADE,
  constraint kubernetes_jobs_failures_check CHECK ((failures >= 0)),
  constraint kubernetes_jobs_number_check CHECK ((number > 0)),
  constraint kubernetes_jobs_oom_kills_check CHECK ((oom_kills >= 0))
);

-- What dispatchers have counted: handed over transfers with the time that they waited, calls, and Jobs given up.
create table kubernetes_metrics (
  name text not null,
  labels jsonb not null default '{}'::jsonb,
  -- Upper bound of a bucket of a histogram, in seconds. Infinity: a counter.
  upper double precision not null default 'Infinity'::double precision,
  count bigint not null default 0,
  -- Sum of the values of a histogram, in seconds.
  sum double precision not null default 0,
  constraint kubernetes_metrics_pkey PRIMARY KEY (name, labels, upper)
);

-- shares --------------------------------------------------------------------------------------------------------------

-- Links by which anybody who has one reads one dataset, for as long as its creator may grant access. The trigger
-- `end_shares_of_moved` deletes those of a dataset that gets into another tenant.
create table dataset_shares (
  id uuid not null default uuidv7(),
  dataset_id uuid not null,
  -- SHA-256 of the token, which is stored nowhere.
  hash bytea not null,
  name text,
  downloads text not null,
  created_at timestamp with time zone not null default now(),
  -- Account or API key.
  created_by uuid not null,
  expires_at timestamp with time zone not null,
  -- Null: nobody has ended it; it may have expired.
  ended_at timestamp with time zone,
  ended_by uuid,
  -- Browsers that opened it, each once a day.
  opens bigint not null default 0,
  last_opened_at timestamp with time zone,
  constraint dataset_shares_pkey PRIMARY KEY (id),
  constraint dataset_shares_dataset_id_fkey FOREIGN KEY (dataset_id) REFERENCES datasets(id) ON DELETE CASCADE,
  constraint dataset_shares_hash_key UNIQUE (hash),
  constraint dataset_shares_check CHECK (((ended_at IS NULL) = (ended_by IS NULL))),
  constraint dataset_shares_downloads_check CHECK ((downloads = ANY (ARRAY['None'::text, 'Original'::text, 'Formats'::text]))),
  constraint dataset_shares_hash_check CHECK ((octet_length(hash) = 32)),
  constraint dataset_shares_name_check CHECK (((length(name) >= 1) AND (length(name) <= 255))),
  constraint dataset_shares_opens_check CHECK ((opens >= 0))
);
CREATE INDEX dataset_shares_dataset ON dataset_shares (dataset_id, created_at DESC, id DESC);

-- Salts of the hashes in `share_opens`, one a day. Deleted with them when the day is over, so that nobody can find out
-- any more which address a hash was made of.
create table share_days (
  -- Day in UTC.
  day date not null,
  salt bytea not null,
  constraint share_days_pkey PRIMARY KEY (day),
  constraint share_days_salt_check CHECK ((octet_length(salt) = 32))
);

-- Browsers that opened a link today, so that each is counted once.
create table share_opens (
  share_id uuid not null,
  day date not null,
  -- First half of the SHA-256 of salt, client address and User-Agent.
  browser bytea not null,
  constraint share_opens_pkey PRIMARY KEY (share_id, day, browser),
  constraint share_opens_day_fkey FOREIGN KEY (day) REFERENCES share_days(day) ON DELETE CASCADE,
  constraint share_opens_share_id_fkey FOREIGN KEY (share_id) REFERENCES dataset_shares(id) ON DELETE CASCADE,
  constraint share_opens_browser_check CHECK ((octet_length(browser) = 16))
);
CREATE INDEX share_opens_day ON share_opens (day);

-- tiles ---------------------------------------------------------------------------------------------------------------

-- Tiles that were drawn, on request or ahead of requests. A cache, bounded by the setting `tiles.keptBytes`. Unlogged:
-- empty after a crash.
create unlogged table drawn_tiles (
  dataset_id uuid not null,
  -- Content of the dataset from which it was drawn. Each write of a dataset makes a new blob.
  blob text not null,
  -- Tile scheme. For a vector tile: `features` or `elements`, and the numbers of its attributes if it has not all.
  scheme_id text not null,
  -- Index of the time step.
  step integer not null,
  -- Index of the vertical layer.
  layer integer not null,
  -- Zoom level.
  level integer not null,
  tile_column integer not null,
  tile_row integer not null,
  -- `drawn_tile_contents.hash`. The trigger `note_deleted` writes those of deleted tiles to `deleted_drawn_tiles`.
  content bytea not null,
  drawn_at timestamp with time zone not null default now(),
  -- Time of use, with a tolerance of minutes. The eviction deletes the oldest first.
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

-- Bytes of drawn tiles. Equal tiles share one row.
create unlogged table drawn_tile_contents (
  -- SHA-256 of the bytes.
  hash bytea not null,
  bytes bytea not null,
  -- Bytes.
  size integer not null,
  constraint drawn_tile_contents_pkey PRIMARY KEY (hash),
  constraint drawn_tile_contents_hash_check CHECK ((octet_length(hash) = 32)),
  constraint drawn_tile_contents_size_check CHECK ((size > 0))
);

-- Size of all drawn tiles. Only the sum of the rows has a meaning: there are several so that processes seldom wait for
-- each other. The function `store_tile` and the eviction write it.
create unlogged table drawn_tile_bytes (
  -- 0 to 15.
  part integer not null,
  -- Bytes of contents, and 300 for each tile.
  bytes bigint not null,
  constraint drawn_tile_bytes_pkey PRIMARY KEY (part)
);

-- Contents of deleted tiles, a row for each tile. The trigger `note_deleted` of `drawn_tiles` fills it; the eviction
-- deletes the contents that no tile has any more.
create unlogged table deleted_drawn_tiles (
  -- `drawn_tile_contents.hash`.
  content bytea not null
);

-- recycle-bin ---------------------------------------------------------------------------------------------------------

-- Projects and datasets that were deleted themselves; what is below a deleted project has no row. The truth is
-- `deleted_at` of the entity; the triggers `…_binned`, `…_binned_made`, `…_unbinned` and `projects_followed` fill this
-- table.
create table recycle_bin (
  id uuid not null,
  item_type text not null,
  tenant_id uuid not null,
  -- Parent of a subproject, or project of a dataset. Null: a root project.
  container_id uuid,
  -- `projects.member_source_id` of the deleted project, to find who may see it. Null: a dataset.
  own_source_id uuid,
  -- `projects.member_source_id` of the container. Null: a root project.
  container_source_id uuid,
  name text not null,
  -- Bytes; for a project without what was deleted below it before.
  storage_size bigint not null,
  -- Number of projects and datasets that are deleted for good with it, itself included.
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

-- events --------------------------------------------------------------------------------------------------------------

-- The outbox of events, written in the transaction of the change. Published, read and delivered to webhooks; deleted
-- after the time of the setting `events.retention`.
create table events (
  -- Position in the stream, assigned by the one process that publishes, after the commit, so that no event appears
  -- behind a reader. Null: not published yet.
  "offset" bigint,
  id uuid not null default uuidv7(),
  type text not null,
  source text not null,
  subject text,
  tenant_id uuid,
  -- Project whose readers may see it.
  project_id uuid,
  -- Account that caused it.
  user_id uuid,
  resource_id text,
  request_id text,
  -- The payload, with the member names of the API's events.
  data jsonb not null,
  "time" timestamp with time zone not null default now(),
  -- Transaction of a change of a project, dataset, members or credits: it has one event of a type and a thing. Such
  -- events are written by triggers, are seen by those who see the thing, and go only to webhooks that name their type.
  -- Null: another event.
  transaction_id xid8,
  -- Dataset that has changed: who sees it may see the event.
  dataset_id uuid,
  -- Accounts and keys that could read the project or dataset before the change, and may have lost that: they see the
  -- event, too.
  former_readers uuid[],
  constraint events_pkey PRIMARY KEY (id)
);
CREATE INDEX events_unpublished ON events (id) WHERE ("offset" IS NULL);
CREATE UNIQUE INDEX events_changes ON events (transaction_id, resource_id, type) WHERE (("offset" IS NULL) AND (transaction_id IS NOT NULL));
CREATE UNIQUE INDEX events_published ON events ("offset") WHERE ("offset" IS NOT NULL);

-- Subscriptions of tenants to events.
create table webhooks (
  id uuid not null default uuidv7(),
  tenant_id uuid not null,
  url text not null,
  -- Event types. Empty: all but those with `events.transaction_id`.
  types text[] not null,
  -- Signs deliveries. Null: encrypted in `sealed_secret`.
  secret bytea,
  created_at timestamp with time zone not null default now(),
  created_by uuid not null,
  -- The secret, encrypted with a key of `signing_keys`. Null: in `secret`, until the next start encrypts it.
  sealed_secret bytea,
  -- First failure since the last success. Null: the last attempt succeeded.
  failing_since timestamp with time zone,
  -- Failed attempts since `failing_since`.
  failures integer not null default 0,
  -- No attempt before this time. Null: at once.
  retry_at timestamp with time zone,
  -- Gets no deliveries since then: all attempts failed for days. Null: enabled.
  disabled_at timestamp with time zone,
  constraint webhooks_pkey PRIMARY KEY (id),
  constraint webhooks_tenant_id_fkey FOREIGN KEY (tenant_id) REFERENCES tenants(id) ON DELETE CASCADE,
  constraint webhooks_check CHECK ((num_nonnulls(secret, sealed_secret) = 1)),
  constraint webhooks_secret_check CHECK (((length(secret) >= 24) AND (length(secret) <= 64))),
  constraint webhooks_url_check CHECK (((length(url) >= 1) AND (length(url) <= 2048)))
);
CREATE INDEX webhooks_tenant ON webhooks (tenant_id, id);

-- Deliveries of events to webhooks, inserted as the event is published.
create table deliveries (
  webhook_id uuid not null,
  event_id uuid not null,
  state text not null default 'Pending'::text,
  attempts integer not null default 0,
  -- When the next attempt is due; while one runs, when it counts as lost. Null: delivered or failed.
  next_at timestamp with time zone default now(),
  -- `workers.pool` of the worker that attempts it now. Null: none does.
  worker text,
  -- Raised by each claim and each replay, so that a worker that was overtaken writes nothing.
  claim integer not null default 0,
  -- HTTP status of the last attempt. Null: no answer.
  status integer,
  -- Error of the last attempt.
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

-- Projects that were deleted for good: their former readers may still read their events. The trigger `projects_removed`
-- of `projects` fills it; deleted with the events.
create table removed_projects (
  id uuid not null,
  member_source_id uuid not null,
  removed_at timestamp with time zone not null default now(),
  -- User ids and folded names that its permissions denied to read.
  denied_ids text[] not null default '{}'::text[],
  -- Groups that its permissions denied to read.
  denied_groups text[] not null default '{}'::text[],
  constraint removed_projects_pkey PRIMARY KEY (id)
);

-- Members of projects that were deleted for good. The trigger `projects_removed` of `projects` fills it; deleted with
-- the events.
create table removed_project_members (
  project_id uuid not null,
  -- `accounts.user_id`, or the id of an API key.
  user_id uuid not null,
  removed_at timestamp with time zone not null default now(),
  constraint removed_project_members_pkey PRIMARY KEY (project_id, user_id)
);
CREATE INDEX removed_project_members_user ON removed_project_members (user_id);

-- operations ----------------------------------------------------------------------------------------------------------

-- Orders of operators to retry all failed transfers of one kind. Workers carry them out step by step; the row is the
-- truth.
create table mass_retries (
  id uuid not null default uuidv7(),
  -- `transfers.fingerprint` of the failures.
  fingerprint text not null,
  per_second double precision not null,
  -- Null: all.
  max_transfers bigint,
  -- Stop when a retry fails.
  stop_on_fail boolean not null,
  -- Later failures are left alone, so that nothing is retried twice by one order.
  failed_until timestamp with time zone not null default now(),
  -- With `after_id`: the last transfer that was looked at, in the order of (finished_at, id).
  after_time timestamp with time zone not null default '-infinity'::timestamp with time zone,
  after_id uuid not null default '00000000-0000-0000-0000-000000000000'::uuid,
  -- When the next retry is due.
  next_at timestamp with time zone not null default now(),
  state text not null default 'Running'::text,
  -- Why it was stopped.
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

-- Results of mass retries: the new transfer, or why there is none.
create table mass_retry_transfers (
  retry_id uuid not null,
  transfer_id uuid not null,
  -- Null: refused.
  new_transfer_id uuid,
  -- Why no transfer was started. Null: one was.
  refusal text,
  constraint mass_retry_transfers_pkey PRIMARY KEY (retry_id, transfer_id),
  constraint mass_retry_transfers_new_transfer_id_fkey FOREIGN KEY (new_transfer_id) REFERENCES transfers(id) ON DELETE CASCADE,
  constraint mass_retry_transfers_retry_id_fkey FOREIGN KEY (retry_id) REFERENCES mass_retries(id) ON DELETE CASCADE,
  constraint mass_retry_transfers_transfer_id_fkey FOREIGN KEY (transfer_id) REFERENCES transfers(id) ON DELETE CASCADE,
  constraint mass_retry_transfers_check CHECK (((new_transfer_id IS NULL) <> (refusal IS NULL)))
);
CREATE INDEX mass_retry_transfers_started ON mass_retry_transfers (new_transfer_id) WHERE (new_transfer_id IS NOT NULL);
CREATE UNIQUE INDEX mass_retry_transfers_once ON mass_retry_transfers (transfer_id) WHERE (new_transfer_id IS NOT NULL);

-- Workers that start no more transfers: all, those of a host, or one pool. Each worker reads it, so it outlives
-- restarts.
create table drains (
  scope text not null,
  -- Host or pool; empty for the scope `all`.
  name text not null,
  since timestamp with time zone not null default now(),
  -- Login id of the operator.
  account_id text not null,
  -- What waiting transfers say, when new work is paused. Null: a drain.
  reason text,
  constraint drains_pkey PRIMARY KEY (scope, name),
  constraint drains_check CHECK (((scope = 'all'::text) = (name = ''::text))),
  constraint drains_check1 CHECK (((reason IS NULL) OR ((scope = 'all'::text) AND (length(reason) <= 1000)))),
  constraint drains_scope_check CHECK ((scope = ANY (ARRAY['all'::text, 'host'::text, 'pool'::text])))
);

-- Counters and histograms of ended transfers, summed from their events in the order of publication, so that each counts
-- once. A histogram has a row for each bucket.
create table transfer_metrics (
  name text not null,
  type text not null,
  reader text not null,
  writer text not null,
  outcome text not null,
  -- Upper bound of the bucket in seconds; infinity for counters.
  upper double precision not null default 'Infinity'::double precision,
  count bigint not null,
  sum double precision not null,
  constraint transfer_metrics_pkey PRIMARY KEY (name, type, reader, writer, outcome, upper)
);

-- One row: up to which event `transfer_metrics` has counted.
create table transfer_metrics_position (
  -- `events.offset` of that event.
  "offset" bigint not null
);
CREATE UNIQUE INDEX transfer_metrics_position_single ON transfer_metrics_position ((true));

-- The last run of each periodic job.
create table maintenance_runs (
  name text not null,
  started_at timestamp with time zone not null,
  finished_at timestamp with time zone not null default now(),
  -- Items that it could not process. The next run tries them again.
  failed bigint not null,
  -- The first of these items: [{part, item?, reason}].
  failures jsonb not null,
  constraint maintenance_runs_pkey PRIMARY KEY (name),
  constraint maintenance_runs_failed_check CHECK ((failed >= 0))
);

-- blobs ---------------------------------------------------------------------------------------------------------------

-- One row: the identity of this database in the marker of its blob store, and the state of the sweep that deletes blobs
-- without references.
create table blob_store (
  -- Always true: the table has at most one row.
  one boolean not null default true,
  -- Part of the identity, with the ids of cluster and database, so that a copy of the database is another one.
  id uuid not null default gen_random_uuid(),
  -- Bucket or folder in which the marker was last seen.
  place text,
  -- True after the adoption of a store: the sweep deletes no unknown blob without confirmation.
  confirm_all boolean not null default false,
  -- Why the last sweep deleted no unknown blobs. Null: it did.
  stopped_because text,
  -- Since when. Null: the last sweep was not stopped.
  stopped_at timestamp with time zone,
  -- Blobs of the last sweep that this database has never referenced.
  unknown_blobs bigint not null default 0,
  -- Their size.
  unknown_bytes bigint not null default 0,
  -- Blobs of the last sweep.
  all_blobs bigint not null default 0,
  -- Unknown blobs that an operator allows the next sweep to delete. Null: none.
  confirmed bigint,
  swept_at timestamp with time zone,
  -- Raised here first, then in the marker: a database with a lower one than its store's was restored from an old
  -- backup.
  counter bigint not null default 0,
  -- Their size, before the sweep deleted any.
  all_bytes bigint not null default 0,
  constraint blob_store_pkey PRIMARY KEY (one),
  constraint blob_store_all_bytes_check CHECK ((all_bytes >= 0)),
  constraint blob_store_one_check CHECK (one)
);

-- Blobs that a row no longer references: replaced or expired. Triggers `release_…` of `datasets`, `staged_blobs` and
-- `transfers` fill it; the sweep deletes them without confirmation.
create table released_blobs (
  name text not null,
  released_at timestamp with time zone not null default now(),
  constraint released_blobs_pkey PRIMARY KEY (name)
);
CREATE INDEX released_blobs_time ON released_blobs (released_at);

-- Blobs whose rows were deleted for good. A name stays until the store has deleted the blob.
create table blob_deletions (
  name text not null,
  requested_at timestamp with time zone not null default now(),
  constraint blob_deletions_pkey PRIMARY KEY (name)
);

-- What each blob must contain, to find changed and lost bytes.
create table blob_digests (
  name text not null,
  size bigint not null,
  -- XXH3 of the bytes, 64 bits, hexadecimal.
  digest text not null,
  -- When the bytes were last right: at the write, or by a verification.
  checked_at timestamp with time zone not null default now(),
  constraint blob_digests_pkey PRIMARY KEY (name)
);

-- Blobs that were found damaged or missing, until they are found right.
create table damaged_blobs (
  name text not null,
  problem text not null,
  -- ETag of the damaged object: an object that was written again has another one. Null: missing, or the store has none.
  etag text,
  found_at timestamp with time zone not null default now(),
  constraint damaged_blobs_pkey PRIMARY KEY (name),
  constraint damaged_blobs_problem_check CHECK ((problem = ANY (ARRAY['damaged'::text, 'missing'::text])))
);

-- The running or last verification of blobs. Any process can continue it after `cursor`.
create table blob_verification (
  -- Always true: the table has at most one row.
  one boolean not null default true,
  id uuid not null,
  started_at timestamp with time zone not null default now(),
  -- Null: it runs.
  finished_at timestamp with time zone,
  -- Checks only blobs that were not checked since this time.
  due_before timestamp with time zone not null,
  -- Checks only these: a sample. Null: all that are due.
  names text[],
  -- Name of the last blob that was checked.
  cursor text not null default ''::text,
  total bigint not null,
  checked bigint not null default 0,
  -- Bytes that were read.
  bytes bigint not null default 0,
  -- Damaged and missing blobs that it found.
  problems bigint not null default 0,
  constraint blob_verification_pkey PRIMARY KEY (one),
  constraint blob_verification_one_check CHECK (one)
);

-- platform ------------------------------------------------------------------------------------------------------------

-- Files of `sql/migrations/`, `sql/functions/` and `sql/comments/` that were applied. Also says which rights the
-- runtime role has.
create table migrations (
  -- As the file, with the folder unless that is `migrations/`.
  name text not null,
  -- Of the text of the file. A changed file of `functions/` or `comments/` is applied again; a changed migration is
  -- refused.
  sha256 text not null,
  applied_at timestamp with time zone not null default now(),
  -- Functions, triggers and views that the file creates; dropped when no file creates them any more. Null for
  -- migrations.
  objects text[],
  constraint migrations_pkey PRIMARY KEY (name)
);

-- One row: the secret key outside of the database that encrypts `signing_keys`. Empty: they are in clear.
create table secret_keys (
  -- First 16 hexadecimal digits of the SHA-256 of the key. A rotation updates it.
  id text not null,
  created_at timestamp with time zone not null default now(),
  constraint secret_keys_pkey PRIMARY KEY (id),
  constraint secret_keys_id_check CHECK ((id ~ '^[0-9a-f]{16}$'::text))
);
CREATE UNIQUE INDEX secret_keys_one ON secret_keys ((true));

-- Keys of the platform: RS256 pairs for access tokens, secrets for signed addresses and cursors, keys that encrypt
-- secrets in other tables.
create table signing_keys (
  -- Key id, as in the header of a token.
  kid text not null,
  use text not null,
  -- The key, in clear, or {"sealed": base64}.
  material jsonb not null,
  created_at timestamp with time zone not null default now(),
  -- Signs nothing since then, and still verifies. Null: current or next.
  retired_at timestamp with time zone,
  -- Signs since then. Null: the next key, which is published before it signs.
  activated_at timestamp with time zone default now(),
  -- Null: `material` is in clear. The trigger `signing_keys_clear` refuses clear keys when there is a secret key.
  secret_key_id text,
  constraint signing_keys_pkey PRIMARY KEY (kid),
  constraint signing_keys_secret_key_id_fkey FOREIGN KEY (secret_key_id) REFERENCES secret_keys(id) ON UPDATE CASCADE,
  constraint signing_keys_check CHECK (((secret_key_id IS NULL) OR (material ? 'sealed'::text))),
  constraint signing_keys_use_check CHECK ((use ~ '^[a-z]+$'::text))
);
CREATE UNIQUE INDEX signing_keys_current ON signing_keys (use) WHERE ((activated_at IS NOT NULL) AND (retired_at IS NULL));
CREATE UNIQUE INDEX signing_keys_next ON signing_keys (use) WHERE (activated_at IS NULL);
-- trigger signing_keys_clear: refuse_clear_key

-- Numbers of changes, by resource. An API process keeps a cached answer only while the number is the one that it read
-- before. The trigger `accounts_cached` of `accounts` raises that of accounts.
create table cache_generations (
  resource text not null,
  generation bigint not null,
  constraint cache_generations_pkey PRIMARY KEY (resource)
);

-- The audit trail: who did what to which account, group, tenant or key. The runtime role only inserts.
create table audit (
  id bigint not null generated always as identity,
  "time" timestamp with time zone not null default now(),
  action text not null,
  -- Login id of the actor. Null: a command on the server, or a periodic job.
  account_id text,
  -- What was changed: login id, tenant id, …
  subject text not null,
  -- Tenant that it concerns. Null: none.
  tenant_id uuid,
  -- IP address of the request.
  address text,
  request_id text,
  -- Values before and after. Never secrets.
  details jsonb not null default '{}'::jsonb,
  -- As the actor gave it.
  reason text,
  -- User-Agent of the request, at most 256 characters.
  agent text,
  constraint audit_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_account ON audit (fold_name(account_id), id);
CREATE INDEX audit_subject ON audit (fold_name(subject), id);
CREATE INDEX audit_tenant ON audit (tenant_id, id) WHERE (tenant_id IS NOT NULL);

-- Answers to requests with an `Idempotency-Key`, sent again for 24 hours.
create table idempotency_keys (
  -- Caller; keys are unique per caller.
  user_id uuid not null,
  key text not null,
  -- SHA-256 of method, path with query, and body.
  request_hash bytea not null,
  status integer not null,
  headers jsonb not null,
  -- Null: it contained a secret, and is not kept. Empty: the answer had none.
  body text,
  created_at timestamp with time zone not null default now(),
  constraint idempotency_keys_pkey PRIMARY KEY (user_id, key),
  constraint idempotency_keys_key_check CHECK (((length(key) >= 1) AND (length(key) <= 255)))
);
CREATE INDEX idempotency_keys_created ON idempotency_keys (created_at);

-- Requests with an `Idempotency-Key` that run now. Unlogged: a crash of Postgres ends the requests too, because they
-- delete their claim in their own transaction.
create unlogged table idempotency_claims (
  user_id uuid not null,
  key text not null,
  -- Id of the running request.
  claim uuid not null,
  -- Renewed while the request runs. Past: its process has died, and another request may take the key.
  leased_until timestamp with time zone not null,
  constraint idempotency_claims_pkey PRIMARY KEY (user_id, key),
  constraint idempotency_claims_claim_key UNIQUE (claim),
  constraint idempotency_claims_key_check CHECK (((length(key) >= 1) AND (length(key) <= 255)))
);

-- previews ------------------------------------------------------------------------------------------------------------

-- Previews of contents that cannot be drawn as they are stored or need an overview, and of those that cannot be read.
-- Deleted with the content, by triggers of `datasets`. No foreign key: a write gives a dataset another blob.
create table previews (
  -- The content: `datasets.blob`.
  blob text not null,
  -- `building`: a job waits or runs. `ready`: what it `needs` exists. `failed`: the content cannot be read, for
  -- `reason`.
  state text not null default 'building'::text,
  -- 0 to 1.
  progress real not null default 0,
  -- The sentence of the reader.
  reason text,
  -- Raised by each run of the job. A run writes nothing after a later one has begun.
  attempt integer not null default 0,
  -- SHA-256 of the content and of how it is read. Equal contents share a store, which one job at a time makes.
  digest bytea,
  -- Name in the blob store. The triggers `release_…` write those that no row has any more to `blob_deletions`.
  store text,
  -- Format of the store: `md`, `gis` or `ts`.
  store_format text,
  -- Bytes.
  store_size bigint,
  -- Time of use, with a tolerance of an hour. The clean-up deletes those that nobody uses.
  used_at timestamp with time zone not null default now(),
  -- `store`: is drawn of a store, with an overview if that is large. `overview`: is drawn as it is stored, also while
  -- its overview is made and if that fails.
  needs text not null default 'store'::text,
  -- Name of a Zarr store in the blob store: the same grid in fewer cells. Released like `store`.
  overview text,
  -- Bytes.
  overview_size bigint,
  constraint previews_pkey PRIMARY KEY (blob),
  constraint previews_attempt_check CHECK ((attempt >= 0)),
  constraint previews_check1 CHECK ((((store IS NULL) = (store_format IS NULL)) AND ((store IS NULL) = (store_size IS NULL)))),
  constraint previews_check2 CHECK (((state = 'failed'::text) = (reason IS NOT NULL))),
  constraint previews_digest_check CHECK ((octet_length(digest) = 32)),
  constraint previews_needs_check CHECK ((needs = ANY (ARRAY['store'::text, 'overview'::text]))),
  constraint previews_overview CHECK (((overview IS NULL) = (overview_size IS NULL))),
  constraint previews_overview_ready CHECK (
CASE
    WHEN (needs = 'overview'::text) THEN ((state = 'ready'::text) = (overview IS NOT NULL))
    ELSE ((overview IS NULL) OR (state = 'ready'::text))
END),
  constraint previews_overview_size_check CHECK ((overview_size >= 0)),
  constraint previews_progress_check CHECK (((progress >= (0)::double precision) AND (progress <= (1)::double precision))),
  constraint previews_state_check CHECK ((state = ANY (ARRAY['building'::text, 'ready'::text, 'failed'::text]))),
  constraint previews_store CHECK ((((state = 'ready'::text) AND (needs = 'store'::text)) = (store IS NOT NULL))),
  constraint previews_store_size_check CHECK ((store_size >= 0))
);
CREATE INDEX previews_digest ON previews (digest) WHERE (state = 'ready'::text);
CREATE INDEX previews_overview ON previews (overview) WHERE (overview IS NOT NULL);
CREATE INDEX previews_store ON previews (store) WHERE (store IS NOT NULL);
CREATE INDEX previews_used_at ON previews (used_at);
CREATE UNIQUE INDEX previews_building ON previews (digest) WHERE (state = 'building'::text);
-- trigger release_changed_store: release_preview_store
-- trigger release_store: release_preview_store

-- Item and colours with which previews of a dataset begin, instead of computed ones.
create table preview_schemes (
  dataset_id uuid not null,
  -- `{item, colors, min, max, log, steps?}`.
  scheme jsonb not null,
  updated_at timestamp with time zone not null default now(),
  updated_by uuid not null,
  constraint preview_schemes_pkey PRIMARY KEY (dataset_id),
  constraint preview_schemes_dataset_id_fkey FOREIGN KEY (dataset_id) REFERENCES datasets(id) ON DELETE CASCADE,
  constraint preview_schemes_scheme_check CHECK ((jsonb_typeof(scheme) = 'object'::text))
);
