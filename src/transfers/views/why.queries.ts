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
});

/** Status, flags and error of a transfer and, while it waits, the number of transfers ahead of it. */
export const getQueueStatus = (db: Reads, id: string) =>
  db.one(sql.type(QueueStatus)`
    select status, flags, error_message, ${backOffReason} as back_off, case when status = 'Pending' then (
      select count(*) from transfers other where other.status = 'Pending'
        and (other.attempt = 0, other.virtual_time, other.id) < (t.attempt = 0, t.virtual_time, t.id)) end as position
    from transfers t where id = ${id}`);
