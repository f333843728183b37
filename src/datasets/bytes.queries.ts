import { z } from 'zod';
import type { Db } from '../db.ts';
import { sql } from '../db.ts';

/** Of a dataset `d`: it is not in the recycle bin, and nothing that it lies in is. */
const there = sql.fragment`
  d.deleted_at is null and not exists (
    select from projects p join projects a on a.id = any(p.path) where p.id = d.project_id and a.deleted_at is not null)`;

const Bytes = z.object({
  /** Name of the bytes in the store. */
  blob: z.string(),
  storageSize: z.number(),
  lockedBy: z.string().optional(),
});

/** A dataset's present bytes, for whoever holds an address with a grant. */
export const findBytes = (db: Db, id: string) =>
  db.maybeOne(
    sql.type(Bytes)`select d.blob, d.storage_size, d.locked_by from datasets d where d.id = ${id} and ${there}`,
  );

export interface Replacement {
  blob: string;
  size: number;
  /** Only in place of these bytes. */
  before?: string | undefined;
  /** Only if there are no bytes yet. */
  onlyEmpty: boolean;
}

/** Makes these the bytes of a dataset that nobody else is writing. Says whether it did. */
export async function replaceBytes(
  db: Db,
  id: string,
  { blob, size, before, onlyEmpty }: Replacement,
): Promise<boolean> {
  const { rowCount } = await db.query(sql.unsafe`
    update datasets d set blob = ${blob}, storage_size = ${size}::bigint, row_version = row_version + 1, updated_at = now()
    where d.id = ${id} and ${there} and d.locked_by is null
      and (${before ?? null}::text is null or d.blob = ${before ?? null}) and (d.storage_size = 0 or not ${onlyEmpty}::boolean)`);
  return rowCount === 1;
}

/**
 * Whether a dataset, deleted or not, lies in a folder or below it, as the folder's grant means it: all between the two takes its members
 * from where the folder does, and nothing between them denies anybody anything. A grant has no caller whose rights could be looked at.
 */
export const liesBelow = (db: Db, id: string, folder: string) =>
  db.exists(sql.unsafe`
    select from datasets d join projects p on p.id = d.project_id join projects f on f.id = ${folder}
    where d.id = ${id} and f.id = any(p.path) and p.member_source_id = f.member_source_id
      and not exists (
        select from permission_grants g
        where g.denied and (g.dataset_id = d.id or (g.project_id = any(p.path) and not g.project_id = any(f.path))))`);
