-- Replaces rows by their sums. Skips rows that another transaction is replacing.
create or replace function compact_transfer_counts() returns void language sql as $$
  with taken as (
    delete from transfer_counts
    where ctid = any (array(select ctid from transfer_counts limit 10000 for update skip locked))
    returning *)
  insert into transfer_counts (tenant_id, created_by, status, count)
  select tenant_id, created_by, status, sum(count) from taken group by tenant_id, created_by, status having sum(count) <> 0
$$;

-- Counts what lists show: not the transfers of links to datasets.
create or replace function count_transfer() returns trigger language plpgsql as $$
begin
  if coalesce(new.share_id, old.share_id) is not null then return null; end if;
  if tg_op = 'INSERT' then
    insert into transfer_counts values (new.tenant_id, new.created_by, new.status, 1);
  elsif tg_op = 'DELETE' then
    insert into transfer_counts values (old.tenant_id, old.created_by, old.status, -1);
  else
    insert into transfer_counts values (old.tenant_id, old.created_by, old.status, -1), (new.tenant_id, new.created_by, new.status, 1);
  end if;
  -- one in a hundred, at random: a count of the rows would need a lock. Mostly there are some hundred rows.
  if random() < 0.01 then perform compact_transfer_counts(); end if;
  return null;
end $$;
create or replace trigger transfers_counted after insert or delete on transfers for each row execute function count_transfer();
create or replace trigger transfers_counted_anew after update of status, tenant_id, created_by on transfers for each row
  when ((old.status, old.tenant_id, old.created_by) is distinct from (new.status, new.tenant_id, new.created_by))
  execute function count_transfer();

create or replace function forget_transfer_counts() returns trigger language plpgsql as $$
begin
  truncate transfer_counts;
  return null;
end $$;
create or replace trigger transfers_uncounted after truncate on transfers for each statement execute function forget_transfer_counts();
