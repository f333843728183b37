-- Versions that clients send back to detect changes by others. They count what people edit: logins and counted attempts
-- raise no version of an account. By triggers, since accounts are also changed by the account file.
create or replace function raise_row_version() returns trigger language plpgsql as $$
begin
  new.row_version := old.row_version + 1;
  return new;
end $$;

create or replace trigger accounts_versioned before update of id, name, email, company, phone_number, roles, metadata, activated,
    enabled, locked, locked_date_end, allow_me_password_change on accounts
  for each row when ((old.id, old.name, old.email, old.company, old.phone_number, old.roles, old.metadata, old.activated,
    old.enabled, old.locked, old.locked_date_end, old.allow_me_password_change)
    is distinct from (new.id, new.name, new.email, new.company, new.phone_number, new.roles, new.metadata, new.activated,
    new.enabled, new.locked, new.locked_date_end, new.allow_me_password_change))
  execute function raise_row_version();

-- each update: setup codes, which are in a table of their own, look the same before and after in the metadata
create or replace trigger user_groups_versioned before update on user_groups
  for each row execute function raise_row_version();

create or replace trigger tenants_versioned before update of name, weight, recycle_bin_days on tenants
  for each row when ((old.name, old.weight, old.recycle_bin_days) is distinct from (new.name, new.weight, new.recycle_bin_days))
  execute function raise_row_version();

create or replace trigger features_versioned before update of name, type, url, response_url on features
  for each row when ((old.name, old.type, old.url, old.response_url) is distinct from (new.name, new.type, new.url, new.response_url))
  execute function raise_row_version();

create or replace trigger feature_licences_versioned before update of enabled on feature_licences
  for each row when (old.enabled <> new.enabled) execute function raise_row_version();
