import { z } from 'zod';
import type { Db } from '../../db.ts';
import { sql } from '../../db.ts';

const Id = z.object({ id: z.string() });

/** The transfer that tried this one again. */
export const findRetry = (tx: Db, id: string) =>
  tx.maybeOneFirst(sql.type(Id)`select id from transfers where retry_of = ${id} order by created_at limit 1`);

/** Uuid of the account or key that started a transfer. */
export const getStarter = (tx: Db, id: string) =>
  tx.oneFirst(sql.type(Id)`select created_by as id from transfers where id = ${id}`);
