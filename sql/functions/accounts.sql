-- Raises the cache generation once per transaction, at its commit, so that concurrent writers of accounts wait for each
-- other as briefly as possible.
create or replace function raise_cache_generation() returns trigger language plpgsql as $$
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
drop trigger if exists accounts_cached on accounts;
create constraint trigger accounts_cached after insert or delete or update of id, name, roles, activated, password_hash on accounts
  deferrable initially deferred for each row execute function raise_cache_generation('accounts');

-- Locks a name. Without it, concurrent transactions could give one name to a group and to an account, as neither sees
-- the row of the other. There are 1024 locks, because the server has too few to lock each name of a large file.
create or replace function lock_name(name text) returns void language sql as $$
  select pg_advisory_xact_lock(7201956, hashtext(fold_name(name)) & 1023)
$$;

-- Refuses an account whose id is the name of a group: permissions name both in one list, so the account would get the
-- permissions of the group. The row is skipped, as for an id that is taken.
create or replace function refuse_group_name() returns trigger language plpgsql as $$
begin
  perform lock_name(new.id);
  if exists (select from user_groups where fold_name(name) = fold_name(new.id)) then return null; end if;
  return new;
end $$;
create or replace trigger accounts_not_named_like_a_group before insert on accounts for each row execute function refuse_group_name();

create or replace function keep_permissions_of_account() returns trigger language plpgsql as $$
begin
  perform replace_principal(old.id, case when tg_op = 'UPDATE' then new.id end);
  return null;
end $$;
create or replace trigger accounts_permissions_renamed after update of id on accounts
  for each row when (old.folded_id <> new.folded_id) execute function keep_permissions_of_account();
-- Keeps the permissions of a registration that was never activated or changed: else anybody could end permissions that
-- wait for an invited person, by registering that login id and letting it expire.
create or replace trigger accounts_permissions_ended after delete on accounts
  for each row when (not (old.registered and not old.activated and old.tenant_id is null and old.updated_at = old.created_at))
  execute function keep_permissions_of_account();
