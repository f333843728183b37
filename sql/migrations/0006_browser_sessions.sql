-- Logins of browsers, whose refresh token is kept in a cookie, and where logins come from.

alter table refresh_families
  add column cookie text check (cookie in ('session', 'persistent')),
  add column agent text,
  add column address text;
