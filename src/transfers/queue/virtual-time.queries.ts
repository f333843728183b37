import { z } from 'zod';
import { type Fragment, sql, type Transaction } from '../../db.ts';
import { DEFAULT_PRIORITY } from './requirements.ts';

// Weighted fair queueing: every transfer gets a virtual time, and workers start the lowest first.

/** Virtual microseconds between two transfers of a tenant of weight 1. */
const STEP = 10_000;
/** Maximum step, for the lowest weights: virtual times must stay far below the present time. */
const MAX_STEP = 1000 * STEP;
/**
 * Added to the virtual time of transfers of links to datasets: they wait as those of a tenant of the lowest weight, and
 * the tenant's other transfers do not wait for them.
 */
export const LOW_PRIORITY = MAX_STEP;

const isFragment = (value: string | readonly string[] | Fragment): value is Fragment =>
  typeof value === 'object' && 'sql' in value;

/** Virtual time between two transfers of a tenant, inversely proportional to its weight. */
const stepOf = (tenantId: string | Fragment) => sql.fragment`
  (select greatest(1, least(${MAX_STEP}, ${STEP} / weight))::bigint from tenants where id = ${tenantId})`;

/**
 * Virtual time of a transfer that this tenant starts now: one step after the tenant's last unfinished transfer, but at
 * least the start time of weighted fair queueing. That is the virtual clock, or the lowest virtual time that still
 * waits behind the clock: among transfers with the same resource request, else among all that a worker could start.
 * Plus 1, so that it comes after those. Takes no lock: two starts at the same moment may get the same virtual time,
 * which does no harm.
 */
export const nextVirtualTime = (
  tenantId: string | Fragment,
  flags: readonly string[] | Fragment,
) => sql.fragment`greatest(
  least((select last_value from virtual_clock), coalesce(
    (select min(virtual_time) from transfers where status = 'Pending' and flags = ${isFragment(flags) ? flags : sql.array(flags, 'text')}),
    (select min(head.virtual_time) from waiting_requirements, lateral (
      select min(virtual_time) as virtual_time from transfers where status = 'Pending' and flags = waiting_requirements.flags) head
     where reason is null))) + 1,
  (select max(virtual_time) from transfers where tenant_id = ${tenantId} and finished_at is null and share_id is null)
    + ${stepOf(tenantId)})`;

/** Column of a statement on `transfers`: sets the virtual clock to the transfer's virtual time, but never back. */
export const advanceClock = sql.fragment`setval('virtual_clock', greatest(virtual_time, (select last_value from virtual_clock)))`;

/**
 * Gives a new virtual time to transfers whose back-off after an outage is over, as if they were started now, one step
 * apart per tenant: retries against a server that is down must not displace transfers of other tenants. Their waiting
 * time restarts, too. Backed-off jobs carry a real `run_at`; queued jobs encode virtual time near 1970.
 */
export const requeueBackedOff = (tx: Transaction) =>
  tx.any(sql.write(z.object({ id: z.string(), flags: z.array(z.string()), virtualTime: z.number() }))`
    with due as (
      select t.id, t.tenant_id, t.flags, row_number() over (partition by t.tenant_id order by t.virtual_time, t.id) - 1 as place
      from queue_jobs job join transfers t on t.id = (job.payload ->> 'transferId')::uuid
      where job.is_available and job.priority = ${DEFAULT_PRIORITY} and job.run_at > '2000-01-01' and job.run_at <= now()
        and t.status = 'Pending' and t.outages > 0)
    update transfers r
    set virtual_time = ${nextVirtualTime(sql.fragment`r.tenant_id`, sql.fragment`r.flags`)}
      + case when r.share_id is null then 0 else ${LOW_PRIORITY}::bigint end + due.place * ${stepOf(sql.fragment`r.tenant_id`)},
      updated_at = now()
    from due where r.id = due.id and r.status = 'Pending'
    returning r.id, r.flags, r.virtual_time`);
