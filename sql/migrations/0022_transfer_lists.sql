-- Lists of transfers take their first rows, and mostly their number, from indexes, however many transfers there are.
create index transfers_tenant on transfers (tenant_id, created_at desc, id desc);
create index transfers_source_tenant on transfers (source_tenant_id, created_at desc) where source_tenant_id is not null;
drop index transfers_creator;
create index transfers_creator on transfers (created_by, created_at desc, id desc) include (tenant_id);
