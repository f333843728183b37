import type { Database } from '../db.ts';
import { invalidMember } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import type { Timestamp } from '../platform/text/time.ts';
import {
  findPast,
  type LedgerPosition,
  type ListPart,
  listBalances,
  listDetails,
  listExtendedDetails,
  type Scope,
  STATUSES,
  type Status,
} from './balance.queries.ts';
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

export const balances = async (db: Database, caller: Caller, where: Where, query: Query) =>
  listBalances(db, await findScope(db, caller, where, query));

type DetailsQuery = Query & { offset?: number | undefined; limit?: number | undefined };

/** The rows in parts, so that a list of any length takes little memory. */
export async function details(db: Database, caller: Caller, where: Where, query: DetailsQuery) {
  const scope = await findScope(db, caller, where, query);
  return inParts((part) => listDetails(db, scope, part), query);
}

export async function extendedDetails(db: Database, caller: Caller, where: { tenantId: string }, query: DetailsQuery) {
  const scope = await findScope(db, caller, where, query);
  return inParts((part) => listExtendedDetails(db, caller, scope, part), query);
}

const ROWS = 10_000;

/** @param most rows of a part */
export async function* inParts<Row extends LedgerPosition>(
  list: (part: ListPart) => Promise<readonly Row[]>,
  { offset = 0, limit = Number.POSITIVE_INFINITY }: Pick<DetailsQuery, 'offset' | 'limit'> = {},
  most = ROWS,
): AsyncGenerator<Omit<Row, keyof LedgerPosition>[]> {
  let after: LedgerPosition | undefined;
  for (let left = limit; left > 0; ) {
    const partSize = Math.min(most, left);
    const rows = await list({ ...(after ? { after } : { offset }), limit: partSize });
    yield rows.map(({ n: _, expires: __, lotId: ___, position: ____, ...row }) => row);
    if (rows.length < partSize) return;
    after = rows.at(-1);
    left -= rows.length;
  }
}

async function findScope(db: Database, caller: Caller, where: Where, { filter = STATUSES, at }: Query): Promise<Scope> {
  if ('tenantId' in where) await checkMayQuery(db, caller, where.tenantId);
  else checkMayQueryGeneric(caller);
  const { tenantId: pool, ...reference } = 'tenantId' in where ? where : { tenantId: GENERIC_POOL, ...where };
  const statuses = STATUSES.filter((status) => filter.includes(status));
  if (at === undefined) return { pool, ...reference, statuses };
  const { future, seq } = await findPast(db, pool, at);
  if (future) throw invalidMember('at', `'${at}' is in the future.`);
  return { pool, ...reference, statuses, past: { at, seq } };
}
