-- Reserving and spending when the first credits of a pool are added at the same moment: the pool was not there to be locked, but its lots
-- were found. Both refuse now as before the add.

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
