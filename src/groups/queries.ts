import { z } from 'zod';
import type { Db } from '../db.ts';
import { sql } from '../db.ts';

/** Puts an account into groups, by their names. Names that no group has are left out. */
export const joinGroups = (tx: Db, userId: string, names: readonly string[]) =>
  tx.anyFirst(sql.type(z.object({ name: z.string() }))`
    with joined as (
      insert into group_members (group_id, user_id)
      select id, ${userId} from user_groups where name = any(${sql.array([...names], 'text')})
      on conflict do nothing returning group_id)
    select g.name from joined j join user_groups g on g.id = j.group_id`);

/** Whether the platform has somebody who can let others in. */
export const hasAdministrator = (db: Db) =>
  db.exists(sql.unsafe`select from group_members where group_id = 'Administrators'`);

/** Two first administrators at once: the second waits here and then sees the first. */
export const lockFirstAdministrator = (tx: Db) =>
  tx.query(sql.unsafe`select from user_groups where id = 'Administrators' for update`);
