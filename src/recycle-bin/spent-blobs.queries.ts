import { z } from 'zod';
import type { Db } from '../db.ts';
import { sql } from '../db.ts';

/** The oldest names of bytes whose rows are gone. */
export const listSpent = (db: Db, most: number) =>
  db.anyFirst(sql.type(z.object({ name: z.string() }))`
    select name from spent_blobs order by spent_at, name limit ${most}`);

/** Once the store has said that they are gone. */
export const forgetSpent = (db: Db, names: readonly string[]) =>
  db.query(sql.unsafe`delete from spent_blobs where name = any(${sql.array(names, 'text')})`);
