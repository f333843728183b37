comment on table tenants is 'Customers. Projects, transfers and webhooks belong to one tenant.';
comment on column tenants.weight is 'Share of the queue in weighted fair queueing.';
comment on column tenants.created_by is 'Null: created by a command on the server.';
comment on column tenants.recycle_bin_days is 'Days that deleted items are kept. Null: the platform''s setting counts.';
comment on column tenants.row_version is
  'Raised by each change of what people edit; clients send it back to detect changes by others.';

comment on table tenant_members is 'Accounts with a role in a tenant.';

comment on table first_administrator_link is
  'The link that a start without an administrator prints, by which a person on this machine makes the first one. One row '
  'at most: a new link ends the one before. Its use deletes it.';
comment on column first_administrator_link.hash is 'SHA-256 of the token in the link.';
