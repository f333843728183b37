import type { Db } from '../../db.ts';
import { conflict } from '../../errors.ts';
import { askedOf, needsOf } from '../queue/needs.ts';
import { inWords } from '../queue/standing.ts';
import { isUnderWay, listAsked, lockAsked } from './distinct-needs.queries.ts';

/**
 * Different needs that transfers of a tenant may ask for at once. Each costs every worker at each look for a job, if it is one that the
 * worker has no room for: thousands would keep all tenants waiting. Estimates are few by themselves.
 */
const MOST_ASKED = 16;

/** Refuses what would be one more; what is under way in the tenant already is never refused. */
export async function demandFewNeeds(tx: Db, tenantId: string, flags: readonly string[]): Promise<void> {
  const asked = askedOf(flags);
  if (asked.length === 0 || (await isUnderWay(tx, tenantId, asked))) return;
  // two that come at once must not both be the last
  await lockAsked(tx, tenantId);
  const others = await listAsked(tx, tenantId, asked, MOST_ASKED);
  if (others.length < MOST_ASKED) return;
  throw conflict(
    `Transfers that are under way in the tenant ask for ${MOST_ASKED} different resources, as many as they may; ` +
      `${inWords(needsOf(asked))} would be one more. Ask for what one of them asks for, or wait until one has ended.`,
    { code: 'TooManyNeeds' },
  );
}
