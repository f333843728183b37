-- A login whose access token cannot be refreshed has no refresh tokens and ends with the access token.
alter table refresh_families add column refreshes boolean not null default true;
