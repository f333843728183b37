import { z } from 'zod';
import { type Reads, sql } from '../../db.ts';

const QueueSnapshot = z.object({
  waiting: z.array(z.array(z.string())),
  reservedFor: z.object({ id: z.string(), flags: z.array(z.string()) }).optional(),
});

/**
 * The different sets of flags (needed resources) of waiting transfers, and the transfer for which this worker reserves
 * its resources.
 */
export const getQueueSnapshot = (db: Reads, pool: string) =>
  db.one(sql.type(QueueSnapshot)`
    select coalesce((select json_agg(flags) from waiting_requirements), '[]') as waiting,
      (select json_build_object('id', t.id, 'flags', t.flags) from workers join transfers t on t.id = reserved_for
       where pool = ${pool} and t.status = 'Pending') as reserved_for`);
