import { z } from 'zod';
import { type Reads, sql } from '../db.ts';
import type { Caller } from '../http/caller.ts';
import { amount } from './queries.ts';
import { projectNames, shownCreator } from './shown.queries.ts';

export const KINDS = ['Add', 'Reserve', 'Spend', 'Release', 'Move', 'Expire'] as const;
export const ACCOUNTS = ['Issued', 'Available', 'Reserved', 'Spent', 'Expired'] as const;

const Entry = z.object({
  seq: z.number(),
  kind: z.enum(KINDS),
  account: z.enum(ACCOUNTS),
  credits: amount(),
  lotId: z.number(),
  expiresAt: z.string(),
  salesOrderId: z.string(),
  projectId: z.string().optional(),
  createdAt: z.string(),
  createdBy: z.string().optional(),
  requestId: z.string().optional(),
});
export type LedgerEntry = z.infer<typeof Entry>;

/** Entries of an operation, in the order in which they were written. */
export const listOperationEntries = (db: Reads, caller: Caller, pool: string, operationId: string) =>
  db.any(sql.type(Entry)`
    select e.seq, e.kind, e.account, e.amount as credits, e.lot_id, l.expires_text as expires_at, l.sales_order_id, e.project_id, e.created_at,
      e.request_id, ${shownCreator(caller, pool, sql.fragment`e`)}
    from credit_entries e join credit_lots l on l.id = e.lot_id ${projectNames(caller, sql.fragment`e`)}
    where e.pool_id = ${pool} and e.operation_id = ${operationId} order by e.seq`);

const Pace = z.object({ spent: amount(), now: z.string() });

/** Credits spent by a pool within the last days, by the database's clock. */
export const findPace = (db: Reads, pool: string, days: number) =>
  db.one(sql.type(Pace)`
    select statement_timestamp() as now, coalesce(sum(amount), 0) as spent from credit_entries
    where pool_id = ${pool} and account = 'Spent' and seq > coalesce((
      select seq from credit_commits where pool_id = ${pool} and committed_at < statement_timestamp() - ${days}::int * interval '1 day'
      order by committed_at desc, seq desc limit 1), 0)`);

const Expiry = z.object({ expiresAt: z.string(), instant: z.string(), credits: amount() });
export type Expiry = z.infer<typeof Expiry>;

/** Available credits by expiry time, the earliest first. */
export const listExpiries = (db: Reads, pool: string) =>
  db.any(sql.type(Expiry)`
    select min(expires_text) as expires_at, expires_at as instant, sum(available) as credits from credit_lots
    where pool_id = ${pool} and is_open and available > 0 and expires_at > statement_timestamp()
    group by credit_lots.expires_at order by instant`);

const PoolHead = z.object({ id: z.string(), lastSeq: z.number() });

export const listPools = (db: Reads) => db.any(sql.type(PoolHead)`select id, last_seq from credit_pools order by id`);

const Link = z.object({
  entries: z.number(),
  seq: z.number().optional(),
  hash: z.instanceof(Buffer).optional(),
  wrong: z.number().optional(),
});

/**
 * Checks the hashes of the next entries of a pool, up to `until`: returns how many there are, the last one, and the
 * first one that is wrong.
 * @param previous hash of entry `after`
 */
export const checkChain = (
  db: Reads,
  {
    pool,
    after,
    previous,
    until,
    limit,
  }: { pool: string; after: number; previous: Buffer; until: number; limit: number },
) =>
  db.one(sql.type(Link)`
    with part as materialized (
      select e.seq, e.hash, row_number() over (order by e.seq) + ${after}::bigint as expected_seq,
        credit_hash(coalesce(lag(e.hash) over (order by e.seq), ${sql.binary(previous)}), e) as expected
      from (select * from credit_entries where pool_id = ${pool} and seq > ${after} and seq <= ${until} order by seq limit ${limit}) e)
    select count(*) as entries, max(seq) as seq, (select hash from part order by seq desc limit 1) as hash,
      min(seq) filter (where hash <> expected or seq <> expected_seq) as wrong from part`);

const Fault = z.object({ reason: z.string(), seq: z.number().optional(), lotId: z.number().optional() });
export type Fault = z.infer<typeof Fault>;

/**
 * The first fault of a pool in one snapshot: its end is not the last entry; or the parts of a lot, or of a hold, are
 * not the sums of their entries; or entries of another pool than the lot's.
 */
export const findPoolFault = (db: Reads, pool: string) =>
  db.maybeOne(sql.type(Fault)`
    with sums as materialized (
      select lot_id, hold_id, max(seq) as seq,
        sum(amount) filter (where account = 'Available') as available, sum(amount) filter (where account = 'Reserved') as reserved,
        sum(amount) filter (where account = 'Spent') as spent, sum(amount) filter (where account = 'Expired') as expired,
        sum(amount) filter (where kind = 'Release' and account = 'Reserved') as released,
        sum(amount) filter (where kind = 'Reserve' and account = 'Reserved') as taken,
        sum(amount) filter (where kind = 'Move' and amount < 0) as moved,
        sum(amount) filter (where kind = 'Add' and account = 'Available' or kind = 'Move' and amount > 0) as put
      from credit_entries where pool_id = ${pool} group by lot_id, hold_id),
    by_lot as (
      select lot_id, max(seq) as seq, coalesce(sum(available), 0) as available, coalesce(sum(reserved), 0) as reserved,
        coalesce(sum(spent), 0) as spent, coalesce(sum(expired), 0) as expired, -coalesce(sum(moved), 0) as moved, coalesce(sum(put), 0) as put
      from sums group by lot_id)
    select reason, seq, lot_id from (
      select 1 as n, 'The ledger ends with another entry than the pool.' as reason, p.last_seq as seq, null::bigint as lot_id
      from credit_pools p left join lateral (
        select seq, hash from credit_entries e where e.pool_id = p.id order by seq desc limit 1) e on true
      where p.id = ${pool} and (coalesce(e.seq, 0), coalesce(e.hash, '')) is distinct from (p.last_seq, p.last_hash)
      union all
      select 2, 'The parts of the lot differ from the sums of its entries.', s.seq, l.id
      from credit_lots l left join by_lot s on s.lot_id = l.id
      where l.pool_id = ${pool} and (l.amount, l.available, l.reserved, l.spent, l.expired, l.moved)
        is distinct from (s.put, s.available, s.reserved, s.spent, s.expired, s.moved)
      union all
      select 3, 'The parts of a hold differ from the sums of its entries.', s.seq, h.lot_id
      from credit_holds h left join sums s on s.hold_id = h.id and s.lot_id = h.lot_id
      where h.pool_id = ${pool} and (h.amount, h.spent, h.released) is distinct from (s.taken, coalesce(s.spent, 0), -coalesce(s.released, 0))
      union all
      select 4, 'The entry has a lot of another pool, or a hold of another lot.', s.seq, s.lot_id
      from sums s left join credit_lots l on l.id = s.lot_id left join credit_holds h on h.id = s.hold_id
      where l.pool_id is distinct from ${pool} or (s.hold_id is not null and h.lot_id is distinct from s.lot_id)
    ) f order by n, seq nulls first limit 1`);

/** A posting whose entries do not sum to zero. */
export const findUnbalancedPosting = (db: Reads) =>
  db.maybeOne(sql.type(z.object({ pool: z.string(), seq: z.number() }))`
    select (array_agg(pool_id order by seq))[1] as pool, min(seq) as seq from credit_entries
    group by posting_id having sum(amount) <> 0 order by posting_id limit 1`);
