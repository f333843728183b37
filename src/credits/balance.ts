import type { Db } from '../db.ts';
import { invalidMember } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import type { Timestamp } from '../platform/text/time.ts';
import type { Scope, Status } from './balance.queries.ts';
import { findPast, listBalances, listDetails, listExtendedDetails, STATUSES } from './balance.queries.ts';
import { GENERIC_POOL } from './queries.ts';
import { checkMayQuery, checkMayQueryGeneric } from './rights.ts';

export interface Query {
  /** Absent: all statuses. */
  filter?: readonly Status[] | undefined;
  /** A time in the past. */
  at?: Timestamp | undefined;
}

/** Pool of a tenant, or the generic pool, perhaps only credits with a billing reference. */
export type Where = { tenantId: string } | { billingReference?: string; billingReferenceType?: string };

export const balances = async (db: Db, caller: Caller, where: Where, query: Query) =>
  listBalances(db, await scopeOf(db, caller, where, query));

export const details = async (db: Db, caller: Caller, where: Where, query: Query & { limit?: number | undefined }) =>
  listDetails(db, await scopeOf(db, caller, where, query), query.limit);

export const extendedDetails = async (
  db: Db,
  caller: Caller,
  where: { tenantId: string },
  query: Query & { limit?: number | undefined },
) => listExtendedDetails(db, await scopeOf(db, caller, where, query), query.limit);

async function scopeOf(db: Db, caller: Caller, where: Where, { filter = STATUSES, at }: Query): Promise<Scope> {
  if ('tenantId' in where) await checkMayQuery(db, caller, where.tenantId);
  else checkMayQueryGeneric(caller);
  const { tenantId: pool, ...reference } = 'tenantId' in where ? where : { tenantId: GENERIC_POOL, ...where };
  const statuses = STATUSES.filter((status) => filter.includes(status));
  if (at === undefined) return { pool, ...reference, statuses };
  const { future, seq } = await findPast(db, pool, at);
  if (future) throw invalidMember('at', `'${at}' is in the future.`);
  return { pool, ...reference, statuses, past: { at, seq } };
}
