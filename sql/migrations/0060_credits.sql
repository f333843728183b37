-- Credits of tenants: a double-entry ledger. `credit_entries` is the truth; lots and holds are kept in step with it by the functions below,
-- and `credit verify` compares them. Every function locks the pools first, in the order of their ids, and nothing else after them.

-- Credits of a tenant. The row is the lock of the pool and the end of its chain of entries. No foreign key: the ledger outlives its tenant.
create table credit_pools (
  -- id of the tenant; of the generic pool the nil UUID
  id uuid primary key,
  last_seq bigint not null default 0 check (last_seq >= 0),
  last_hash bytea not null default '',
  -- the last posting used credits that expire then: it must be committed before
  commit_before timestamptz
) with (fillfactor = 50);
insert into credit_pools (id) values ('00000000-0000-0000-0000-000000000000');

-- What one add or one move put into a pool. Its parts add up to `amount`.
create table credit_lots (
  id bigint generated always as identity primary key,
  pool_id uuid not null references credit_pools,
  amount numeric(15, 6) not null check (amount > 0),
  -- unusable from this instant on; `expires_text`: as the client gave it
  expires_at timestamptz not null,
  expires_text text not null,
  sales_order_id text not null check (length(sales_order_id) between 1 and 255),
  billing_reference text not null check (length(billing_reference) between 1 and 255),
  billing_reference_type text not null check (length(billing_reference_type) between 1 and 255),
  billing_reference_tag text not null check (length(billing_reference_tag) <= 255),
  -- the lot that it was moved from
  source_id bigint references credit_lots,
  available numeric(15, 6) not null check (available >= 0),
  reserved numeric(15, 6) not null default 0 check (reserved >= 0),
  spent numeric(15, 6) not null default 0 check (spent >= 0),
  expired numeric(15, 6) not null default 0 check (expired >= 0),
  moved numeric(15, 6) not null default 0 check (moved >= 0),
  is_open boolean not null generated always as (available > 0 or reserved > 0) stored,
  -- days before the expiry that the last warning was for
  warned_days smallint,
  created_at timestamptz not null,
  created_by uuid,
  unique (id, pool_id),
  check (amount = available + reserved + spent + expired + moved)
) with (fillfactor = 50);
create index credit_lots_open on credit_lots (pool_id, expires_at, id) where is_open;
create index credit_lots_references on credit_lots (pool_id, billing_reference, billing_reference_type);
-- for the cron job
create index credit_lots_expiry on credit_lots (expires_at) where is_open;

-- Credits of one lot, reserved for an operation. Several holds of an operation are one reservation.
create table credit_holds (
  id bigint generated always as identity primary key,
  pool_id uuid not null,
  lot_id bigint not null,
  operation_id text not null check (length(operation_id) between 1 and 255),
  project_id uuid,
  amount numeric(15, 6) not null check (amount > 0),
  spent numeric(15, 6) not null default 0 check (spent >= 0),
  released numeric(15, 6) not null default 0 check (released >= 0),
  is_open boolean not null generated always as (spent + released < amount) stored,
  created_at timestamptz not null,
  created_by uuid,
  unique (id, lot_id),
  foreign key (lot_id, pool_id) references credit_lots (id, pool_id),
  check (spent + released <= amount)
) with (fillfactor = 80);
create index credit_holds_open on credit_holds (pool_id, operation_id) where is_open;

-- Entries of a posting have one `posting_id` and sum to zero. `Issued` is the other side of what was added.
create table credit_entries (
  pool_id uuid not null,
  seq bigint not null check (seq > 0),
  posting_id bigint not null,
  kind text not null check (kind in ('Add', 'Reserve', 'Spend', 'Release', 'Move', 'Expire')),
  account text not null check (account in ('Issued', 'Available', 'Reserved', 'Spent', 'Expired')),
  amount numeric(15, 6) not null check (amount <> 0),
  lot_id bigint not null,
  hold_id bigint,
  operation_id text check (length(operation_id) between 1 and 255),
  project_id uuid,
  created_at timestamptz not null,
  created_by uuid,
  request_id text,
  -- SHA-256 of the hash before it in the pool, and of this entry
  hash bytea not null check (length(hash) = 32),
  primary key (pool_id, seq),
  foreign key (lot_id, pool_id) references credit_lots (id, pool_id),
  foreign key (hold_id, lot_id) references credit_holds (id, lot_id),
  check ((account = 'Reserved') <= (hold_id is not null))
);
create index credit_entries_operation on credit_entries (pool_id, operation_id, seq) where operation_id is not null;
create sequence credit_postings;

-- Entries up to `seq` were committed at that time, so that balances in the past count what could be seen then.
create table credit_commits (
  pool_id uuid not null,
  committed_at timestamptz not null,
  seq bigint not null,
  primary key (pool_id, committed_at, seq)
);

-- The ledger only grows. The owner of the tables could take its privileges back, and a superuser has all of them, hence the triggers.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% of % is not allowed: the ledger only grows.', lower(tg_op), tg_table_name using errcode = 'insufficient_privilege';
end $$;
create trigger only_inserts before update or delete or truncate on credit_entries for each statement execute function refuse_change();
create trigger only_inserts before update or delete or truncate on credit_commits for each statement execute function refuse_change();
create trigger stays before delete or truncate on credit_pools for each statement execute function refuse_change();
create trigger stays before delete or truncate on credit_lots for each statement execute function refuse_change();
create trigger stays before delete or truncate on credit_holds for each statement execute function refuse_change();
create trigger terms before update on credit_lots for each row
  when ((old.id, old.pool_id, old.amount, old.expires_at, old.expires_text, old.sales_order_id, old.billing_reference,
      old.billing_reference_type, old.billing_reference_tag, old.source_id)
    is distinct from (new.id, new.pool_id, new.amount, new.expires_at, new.expires_text, new.sales_order_id, new.billing_reference,
      new.billing_reference_type, new.billing_reference_tag, new.source_id))
  execute function refuse_change();
-- a hold ends once: nothing of it changes after its end, and its parts only grow
create trigger terms before update on credit_holds for each row
  when (not old.is_open or new.spent < old.spent or new.released < old.released
    or (old.id, old.pool_id, old.lot_id, old.operation_id, old.project_id, old.amount, old.created_at, old.created_by)
      is distinct from (new.id, new.pool_id, new.lot_id, new.operation_id, new.project_id, new.amount, new.created_at, new.created_by))
  execute function refuse_change();
do $$
begin
  revoke all on credit_entries, credit_commits, credit_pools, credit_lots, credit_holds from public;
  execute format('revoke update, delete, truncate on credit_entries, credit_commits from %I', current_user);
  execute format('revoke delete, truncate on credit_pools, credit_lots, credit_holds from %I', current_user);
end $$;

create function check_credit_postings() returns trigger language plpgsql as $$
begin
  if exists (select from added group by posting_id having sum(amount) <> 0) then
    raise exception 'The entries of a posting do not sum to zero.' using errcode = 'check_violation';
  end if;
  return null;
end $$;
create trigger sums after insert on credit_entries referencing new table as added
  for each statement execute function check_credit_postings();

-- At the commit. A retry sees that the credits have expired: serialization_failure.
create function commit_credits() returns trigger language plpgsql as $$
declare
  at timestamptz := clock_timestamp();
begin
  if new.commit_before <= at then
    raise exception 'Credits expired before the transaction was committed.' using errcode = 'serialization_failure';
  end if;
  insert into credit_commits (pool_id, committed_at, seq) values (new.id, at, new.last_seq);
  return null;
end $$;
create constraint trigger commits after update on credit_pools deferrable initially deferred for each row
  when (old.last_seq <> new.last_seq) execute function commit_credits();

-- What a lot is, for the hash of the entry that makes it.
create function credit_terms(lot bigint) returns text language sql stable as $$
  select json_build_array(l.amount, extract(epoch from l.expires_at), l.expires_text, l.sales_order_id, l.billing_reference,
    l.billing_reference_type, l.billing_reference_tag, l.source_id)::text
  from credit_lots l where l.id = lot
$$;

create function credit_hash(previous bytea, e credit_entries) returns bytea language sql stable as $$
  select sha256(previous || convert_to(json_build_array(e.pool_id, e.seq, e.posting_id, e.kind, e.account, e.amount, e.lot_id, e.hold_id,
    e.operation_id, e.project_id, extract(epoch from e.created_at), e.created_by, e.request_id,
    case when e.kind in ('Add', 'Move') and e.account = 'Available' and e.amount > 0 then credit_terms(e.lot_id) end)::text, 'UTF8'))
$$;

create type credit_leg as (pool_id uuid, lot_id bigint, account text, amount numeric(15, 6), hold_id bigint, project_id uuid);

-- Writes a posting into locked pools. Legs of one pool follow one another.
create function credit_post(kind text, operation text, actor uuid, request text, legs credit_leg[], before timestamptz)
returns void language plpgsql as $$
declare
  posting bigint := nextval('credit_postings');
  at timestamptz := clock_timestamp();
  leg credit_leg;
  pool credit_pools;
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
  insert into credit_entries select * from unnest(entries);
  foreach pool in array ends loop
    update credit_pools set last_seq = pool.last_seq, last_hash = pool.last_hash, commit_before = before where id = pool.id;
  end loop;
end $$;

-- Locks pools in the order of their ids, and creates those that are not there.
create function credit_lock(pools uuid[]) returns void language plpgsql as $$
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

-- Sum of what can be used in a pool.
create function credit_available(pool uuid, at timestamptz) returns numeric language sql stable as $$
  select coalesce(sum(available), 0) from credit_lots where pool_id = pool and is_open and expires_at > at
$$;

-- Lots to take credits from, in burn order: the earliest expiry first, then the oldest. `taken` may be less than `wanted`.
-- `other`: only lots whose billing reference has ever been in that pool.
create function credit_take(pool uuid, wanted numeric, at timestamptz, other uuid, reference text, reference_type text,
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

-- `refusal`: why nothing was done; else the amount added, reserved, …
create type credit_outcome as (refusal text, credits numeric(24, 6), available numeric(24, 6), reserved numeric(24, 6), operation_id text);

create function credit_add(tenant uuid, wanted numeric, expires timestamptz, expires_text text, sales_order text, reference text,
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

create function credit_reserve(tenant uuid, wanted numeric, operation text, project uuid, actor uuid, request text, dry boolean)
returns credit_outcome language plpgsql as $$
declare
  outcome credit_outcome;
  part record;
  hold bigint;
  legs credit_leg[] := '{}';
begin
  if not dry then perform from credit_pools where id = tenant for update; end if;
  part := credit_take(tenant, wanted, clock_timestamp(), null, null, null);
  outcome.operation_id := operation;
  if part.taken < wanted then
    outcome.refusal := 'TooFewCredits';
    outcome.available := part.taken;
    return outcome;
  end if;
  outcome.credits := wanted;
  if dry then return outcome; end if;
  update credit_lots l set available = l.available - t.take, reserved = l.reserved + t.take
  from unnest(part.lots, part.takes) t(lot, take) where l.id = t.lot;
  for n in 1 .. cardinality(part.lots) loop
    insert into credit_holds (pool_id, lot_id, operation_id, project_id, amount, created_at, created_by)
    values (tenant, part.lots[n], operation, project, part.takes[n], clock_timestamp(), actor) returning id into hold;
    legs := legs || (tenant, part.lots[n], 'Available', -part.takes[n], hold, project)::credit_leg
      || (tenant, part.lots[n], 'Reserved', part.takes[n], hold, project)::credit_leg;
  end loop;
  perform credit_post('Reserve', operation, actor, request, legs, part.before);
  return outcome;
end $$;

-- Spends what is reserved for the operation; if nothing is, what is available.
create function credit_spend(tenant uuid, wanted numeric, operation text, project uuid, actor uuid, request text, dry boolean)
returns credit_outcome language plpgsql as $$
declare
  outcome credit_outcome;
  part record;
  hold record;
  take numeric;
  left_over numeric := wanted;
  legs credit_leg[] := '{}';
begin
  if not dry then perform from credit_pools where id = tenant for update; end if;
  outcome.operation_id := operation;
  if operation is not null then
    select sum(amount - spent - released) into outcome.reserved from credit_holds
    where pool_id = tenant and operation_id = operation and is_open;
  end if;
  if outcome.reserved < wanted then
    outcome.refusal := 'TooFewCredits';
    outcome.available := credit_available(tenant, clock_timestamp());
    return outcome;
  end if;
  outcome.credits := wanted;
  if outcome.reserved is not null then
    if dry then return outcome; end if;
    for hold in
      select h.id, h.lot_id, h.project_id, h.amount - h.spent - h.released as held from credit_holds h join credit_lots l on l.id = h.lot_id
      where h.pool_id = tenant and h.operation_id = operation and h.is_open order by l.expires_at, l.id, h.id
    loop
      exit when left_over = 0;
      take := least(hold.held, left_over);
      left_over := left_over - take;
      update credit_holds set spent = spent + take where id = hold.id;
      update credit_lots set reserved = reserved - take, spent = spent + take where id = hold.lot_id;
      legs := legs || (tenant, hold.lot_id, 'Reserved', -take, hold.id, coalesce(project, hold.project_id))::credit_leg
        || (tenant, hold.lot_id, 'Spent', take, hold.id, coalesce(project, hold.project_id))::credit_leg;
    end loop;
    perform credit_post('Spend', operation, actor, request, legs, null);
    return outcome;
  end if;
  part := credit_take(tenant, wanted, clock_timestamp(), null, null, null);
  if part.taken < wanted then
    outcome := ('TooFewCredits', null, part.taken, null, operation);
    return outcome;
  end if;
  if dry then return outcome; end if;
  update credit_lots l set available = l.available - t.take, spent = l.spent + t.take
  from unnest(part.lots, part.takes) t(lot, take) where l.id = t.lot;
  for n in 1 .. cardinality(part.lots) loop
    legs := legs || (tenant, part.lots[n], 'Available', -part.takes[n], null, project)::credit_leg
      || (tenant, part.lots[n], 'Spent', part.takes[n], null, project)::credit_leg;
  end loop;
  perform credit_post('Spend', operation, actor, request, legs, part.before);
  return outcome;
end $$;

-- Writes the events of credits that were booked as expired. `pool`: locked.
create function credit_expired_event(lot bigint, credits numeric, request text) returns void language sql as $$
  insert into events (type, source, subject, tenant_id, resource_id, request_id, data)
  select 'svc.platform.events.creditsexpiredevent', '/svc/platform/credit', 'Credits expired', p.tenant, l.id::text, request,
    jsonb_strip_nulls(jsonb_build_object('CustomerGuid', p.tenant, 'Credits', trim_scale(credits), 'ExpiresAt', l.expires_text,
      'SalesOrderId', l.sales_order_id, 'BillingReference', jsonb_build_object('BillingReference', l.billing_reference,
        'BillingReferenceTag', l.billing_reference_tag, 'BillingReferenceType', l.billing_reference_type)))
  from credit_lots l, lateral (select nullif(l.pool_id, '00000000-0000-0000-0000-000000000000') as tenant) p where l.id = lot
$$;

-- Ends the reservation of an operation. What has expired meanwhile is booked as expired.
create function credit_release(tenant uuid, operation text, actor uuid, request text, dry boolean)
returns credit_outcome language plpgsql as $$
declare
  outcome credit_outcome;
  hold record;
  at timestamptz;
  legs credit_leg[] := '{}';
begin
  if not dry then perform from credit_pools where id = tenant for update; end if;
  at := clock_timestamp();
  outcome.operation_id := operation;
  select sum(amount - spent - released) into outcome.credits from credit_holds
  where pool_id = tenant and operation_id = operation and is_open;
  if outcome.credits is null then outcome.refusal := 'NothingHeld'; return outcome; end if;
  if dry then return outcome; end if;
  for hold in
    select h.id, h.lot_id, h.project_id, h.amount - h.spent - h.released as held, l.expires_at <= at as expired
    from credit_holds h join credit_lots l on l.id = h.lot_id
    where h.pool_id = tenant and h.operation_id = operation and h.is_open order by l.expires_at, l.id, h.id
  loop
    update credit_holds set released = released + hold.held where id = hold.id;
    update credit_lots set reserved = reserved - hold.held,
      available = available + case when hold.expired then 0 else hold.held end,
      expired = expired + case when hold.expired then hold.held else 0 end
    where id = hold.lot_id;
    if hold.expired then perform credit_expired_event(hold.lot_id, hold.held, request); end if;
    legs := legs || (tenant, hold.lot_id, 'Reserved', -hold.held, hold.id, hold.project_id)::credit_leg
      || (tenant, hold.lot_id, case when hold.expired then 'Expired' else 'Available' end, hold.held, hold.id, hold.project_id)::credit_leg;
  end loop;
  perform credit_post('Release', operation, actor, request, legs, null);
  return outcome;
end $$;

-- Moves credits to another pool, where they are new lots with the same terms.
create function credit_move(source uuid, target uuid, wanted numeric, reference text, reference_type text, actor uuid, request text,
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
create function credit_expire(pool uuid, actor uuid, request text, dry boolean, out lots integer, out credits numeric)
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
create function credit_warn(pool uuid) returns integer language plpgsql as $$
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
