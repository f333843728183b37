import { z } from 'zod';
import type { Db } from '../../db.ts';
import { sql } from '../../db.ts';

/** Names of the migrations that this database has seen. Throws where the table itself is missing. */
export const listMigrations = (db: Db) =>
  db.anyFirst(sql.type(z.object({ name: z.string() }))`select name from migrations`);
