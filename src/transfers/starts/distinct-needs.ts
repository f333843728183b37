import type { Transaction } from '../../db.ts';
import { conflict } from '../../errors.ts';
import { inWords } from '../queue/queue-status.ts';
import { decodeRequirements, requestedFlags } from '../queue/requirements.ts';
import { isUnderWay, listRequestedFlags, lockAsked } from './distinct-needs.queries.ts';

/**
 * Maximum number of distinct resource requests of a tenant's unfinished transfers. Each time a worker looks for a job,
 * it skips the combinations that do not fit, so thousands of them would slow all tenants down. Estimates have few
 * distinct values and do not count.
 */
const MAX_DISTINCT = 16;

/**
 * Refuses a resource request above the maximum. A request that another unfinished transfer of the tenant has is never
 * refused.
 */
export async function limitDistinctRequests(
  tx: Transaction,
  tenantId: string,
  flags: readonly string[],
): Promise<void> {
  const requested = requestedFlags(flags);
  if (requested.length === 0 || (await isUnderWay(tx, tenantId, requested))) return;
  // of two starts at once only one may take the last place
  await lockAsked(tx, tenantId);
  const others = await listRequestedFlags(tx, tenantId, requested, MAX_DISTINCT);
  if (others.length < MAX_DISTINCT) return;
  throw conflict(
    `Unfinished transfers of the tenant have ${MAX_DISTINCT} different resource requests, which is the maximum; ` +
      `${inWords(decodeRequirements(requested))} would be one more. Request the same as one of them, or wait until one has ended.`,
    { code: 'TooManyNeeds' },
  );
}
