import { z } from 'zod';
import { type Database, type Fragment, type Reads, sql } from '../db.ts';
import type { Caller } from '../http/caller.ts';
import type { Timestamp } from '../platform/text/time.ts';
import { amount } from './queries.ts';
import { projectNames, shownCreator } from './shown.queries.ts';

/** In the order of answers. */
export const STATUSES = ['Available', 'Reserved', 'Spent', 'Expired'] as const;
export type Status = (typeof STATUSES)[number];

/** Scope of a balance. */
export interface Scope {
  /** Id of the pool. */
  pool: string;
  /** Only lots with this billing reference. */
  billingReference?: string | undefined;
  billingReferenceType?: string | undefined;
  statuses: readonly Status[];
  /** A time in the past. `seq`: the last entry of the pool that was committed then. */
  past?: { at: Timestamp; seq: number } | undefined;
}

const Past = z.object({ future: z.boolean(), seq: z.number() });

/**
 * The last entry of a pool that was committed at a time. Waits for transactions that are just committing: their entries
 * may count.
 */
export const findPast = (db: Database, pool: string, at: Timestamp) =>
  db.transaction(async (tx) => {
    await tx.query(sql.unsafe`select from credit_pools where id = ${pool} for share`);
    return tx.one(sql.type(Past)`
      select ${at}::timestamptz > clock_timestamp() as future, coalesce((
        select seq from credit_commits where pool_id = ${pool} and committed_at <= ${at}::timestamptz
        order by committed_at desc, seq desc limit 1), 0) as seq`);
  });

const instant = ({ past }: Scope) =>
  past === undefined ? sql.fragment`statement_timestamp()` : sql.fragment`${past.at}::timestamptz`;

const ofReference = ({ billingReference, billingReferenceType }: Scope) => sql.fragment`
  (${billingReference ?? null}::text is null or l.billing_reference = ${billingReference ?? null})
    and (${billingReferenceType ?? null}::text is null or l.billing_reference_type = ${billingReferenceType ?? null})`;

/** Lots whose credits are all spent, expired or moved are not looked at if these statuses are not wanted. */
const mayBeClosed = ({ statuses }: Scope) => statuses.includes('Spent') || statuses.includes('Expired');

/**
 * The lots `l` of a pool with their parts: what has expired but is not booked yet counts as expired. Now they come from
 * the lots, for a time in the past from the entries.
 */
function lots(scope: Scope) {
  const { pool, past } = scope;
  const parts =
    past === undefined
      ? sql.fragment`
        select l.*, l.available as usable, l.reserved as held, l.spent as used, l.expired as gone
        from credit_lots l where l.pool_id = ${pool} and (l.is_open or ${mayBeClosed(scope)})`
      : sql.fragment`
        select l.*, p.usable, p.held, p.used, p.gone
        from (
          select e.lot_id, coalesce(sum(amount) filter (where account = 'Available'), 0) as usable,
            coalesce(sum(amount) filter (where account = 'Reserved'), 0) as held,
            coalesce(sum(amount) filter (where account = 'Spent'), 0) as used,
            coalesce(sum(amount) filter (where account = 'Expired'), 0) as gone
          from credit_entries e where e.pool_id = ${pool} and e.seq <= ${past.seq} group by e.lot_id) p
        join credit_lots l on l.id = p.lot_id`;
  return sql.fragment`(
    select l.id, l.expires_at, l.expires_text, l.sales_order_id, l.billing_reference, l.billing_reference_type, l.billing_reference_tag,
      l.held, l.used,
      case when l.expires_at > ${instant(scope)} then l.usable else 0 end as usable,
      case when l.expires_at > ${instant(scope)} then 0 else l.usable end as unbooked,
      l.gone + case when l.expires_at > ${instant(scope)} then 0 else l.usable end as gone
    from (${parts}) l where ${ofReference(scope)})`;
}

const Balance = z.object({ status: z.enum(STATUSES), credits: amount() });
export type Balance = z.infer<typeof Balance>;

/** Sum by status, also of statuses that have none. */
export const listBalances = (db: Reads, scope: Scope) =>
  db.any(sql.type(Balance)`
    select s.status, case s.status when 'Available' then sum(l.usable) when 'Reserved' then sum(l.held)
      when 'Spent' then sum(l.used) else sum(l.gone) end as credits
    from (select coalesce(sum(usable), 0) as usable, coalesce(sum(held), 0) as held, coalesce(sum(used), 0) as used,
      coalesce(sum(gone), 0) as gone from ${lots(scope)} l) l,
      unnest(${sql.array([...scope.statuses], 'text')}) with ordinality s (status, n)
    group by s.status, s.n order by s.n`);

const LotTerms = {
  expiresAt: z.string(),
  salesOrderId: z.string(),
  billingReference: z.object({
    billingReference: z.string(),
    billingReferenceTag: z.string(),
    billingReferenceType: z.string(),
  }),
};
const terms = sql.fragment`
  l.expires_text as expires_at, l.sales_order_id, jsonb_build_object('billingReference', l.billing_reference,
    'billingReferenceTag', l.billing_reference_tag, 'billingReferenceType', l.billing_reference_type) as billing_reference`;

/** Position of a row in its list. */
const LedgerPosition = z.object({ n: z.number(), expires: z.string(), lotId: z.number(), position: z.number() });
export type LedgerPosition = z.infer<typeof LedgerPosition>;

/** Part of a list: the rows after a place, or from an offset on. */
export interface ListPart {
  after?: LedgerPosition | undefined;
  offset?: number | undefined;
  limit: number;
}

const behind = ({ after }: ListPart, n: Fragment, position: Fragment) =>
  after === undefined
    ? sql.fragment`true`
    : sql.fragment`(${n}, l.expires_at, l.id, ${position})
        > (${after.n}::int, ${after.expires}::timestamptz, ${after.lotId}::bigint, ${after.position}::bigint)`;

const Detail = Balance.extend({ ...LotTerms, ...LedgerPosition.shape });

/** The parts of each lot in burn order, without empty ones. */
export const listDetails = (db: Reads, scope: Scope, part: ListPart) =>
  db.any(sql.type(Detail)`
    select s.status, s.credits, ${terms}, s.n, l.expires_at as expires, l.id as lot_id, 0::bigint as position
    from ${lots(scope)} l, lateral (values
      (1, 'Available', l.usable), (2, 'Reserved', l.held), (3, 'Spent', l.used), (4, 'Expired', l.gone)) s (n, status, credits)
    where s.credits > 0 and s.status = any(${sql.array([...scope.statuses], 'text')})
      and ${behind(part, sql.fragment`s.n`, sql.fragment`0::bigint`)}
    order by s.n, l.expires_at, l.id limit ${part.limit} offset ${part.offset ?? 0}`);

const ExtendedDetail = Detail.extend({
  projectId: z.string().optional(),
  projectName: z.string().optional(),
  operationId: z.string().optional(),
  createdAt: z.string(),
  createdBy: z.string().optional(),
});

/** Open holds; for a time in the past, of what they held then. */
function holds({ pool, past }: Scope) {
  if (past === undefined)
    return sql.fragment`
      select h.lot_id, h.amount - h.spent - h.released as credits, h.operation_id, h.project_id, h.created_at, h.created_by, h.id
      from credit_holds h where h.pool_id = ${pool} and h.is_open`;
  return sql.fragment`
    select h.lot_id, p.credits, h.operation_id, h.project_id, h.created_at, h.created_by, h.id
    from (select e.hold_id, sum(e.amount) as credits from credit_entries e
      where e.pool_id = ${pool} and e.seq <= ${past.seq} and e.account = 'Reserved' group by e.hold_id) p
    join credit_holds h on h.id = p.hold_id where p.credits > 0`;
}

/** The last entry of lot `l` that made credits available: an add, a move or a release. */
const lastArrival = ({ pool, past }: Scope) => sql.fragment`
  select e.created_at, e.created_by from credit_entries e
  where e.pool_id = ${pool} and e.lot_id = l.id and e.account = 'Available' and e.amount > 0
    and e.seq <= ${past?.seq ?? Number.MAX_SAFE_INTEGER}
  order by e.seq desc limit 1`;

/**
 * What was reserved, spent and booked as expired, with operation and project, and what is available of each lot. What
 * is not booked yet expired at the time of its expiry.
 */
export const listExtendedDetails = (db: Reads, caller: Caller, scope: Scope, part: ListPart) =>
  db.any(sql.type(ExtendedDetail)`
    select r.status, r.credits, ${terms}, r.project_id, named.name as project_name, r.operation_id, r.created_at,
      ${shownCreator(caller, scope.pool, sql.fragment`r`)},
      r.n, l.expires_at as expires, l.id as lot_id, r.position
    from (
      select 1 as n, 'Available' as status, l.id as lot_id, l.usable as credits, null as operation_id, null::uuid as project_id, e.created_at,
        e.created_by, 0::bigint as position
      from ${lots(scope)} l cross join lateral (${lastArrival(scope)}) e where l.usable > 0 and ${scope.statuses.includes('Available')}
      union all select 2, 'Reserved', h.lot_id, h.credits, h.operation_id, h.project_id, h.created_at, h.created_by, h.id
      from (${holds(scope)}) h
      union all select case e.account when 'Spent' then 3 else 4 end, e.account, e.lot_id, e.amount, e.operation_id, e.project_id,
        e.created_at, e.created_by, e.seq
      from credit_entries e where e.pool_id = ${scope.pool} and e.account in ('Spent', 'Expired') and ${mayBeClosed(scope)}
        and e.seq <= ${scope.past?.seq ?? Number.MAX_SAFE_INTEGER}
      union all select 4, 'Expired', l.id, l.unbooked, null, null, l.expires_at, null, ${Number.MAX_SAFE_INTEGER}
      from ${lots(scope)} l where l.unbooked > 0) r
    join credit_lots l on l.id = r.lot_id ${projectNames(caller, sql.fragment`r`)}
    where r.status = any(${sql.array([...scope.statuses], 'text')}) and ${behind(part, sql.fragment`r.n`, sql.fragment`r.position`)}
    order by r.n, l.expires_at, l.id, r.position limit ${part.limit} offset ${part.offset ?? 0}`);
