import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../db.ts';
import { validSinceAbove } from '../projects/grant-generations.queries.ts';
import type { PresentedGrant } from '../uploads/blob-area.ts';
import { keptProperties } from './locks.queries.ts';

/** Condition: neither dataset `d` nor a project above it is in the recycle bin. */
export const notDeleted = sql.fragment`
  d.deleted_at is null and not exists (
    select from projects p join projects a on a.id = any(p.path) where p.id = d.project_id and a.deleted_at is not null)`;

const Bytes = z.object({
  /** Name in the blob store. Absent for time series. */
  blob: z.string().optional(),
  storageSize: z.number(),
  /** Id of a transfer that writes or reads the dataset. */
  heldBy: z.string().optional(),
});

/** The current blob of a dataset, for the holder of a signed address. */
export const findBytes = (db: Reads, id: string) =>
  db.maybeOne(sql.type(Bytes)`
    select d.blob, d.storage_size,
      coalesce(d.locked_by, (select r.transfer_id from dataset_readers r where r.dataset_id = d.id limit 1)) as held_by
    from datasets d where d.id = ${id} and ${notDeleted}`);

const LockedContent = z.object({
  /** Absent for time series. */
  blob: z.string().optional(),
  storageSize: z.number(),
  spatialInformation: z
    .object({ primarySpatialReference: z.string().optional(), srid: z.number().optional() })
    .optional(),
});

/** Content of a dataset that this transfer has locked for writing. */
export const findHeld = (db: Reads, id: string, transferId: string) =>
  db.maybeOne(sql.type(LockedContent)`
    select blob, storage_size, spatial_information from datasets where id = ${id} and locked_by = ${transferId}`);

/** Locks a dataset against writes and against new reading transfers until the transaction ends. */
export const lockBytes = (tx: Transaction, id: string) =>
  tx.query(sql.unsafe`select from datasets where id = ${id} for update`);

/**
 * Replaces the content of a dataset. Clears what describes the old content: measured statistics, file extension,
 * spatial and temporal information. If the dataset was empty, they describe the new content and stay. Fires
 * `release_blob`, which notes the former blob in `released_blobs`, and `changed_vector_content`, which enqueues the
 * drawing of tiles.
 * @param userId whose right the address of the write is
 */
export const replaceBytes = (tx: Transaction, id: string, blob: string, size: number, userId: string | undefined) =>
  tx.query(sql.unsafe`
    update datasets set blob = ${blob}, storage_size = ${size}::bigint, row_version = row_version + 1, updated_at = now(),
      updated_by = coalesce(${userId ?? null}::uuid, updated_by),
      properties = case when storage_size = 0 then properties else ${keptProperties} end,
      file_extension = case when storage_size = 0 then file_extension end,
      spatial_information = case when storage_size = 0 then spatial_information end,
      temporal_information = case when storage_size = 0 then temporal_information end
    where id = ${id}`);

/** Lowest valid generation of addresses of dataset `d` itself; `p` is its project. */
export const ownGrantsSince = sql.fragment`
  greatest(d.own_min_grant_generation, d.min_grant_generation, ${validSinceAbove(sql.fragment`p`)})`;

/** Whether a presented grant was not revoked for a dataset, deleted or not. */
export async function isUnrevoked(
  db: Reads,
  id: string,
  { generation, folder }: Pick<PresentedGrant, 'generation' | 'folder'>,
): Promise<boolean> {
  if (folder !== undefined) return isCoveredByFolder(db, id, folder, generation);
  // true for an unknown (purged) dataset: its address then ends in 404
  return !(await db.exists(sql.unsafe`
    select from datasets d join projects p on p.id = d.project_id
    where d.id = ${id} and ${ownGrantsSince} > ${generation}::bigint`));
}

/**
 * Whether the grant of a folder covers a dataset, deleted or not. A grant has no caller whose rights could be checked,
 * so every project between the two must inherit its members from the same project as the folder, and none of them, nor
 * the dataset, may have a permission that denies. The generation must be valid for the dataset and all projects above
 * it. A dataset that was moved in from another tenant is covered too.
 */
const isCoveredByFolder = (db: Reads, id: string, folder: string, generation: number) =>
  db.exists(sql.unsafe`
    select from datasets d join projects p on p.id = d.project_id join projects f on f.id = ${folder}
    where d.id = ${id} and f.id = any(p.path) and p.member_source_id = f.member_source_id
      and greatest(d.min_grant_generation, ${validSinceAbove(sql.fragment`p`)}) <= ${generation}::bigint
      and not exists (
        select from permission_grants g
        where g.denied and (g.dataset_id = d.id or (g.project_id = any(p.path) and not g.project_id = any(f.path))))`);

export const setDatasetGrants = (tx: Transaction, id: string, generation: number) =>
  tx.query(sql.unsafe`update datasets set min_grant_generation = ${generation}::bigint where id = ${id}`);
