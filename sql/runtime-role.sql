-- Rights of the role that API and workers use; its name is in the setting platform.runtime_role. The owner of the tables
-- runs it after migrations. The role changes no table and no right; audit trail, activity and ledger only grow for it.
do $$
declare
  role constant text := current_setting('platform.runtime_role');
  one record;
begin
  execute format('grant usage on schema public, graphile_worker to %I', role);
  execute format('grant select, insert, update, delete on all tables in schema public, graphile_worker to %I', role);
  execute format('grant usage, select, update on all sequences in schema public, graphile_worker to %I', role);
  execute format('grant execute on all routines in schema public, graphile_worker to %I', role);
  execute format('revoke update, delete on audit, activity, credit_entries, credit_commits from %I', role);
  execute format('revoke delete on credit_pools, credit_lots, credit_holds from %I', role);
  execute format('revoke insert, update, delete on migrations, graphile_worker.migrations from %I', role);
  -- only the owner of the queue's tables passes their row security
  for one in
    select c.oid::regclass as name from pg_class c
    where relnamespace = 'graphile_worker'::regnamespace and relrowsecurity
      and not exists (select from pg_policy p where p.polrelid = c.oid and p.polname = role)
  loop
    execute format('create policy %I on %s to %I using (true) with check (true)', role, one.name, role);
  end loop;
end $$;
