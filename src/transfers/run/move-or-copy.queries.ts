import { z } from 'zod';
import { sql, type Transaction } from '../../db.ts';
import { nextGeneration } from '../../projects/grant-generations.queries.ts';
import { type Fence, held, type LogLine, logged } from './run.queries.ts';

/**
 * The tenants among these that the user owns, none if the account is disabled. Locks the memberships until the
 * transaction ends.
 */
export const holdOwned = (tx: Transaction, userId: string, tenantIds: readonly string[]) =>
  tx.anyFirst(sql.write(z.object({ tenantId: z.string() }))`
    select m.tenant_id from tenant_members m join accounts a using (user_id)
    where m.user_id = ${userId} and m.role = 'Owner' and m.tenant_id = any(${sql.array(tenantIds, 'uuid')}) and a.enabled
    order by m.tenant_id for share of m`);

/**
 * Locks the transfer of an attempt until the transaction ends. Null: the attempt does not hold the transfer any more.
 */
export const holdRun = (tx: Transaction, fence: Fence) =>
  tx.maybeOne(sql.write(z.object({ id: z.string() }))`select id from transfers where ${held(fence)} for update`);

/**
 * The clock, not `now()`: this transaction waits for locks and copies time series, which are parts of the run and of
 * its price. Fires `transfers_counted_anew`, which fills `transfer_counts`, and `settles_price`, which books the price.
 */
export const completeMoveOrCopy = (tx: Transaction, fence: Fence, datasetId: string, lines: readonly LogLine[]) =>
  tx.query(sql.unsafe`
    with changed as (
      update transfers set status = 'Completed', progress = 100, phase = null, finished_at = clock_timestamp(), updated_at = now(),
        output_dataset_id = ${datasetId}
      where ${held(fence)} returning id),
    lines as (${logged(lines)})
    delete from dataset_readers where transfer_id in (select id from changed)`);

/** The dataset that a transfer moves or copies, and its target. */
export interface Target {
  transferId: string;
  datasetId: string;
  /** The target project. */
  projectId: string;
  /** The target project is in another tenant: permissions and signed addresses end. */
  changesTenant: boolean;
  userId: string;
}

/**
 * Moves a dataset that the transfer has locked into another project, and unlocks it. False: it does not exist. Fires
 * `keep_grants_void`, which keeps ended signed addresses void, and `datasets_permissions_changed`, which fills
 * `permission_grants`.
 */
export async function moveDataset(
  tx: Transaction,
  { transferId, datasetId, projectId, changesTenant, userId }: Target,
) {
  const grants = changesTenant
    ? sql.fragment`permissions = '[]', own_min_grant_generation = ${await nextGeneration(tx)}::bigint,`
    : sql.fragment``;
  const { rowCount } = await tx.query(sql.unsafe`
    update datasets set project_id = ${projectId}, ${grants} locked_by = null, row_version = row_version + 1, updated_at = now(),
      updated_by = ${userId}
    where id = ${datasetId} and locked_by = ${transferId}`);
  return rowCount === 1;
}

/**
 * Inserts a copy of a dataset's row, without its permissions. False: the dataset does not exist. Fires
 * `new_vector_content`, which enqueues the drawing of tiles.
 */
export async function insertCopy(
  tx: Transaction,
  { datasetId, projectId, userId }: Target,
  copy: { id: string; blob?: string | undefined; storageSize: number },
) {
  const { rowCount } = await tx.query(sql.unsafe`
    insert into datasets (id, project_id, name, description, dataset_type, dataset_format, file_extension, metadata, properties, tags,
      temporal_information, spatial_information, blob, storage_size, created_by, updated_by)
    select ${copy.id}, ${projectId}, name, description, dataset_type, dataset_format, file_extension, metadata, properties, tags,
      temporal_information, spatial_information, ${copy.blob ?? null}::text, ${copy.storageSize}, ${userId}, ${userId}
    from datasets where id = ${datasetId}`);
  return rowCount === 1;
}
