-- The mail that a token was made for: a mail that is tried again has several, which count once.
alter table account_tokens add column mail_id uuid;
