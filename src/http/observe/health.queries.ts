import { z } from 'zod';
import { type Reads, sql } from '../../db.ts';

/** Names of the applied migrations. Throws if the table does not exist. */
export const listMigrations = (db: Reads) =>
  db.anyFirst(sql.type(z.object({ name: z.string() }))`select name from migrations`);
