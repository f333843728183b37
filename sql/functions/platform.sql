-- A process without the secret key, such as one of an older version, must not add a key in clear.
create or replace function refuse_clear_key() returns trigger language plpgsql as $$
begin
  if new.secret_key_id is null and exists (select from secret_keys) then
    raise exception 'The keys of this platform are encrypted. Start this process with its secret key.';
  end if;
  return new;
end $$;
create or replace trigger signing_keys_clear before insert on signing_keys for each row execute function refuse_clear_key();
