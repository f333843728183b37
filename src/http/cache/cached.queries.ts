import { z } from 'zod';
import { type Reads, sql } from '../../db.ts';

const Generation = z.object({ generation: z.number() });

/** Generation of a resource: the number of its writes. */
export const findGeneration = async (db: Reads, resource: string) =>
  (await db.maybeOneFirst(sql.prepared('cache generation', Generation)`
    select generation from cache_generations where resource = ${resource}`)) ?? 0;
