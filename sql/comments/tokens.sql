comment on table refresh_families is 'Logins. A login starts a family of refresh tokens.';
comment on column refresh_families.expires_at is 'End of the login, however often it is refreshed.';
comment on column refresh_families.revoked_at is
  'Time of the logout or revocation. Null: the login is active until `expires_at`.';
comment on column refresh_families.refreshes is
  'False: the login has no refresh tokens and ends with its access token.';

comment on column refresh_families.cookie is
  'Cookie of a browser that keeps the refresh token: `session` ends with the browser, `persistent` does not. '
  'Null: the client keeps the token by itself.';
comment on column refresh_families.agent is 'User-Agent of the login.';
comment on column refresh_families.address is 'IP address of the login.';

comment on table refresh_tokens is 'Refresh tokens. Each can be exchanged once.';
comment on column refresh_tokens.hash is 'SHA-256 of the token, which is stored nowhere.';
comment on column refresh_tokens.used_at is 'Time of the exchange. Null: not exchanged yet.';
comment on column refresh_tokens.used_from is 'IP address of the exchange.';
comment on column refresh_tokens.sealed_answer is
  'Answer to the exchange, in case it was lost, encrypted with the exchanged token and the key of the request. '
  'Null: none, or its time is over.';

comment on table logins is 'Successful logins of the last 30 days by account, IP address and day.';
comment on column logins.times is 'Number of logins on that day.';

comment on table account_authenticators is
  'Authenticators of the second factor: an account''s own, and those of its groups from which it has used a code.';
comment on column account_authenticators.fingerprint is 'SHA-256 of type and setup code.';
comment on column account_authenticators.sealed is
  'Setup code of an own authenticator, encrypted. Null: it belongs to a group.';
comment on column account_authenticators.proved_at is
  'Time of the first accepted code. After it, the setup code is not shown any more. Null: none accepted yet.';
comment on column account_authenticators.last_step is
  'Time step of the last accepted code (RFC 6238). No code is accepted twice.';

comment on table recovery_codes is 'Unused recovery codes of the second factor.';
comment on column recovery_codes.hash is 'SHA-256 of the code.';

comment on table otp_failures is 'Wrong one-time passwords in a row.';
comment on column otp_failures.blocked_until is 'Null: not blocked.';
