import { z } from 'zod';
import { type Fragment, sql, type Transaction } from '../db.ts';

/** Id of a transfer that reads this dataset. */
export const findReader = (tx: Transaction, datasetId: string) =>
  tx.maybeOneFirst(sql.type(z.object({ transferId: z.string() }))`
    select transfer_id from dataset_readers where dataset_id = ${datasetId} limit 1`);

/** Transfers that read these datasets. */
export const listReaders = (tx: Transaction, datasetIds: readonly string[]) =>
  tx.any(sql.type(z.object({ datasetId: z.string(), transferId: z.string() }))`
    select dataset_id, transfer_id from dataset_readers where dataset_id = any(${sql.array(datasetIds, 'uuid')})`);

/**
 * Prevents writing, moving and deleting the dataset until the transfer ends. The row must be locked, at least `for
 * share`. A transfer may read a dataset twice: as its input, and for a transformation.
 */
export const insertReader = (tx: Transaction, datasetId: string, transferId: string) =>
  tx.query(sql.unsafe`
    insert into dataset_readers (dataset_id, transfer_id) values (${datasetId}, ${transferId}) on conflict do nothing`);

/** Prevents all other use of the dataset until the transfer ends. The row must be locked. */
export const setWriter = (tx: Transaction, datasetId: string, transferId: string) =>
  tx.query(sql.unsafe`update datasets set locked_by = ${transferId} where id = ${datasetId}`);

/** CTEs for the statement that ends transfers: release the dataset locks of the transfers in CTE `ended`. */
export const releases = (ended: Fragment): Fragment => sql.fragment`
  unread as (delete from dataset_readers where transfer_id in (select id from ${ended})),
  unlocked as (update datasets set locked_by = null where locked_by in (select id from ${ended}))`;

/** New content of a dataset, written by a transfer. */
export interface NewContent {
  datasetId: string;
  /** The transfer that has the dataset locked. */
  transferId: string;
  /** Absent: time series, whose rows are written in the same transaction. */
  blob?: string | undefined;
  /** Bytes. */
  storageSize: number;
  /** Absent: that of the format. */
  fileExtension?: string | undefined;
  spatialInformation?: object | undefined;
  temporalInformation?: object | undefined;
  /**
   * The transfer appended: what is not given of temporal information, and of the spatial information of time series,
   * stays.
   */
  grown?: boolean;
  /** Merged into the existing properties. */
  properties?: object | undefined;
  userId: string;
}

/**
 * Properties without the `statistics` of the old content, which a conversion wrote. Statistics sent by a client have no
 * `kind`, are no list of items, and stay.
 */
export const keptProperties = sql.fragment`case
  when properties #> '{statistics,kind}' is null and properties #> '{statistics,0,values}' is null then properties else properties - 'statistics' end`;

/** Whether a dataset has statistics that a conversion measured, which new content does not keep. */
export const hasStatistics = (tx: Transaction, id: string) =>
  tx.exists(sql.unsafe`select from datasets where id = ${id} and properties is distinct from ${keptProperties}`);

const jsonb = (value: object | undefined) => (value === undefined ? null : sql.jsonb(value as never));

/**
 * CTEs like `releases` for one ended transfer that has written a dataset: replaces the content and unlocks the dataset.
 * Fires `release_blob`, which notes the former blob in `released_blobs`, and `changed_vector_content`, which enqueues
 * the drawing of tiles.
 */
export const replacement = (content: NewContent, ended: Fragment): Fragment => sql.fragment`
  unread as (delete from dataset_readers where transfer_id in (select id from ${ended})),
  replaced as (
    update datasets set blob = ${content.blob ?? null}::text, storage_size = ${content.storageSize}::bigint,
      file_extension = ${content.fileExtension ?? null}::text,
      spatial_information = coalesce(${jsonb(content.spatialInformation)}::jsonb,
        case when ${(content.grown ?? false) && content.blob === undefined} then spatial_information end),
      temporal_information = coalesce(${jsonb(content.temporalInformation)}::jsonb,
        case when ${content.grown ?? false} then temporal_information end),
      properties = ${keptProperties} || ${jsonb(content.properties ?? {})}::jsonb,
      row_version = row_version + 1, updated_at = now(), updated_by = ${content.userId}::uuid, locked_by = null
    where id = ${content.datasetId} and locked_by = ${content.transferId} and exists (select from ${ended}))`;
