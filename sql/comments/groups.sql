comment on table user_groups is 'Groups of accounts. Permissions name groups by `name`.';
comment on column user_groups.id is 'Unique in any letter case.';
comment on column user_groups.name is 'Unique in any letter case.';
comment on column user_groups.metadata is
  'Members that the API returns as they are. Setup codes of a second factor appear as asterisks; see '
  '`group_setup_codes`.';
comment on column user_groups.built_in is '`Administrators` and `Editors`, which cannot be deleted.';
comment on column user_groups.row_version is
  'Raised by each change but those of members; the version that clients send back is made of it and the members.';

comment on table group_members is 'Members of groups.';

comment on table group_setup_codes is 'Setup codes of authenticators that a group shares, encrypted.';
comment on column group_setup_codes."position" is
  'Index of the code in the list in `user_groups.metadata`, where asterisks stand for it.';
comment on column group_setup_codes.sealed is 'The code, encrypted with a key of `signing_keys`.';
