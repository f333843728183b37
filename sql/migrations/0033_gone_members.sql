-- Who was a member of a removed project may be the holder of an API key, who is no account. The rows go with the events, after 30 days,
-- so that no reference to the account is needed.
alter table gone_members drop constraint gone_members_user_id_fkey;
