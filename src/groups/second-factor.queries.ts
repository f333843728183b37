import { z } from 'zod';
import type { Db } from '../db.ts';
import { sql } from '../db.ts';

const GroupEntries = z.object({ groupId: z.string(), name: z.string(), entries: z.unknown().optional() });

/** What each group of an account says about the second factor, as it is stored under `key`. */
export const listEntries = (db: Db, userId: string, key: string) =>
  db.any(sql.type(GroupEntries)`
    select g.id as group_id, g.name, g.metadata -> ${key} as entries
    from group_members m join user_groups g on g.id = m.group_id where m.user_id = ${userId}
    order by g.name collate "C"`);
