-- Counts of transfers of one status come from the indexes of their lists alone.
drop index transfers_tenant;
create index transfers_tenant on transfers (tenant_id, created_at desc, id desc) include (status);
drop index transfers_creator;
create index transfers_creator on transfers (created_by, created_at desc, id desc) include (tenant_id, status);
