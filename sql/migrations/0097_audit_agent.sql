-- The audit trail tells which program a request came from: its User-Agent, at most 256 characters.
alter table audit add column agent text;
