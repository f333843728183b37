import { z } from 'zod';
import type { Db } from '../../db.ts';
import { sql } from '../../db.ts';

/** Generation of a resource: the number of its writes. */
export const findGeneration = async (db: Db, resource: string) =>
  (await db.maybeOneFirst(sql.type(z.object({ generation: z.number() }))`
    select generation from cache_generations where resource = ${resource}`)) ?? 0;
