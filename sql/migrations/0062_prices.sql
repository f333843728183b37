-- Price of a transfer when it was started: {fixed, perHour, …}; null: it is free. Its credits are reserved under its id, and settled by the
-- triggers below in the transaction that ends it, whoever ends it. The pool is locked after the row of the transfer.
alter table transfers add column price jsonb;

create function settle_price() returns trigger language plpgsql as $$
declare
  payer constant uuid := coalesce(old.source_tenant_id, old.tenant_id);
  operation constant text := old.id::text;
  held numeric;
  used numeric := 0;
  outcome credit_outcome;
begin
  perform from credit_pools where id = payer for update;
  select sum(amount - spent - released) into held from credit_holds where pool_id = payer and operation_id = operation and is_open;
  if held is null then return old; end if;
  if tg_op = 'UPDATE' and new.status = 'Completed' then
    used := least(held, round((old.price ->> 'fixed')::numeric
      + (old.price ->> 'perHour')::numeric * extract(epoch from new.finished_at - new.started_at) / 3600, 6));
  end if;
  if used > 0 then
    outcome := credit_spend(payer, used, operation, null, old.created_by, old.request_id, false);
    if outcome.refusal is not null then raise exception 'The credits of transfer % cannot be spent: %.', operation, outcome.refusal; end if;
  end if;
  if held > used then
    outcome := credit_release(payer, operation, old.created_by, old.request_id, false);
    if outcome.refusal is not null then raise exception 'The credits of transfer % cannot be released: %.', operation, outcome.refusal; end if;
  end if;
  return old;
end $$;
create trigger settles_price after update of status on transfers for each row
  when (old.price is not null and old.finished_at is null and new.finished_at is not null) execute function settle_price();
create trigger releases_price before delete on transfers for each row
  when (old.price is not null and old.finished_at is null) execute function settle_price();
