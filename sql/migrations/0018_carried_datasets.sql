-- Transfers that carry a dataset into another tenant, or to another place of its own, without converting it. The one that moves has the
-- dataset locked as its writer, the one that copies as a reader.

alter table transfers add column carry text check (carry in ('move', 'copy'));
-- where it comes from; tenant_id and project_id say where to
alter table transfers add column source_tenant_id uuid;
alter table transfers add column source_project_id uuid;
alter table transfers add constraint transfers_carry_whole check (num_nonnulls(carry, source_tenant_id, source_project_id) in (0, 3));

-- When it came into its present tenant from another one: addresses that were signed before are good for nothing, whatever they say.
alter table datasets add column grants_from timestamptz;
