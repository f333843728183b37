-- Conversions that holders of links to datasets start.

alter table transfers add column share_id uuid;
create index transfers_share on transfers (share_id, created_at) where share_id is not null;
