import { type Reads, sql, type Transaction } from '../db.ts';

/** Stores a link for an hour. The one before ends. */
export const putFirstLink = (tx: Transaction, hash: Buffer) =>
  tx.query(sql.unsafe`
    insert into first_administrator_link as link (hash) values (${sql.binary(hash)})
    on conflict (one) do update set hash = excluded.hash, expires_at = excluded.expires_at`);

export const isFirstLink = (db: Reads, hash: Buffer) =>
  db.exists(sql.unsafe`
    select from first_administrator_link where hash = ${sql.binary(hash)} and expires_at > now()`);

/** Of concurrent calls with one hash one returns true. */
export async function useFirstLink(tx: Transaction, hash: Buffer): Promise<boolean> {
  const { rowCount } = await tx.query(sql.unsafe`
    delete from first_administrator_link where hash = ${sql.binary(hash)} and expires_at > now()`);
  return rowCount > 0;
}
