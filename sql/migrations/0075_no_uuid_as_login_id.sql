-- Groups, members and permissions name accounts by user id or login id. A login id must not look like a user id in its folded form
-- either: 'ﬀ' is folded to 'ff', and so many a UUID can be spelled in another way.
update accounts set id = left(id, 240) || '-renamed', updated_at = now()
where folded_id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';
alter table accounts add constraint accounts_id_is_no_uuid
  check (folded_id !~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$');
