import { z } from 'zod';
import type { Db } from '../db.ts';
import { sql } from '../db.ts';
import { STATUSES } from './queries.ts';

/** What a transfer needs, and, while it waits, how many start before it. */
export const getStanding = (db: Db, id: string) =>
  db.one(sql.type(z.object({ status: z.enum(STATUSES), flags: z.array(z.string()), position: z.number().optional() }))`
    select status, flags, case when status = 'Pending' then (
      select count(*) from transfers other where other.status = 'Pending'
        and (other.attempt = 0, other.turn, other.id) < (t.attempt = 0, t.turn, t.id)) end as position
    from transfers t where id = ${id}`);
