import { sql } from '../db.ts';

/** Virtual microseconds between two turns of a tenant of weight 1. */
const STEP = 10_000;
/** Between those of the lightest: a turn must stay far from today. */
const LONGEST_STEP = 1000 * STEP;

/**
 * Weighted fair queueing: the turn of a transfer that this tenant starts now. After what the tenant has under way, by a step that is the
 * smaller the more the tenant weighs; of a tenant that has nothing there, next to what is being started. That is the clock, unless
 * something with the same needs (or, where there is none, anything that can be started) still waits behind it: others may have
 * overtaken it. One later than that, so that it comes after others who came alike. Two that read the same at the same moment get the
 * same turn, which does no harm, and so nobody waits for a lock.
 */
export const nextTurn = (tenantId: string, flags: readonly string[]) => sql.fragment`greatest(
  least((select last_value from transfer_clock), coalesce(
    (select min(turn) from transfers where status = 'Pending' and flags = ${sql.array(flags, 'text')}),
    (select min(head.turn) from waiting_needs, lateral (
      select min(turn) as turn from transfers where status = 'Pending' and flags = waiting_needs.flags) head
     where reason is null))) + 1,
  (select max(turn) from transfers where tenant_id = ${tenantId} and finished_at is null)
    + (select greatest(1, least(${LONGEST_STEP}, ${STEP} / weight))::bigint from tenants where id = ${tenantId}))`;

/** Sets the clock to the turn that a statement on `transfers` gives; it never goes back. */
export const clockAtTurn = sql.fragment`setval('transfer_clock', greatest(turn, (select last_value from transfer_clock)))`;
