import { z } from 'zod';
import type { Db } from '../../db.ts';
import { sql } from '../../db.ts';
import { USUAL } from './requirements.ts';

/** Virtual microseconds between two turns of a tenant of weight 1. */
const STEP = 10_000;
/** Between those of the lightest: a turn must stay far from today. */
const LONGEST_STEP = 1000 * STEP;

type Fragment = ReturnType<typeof sql.fragment>;
const isFragment = (value: string | readonly string[] | Fragment): value is Fragment =>
  typeof value === 'object' && 'sql' in value;

/** Between two transfers of a tenant: the smaller the more the tenant weighs. */
const stepOf = (tenantId: string | Fragment) => sql.fragment`
  (select greatest(1, least(${LONGEST_STEP}, ${STEP} / weight))::bigint from tenants where id = ${tenantId})`;

/**
 * Weighted fair queueing: the turn of a transfer that this tenant starts now. After what the tenant has under way, by a step that is the
 * smaller the more the tenant weighs; of a tenant that has nothing there, next to what is being started. That is the clock, unless
 * something with the same needs (or, where there is none, anything that can be started) still waits behind it: others may have
 * overtaken it. One later than that, so that it comes after others who came alike. Two that read the same at the same moment get the
 * same turn, which does no harm, and so nobody waits for a lock.
 */
export const nextTurn = (tenantId: string | Fragment, flags: readonly string[] | Fragment) => sql.fragment`greatest(
  least((select last_value from transfer_clock), coalesce(
    (select min(turn) from transfers where status = 'Pending' and flags = ${isFragment(flags) ? flags : sql.array(flags, 'text')}),
    (select min(head.turn) from waiting_needs, lateral (
      select min(turn) as turn from transfers where status = 'Pending' and flags = waiting_needs.flags) head
     where reason is null))) + 1,
  (select max(turn) from transfers where tenant_id = ${tenantId} and finished_at is null)
    + ${stepOf(tenantId)})`;

/** Sets the clock to the turn that a statement on `transfers` gives; it never goes back. */
export const clockAtTurn = sql.fragment`setval('transfer_clock', greatest(turn, (select last_value from transfer_clock)))`;

/**
 * Transfers that rested after an outage and are due get a new turn, as if they were started now, each of a tenant behind the other: a
 * server that is away must not take the turns of other tenants with its tries. How long one waits counts from here on. The queue knows resting ones by a
 * time of our days.
 */
export const takeRested = (tx: Db) =>
  tx.any(sql.type(z.object({ id: z.string(), flags: z.array(z.string()), turn: z.number() }))`
    with rested as (
      select t.id, t.tenant_id, t.flags, row_number() over (partition by t.tenant_id order by t.turn, t.id) - 1 as place
      from graphile_worker._private_jobs job join transfers t on t.id = (job.payload ->> 'transferId')::uuid
      where job.is_available and job.priority = ${USUAL} and job.run_at > '2000-01-01' and job.run_at <= now()
        and t.status = 'Pending' and t.outages > 0)
    update transfers r
    set turn = ${nextTurn(sql.fragment`r.tenant_id`, sql.fragment`r.flags`)} + rested.place * ${stepOf(sql.fragment`r.tenant_id`)},
      updated_at = now()
    from rested where r.id = rested.id and r.status = 'Pending'
    returning r.id, r.flags, r.turn`);
