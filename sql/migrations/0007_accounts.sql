-- Accounts whole: lockout, registration, mails, former passwords, the account file, and generations of cached answers.

alter table accounts
  -- after too many wrong passwords, when that is switched on
  add column locked_out_until timestamptz,
  -- made by its holder, not by an administrator
  add column registered boolean not null default false;
create index accounts_email on accounts (lower(email));

-- What a mail gave its reader to show: SHA-256 of it; the token itself is in the mail alone.
create table account_tokens (
  hash bytea primary key,
  user_id uuid not null references accounts on delete cascade,
  kind text not null check (kind in ('activation', 'passwordReset')),
  created_at timestamptz not null default now(),
  expires_at timestamptz not null
);
create index account_tokens_user on account_tokens (user_id, kind);

-- Mails that are to be sent; a job makes each from its row, tokens included, and removes the row behind it.
create table account_mails (
  id uuid primary key default uuidv7(),
  kind text not null check (kind in ('activation', 'passwordReset', 'passwordResetAsked', 'idTaken')),
  user_id uuid references accounts on delete cascade,
  -- where there is no account: the address
  recipient text,
  -- what was asked for: a login id, or for a reset also an e-mail address
  asked text,
  -- who asked, for the audit trail
  address text,
  request_id text,
  created_at timestamptz not null default now(),
  check (case kind when 'idTaken' then recipient is not null and asked is not null
    when 'passwordResetAsked' then asked is not null else user_id is not null end)
);
create index account_mails_user on account_mails (user_id);
-- who asks again while nothing was done yet asks for the same
create unique index account_mails_asked on account_mails (lower(asked)) where kind = 'passwordResetAsked';

create table password_history (
  user_id uuid not null references accounts on delete cascade,
  password_hash text not null,
  replaced_at timestamptz not null default clock_timestamp(),
  primary key (user_id, replaced_at)
);

-- SHA-256 of the account file that the table is a copy of.
create table account_file (
  one boolean primary key default true check (one),
  sha256 bytea not null
);

-- How often a resource was written: a kept answer is served only while the number is the one that it was made at.
create table cache_generations (
  resource text primary key,
  generation bigint not null
);

-- Raises it as the transaction ends, once for each transaction: who writes accounts does not wait for others who do.
create function raise_cache_generation() returns trigger language plpgsql as $$
declare
  mark text := 'platform.raised_' || tg_argv[0];
  me text := pg_current_xact_id()::text;
begin
  if current_setting(mark, true) is distinct from me then
    perform set_config(mark, me, true);
    insert into cache_generations as c (resource, generation) values (tg_argv[0], 1)
    on conflict (resource) do update set generation = c.generation + 1;
  end if;
  return null;
end $$;

create constraint trigger accounts_cached after insert or delete or update of id, name, roles, activated, password_hash on accounts
  deferrable initially deferred for each row execute function raise_cache_generation('accounts');
