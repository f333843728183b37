-- Faster reservations: fewer statements per operation, plans that do not depend on the values, and rules as domains and triggers of columns.
-- Postgres reads the text of each check constraint, and of each condition of a trigger, anew for every statement that writes to the table.

drop trigger terms on credit_lots;
drop trigger terms on credit_holds;

create domain credit_amount as numeric(15, 6) check (value > 0);
create domain credit_part as numeric(15, 6) check (value >= 0);
create domain credit_change as numeric(15, 6) check (value <> 0);
create domain credit_text as text check (length(value) between 1 and 255);
create domain credit_tag as text check (length(value) <= 255);
create domain credit_kind as text check (value in ('Add', 'Reserve', 'Spend', 'Release', 'Move', 'Expire'));
create domain credit_account as text check (value in ('Issued', 'Available', 'Reserved', 'Spent', 'Expired'));
create domain credit_digest as bytea check (length(value) = 32);
create domain credit_seq as bigint check (value > 0);

alter table credit_lots drop column is_open,
  drop constraint credit_lots_amount_check, drop constraint credit_lots_available_check, drop constraint credit_lots_reserved_check,
  drop constraint credit_lots_spent_check, drop constraint credit_lots_expired_check, drop constraint credit_lots_moved_check,
  drop constraint credit_lots_sales_order_id_check, drop constraint credit_lots_billing_reference_check,
  drop constraint credit_lots_billing_reference_type_check, drop constraint credit_lots_billing_reference_tag_check,
  alter column amount type credit_amount, alter column available type credit_part, alter column reserved type credit_part,
  alter column spent type credit_part, alter column expired type credit_part, alter column moved type credit_part,
  alter column sales_order_id type credit_text, alter column billing_reference type credit_text,
  alter column billing_reference_type type credit_text, alter column billing_reference_tag type credit_tag;
alter table credit_lots add column is_open boolean not null generated always as (available > 0 or reserved > 0) stored;
create index credit_lots_open on credit_lots (pool_id, expires_at, id) where is_open;
create index credit_lots_expiry on credit_lots (expires_at) where is_open;
alter table credit_holds drop column is_open,
  drop constraint credit_holds_amount_check, drop constraint credit_holds_spent_check, drop constraint credit_holds_released_check,
  drop constraint credit_holds_operation_id_check,
  alter column amount type credit_amount, alter column spent type credit_part, alter column released type credit_part,
  alter column operation_id type credit_text;
alter table credit_holds add column is_open boolean not null generated always as (spent + released < amount) stored;
create index credit_holds_open on credit_holds (pool_id, operation_id) where is_open;
alter table credit_entries drop constraint credit_entries_seq_check, drop constraint credit_entries_kind_check,
  drop constraint credit_entries_account_check, drop constraint credit_entries_amount_check,
  drop constraint credit_entries_operation_id_check, drop constraint credit_entries_hash_check,
  alter column seq type credit_seq, alter column kind type credit_kind, alter column account type credit_account,
  alter column amount type credit_change, alter column operation_id type credit_text, alter column hash type credit_digest;

-- What a lot or a hold is never changes. A hold ends once, and its parts only grow.
create trigger terms before update of id, pool_id, amount, expires_at, expires_text, sales_order_id, billing_reference,
  billing_reference_type, billing_reference_tag, source_id on credit_lots for each statement execute function refuse_change();
create trigger terms before update of id, pool_id, lot_id, operation_id, project_id, amount, created_at, created_by on credit_holds
  for each statement execute function refuse_change();
create trigger ends before update on credit_holds for each row
  when (not old.is_open or new.spent < old.spent or new.released < old.released) execute function refuse_change();

drop function credit_post(text, text, uuid, text, credit_leg[], timestamptz);

-- Writes a posting into locked pools. Legs of one pool follow one another. `pool`: the first of them, if its row is at hand.
create function credit_post(kind text, operation text, actor uuid, request text, legs credit_leg[], before timestamptz,
  pool credit_pools default null) returns void language plpgsql as $$
declare
  posting bigint := nextval('credit_postings');
  at timestamptz := clock_timestamp();
  leg credit_leg;
  ends credit_pools[] := '{}';
  entry credit_entries;
  entries credit_entries[] := '{}';
begin
  foreach leg in array legs loop
    if pool.id is distinct from leg.pool_id then
      if pool.id is not null then ends := ends || pool; end if;
      select * into strict pool from credit_pools where id = leg.pool_id;
    end if;
    pool.last_seq := pool.last_seq + 1;
    entry := (pool.id, pool.last_seq, posting, kind, leg.account, leg.amount, leg.lot_id, leg.hold_id, operation, leg.project_id, at, actor,
      request, null);
    pool.last_hash := credit_hash(pool.last_hash, entry);
    entry.hash := pool.last_hash;
    entries := entries || entry;
  end loop;
  ends := ends || pool;
  with written as (insert into credit_entries select * from unnest(entries))
  update credit_pools p set last_seq = e.last_seq, last_hash = e.last_hash, commit_before = before from unnest(ends) e where p.id = e.id;
end $$;

create or replace function credit_reserve(tenant uuid, wanted numeric, operation text, project uuid, actor uuid, request text, dry boolean)
returns credit_outcome language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  outcome credit_outcome;
  pool credit_pools;
  part record;
  hold bigint;
  legs credit_leg[] := '{}';
begin
  if not dry then select * into pool from credit_pools where id = tenant for update; end if;
  part := credit_take(tenant, wanted, clock_timestamp(), null, null, null);
  outcome.operation_id := operation;
  if part.taken < wanted then
    outcome.refusal := 'TooFewCredits';
    outcome.available := part.taken;
    return outcome;
  end if;
  outcome.credits := wanted;
  if dry then return outcome; end if;
  for n in 1 .. cardinality(part.lots) loop
    with lot as (update credit_lots set available = available - part.takes[n], reserved = reserved + part.takes[n] where id = part.lots[n])
    insert into credit_holds (pool_id, lot_id, operation_id, project_id, amount, created_at, created_by)
    values (tenant, part.lots[n], operation, project, part.takes[n], clock_timestamp(), actor) returning id into hold;
    legs := legs || (tenant, part.lots[n], 'Available', -part.takes[n], hold, project)::credit_leg
      || (tenant, part.lots[n], 'Reserved', part.takes[n], hold, project)::credit_leg;
  end loop;
  perform credit_post('Reserve', operation, actor, request, legs, part.before, pool);
  return outcome;
end $$;

-- Takes credits out of the reservation of an operation, in burn order: to Spent, or with the kind Release back to Available, or to Expired
-- if they expired meanwhile. `wanted`: null for all. `reserved`: what was held; null: nothing. Less than `wanted` is held: nothing is taken.
create function credit_settle(pool credit_pools, kind text, wanted numeric, operation text, project uuid, actor uuid, request text,
  dry boolean) returns credit_outcome language plpgsql as $$
declare
  outcome credit_outcome;
  at timestamptz := clock_timestamp();
  hold record;
  take numeric;
  account text;
  left_over numeric;
  legs credit_leg[] := '{}';
begin
  outcome.operation_id := operation;
  for hold in
    select h.id, h.lot_id, h.project_id, h.amount - h.spent - h.released as held, l.expires_at <= at as expired,
      sum(h.amount - h.spent - h.released) over () as total
    from credit_holds h join credit_lots l on l.id = h.lot_id
    where h.pool_id = pool.id and h.operation_id = operation and h.is_open order by l.expires_at, l.id, h.id
  loop
    if outcome.reserved is null then
      outcome.reserved := hold.total;
      left_over := coalesce(wanted, hold.total);
      exit when dry or hold.total < left_over;
    end if;
    exit when left_over = 0;
    take := least(hold.held, left_over);
    left_over := left_over - take;
    account := case when kind = 'Spend' then 'Spent' when hold.expired then 'Expired' else 'Available' end;
    with held as (
      update credit_holds set spent = spent + case when account = 'Spent' then take else 0 end,
        released = released + case when account = 'Spent' then 0 else take end where id = hold.id)
    update credit_lots set reserved = reserved - take, spent = spent + case when account = 'Spent' then take else 0 end,
      available = available + case when account = 'Available' then take else 0 end,
      expired = expired + case when account = 'Expired' then take else 0 end where id = hold.lot_id;
    if account = 'Expired' then perform credit_expired_event(hold.lot_id, take, request); end if;
    legs := legs || (pool.id, hold.lot_id, 'Reserved', -take, hold.id, coalesce(project, hold.project_id))::credit_leg
      || (pool.id, hold.lot_id, account, take, hold.id, coalesce(project, hold.project_id))::credit_leg;
  end loop;
  if cardinality(legs) > 0 then perform credit_post(kind, operation, actor, request, legs, null, pool); end if;
  return outcome;
end $$;

create or replace function credit_spend(tenant uuid, wanted numeric, operation text, project uuid, actor uuid, request text, dry boolean)
returns credit_outcome language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  outcome credit_outcome;
  pool credit_pools;
  part record;
  legs credit_leg[] := '{}';
begin
  pool.id := tenant;
  if not dry then select * into pool from credit_pools where id = tenant for update; end if;
  if operation is not null then
    outcome := credit_settle(pool, 'Spend', wanted, operation, project, actor, request, dry);
    if outcome.reserved < wanted then
      outcome.refusal := 'TooFewCredits';
      outcome.available := credit_available(tenant, clock_timestamp());
      return outcome;
    elsif outcome.reserved is not null then
      outcome.credits := wanted;
      return outcome;
    end if;
  end if;
  part := credit_take(tenant, wanted, clock_timestamp(), null, null, null);
  if part.taken < wanted then
    outcome := ('TooFewCredits', null, part.taken, null, operation);
    return outcome;
  end if;
  outcome.credits := wanted;
  if dry then return outcome; end if;
  update credit_lots l set available = l.available - t.take, spent = l.spent + t.take
  from unnest(part.lots, part.takes) t(lot, take) where l.id = t.lot;
  for n in 1 .. cardinality(part.lots) loop
    legs := legs || (tenant, part.lots[n], 'Available', -part.takes[n], null, project)::credit_leg
      || (tenant, part.lots[n], 'Spent', part.takes[n], null, project)::credit_leg;
  end loop;
  perform credit_post('Spend', operation, actor, request, legs, part.before, pool);
  return outcome;
end $$;

-- Ends the reservation of an operation.
create or replace function credit_release(tenant uuid, operation text, actor uuid, request text, dry boolean)
returns credit_outcome language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  outcome credit_outcome;
  pool credit_pools;
begin
  pool.id := tenant;
  if not dry then select * into pool from credit_pools where id = tenant for update; end if;
  outcome := credit_settle(pool, 'Release', null, operation, null, actor, request, dry);
  if outcome.reserved is null then outcome.refusal := 'NothingHeld'; return outcome; end if;
  outcome.credits := outcome.reserved;
  outcome.reserved := null;
  return outcome;
end $$;
