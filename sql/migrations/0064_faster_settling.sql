-- The end of a transfer spends and releases its credits in one pass over its holds, with one update of the pool.

drop function credit_post(text, text, uuid, text, credit_leg[], timestamptz, credit_pools);

-- Writes postings into locked pools: `legs`, whose legs of one pool follow one another, and after them `released`, of the kind Release, into
-- the last pool. `pool`: the first of them, if its row is at hand.
create function credit_post(kind text, operation text, actor uuid, request text, legs credit_leg[], before timestamptz,
  pool credit_pools default null, released credit_leg[] default '{}') returns void language plpgsql as $$
declare
  posting bigint;
  posted integer := 0;
  at timestamptz := clock_timestamp();
  leg credit_leg;
  entry credit_entries;
  entries credit_entries[] := '{}';
begin
  foreach leg in array legs || released loop
    if pool.id is distinct from leg.pool_id then
      if pool.id is not null then
        update credit_pools set last_seq = pool.last_seq, last_hash = pool.last_hash, commit_before = before where id = pool.id;
      end if;
      select * into strict pool from credit_pools where id = leg.pool_id;
    end if;
    if posted = cardinality(legs) then kind := 'Release'; posting := null; end if;
    if posting is null then posting := nextval('credit_postings'); end if;
    posted := posted + 1;
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

drop function credit_settle(credit_pools, text, numeric, text, uuid, uuid, text, boolean);

-- Takes credits out of the reservation of an operation, in burn order: `wanted` to Spent, and if it `ends`, the rest back to Available, or to
-- Expired if they expired meanwhile. `reserved`: what was held; null: nothing. If it does not end and less than `wanted` is held, nothing is
-- taken.
create function credit_settle(pool credit_pools, wanted numeric, ends boolean, operation text, project uuid, actor uuid, request text,
  dry boolean) returns credit_outcome language plpgsql as $$
declare
  outcome credit_outcome;
  at timestamptz := clock_timestamp();
  hold record;
  account text;
  spends numeric;
  frees numeric;
  left_over numeric := wanted;
  spent_legs credit_leg[] := '{}';
  freed_legs credit_leg[] := '{}';
begin
  outcome.operation_id := operation;
  for hold in
    select h.id, h.lot_id, coalesce(project, h.project_id) as project_id, h.amount - h.spent - h.released as held, l.expires_at <= at as expired,
      sum(h.amount - h.spent - h.released) over () as total
    -- `offset` keeps the planner from a scan of all lots
    from credit_holds h, lateral (select expires_at from credit_lots where id = h.lot_id offset 0) l
    where h.pool_id = pool.id and h.operation_id = operation and h.is_open order by l.expires_at, h.lot_id, h.id
  loop
    outcome.reserved := hold.total;
    exit when dry or (not ends and (hold.total < wanted or left_over = 0));
    spends := least(hold.held, left_over);
    left_over := left_over - spends;
    frees := case when ends then hold.held - spends else 0 end;
    account := case when hold.expired then 'Expired' else 'Available' end;
    with held as (update credit_holds set spent = spent + spends, released = released + frees where id = hold.id)
    update credit_lots set reserved = reserved - spends - frees, spent = spent + spends,
      available = available + case when hold.expired then 0 else frees end,
      expired = expired + case when hold.expired then frees else 0 end where id = hold.lot_id;
    if spends > 0 then
      spent_legs := spent_legs || (pool.id, hold.lot_id, 'Reserved', -spends, hold.id, hold.project_id)::credit_leg
        || (pool.id, hold.lot_id, 'Spent', spends, hold.id, hold.project_id)::credit_leg;
    end if;
    if frees > 0 then
      freed_legs := freed_legs || (pool.id, hold.lot_id, 'Reserved', -frees, hold.id, hold.project_id)::credit_leg
        || (pool.id, hold.lot_id, account, frees, hold.id, hold.project_id)::credit_leg;
      if hold.expired then perform credit_expired_event(hold.lot_id, frees, request); end if;
    end if;
  end loop;
  if spent_legs <> '{}' or freed_legs <> '{}' then
    perform credit_post('Spend', operation, actor, request, spent_legs, null, pool, freed_legs);
  end if;
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

-- At the end of a transfer: what was used is spent, at most what is held, and the rest released.
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
