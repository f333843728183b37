-- The ledger only grows. Triggers enforce it, because privileges do not bind the owner of the tables or a superuser.
create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% of % is not allowed: the ledger only grows.', lower(tg_op), tg_table_name using errcode = 'insufficient_privilege';
end $$;
create or replace trigger stays before delete or truncate on credit_pools for each statement execute function refuse_change();
create or replace trigger stays before delete or truncate on credit_lots for each statement execute function refuse_change();
-- The terms of a lot or a hold never change. A hold ends once, and its spent and released credits only grow.
create or replace trigger terms before update of id, pool_id, amount, expires_at, expires_text, sales_order_id, billing_reference,
  billing_reference_type, billing_reference_tag, source_id on credit_lots for each statement execute function refuse_change();
create or replace trigger stays before delete or truncate on credit_holds for each statement execute function refuse_change();
create or replace trigger terms before update of id, pool_id, lot_id, operation_id, project_id, amount, created_at, created_by on credit_holds
  for each statement execute function refuse_change();
create or replace trigger ends before update on credit_holds for each row
  when (not old.is_open or new.spent < old.spent or new.released < old.released) execute function refuse_change();
create or replace trigger only_inserts before update or delete or truncate on credit_entries for each statement execute function refuse_change();
create or replace trigger only_inserts before update or delete or truncate on credit_commits for each statement execute function refuse_change();

create or replace function check_credit_postings() returns trigger language plpgsql as $$
begin
  if exists (
    select from added a group by posting_id
    having sum(amount) <> 0 or bool_or((select pool_id from credit_lots where id = a.lot_id) is distinct from a.pool_id
      or (a.hold_id is not null and (select lot_id from credit_holds where id = a.hold_id) is distinct from a.lot_id)
      or (a.account = 'Reserved' and a.hold_id is null)))
  then
    raise exception 'The entries of a posting do not sum to zero, or have a lot of another pool, a hold of another lot, or no hold.'
      using errcode = 'check_violation';
  end if;
  return null;
end $$;
create or replace trigger sums after insert on credit_entries referencing new table as added
  for each statement execute function check_credit_postings();

-- Runs at the commit. Raises serialization_failure, so that the transaction is retried and sees the expired credits.
create or replace function commit_credits() returns trigger language plpgsql as $$
declare
  at timestamptz := clock_timestamp();
begin
  if new.commit_before <= at then
    raise exception 'Credits expired before the transaction was committed.' using errcode = 'serialization_failure';
  end if;
  insert into credit_commits (pool_id, committed_at, seq) values (new.id, at, new.last_seq);
  return null;
end $$;
-- every posting sets `last_seq`, and nothing else does
drop trigger if exists commits on credit_pools;
create constraint trigger commits after update of last_seq on credit_pools deferrable initially deferred for each row
  execute function commit_credits();

-- The terms of a lot as text, for the hash of the entry that creates the lot.
create or replace function credit_terms(lot bigint) returns text language sql stable as $$
  select json_build_array(l.amount, extract(epoch from l.expires_at), l.expires_text, l.sales_order_id, l.billing_reference,
    l.billing_reference_type, l.billing_reference_tag, l.source_id)::text
  from credit_lots l where l.id = lot
$$;

-- Hash of an entry with these values; see `credit_entries.hash`. `terms`: `credit_terms` if the entry creates a lot.
create or replace function credit_digest(previous bytea, pool uuid, seq bigint, posting bigint, kind text, account text, amount numeric, lot bigint,
  hold bigint, operation text, project uuid, at timestamptz, actor uuid, request text, terms text) returns bytea language sql stable as $$
  select sha256(previous || convert_to(json_build_array(pool, seq, posting, kind, account, amount::numeric(15, 6), lot, hold, operation,
    project, extract(epoch from at), actor, request, terms)::text, 'UTF8'))
$$;

create or replace function credit_hash(previous bytea, e credit_entries) returns bytea language sql stable as $$
  select credit_digest(previous, e.pool_id, e.seq, e.posting_id, e.kind, e.account, e.amount, e.lot_id, e.hold_id, e.operation_id,
    e.project_id, e.created_at, e.created_by, e.request_id,
    case when e.kind in ('Add', 'Move') and e.account = 'Available' and e.amount > 0 then credit_terms(e.lot_id) end)
$$;

-- Writes a posting into locked pools. Legs of one pool must be consecutive. `pool`: the row of the first pool, if the
-- caller has read it.
create or replace function credit_post(kind text, operation text, actor uuid, request text, legs credit_leg[], before timestamptz,
  pool credit_pools default null) returns void language plpgsql as $$
declare
  posting constant bigint := nextval('credit_postings');
  at constant timestamptz := clock_timestamp();
  leg credit_leg;
  entry credit_entries;
  entries credit_entries[] := '{}';
begin
  foreach leg in array legs loop
    if pool.id is distinct from leg.pool_id then
      if pool.id is not null then
        update credit_pools set last_seq = pool.last_seq, last_hash = pool.last_hash, commit_before = before where id = pool.id;
      end if;
      select * into strict pool from credit_pools where id = leg.pool_id;
    end if;
    pool.last_seq := pool.last_seq + 1;
    entry := (pool.id, pool.last_seq, posting, kind, leg.account, leg.amount, leg.lot_id, leg.hold_id, operation, leg.project_id, at, actor,
      request, null);
    pool.last_hash := credit_hash(pool.last_hash, entry);
    entry.hash := pool.last_hash;
    entries := entries || entry;
  end loop;
  with written as (insert into credit_entries select * from unnest(entries))
  update credit_pools set last_seq = pool.last_seq, last_hash = pool.last_hash, commit_before = before where id = pool.id;
end $$;

-- Locks pools in the order of their ids, and creates those that are not there.
create or replace function credit_lock(pools uuid[]) returns void language plpgsql as $$
declare
  pool uuid;
begin
  for pool in select distinct p from unnest(pools) p order by p loop
    perform from credit_pools where id = pool for update;
    if not found then
      insert into credit_pools (id) values (pool) on conflict do nothing;
      perform from credit_pools where id = pool for update;
    end if;
  end loop;
end $$;

-- Credits of a pool that are available at a time.
create or replace function credit_available(pool uuid, at timestamptz) returns numeric language sql stable as $$
  select coalesce(sum(available), 0) from credit_lots where pool_id = pool and is_open and expires_at > at
$$;

-- Lots to take credits from, in burn order: the earliest expiry first, then the oldest. `taken` may be less than
-- `wanted`. `other`: only lots whose billing reference has ever been in that pool.
create or replace function credit_take(pool uuid, wanted numeric, at timestamptz, other uuid, reference text, reference_type text,
  out lots bigint[], out takes numeric[], out taken numeric, out before timestamptz) language plpgsql as $$
declare
  lot record;
begin
  lots := '{}'; takes := '{}'; taken := 0;
  for lot in
    select l.id, l.available, l.expires_at from credit_lots l
    where l.pool_id = pool and l.is_open and l.available > 0 and l.expires_at > at
      and (reference is null or l.billing_reference = reference)
      and (reference_type is null or l.billing_reference_type = reference_type)
      and (other is null or exists (select from credit_lots o where o.pool_id = other and o.billing_reference = l.billing_reference
        and o.billing_reference_type = l.billing_reference_type))
    order by l.expires_at, l.id
  loop
    -- ends with the first lot beyond `wanted`
    exit when taken >= wanted;
    lots := lots || lot.id;
    takes := takes || least(lot.available, wanted - taken);
    taken := taken + least(lot.available, wanted - taken);
    before := least(before, lot.expires_at);
  end loop;
end $$;

-- Writes the events of credits that were booked as expired. `pool`: locked.
create or replace function credit_expired_event(lot bigint, credits numeric, request text) returns void language sql as $$
  insert into events (type, source, subject, tenant_id, resource_id, request_id, data)
  select 'svc.platform.events.creditsexpiredevent', '/svc/platform/credit', 'Credits expired', p.tenant, l.id::text, request,
    jsonb_strip_nulls(jsonb_build_object('CustomerGuid', p.tenant, 'Credits', trim_scale(credits), 'ExpiresAt', l.expires_text,
      'SalesOrderId', l.sales_order_id, 'BillingReference', jsonb_build_object('BillingReference', l.billing_reference,
        'BillingReferenceTag', l.billing_reference_tag, 'BillingReferenceType', l.billing_reference_type)))
  from credit_lots l, lateral (select nullif(l.pool_id, '00000000-0000-0000-0000-000000000000') as tenant) p where l.id = lot
$$;

create or replace function credit_add(tenant uuid, wanted numeric, expires timestamptz, expires_text text, sales_order text, reference text,
  reference_type text, reference_tag text, actor uuid, request text, dry boolean) returns credit_outcome language plpgsql as $$
declare
  outcome credit_outcome;
  lot bigint;
begin
  -- keeps the tenant until the commit
  if dry then perform from tenants where id = tenant; else perform from tenants where id = tenant for key share; end if;
  if not found then outcome.refusal := 'Tenant'; return outcome; end if;
  if not dry then perform credit_lock(array[tenant]); end if;
  if expires <= clock_timestamp() then outcome.refusal := 'Past'; return outcome; end if;
  outcome.available := credit_available(tenant, clock_timestamp()) + wanted;
  if outcome.available > 999999999.999999 then outcome.refusal := 'PoolFull'; return outcome; end if;
  outcome.credits := wanted;
  if dry then return outcome; end if;
  insert into credit_lots (pool_id, amount, available, expires_at, expires_text, sales_order_id, billing_reference, billing_reference_type,
    billing_reference_tag, created_at, created_by)
  values (tenant, wanted, wanted, expires, expires_text, sales_order, reference, reference_type, reference_tag, clock_timestamp(), actor)
  returning id into lot;
  perform credit_post('Add', null, actor, request, array[
    (tenant, lot, 'Issued', -wanted, null, null)::credit_leg, (tenant, lot, 'Available', wanted, null, null)::credit_leg], expires);
  return outcome;
end $$;

-- Takes credits out of the reservation of an operation, in burn order: `wanted` to Spent, and if it `ends`, the rest
-- back to Available, or to Expired if they expired meanwhile. `reserved`: what was held; null: nothing. If it does not
-- end and less than `wanted` is held, nothing is taken. `pool`: locked.
create or replace function credit_settle(pool credit_pools, wanted numeric, ends boolean, operation text, project uuid, actor uuid,
  request text, dry boolean) returns credit_outcome language plpgsql as $$
declare
  outcome credit_outcome;
  at constant timestamptz := clock_timestamp();
  hold record;
  left_over numeric := wanted;
  left_held numeric;
  spends numeric;
  frees numeric;
  account text;
  seq bigint := pool.last_seq;
  spent_seq bigint;
  -- postings
  spending bigint;
  releasing bigint;
  chain bytea := pool.last_hash;
  -- hashes of the first entries of the two postings
  spent_hash bytea;
  freed_hash bytea;
  last_spent_hash bytea;
begin
  outcome.operation_id := operation;
  for hold in
    select h.id, h.lot_id, coalesce(project, h.project_id) as project_id, h.amount - h.spent - h.released as held, l.expires_at <= at as expired,
      sum(h.amount - h.spent - h.released) over () as total
    -- `offset` keeps the planner from a scan of all lots
    from credit_holds h, lateral (select expires_at from credit_lots where id = h.lot_id offset 0) l
    where h.pool_id = pool.id and h.operation_id = operation and h.is_open order by l.expires_at, h.lot_id, h.id
  loop
    if outcome.reserved is null then
      outcome.reserved := hold.total;
      left_held := hold.total;
    end if;
    exit when dry or (not ends and (hold.total < wanted or left_over = 0));
    spends := least(hold.held, left_over);
    frees := case when ends then hold.held - spends else 0 end;
    left_over := left_over - spends;
    left_held := left_held - hold.held;
    spent_seq := seq;
    if spends > 0 then
      if spending is null then spending := nextval('credit_postings'); end if;
      spent_hash := credit_digest(chain, pool.id, seq + 1, spending, 'Spend', 'Reserved', -spends, hold.lot_id, hold.id, operation,
        hold.project_id, at, actor, request, null);
      chain := credit_digest(spent_hash, pool.id, seq + 2, spending, 'Spend', 'Spent', spends, hold.lot_id, hold.id, operation,
        hold.project_id, at, actor, request, null);
      last_spent_hash := chain;
      seq := seq + 2;
    end if;
    if frees > 0 then
      account := case when hold.expired then 'Expired' else 'Available' end;
      if releasing is null then releasing := nextval('credit_postings'); end if;
      freed_hash := credit_digest(chain, pool.id, seq + 1, releasing, 'Release', 'Reserved', -frees, hold.lot_id, hold.id, operation,
        hold.project_id, at, actor, request, null);
      chain := credit_digest(freed_hash, pool.id, seq + 2, releasing, 'Release', account, frees, hold.lot_id, hold.id, operation,
        hold.project_id, at, actor, request, null);
      seq := seq + 2;
      if hold.expired then perform credit_expired_event(hold.lot_id, frees, request); end if;
    end if;
    with held as (update credit_holds h set spent = h.spent + spends, released = h.released + frees where h.id = hold.id),
    lot as (
      update credit_lots l set reserved = l.reserved - spends - frees, spent = l.spent + spends,
        available = l.available + case when hold.expired then 0 else frees end,
        expired = l.expired + case when hold.expired then frees else 0 end where l.id = hold.lot_id),
    entries as (
      insert into credit_entries
      select pool.id, e.seq, e.posting, e.kind, e.account, e.amount, hold.lot_id, hold.id, operation, hold.project_id, at, actor, request, e.hash
      from (values (spent_seq + 1, spending, 'Spend', 'Reserved', -spends, spent_hash),
        (spent_seq + 2, spending, 'Spend', 'Spent', spends, last_spent_hash),
        (seq - 1, releasing, 'Release', 'Reserved', -frees, freed_hash),
        (seq, releasing, 'Release', account, frees, chain)) e (seq, posting, kind, account, amount, hash)
      where e.amount <> 0)
    -- once, as each update of a pool is one moment of its history
    update credit_pools p set last_seq = seq, last_hash = chain, commit_before = null
    where p.id = pool.id and case when ends then left_held = 0 else left_over = 0 end;
  end loop;
  return outcome;
end $$;

create or replace function credit_reserve(tenant uuid, wanted numeric, operation text, project uuid, actor uuid, request text, dry boolean)
returns credit_outcome language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  outcome credit_outcome;
  seq bigint;
  first_hash bytea;
  second_hash bytea;
  part record;
  at timestamptz;
  posting bigint;
  new_hold bigint;
  lots integer;
begin
  if not dry then select p.last_seq, p.last_hash into seq, second_hash from credit_pools p where p.id = tenant for update; end if;
  outcome.operation_id := operation;
  -- the pool is made by its first credits, which may come just now
  if not dry and seq is null then
    outcome.refusal := 'TooFewCredits';
    outcome.available := 0;
    return outcome;
  end if;
  at := clock_timestamp();
  part := credit_take(tenant, wanted, at, null, null, null);
  if part.taken < wanted then
    outcome.refusal := 'TooFewCredits';
    outcome.available := part.taken;
    return outcome;
  end if;
  outcome.credits := wanted;
  if dry then return outcome; end if;
  posting := nextval('credit_postings');
  lots := cardinality(part.lots);
  for n in 1 .. lots loop
    new_hold := nextval('credit_holds_id_seq');
    first_hash := credit_digest(second_hash, tenant, seq + 1, posting, 'Reserve', 'Available', -part.takes[n], part.lots[n], new_hold,
      operation, project, at, actor, request, null);
    second_hash := credit_digest(first_hash, tenant, seq + 2, posting, 'Reserve', 'Reserved', part.takes[n], part.lots[n], new_hold,
      operation, project, at, actor, request, null);
    with lot as (update credit_lots l set available = l.available - part.takes[n], reserved = l.reserved + part.takes[n] where l.id = part.lots[n]),
    hold as (
      insert into credit_holds (id, pool_id, lot_id, operation_id, project_id, amount, created_at, created_by) overriding system value
      values (new_hold, tenant, part.lots[n], operation, project, part.takes[n], at, actor)),
    entries as (
      insert into credit_entries values
        (tenant, seq + 1, posting, 'Reserve', 'Available', -part.takes[n], part.lots[n], new_hold, operation, project, at, actor, request,
          first_hash),
        (tenant, seq + 2, posting, 'Reserve', 'Reserved', part.takes[n], part.lots[n], new_hold, operation, project, at, actor, request,
          second_hash))
    -- once, as each update of a pool is one moment of its history
    update credit_pools p set last_seq = seq + 2, last_hash = second_hash, commit_before = part.before where p.id = tenant and n = lots;
    seq := seq + 2;
  end loop;
  return outcome;
end $$;

-- Spends what is reserved for the operation; if nothing is, what is available.
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
  -- the pool is made by its first credits, which may come just now
  if pool.id is null then
    outcome := ('TooFewCredits', null, 0, null, operation);
    return outcome;
  end if;
  if operation is not null then
    outcome := credit_settle(pool, wanted, false, operation, project, actor, request, dry);
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
  outcome := credit_settle(pool, 0, true, operation, null, actor, request, dry);
  if outcome.reserved is null then outcome.refusal := 'NothingHeld'; return outcome; end if;
  outcome.credits := outcome.reserved;
  outcome.reserved := null;
  return outcome;
end $$;

-- Moves credits to another pool, where they are new lots with the same terms.
create or replace function credit_move(source uuid, target uuid, wanted numeric, reference text, reference_type text, actor uuid, request text,
  dry boolean) returns credit_outcome language plpgsql as $$
declare
  generic constant uuid := '00000000-0000-0000-0000-000000000000';
  between_tenants constant boolean := source <> generic and target <> generic;
  outcome credit_outcome;
  part record;
  lot bigint;
  taken_legs credit_leg[] := '{}';
  given_legs credit_leg[] := '{}';
begin
  if target <> generic then
    if dry then perform from tenants where id = target; else perform from tenants where id = target for key share; end if;
    if not found then outcome.refusal := 'Tenant'; return outcome; end if;
  end if;
  if between_tenants and not exists (
    select from credit_lots s join credit_lots t using (billing_reference, billing_reference_type)
    where s.pool_id = source and t.pool_id = target)
  then
    outcome.refusal := 'NoCommonBillingReference';
    return outcome;
  end if;
  if not dry then perform credit_lock(array[source, target]); end if;
  part := credit_take(source, wanted, clock_timestamp(), case when between_tenants then target end, reference, reference_type);
  if part.taken < wanted then
    outcome.refusal := 'TooFewCredits';
    outcome.available := part.taken;
    return outcome;
  end if;
  if credit_available(target, clock_timestamp()) + wanted > 999999999.999999 then outcome.refusal := 'PoolFull'; return outcome; end if;
  outcome.credits := wanted;
  if dry then return outcome; end if;
  update credit_lots l set available = l.available - t.take, moved = l.moved + t.take
  from unnest(part.lots, part.takes) t(lot, take) where l.id = t.lot;
  for n in 1 .. cardinality(part.lots) loop
    insert into credit_lots (pool_id, amount, available, expires_at, expires_text, sales_order_id, billing_reference, billing_reference_type,
      billing_reference_tag, source_id, created_at, created_by)
    select target, part.takes[n], part.takes[n], expires_at, expires_text, sales_order_id, billing_reference, billing_reference_type,
      billing_reference_tag, id, clock_timestamp(), actor from credit_lots where id = part.lots[n] returning id into lot;
    taken_legs := taken_legs || (source, part.lots[n], 'Available', -part.takes[n], null, null)::credit_leg;
    given_legs := given_legs || (target, lot, 'Available', part.takes[n], null, null)::credit_leg;
  end loop;
  perform credit_post('Move', null, actor, request, taken_legs || given_legs, part.before);
  return outcome;
end $$;

-- Books what has expired in a pool. `lots`: how many.
create or replace function credit_expire(pool uuid, actor uuid, request text, dry boolean, out lots integer, out credits numeric)
language plpgsql as $$
declare
  lot record;
  at timestamptz;
  legs credit_leg[] := '{}';
begin
  lots := 0; credits := 0;
  if not dry then perform from credit_pools where id = pool for update; end if;
  at := clock_timestamp();
  for lot in select id, available from credit_lots where pool_id = pool and is_open and available > 0 and expires_at <= at order by expires_at, id
  loop
    lots := lots + 1;
    credits := credits + lot.available;
    continue when dry;
    update credit_lots set available = 0, expired = expired + lot.available where id = lot.id;
    perform credit_expired_event(lot.id, lot.available, request);
    legs := legs || (pool, lot.id, 'Available', -lot.available, null, null)::credit_leg
      || (pool, lot.id, 'Expired', lot.available, null, null)::credit_leg;
  end loop;
  if cardinality(legs) > 0 then perform credit_post('Expire', null, actor, request, legs, null); end if;
end $$;

-- Writes an event for available credits that expire within 30, 14 and 3 days, once for each of these.
create or replace function credit_warn(pool uuid) returns integer language plpgsql as $$
declare
  lot record;
  warned integer := 0;
begin
  perform from credit_pools where id = pool for update;
  for lot in
    select l.*, d.days from credit_lots l,
      lateral (select min(days) as days from unnest(array[3, 14, 30]) days
        where l.expires_at <= clock_timestamp() + days * interval '1 day') d
    where l.pool_id = pool and l.is_open and l.available > 0 and l.expires_at > clock_timestamp() and d.days is not null
      and (l.warned_days is null or l.warned_days > d.days)
    order by l.expires_at, l.id
  loop
    update credit_lots set warned_days = lot.days where id = lot.id;
    insert into events (type, source, subject, tenant_id, resource_id, data)
    select 'svc.platform.events.creditsexpiringevent', '/svc/platform/credit', 'Credits expiring', p.tenant, lot.id::text,
      jsonb_strip_nulls(jsonb_build_object('CustomerGuid', p.tenant, 'Credits', trim_scale(lot.available), 'ExpiresAt', lot.expires_text,
        'Days', lot.days, 'SalesOrderId', lot.sales_order_id, 'BillingReference', jsonb_build_object(
          'BillingReference', lot.billing_reference, 'BillingReferenceTag', lot.billing_reference_tag,
          'BillingReferenceType', lot.billing_reference_type)))
    from (select nullif(pool, '00000000-0000-0000-0000-000000000000') as tenant) p;
    warned := warned + 1;
  end loop;
  return warned;
end $$;

-- Reserves the price of a transfer when its start commits. The start has checked the balance without a lock, so the
-- commit fails if other transactions have used up the credits since.
create or replace function reserve_price() returns trigger language plpgsql as $$
declare
  wanted constant numeric := (new.price ->> 'reserved')::numeric;
  outcome credit_outcome;
begin
  -- it may have ended in the same transaction
  if not exists (select from transfers where id = new.id and finished_at is null) then return null; end if;
  outcome := credit_reserve(coalesce(new.source_tenant_id, new.tenant_id), wanted, new.id::text,
    coalesce(new.source_project_id, new.project_id), new.created_by, new.request_id, false);
  if outcome.refusal is not null then
    raise exception 'Too few credits. Only % credits are available. % are needed.', trim_scale(outcome.available), trim_scale(wanted)
      using errcode = 'PT409', detail = json_build_object('code', 'TooFewCredits', 'available', trim_scale(outcome.available));
  end if;
  return null;
end $$;
-- processes of an earlier version reserve by themselves, and store no amount in `price`
drop trigger if exists reserves_price on transfers;
create constraint trigger reserves_price after insert on transfers deferrable initially deferred for each row
  when (new.price ? 'reserved') execute function reserve_price();

-- At the end of a transfer: spends its price, at most what is reserved, and releases the rest.
create or replace function settle_price() returns trigger language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
  pool credit_pools;
  used numeric := 0;
begin
  select * into pool from credit_pools where id = coalesce(old.source_tenant_id, old.tenant_id) for update;
  if tg_op = 'UPDATE' and new.status = 'Completed' then
    -- the clock may have been set back
    used := greatest(0, round((old.price ->> 'fixed')::numeric
      + (old.price ->> 'perHour')::numeric * extract(epoch from new.finished_at - new.started_at) / 3600, 6));
  end if;
  perform credit_settle(pool, used, true, old.id::text, null, old.created_by, old.request_id, false);
  return old;
end $$;
create or replace trigger settles_price after update of status on transfers for each row
  when (old.price is not null and old.finished_at is null and new.finished_at is not null) execute function settle_price();
create or replace trigger releases_price before delete on transfers for each row
  when (old.price is not null and old.finished_at is null) execute function settle_price();
