import { z } from 'zod';
import type { Db } from '../../db.ts';
import { sql } from '../../db.ts';

const Outlook = z.object({
  waiting: z.array(z.array(z.string())),
  holdsFor: z.object({ id: z.string(), flags: z.array(z.string()) }).optional(),
});

/** What a worker must know of the queue to leave alone what it cannot run: see `waiting_needs`. */
export const getOutlook = (db: Db, pool: string) =>
  db.one(sql.type(Outlook)`
    select coalesce((select json_agg(flags) from waiting_needs), '[]') as waiting,
      (select json_build_object('id', t.id, 'flags', t.flags) from workers join transfers t on t.id = holds_for
       where pool = ${pool} and t.status = 'Pending') as holds_for`);
