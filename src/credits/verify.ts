import type { Reads } from '../db.ts';
import { checkChain, findPoolFault, findUnbalancedPosting, listPools } from './ledger.queries.ts';
import { GENERIC_POOL } from './queries.ts';

export interface WrongEntry {
  /** Absent: the generic pool. */
  tenantId?: string;
  /** Number of the entry in its pool. */
  seq?: number;
  lotId?: number;
  reason: string;
}

export interface Verification {
  valid: boolean;
  pools: number;
  entries: number;
  wrong?: WrongEntry;
}

/** Entries per statement. */
const PAGE = 50_000;

/**
 * Checks the whole ledger: the hashes of each pool's entries, that postings sum to zero, and that lots and holds have
 * the sums of their entries. Returns the first entry that is wrong. Changes meanwhile are no faults.
 */
export async function verify(db: Reads, page = PAGE): Promise<Verification> {
  const pools = await listPools(db);
  let entries = 0;
  const wrongIn = (pool: string, fault: Omit<WrongEntry, 'tenantId'>): Verification => ({
    valid: false,
    pools: pools.length,
    entries,
    wrong: { ...(pool === GENERIC_POOL ? {} : { tenantId: pool }), ...fault },
  });
  for (const { id: pool, lastSeq: until } of pools) {
    let after = 0;
    let previous: Buffer = Buffer.alloc(0);
    while (after < until) {
      const part = await checkChain(db, { pool, after, previous, until, limit: page });
      entries += part.entries;
      if (part.wrong !== undefined)
        return wrongIn(pool, {
          seq: part.wrong,
          reason: 'The hash of the entry does not match: it, or an entry before it, was changed.',
        });
      if (part.seq === undefined || part.hash === undefined)
        return wrongIn(pool, { seq: after + 1, reason: 'The entry is missing.' });
      after = part.seq;
      previous = part.hash;
    }
    const fault = await findPoolFault(db, pool);
    if (fault) return wrongIn(pool, fault);
  }
  const unbalanced = await findUnbalancedPosting(db);
  if (unbalanced)
    return wrongIn(unbalanced.pool, { seq: unbalanced.seq, reason: 'The entries of the posting do not sum to zero.' });
  return { valid: true, pools: pools.length, entries };
}
