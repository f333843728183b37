import { z } from 'zod';
import type { Db } from '../db.ts';
import { sql } from '../db.ts';

export const OlderAccount = z.object({
  Id: z.string(),
  Name: z.string(),
  /** Separated by commas. */
  Roles: z.string(),
  Activated: z.boolean(),
  EncryptedPassword: z.string(),
});

export const listOlderAccounts = (db: Db) =>
  db.any(sql.type(OlderAccount)`
    select id as "Id", name as "Name", array_to_string(roles, ',') as "Roles", activated as "Activated",
      password_hash as "EncryptedPassword"
    from accounts order by id collate "C"`);
