import type { Reads } from '../db.ts';
import { AppError } from '../errors.ts';
import type { Caller } from '../http/caller.ts';
import { type LedgerEntry, listOperationEntries } from './ledger.queries.ts';
import { checkMayQuery } from './rights.ts';

/** Entries of an operation in the pool of a tenant. Throws `notFound` if there are none. */
export async function operationEntries(
  db: Reads,
  caller: Caller,
  tenantId: string,
  operationId: string,
): Promise<readonly LedgerEntry[]> {
  await checkMayQuery(db, caller, tenantId);
  const entries = await listOperationEntries(db, caller, tenantId, operationId);
  if (entries.length === 0)
    throw new AppError('notFound', `Operation '${operationId}' has no entries in the ledger of tenant '${tenantId}'.`);
  return entries;
}
