-- The account file is replaced after the commit of a change only; until then its new text stands here, and the SHA-256 of the file that it
-- replaces (null: there was none). `sha256` is that of the new text already.
alter table account_file add column pending text, add column replaces bytea;
