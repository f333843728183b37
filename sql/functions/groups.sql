-- Also ends permissions for other spellings of the name: no group has them, but a later account could.
create or replace function end_permissions_of_group() returns trigger language plpgsql as $$
begin
  perform replace_principal(old.name, null);
  return null;
end $$;
create or replace trigger user_groups_permissions_ended after delete on user_groups
  for each row execute function end_permissions_of_group();
