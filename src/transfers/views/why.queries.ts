import { z } from 'zod';
import type { Db } from '../../db.ts';
import { sql } from '../../db.ts';
import { restingReason, STATUSES } from '../queries.ts';

const Standing = z.object({
  status: z.enum(STATUSES),
  flags: z.array(z.string()),
  /** Why it rests. */
  resting: z.string().optional(),
  position: z.number().optional(),
});

/** What a transfer needs, and, while it waits, how many start before it. */
export const getStanding = (db: Db, id: string) =>
  db.one(sql.type(Standing)`
    select status, flags, ${restingReason} as resting, case when status = 'Pending' then (
      select count(*) from transfers other where other.status = 'Pending'
        and (other.attempt = 0, other.turn, other.id) < (t.attempt = 0, t.turn, t.id)) end as position
    from transfers t where id = ${id}`);
