import { z } from 'zod';
import { type Reads, sql } from '../../db.ts';
import { backOffReason, STATUSES } from '../queries.ts';
import { lockOf } from '../queue/sweep.queries.ts';

const State = z.object({
  status: z.enum(STATUSES),
  flags: z.array(z.string()),
  errorMessage: z.string().optional(),
  /** The worker that runs it. */
  pool: z.string().optional(),
  host: z.string().optional(),
  /** That worker holds its liveness lock. */
  alive: z.boolean(),
  /** Present while it backs off after an outage: a sentence with the time of the next attempt. */
  backOff: z.string().optional(),
});
export type State = z.infer<typeof State>;

/** The state that decides whether a process may claim a transfer now. */
export const findState = (db: Reads, id: string) =>
  db.maybeOne(sql.type(State)`
    select status, flags, error_message, worker_pool as pool, (select host from workers where pool = t.worker_pool) as host,
      exists (select from transfers where id = t.id and exists ${lockOf('transfers.worker_pool')}) as alive,
      ${backOffReason} as back_off
    from transfers t where id = ${id}`);
