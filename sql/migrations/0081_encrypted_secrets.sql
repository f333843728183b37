-- Secrets at rest: keys are encrypted with a key outside of the database, and encrypt webhook secrets and setup codes.

-- The secret key that encrypts `signing_keys`. Empty: they are stored in clear.
create table secret_keys (
  -- first 16 hexadecimal digits of the SHA-256 of the key; the key itself is never here
  id text primary key check (id ~ '^[0-9a-f]{16}$'),
  created_at timestamptz not null default now()
);
create unique index secret_keys_one on secret_keys ((true));

-- Absent: `material` is in clear; else it is {"sealed": base64}. A rotation updates the id, which the rows follow.
-- No process can add a row under a key that a rotation has replaced.
alter table signing_keys add secret_key_id text references secret_keys on update cascade;
alter table signing_keys add check (secret_key_id is null or material ? 'sealed');

-- A process without the secret key, such as one of an older version, must not add a key in clear.
create function refuse_clear_key() returns trigger language plpgsql as $$
begin
  if new.secret_key_id is null and exists (select from secret_keys) then
    raise exception 'The keys of this platform are encrypted. Start this process with its secret key.';
  end if;
  return new;
end $$;
create trigger signing_keys_clear before insert on signing_keys for each row execute function refuse_clear_key();

-- The next start encrypts secrets that are in clear.
alter table webhooks add sealed_secret bytea;
alter table webhooks alter secret drop not null;
alter table webhooks add check (num_nonnulls(secret, sealed_secret) = 1);

-- Encrypted setup codes of groups. The metadata of the group shows asterisks at their position in the list of entries.
create table group_setup_codes (
  group_id text not null references user_groups on delete cascade,
  position integer not null,
  sealed bytea not null,
  primary key (group_id, position)
);
