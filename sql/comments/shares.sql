comment on table dataset_shares is
  'Links by which anybody who has one reads one dataset, for as long as its creator may grant access. The trigger '
  '`end_shares_of_moved` deletes those of a dataset that gets into another tenant.';
comment on column dataset_shares.hash is 'SHA-256 of the token, which is stored nowhere.';
comment on column dataset_shares.created_by is 'Account or API key.';
comment on column dataset_shares.ended_at is 'Null: nobody has ended it; it may have expired.';
comment on column dataset_shares.opens is 'Browsers that opened it, each once a day.';

comment on table share_days is
  'Salts of the hashes in `share_opens`, one a day. Deleted with them when the day is over, so that nobody can find '
  'out any more which address a hash was made of.';
comment on column share_days.day is 'Day in UTC.';

comment on table share_opens is 'Browsers that opened a link today, so that each is counted once.';
comment on column share_opens.browser is 'First half of the SHA-256 of salt, client address and User-Agent.';
