comment on table accounts is
  'People and programs that log in. If the setting `accounts.store` names a file, the table is a copy of it; see '
  '`account_file`.';
comment on column accounts.user_id is
  'Never changes. The columns `created_by`, `updated_by` and the like of all tables contain it.';
comment on column accounts.id is 'Login id, as it was typed. Unique in its folded form.';
comment on column accounts.tenant_id is 'Null: the account belongs to no tenant.';
comment on column accounts.roles is 'Roles in the whole platform; roles in a tenant are in `tenant_members`.';
comment on column accounts.password_hash is
  'Self-describing hash of the password; a value that is no hash matches no password.';
comment on column accounts.activated is 'False until the person opens the link of the activation mail.';
comment on column accounts.enabled is 'False: an administrator has disabled the account.';
comment on column accounts.locked is
  'True: an administrator has locked the account, until `locked_date_end` if that is set.';
comment on column accounts.no_of_unsuccessful_login_attempts is 'Wrong passwords in a row.';
comment on column accounts.last_login_attempted_date is 'Time of the last login with a password, successful or not.';
comment on column accounts.locked_out_until is
  'End of the lockout after too many wrong passwords. Null: not locked out.';
comment on column accounts.registered is
  'True: made by a registration; false: by an administrator or the account file.';
comment on column accounts.folded_id is
  'Unicode case folding of `id`. Logins, permissions and uniqueness compare this.';
comment on column accounts.last_login_at is 'Time of the last successful login. Null: never.';
comment on column accounts.row_version is
  'Raised by each change of what people edit; clients send it back to detect changes by others.';

comment on table account_tokens is
  'Tokens in mails for activation and password reset. The tokens themselves are in the mails only.';
comment on column account_tokens.hash is 'SHA-256 of the token.';
comment on column account_tokens.mail_id is
  '`account_mails.id` of the mail with the token. A mail that was sent again has several tokens, which count once. '
  'Null in rows of an earlier version.';

comment on table account_mails is
  'Mails to send. A job writes each from its row, tokens included, and deletes the row.';
comment on column account_mails.user_id is
  'Account that the mail is for. Null if there is none, or if it is not known yet (`passwordResetAsked`).';
comment on column account_mails.recipient is 'Address, if there is no account.';
comment on column account_mails.identifier is
  'What was entered: a login id, or for a reset also an email address. Of an invitation its id.';
comment on column account_mails.address is 'IP address of the request, for the audit trail.';

comment on table registration_mails is
  'Mails that registrations caused within the last hour, to limit them by recipient and by client.';
comment on column registration_mails.client is 'IPv4 address, or the /64 of an IPv6 address.';

comment on table password_history is 'Former passwords, which cannot be chosen again.';

comment on table account_file is
  'One row if the accounts are kept in a file: which text of the file the table `accounts` is a copy of.';
comment on column account_file.one is 'Always true: the table has at most one row.';
comment on column account_file.sha256 is 'SHA-256 of the text.';
comment on column account_file.pending is
  'The text, while it is not known whether the file has it yet: the file is replaced after the commit. Null: the '
  'file has it.';
comment on column account_file.replaces is 'SHA-256 of the file that `pending` replaces. Null: there was no file.';

comment on table login_failures is 'Failed logins in a row by client.';
comment on column login_failures.client is 'IPv4 address, or the /64 of an IPv6 address.';

comment on table login_pair_failures is 'Failed logins in a row by client and login id.';
comment on column login_pair_failures.client is 'IPv4 address, or the /64 of an IPv6 address.';
comment on column login_pair_failures.account is
  'SHA-256 of the folded login id: people sometimes type their password there.';

comment on table login_waits is
  'Refused logins whose answer is delayed, in all API processes. Unlogged: after a crash nobody waits.';
comment on column login_waits.client is 'IPv4 address, or the /64 of an IPv6 address.';
comment on column login_waits.account is 'SHA-256 of the folded login id. Null: the delay counts for the client only.';
comment on column login_waits.until is 'Rows after this time are ignored, and deleted by the next wait.';
comment on column login_waits.abandoned is 'The client has closed the connection, so its place is free.';
