import { z } from 'zod';
import type { Db } from './db.ts';
import { sql } from './db.ts';

export type KeyUse = 'token' | 'address' | 'cursor';

const Key = z.object({
  kid: z.string(),
  material: z.record(z.string(), z.unknown()),
  retiredAt: z.string().optional(),
});
/** `retiredAt`: since then it signs nothing new; what it signed before may still be accepted. */
export type KeyRow = z.infer<typeof Key>;

export const findCurrentKey = (db: Db, use: KeyUse) =>
  db.maybeOne(sql.type(Key)`select kid, material from signing_keys where use = ${use} and retired_at is null`);

export const findKey = (db: Db, use: KeyUse, kid: string) =>
  db.maybeOne(sql.type(Key)`select kid, material, retired_at from signing_keys where use = ${use} and kid = ${kid}`);

/** All of one use, newest first: the current one and those whose signatures are still checked. */
export const listKeys = (db: Db, use: KeyUse) =>
  db.any(
    sql.type(Key)`
      select kid, material, retired_at from signing_keys where use = ${use} order by retired_at is null desc, created_at desc`,
  );

/** Stores a first key; when another process was faster, its key stays and this one is dropped. */
export const insertFirstKey = (db: Db, use: KeyUse, kid: string, material: Record<string, unknown>) =>
  db.query(sql.unsafe`
    insert into signing_keys (kid, use, material) values (${kid}, ${use}, ${sql.jsonb(material as never)})
    on conflict (use) where retired_at is null do nothing`);
