-- Groups whose names differ in more than their letter case; API keys as members of projects; what the audit trail is asked for.

alter table user_groups
  add check (length(id) between 1 and 255 and id = trim(id)),
  add check (length(name) between 1 and 255 and name = trim(name));
create unique index user_groups_id on user_groups (lower(id));
create unique index user_groups_name on user_groups (lower(name));

-- What a program shows instead of a token. The row goes when the key is revoked; the audit trail tells who it was.
create table api_keys (
  id uuid primary key default uuidv7(),
  tenant_id uuid not null references tenants,
  name text not null check (length(name) between 1 and 255),
  role text not null check (role in ('Owner', 'Contributor', 'Reader')),
  -- SHA-256 of the key; the key itself is stored nowhere
  hash bytea not null unique,
  expires_at timestamptz,
  -- as it was given, which is how it is shown
  expires_at_given text,
  -- empty: from everywhere
  allowed_networks text[] not null default '{}',
  created_at timestamptz not null default now(),
  created_by uuid not null,
  last_used_at timestamptz,
  last_used_from text,
  check ((expires_at is null) = (expires_at_given is null))
);
create index api_keys_tenant on api_keys (tenant_id, name collate "C", id);

-- A member of a project is an account or a key, and its membership goes with it.
alter table project_members
  drop constraint project_members_user_id_fkey,
  add column account_id uuid generated always as (case when principal_type = 'UserIdentity' then user_id end) stored
    references accounts on delete cascade,
  add column key_id uuid generated always as (case when principal_type = 'OpenAPIAccount' then user_id end) stored
    references api_keys on delete cascade;
create index project_members_account on project_members (account_id);
create index project_members_key on project_members (key_id) where key_id is not null;

-- Why it was done, in the words of who did it.
alter table audit add column reason text;
drop index audit_account;
create index audit_account on audit (lower(account_id), id);
create index audit_subject on audit (lower(subject), id);

-- Permissions name groups and accounts side by side: whoever registers under the name of a group would get what it was given. Such an
-- id counts as taken: the row is not made.
create function refuse_group_name() returns trigger language plpgsql as $$
begin
  if exists (select from user_groups where lower(name) = lower(new.id)) then return null; end if;
  return new;
end $$;
create trigger accounts_not_named_like_a_group before insert on accounts for each row execute function refuse_group_name();
