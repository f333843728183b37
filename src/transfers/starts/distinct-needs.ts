import type { Db } from '../../db.ts';
import { conflict } from '../../errors.ts';
import { inWords } from '../queue/queue-status.ts';
import { askedOf, needsOf } from '../queue/requirements.ts';
import { isUnderWay, listAsked, lockAsked } from './distinct-needs.queries.ts';

/**
 * Maximum number of different resource requests of a tenant's unfinished transfers. Workers skip each combination that does not fit at
 * every look for a job, so thousands of them would slow all tenants down. Estimates are few by themselves and are not counted.
 */
const MOST_ASKED = 16;

/** Refuses one combination too many. A combination that the tenant has under way already is never refused. */
export async function demandFewNeeds(tx: Db, tenantId: string, flags: readonly string[]): Promise<void> {
  const asked = askedOf(flags);
  if (asked.length === 0 || (await isUnderWay(tx, tenantId, asked))) return;
  // of two starts at once only one may take the last place
  await lockAsked(tx, tenantId);
  const others = await listAsked(tx, tenantId, asked, MOST_ASKED);
  if (others.length < MOST_ASKED) return;
  throw conflict(
    `Transfers that are under way in the tenant ask for ${MOST_ASKED} different resources, as many as they may; ` +
      `${inWords(needsOf(asked))} would be one more. Ask for what one of them asks for, or wait until one has ended.`,
    { code: 'TooManyNeeds' },
  );
}
