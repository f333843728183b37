import { z } from 'zod';
import type { Db } from '../db.ts';
import { sql } from '../db.ts';
import { validSinceAbove } from '../projects/grant-generations.queries.ts';
import type { ShownGrant } from '../uploads/place.ts';
import { keptProperties } from './locks.queries.ts';

/** Of a dataset `d`: it is not in the recycle bin, and nothing that it lies in is. */
const there = sql.fragment`
  d.deleted_at is null and not exists (
    select from projects p join projects a on a.id = any(p.path) where p.id = d.project_id and a.deleted_at is not null)`;

const Bytes = z.object({
  /** Name of the bytes in the store. */
  blob: z.string(),
  storageSize: z.number(),
  /** A transfer that writes or reads it. */
  heldBy: z.string().optional(),
});

/** A dataset's present bytes, for whoever holds an address with a grant. */
export const findBytes = (db: Db, id: string) =>
  db.maybeOne(sql.type(Bytes)`
    select d.blob, d.storage_size,
      coalesce(d.locked_by, (select r.transfer_id from dataset_readers r where r.dataset_id = d.id limit 1)) as held_by
    from datasets d where d.id = ${id} and ${there}`);

const Held = z.object({
  blob: z.string(),
  storageSize: z.number(),
  spatialInformation: z
    .object({ primarySpatialReference: z.string().optional(), srid: z.number().optional() })
    .optional(),
});

/** What a dataset holds while this transfer, which has it locked, writes it. */
export const findHeld = (db: Db, id: string, transferId: string) =>
  db.maybeOne(sql.type(Held)`
    select blob, storage_size, spatial_information from datasets where id = ${id} and locked_by = ${transferId}`);

/** Nobody else writes it, or begins to read it for a transfer, until the transaction ends. */
export const lockBytes = (tx: Db, id: string) => tx.query(sql.unsafe`select from datasets where id = ${id} for update`);

/**
 * Puts other bytes in place of those that a dataset holds. What describes those goes with them: measured statistics, place and time. What
 * was said before there were any bytes describes the new ones and stays.
 */
export const replaceBytes = (tx: Db, id: string, blob: string, size: number) =>
  tx.query(sql.unsafe`
    update datasets set blob = ${blob}, storage_size = ${size}::bigint, row_version = row_version + 1, updated_at = now(),
      properties = case when storage_size = 0 then properties else ${keptProperties} end,
      spatial_information = case when storage_size = 0 then spatial_information end,
      temporal_information = case when storage_size = 0 then temporal_information end
    where id = ${id}`);

/** Since which generation addresses of a dataset `d` itself count; `p` is its project. */
export const ownGrantsSince = sql.fragment`
  greatest(d.own_grants_since, d.grants_since, ${validSinceAbove(sql.fragment`p`)})`;

/** Whether a grant that was shown for a dataset, deleted or not, still counts. */
export async function acceptsGrant(db: Db, id: string, { generation, folder }: ShownGrant): Promise<boolean> {
  if (folder !== undefined) return liesBelow(db, id, folder, generation);
  // of a dataset that was removed for good nothing is known; its address leads nowhere
  return !(await db.exists(sql.unsafe`
    select from datasets d join projects p on p.id = d.project_id
    where d.id = ${id} and ${ownGrantsSince} > ${generation}::bigint`));
}

/**
 * Whether a dataset, deleted or not, lies in a folder or below it, as the folder's grant means it: all between the two takes its members
 * from where the folder does, and nothing between them denies anybody anything. A grant has no caller whose rights could be looked at.
 * Its generation must count for the dataset and all above it; that the dataset came from another tenant later is no matter.
 */
const liesBelow = (db: Db, id: string, folder: string, generation: number) =>
  db.exists(sql.unsafe`
    select from datasets d join projects p on p.id = d.project_id join projects f on f.id = ${folder}
    where d.id = ${id} and f.id = any(p.path) and p.member_source_id = f.member_source_id
      and greatest(d.grants_since, ${validSinceAbove(sql.fragment`p`)}) <= ${generation}::bigint
      and not exists (
        select from permission_grants g
        where g.denied and (g.dataset_id = d.id or (g.project_id = any(p.path) and not g.project_id = any(f.path))))`);

export const setDatasetGrants = (tx: Db, id: string, generation: number) =>
  tx.query(sql.unsafe`update datasets set grants_since = ${generation}::bigint where id = ${id}`);
