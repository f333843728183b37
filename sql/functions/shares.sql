-- Ends the links of a dataset that gets into another tenant: who made them gave access to data of the former one.
create or replace function end_shares_of_moved() returns trigger language plpgsql as $$
declare
  before uuid := (select tenant_id from projects where id = old.project_id);
begin
  if before = (select tenant_id from projects where id = new.project_id) then return null; end if;
  with ended as (delete from dataset_shares where dataset_id = new.id returning id, ended_at)
  insert into audit (action, subject, tenant_id, details)
  select 'share.end', id::text, before, jsonb_build_object('dataset', new.id, 'reason', 'moved to another tenant')
  from ended where ended_at is null;
  return null;
end $$;
create or replace trigger end_shares_of_moved after update of project_id on datasets for each row
  when (old.project_id is distinct from new.project_id) execute function end_shares_of_moved();
