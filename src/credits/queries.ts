import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../db.ts';

/** Id of the pool that belongs to no tenant. */
export const GENERIC_POOL = '00000000-0000-0000-0000-000000000000';

/** Amounts are exact decimals in the database; up to 15 digits are exact as numbers, too. */
export const amount = () => z.string().transform(Number);

/** Why an operation was refused; nothing was written. */
export const REFUSALS = [
  'Tenant',
  'Past',
  'PoolFull',
  'TooFewCredits',
  'NothingHeld',
  'NoCommonBillingReference',
] as const;

const Outcome = z.object({
  refusal: z.enum(REFUSALS).optional(),
  /** Amount added, reserved, spent, moved or released. */
  credits: amount().optional(),
  /** After an add: credits available in the pool. Too few credits: credits available for the operation. */
  available: amount().optional(),
  /** Too few credits: credits reserved by the operation. */
  reserved: amount().optional(),
  operationId: z.string().optional(),
});
export type Outcome = z.infer<typeof Outcome>;

/** Author of an entry. Without a `userId`: the platform itself. */
export interface Actor {
  userId?: string | undefined;
  requestId?: string | undefined;
}

export interface NewLot {
  tenantId: string;
  credits: number;
  expiresAt: { given: string; time: string };
  salesOrderId: string;
  billingReference: { billingReference: string; billingReferenceType: string; billingReferenceTag: string };
}

export interface Change {
  /** Checks, and returns the outcome, but writes nothing. */
  dryRun: boolean;
  actor: Actor;
}

const by = ({ userId, requestId }: Actor) => sql.fragment`${userId ?? null}::uuid, ${requestId ?? null}::text`;

/** Fires `sums`, which checks the entries, and `commits`, which fills `credit_commits`. */
export const addCredits = (tx: Transaction, lot: NewLot, { dryRun, actor }: Change) =>
  tx.one(sql.write(Outcome)`
    select * from credit_add(${lot.tenantId}::uuid, ${lot.credits}::numeric, ${lot.expiresAt.time}::timestamptz, ${lot.expiresAt.given}::text,
      ${lot.salesOrderId}::text, ${lot.billingReference.billingReference}::text, ${lot.billingReference.billingReferenceType}::text,
      ${lot.billingReference.billingReferenceTag}::text, ${by(actor)}, ${dryRun})`);

export interface Use {
  tenantId: string;
  credits: number;
  operationId?: string | undefined;
  projectId?: string | undefined;
}

/** Fires `sums`, which checks the entries, and `commits`, which fills `credit_commits`. */
export const reserveCredits = (tx: Transaction, use: Use & { operationId: string }, { dryRun, actor }: Change) =>
  tx.one(sql.write(Outcome, 'reserve credits')`
    select * from credit_reserve(${use.tenantId}::uuid, ${use.credits}::numeric, ${use.operationId}::text, ${use.projectId ?? null}::uuid,
      ${by(actor)}, ${dryRun})`);

/**
 * Spends from the reservation of the operation; without a reservation, from the available credits. Fires `sums`, which
 * checks the entries, and `commits`, which fills `credit_commits`.
 */
export const spendCredits = (tx: Transaction, use: Use, { dryRun, actor }: Change) =>
  tx.one(sql.write(Outcome, 'spend credits')`
    select * from credit_spend(${use.tenantId}::uuid, ${use.credits}::numeric, ${use.operationId ?? null}::text, ${use.projectId ?? null}::uuid,
      ${by(actor)}, ${dryRun})`);

/**
 * Ends the reservation of an operation. Fires `sums`, which checks the entries, and `commits`, which fills
 * `credit_commits`.
 */
export const releaseCredits = (tx: Transaction, tenantId: string, operationId: string, { dryRun, actor }: Change) =>
  tx.one(sql.write(Outcome, 'release credits')`
    select * from credit_release(${tenantId}::uuid, ${operationId}::text, ${by(actor)}, ${dryRun})`);

export interface Move {
  credits: number;
  /** Ids of pools. */
  source: string;
  target: string;
  /** Only credits with this reference. */
  billingReference?: string | undefined;
  billingReferenceType?: string | undefined;
}

/** Fires `sums`, which checks the entries, and `commits`, which fills `credit_commits`. */
export const moveCredits = (tx: Transaction, move: Move, { dryRun, actor }: Change) =>
  tx.one(sql.write(Outcome)`
    select * from credit_move(${move.source}::uuid, ${move.target}::uuid, ${move.credits}::numeric, ${move.billingReference ?? null}::text,
      ${move.billingReferenceType ?? null}::text, ${by(actor)}, ${dryRun})`);

/** Credits available in the pool of a tenant, to check a start; see the trigger `reserves_price`. */
export const availableNow = (tenantId: string) => sql.fragment`(
  select coalesce(sum(available), 0) from credit_lots
  where pool_id = ${tenantId} and is_open and expires_at > statement_timestamp())`;

const Expired = z.object({ lots: z.number(), credits: amount() });

/**
 * Books the expired credits of a pool. Fires `sums`, which checks the entries, and `commits`, which fills
 * `credit_commits`.
 */
export const expireCredits = (tx: Transaction, pool: string, { dryRun, actor }: Change) =>
  tx.one(sql.write(Expired)`select * from credit_expire(${pool}::uuid, ${by(actor)}, ${dryRun})`);

/** Writes the events that are due for credits that expire soon. */
export const warnOfExpiry = (tx: Transaction, pool: string) => tx.query(sql.unsafe`select credit_warn(${pool}::uuid)`);

const Pool = z.object({ id: z.string() });

/** Pools with credits that have expired and are not booked, in the order in which pools are locked. */
export const listExpiredPools = (db: Reads) =>
  db.anyFirst(sql.type(Pool)`
    select distinct pool_id as id from credit_lots
    where is_open and available > 0 and expires_at <= statement_timestamp() order by id`);

/** Pools with credits that expire within a month. */
export const listExpiringPools = (db: Reads) =>
  db.anyFirst(sql.type(Pool)`
    select distinct pool_id as id from credit_lots
    where is_open and available > 0 and expires_at > statement_timestamp()
      and expires_at <= statement_timestamp() + interval '30 days' and coalesce(warned_days, 31) > 3 order by id`);

/** Whether a project is in the tenant, and not in the recycle bin. */
export const isTenantProject = (db: Reads, tenantId: string, projectId: string) =>
  db.exists(sql.unsafe`
    select from projects p where p.id = ${projectId} and p.tenant_id = ${tenantId}
      and not exists (select from projects a where a.id = any(p.path) and a.deleted_at is not null)`);

/** Whether a tenant exists, or has left a ledger. */
export const hasLedger = (db: Reads, tenantId: string) =>
  db.exists(sql.unsafe`
    select from tenants where id = ${tenantId} union all select from credit_pools where id = ${tenantId}`);

/** Whether a transfer has this id, is priced and has not ended. */
export const isUnendedTransfer = (db: Reads, id: string) =>
  db.exists(sql.unsafe`select from transfers where id = ${id}::uuid and price is not null and finished_at is null`);
