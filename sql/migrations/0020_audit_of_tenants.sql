-- The audit trail of a tenant, which its Owners read.

create index audit_tenant on audit (tenant_id, id) where tenant_id is not null;
