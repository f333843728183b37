import { z } from 'zod';
import type { Db } from '../../db.ts';
import { sql } from '../../db.ts';

export type KeyUse = 'token' | 'address' | 'cursor' | 'seal';

const Key = z.object({
  kid: z.string(),
  material: z.record(z.string(), z.unknown()),
  /** Absent: the next one, which is known to others before it signs. */
  activatedAt: z.string().optional(),
  /** Since then it signs nothing new; what it signed before may still be accepted. */
  retiredAt: z.string().optional(),
});
export type KeyRow = z.infer<typeof Key>;

export const findCurrentKey = (db: Db, use: KeyUse) =>
  db.maybeOne(sql.type(Key)`
    select kid, material from signing_keys where use = ${use} and activated_at is not null and retired_at is null`);

export const findKey = (db: Db, use: KeyUse, kid: string) =>
  db.maybeOne(sql.type(Key)`select kid, material, retired_at from signing_keys where use = ${use} and kid = ${kid}`);

/** All of one use: the current one, the next one, the retired ones with the youngest first. */
export const listKeys = (db: Db, use: KeyUse) =>
  db.any(
    sql.type(Key)`
      select kid, material, activated_at, retired_at from signing_keys where use = ${use}
      order by retired_at is null desc, activated_at is null, retired_at desc`,
  );

/** Stores a first key; when another process was faster, its key stays and this one is dropped. */
export const insertFirstKey = (db: Db, use: KeyUse, kid: string, material: Record<string, unknown>) =>
  db.query(sql.unsafe`
    insert into signing_keys (kid, use, material) values (${kid}, ${use}, ${sql.jsonb(material as never)})
    on conflict (use) where activated_at is not null and retired_at is null do nothing`);

/** Stores a key that does not sign yet; an other one that waits already stays. */
export const insertNextKey = (db: Db, use: KeyUse, kid: string, material: Record<string, unknown>) =>
  db.query(sql.unsafe`
    insert into signing_keys (kid, use, material, activated_at) values (${kid}, ${use}, ${sql.jsonb(material as never)}, null)
    on conflict (use) where activated_at is null do nothing`);

/** The next key signs from now on, and the current one no more. Of two at once the second waits for the first. */
export async function promoteNextKey(tx: Db, use: KeyUse) {
  await tx.query(
    sql.unsafe`select from signing_keys where use = ${use} and retired_at is null order by kid for update`,
  );
  await tx.query(sql.unsafe`
    update signing_keys set retired_at = now() where use = ${use} and activated_at is not null and retired_at is null`);
  await tx.query(sql.unsafe`update signing_keys set activated_at = now() where use = ${use} and activated_at is null`);
}

export const removeRetiredKeys = (db: Db, use: KeyUse, retiredForMs: number) =>
  db.query(sql.unsafe`
    delete from signing_keys where use = ${use} and retired_at < now() - ${retiredForMs} * interval '1 millisecond'`);
