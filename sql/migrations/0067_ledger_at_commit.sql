-- Transfers reserve their credits at the commit that starts them, so that the pool is locked as briefly as possible; and each operation writes
-- lot, hold, entries and pool in one statement. Most of an operation's time is the start and end of its statements.

-- What the entries refer to never changes and is never deleted (triggers `terms` and `stays`), so one look at their insertion replaces the
-- foreign keys, with one statement for all entries instead of two for each of them. `verify` looks at it, too.
alter table credit_entries drop constraint credit_entries_lot_id_pool_id_fkey, drop constraint credit_entries_hold_id_lot_id_fkey,
  drop constraint credit_entries_check;
alter table credit_holds drop constraint credit_holds_id_lot_id_key;

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

create domain credit_end as bigint check (value >= 0);
drop trigger commits on credit_pools;
alter table credit_pools drop constraint credit_pools_last_seq_check, alter column last_seq type credit_end;
-- every posting sets `last_seq`, and nothing else does
create constraint trigger commits after update of last_seq on credit_pools deferrable initially deferred for each row
  execute function commit_credits();

-- Hash of an entry with these values; see `credit_entries.hash`. `terms`: of the entry that makes a lot.
create function credit_digest(previous bytea, pool uuid, seq bigint, posting bigint, kind text, account text, amount numeric, lot bigint,
  hold bigint, operation text, project uuid, at timestamptz, actor uuid, request text, terms text) returns bytea language sql stable as $$
  select sha256(previous || convert_to(json_build_array(pool, seq, posting, kind, account, amount::numeric(15, 6), lot, hold, operation,
    project, extract(epoch from at), actor, request, terms)::text, 'UTF8'))
$$;

create or replace function credit_hash(previous bytea, e credit_entries) returns bytea language sql stable as $$
  select credit_digest(previous, e.pool_id, e.seq, e.posting_id, e.kind, e.account, e.amount, e.lot_id, e.hold_id, e.operation_id,
    e.project_id, e.created_at, e.created_by, e.request_id,
    case when e.kind in ('Add', 'Move') and e.account = 'Available' and e.amount > 0 then credit_terms(e.lot_id) end)
$$;

drop function credit_post(text, text, uuid, text, credit_leg[], timestamptz, credit_pools, credit_leg[]);

-- Writes a posting into locked pools. Legs of one pool follow one another. `pool`: the first of them, if its row is at hand.
create function credit_post(kind text, operation text, actor uuid, request text, legs credit_leg[], before timestamptz,
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
  at := clock_timestamp();
  part := credit_take(tenant, wanted, at, null, null, null);
  outcome.operation_id := operation;
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

-- Takes credits out of the reservation of an operation, in burn order: `wanted` to Spent, and if it `ends`, the rest back to Available, or to
-- Expired if they expired meanwhile. `reserved`: what was held; null: nothing. If it does not end and less than `wanted` is held, nothing is
-- taken. `pool`: locked.
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
  -- of the first entries of both
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

-- A transfer reserves its price when its start commits: the start was checked before, without waiting for others who use the pool. What they
-- used up since then refuses the commit.
create function reserve_price() returns trigger language plpgsql as $$
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
-- processes of an earlier version reserve themselves, and store no amount
create constraint trigger reserves_price after insert on transfers deferrable initially deferred for each row
  when (new.price ? 'reserved') execute function reserve_price();
