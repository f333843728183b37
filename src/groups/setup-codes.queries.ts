import { z } from 'zod';
import { type Fragment, type Reads, sql, type Transaction } from '../db.ts';

/** Stored requirements of a group: setup codes are hidden in `entries` and encrypted in `codes`. */
export const GroupFactor = z.object({
  id: z.string(),
  name: z.string(),
  /** Entries in the group's metadata. */
  entries: z.unknown().optional(),
  /** `position` in the entries; `sealed` in base64. */
  codes: z.array(z.object({ position: z.number(), sealed: z.string() })),
});
export type GroupFactor = z.infer<typeof GroupFactor>;

/** Columns of a `GroupFactor`, of the table or alias `g`. */
export const factorColumns = (key: string): Fragment => sql.fragment`
  g.id, g.name, g.metadata -> ${key}::text as entries, coalesce((
    select jsonb_agg(jsonb_build_object('position', c.position, 'sealed', translate(encode(c.sealed, 'base64'), E'\n', '')))
    from group_setup_codes c where c.group_id = g.id), '[]') as codes`;

export const findFactor = (db: Reads, id: string, key: string) =>
  db.one(sql.type(GroupFactor)`select ${factorColumns(key)} from user_groups g where g.id = ${id}`);

export interface SetupCode {
  position: number;
  sealed: Buffer;
}

export async function replaceSetupCodes(tx: Transaction, groupId: string, codes: readonly SetupCode[]) {
  await tx.query(sql.unsafe`delete from group_setup_codes where group_id = ${groupId}`);
  await tx.query(sql.unsafe`
    insert into group_setup_codes (group_id, position, sealed)
    select ${groupId}, * from ${sql.unnest(
      codes.map(({ position, sealed }) => [position, sealed]),
      ['int4', 'bytea'],
    )}`);
}
