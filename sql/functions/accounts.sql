-- Raises it as the transaction ends, once for each transaction: who writes accounts does not wait for others who do.
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

-- A group and an account that take the same name at the same moment do not see each other's row: they queue for the
-- name. Of 1024 locks, so that a file of very many accounts does not need more than the server has.
create or replace function lock_name(name text) returns void language sql as $$
  select pg_advisory_xact_lock(7201956, hashtext(fold_name(name)) & 1023)
$$;

-- Permissions name groups and accounts side by side: whoever registers under the name of a group would get what it was
-- given. Such an id counts as taken: the row is not made.
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
-- Not of a registration that was never activated and never changed: by registering a login id anybody could end what is
-- meant for the person who is invited by it.
create or replace trigger accounts_permissions_ended after delete on accounts
  for each row when (not (old.registered and not old.activated and old.tenant_id is null and old.updated_at = old.created_at))
  execute function keep_permissions_of_account();
