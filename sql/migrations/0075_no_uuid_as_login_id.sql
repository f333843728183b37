-- Groups, members and permissions name accounts by user id or login id. A login id must not look like a user id in its folded form
-- either: 'ﬀ' is folded to 'ff', and so many a UUID can be spelled in another way. Accounts that have such an id get another one, and
-- permissions that spell it so follow (those that spell the UUID itself name the user with that id).
create function renamed_principal(permissions jsonb, before text, after text) returns jsonb language sql immutable as $$
  select coalesce(jsonb_agg(jsonb_set(entry, '{principals}', (
      select coalesce(jsonb_agg(case when fold_name(principal) = fold_name(before) and lower(principal) <> fold_name(before)
        then after else principal end order by n), '[]')
      from jsonb_array_elements_text(entry->'principals') with ordinality p (principal, n))) order by m), '[]')
  from jsonb_array_elements(permissions) with ordinality e (entry, m)
$$;
do $$
declare
  spelled record;
begin
  for spelled in
    select user_id, id, folded_id, left(id, 200) || '-' || user_id as fresh from accounts
    where folded_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
  loop
    update accounts set id = spelled.fresh, updated_at = now() where user_id = spelled.user_id;
    update projects set permissions = renamed_principal(permissions, spelled.id, spelled.fresh)
    where id in (select project_id from permission_grants where folded_principal = spelled.folded_id);
    update datasets set permissions = renamed_principal(permissions, spelled.id, spelled.fresh)
    where id in (select dataset_id from permission_grants where folded_principal = spelled.folded_id);
    insert into audit (action, subject, details)
    values ('account.rename', spelled.id, jsonb_build_object('to', spelled.fresh, 'because', 'it is a UUID in another spelling'));
  end loop;
end $$;
drop function renamed_principal;
-- a table with triggers that wait for the end of the transaction is not altered
set constraints all immediate;

alter table accounts add constraint accounts_id_is_no_uuid
  check (folded_id !~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$');
