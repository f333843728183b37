comment on table migrations is
  'Files of `sql/migrations/`, `sql/functions/` and `sql/comments/` that were applied. Also says which rights the '
  'runtime role has.';
comment on column migrations.name is 'As the file, with the folder unless that is `migrations/`.';
comment on column migrations.sha256 is
  'Of the text of the file. A changed file of `functions/` or `comments/` is applied again; a changed migration is '
  'refused.';
comment on column migrations.objects is
  'Functions, triggers and views that the file creates; dropped when no file creates them any more. Null for '
  'migrations.';

comment on table secret_keys is
  'One row: the secret key outside of the database that encrypts `signing_keys`. Empty: they are in clear.';
comment on column secret_keys.id is 'First 16 hexadecimal digits of the SHA-256 of the key. A rotation updates it.';

comment on table signing_keys is
  'Keys of the platform: RS256 pairs for access tokens, secrets for signed addresses and cursors, keys that encrypt '
  'secrets in other tables.';
comment on column signing_keys.kid is 'Key id, as in the header of a token.';
comment on column signing_keys.material is 'The key, in clear, or {"sealed": base64}.';
comment on column signing_keys.retired_at is 'Signs nothing since then, and still verifies. Null: current or next.';
comment on column signing_keys.activated_at is
  'Signs since then. Null: the next key, which is published before it signs.';
comment on column signing_keys.secret_key_id is
  'Null: `material` is in clear. The trigger `signing_keys_clear` refuses clear keys when there is a secret key.';

comment on table cache_generations is
  'Numbers of changes, by resource. An API process keeps a cached answer only while the number is the one that it '
  'read before. The trigger `accounts_cached` of `accounts` raises that of accounts.';

comment on table audit is
  'The audit trail: who did what to which account, group, tenant or key. The runtime role only inserts.';
comment on column audit.account_id is 'Login id of the actor. Null: a command on the server, or a periodic job.';
comment on column audit.subject is 'What was changed: login id, tenant id, …';
comment on column audit.tenant_id is 'Tenant that it concerns. Null: none.';
comment on column audit.address is 'IP address of the request.';
comment on column audit.details is 'Values before and after. Never secrets.';
comment on column audit.reason is 'As the actor gave it.';
comment on column audit.agent is 'User-Agent of the request, at most 256 characters.';

comment on table idempotency_keys is 'Answers to requests with an `Idempotency-Key`, sent again for 24 hours.';
comment on column idempotency_keys.user_id is 'Caller; keys are unique per caller.';
comment on column idempotency_keys.request_hash is 'SHA-256 of method, path with query, and body.';
comment on column idempotency_keys.body is 'Null: it contained a secret, and is not kept. Empty: the answer had none.';

comment on table idempotency_claims is
  'Requests with an `Idempotency-Key` that run now. Unlogged: a crash of Postgres ends the requests too, because '
  'they delete their claim in their own transaction.';
comment on column idempotency_claims.claim is 'Id of the running request.';
comment on column idempotency_claims.leased_until is
  'Renewed while the request runs. Past: its process has died, and another request may take the key.';
