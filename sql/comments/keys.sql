comment on table api_keys is
  'API keys, which programs send instead of a token. Revoking a key deletes its row; the audit trail keeps who it '
  'was.';
comment on column api_keys.hash is 'SHA-256 of the key, which is stored nowhere.';
comment on column api_keys.expires_at is 'Null: never.';
comment on column api_keys.expires_at_given is '`expires_at` as the client wrote it, which is how the API shows it.';
comment on column api_keys.allowed_networks is 'CIDR networks. Empty: every address.';
comment on column api_keys.last_used_from is 'IP address.';
