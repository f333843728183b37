-- A group and an account that take the same name at the same moment do not see each other's row: they queue for the name. Of 1024 locks,
-- so that a file of very many accounts does not need more than the server has.
create function lock_name(name text) returns void language sql as $$
  select pg_advisory_xact_lock(7201956, hashtext(lower(name)) & 1023)
$$;

create or replace function refuse_group_name() returns trigger language plpgsql as $$
begin
  perform lock_name(new.id);
  if exists (select from user_groups where lower(name) = lower(new.id)) then return null; end if;
  return new;
end $$;
