import { z } from 'zod';
import { type Reads, sql } from '../../db.ts';
import { backOffReason, STATUSES } from '../queries.ts';

const QueueStatus = z.object({
  status: z.enum(STATUSES),
  flags: z.array(z.string()),
  errorMessage: z.string().optional(),
  /** Time until which it backs off after an outage. */
  backOff: z.string().optional(),
  position: z.number().optional(),
  /** Why its pod cannot start, or why it is not handed to a cluster. */
  podReason: z.string().optional(),
  /** Node that its pod was given. */
  podNode: z.string().optional(),
  /** Why its pod has no node, in the words of the scheduler. */
  unscheduled: z.string().optional(),
  /** When it began to wait, for the first time or again. */
  since: z.string(),
});

/** Status, flags and error of a transfer and, while it waits, the number of transfers ahead of it. */
export const getQueueStatus = (db: Reads, id: string) =>
  db.one(sql.type(QueueStatus)`
    select t.status, t.flags, t.error_message, j.reason as pod_reason, j.node as pod_node, j.unscheduled, ${backOffReason} as back_off,
      case when t.attempt = 0 then t.created_at else t.updated_at end as since, case when t.status = 'Pending' then (
      select count(*) from transfers other where other.status = 'Pending'
        and (other.attempt = 0, other.virtual_time, other.id) < (t.attempt = 0, t.virtual_time, t.id)) end as position
    from transfers t left join kubernetes_jobs j on j.transfer_id = t.id where t.id = ${id}`);
