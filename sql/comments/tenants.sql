comment on table tenants is 'Customers. Projects, transfers and webhooks belong to one tenant.';
comment on column tenants.weight is 'Share of the queue in weighted fair queueing.';
comment on column tenants.created_by is 'Null: created by a command on the server.';
comment on column tenants.recycle_bin_days is 'Days that deleted items are kept. Null: the platform''s setting counts.';

comment on table tenant_members is 'Accounts with a role in a tenant.';
