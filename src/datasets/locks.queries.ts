import { z } from 'zod';
import type { Db } from '../db.ts';
import { sql } from '../db.ts';

/** A transfer that reads this dataset. */
export const findReader = (tx: Db, datasetId: string) =>
  tx.maybeOneFirst(sql.type(z.object({ transferId: z.string() }))`
    select transfer_id from dataset_readers where dataset_id = ${datasetId} limit 1`);

/** The same of many. */
export const listReaders = (tx: Db, datasetIds: readonly string[]) =>
  tx.any(sql.type(z.object({ datasetId: z.string(), transferId: z.string() }))`
    select dataset_id, transfer_id from dataset_readers where dataset_id = any(${sql.array(datasetIds, 'uuid')})`);

/** Until the transfer ends the dataset is not written, moved or deleted. Its row must be locked, for share at least. */
export const insertReader = (tx: Db, datasetId: string, transferId: string) =>
  tx.query(sql.unsafe`insert into dataset_readers (dataset_id, transfer_id) values (${datasetId}, ${transferId})`);

/** Until the transfer ends nobody else reads, writes, moves or deletes the dataset. Its row must be locked. */
export const setWriter = (tx: Db, datasetId: string, transferId: string) =>
  tx.query(sql.unsafe`update datasets set locked_by = ${transferId} where id = ${datasetId}`);

type Fragment = ReturnType<typeof sql.fragment>;

/** Parts of a `with`, for the statement that ends the transfers whose ids the part `ended` gives: what they hold is free again. */
export const releases = (ended: Fragment): Fragment => sql.fragment`
  unread as (delete from dataset_readers where transfer_id in (select id from ${ended})),
  unlocked as (update datasets set locked_by = null where locked_by in (select id from ${ended}))`;

/** What a transfer gives a dataset in place of what it held. */
export interface NewContent {
  datasetId: string;
  /** The one that has it locked. */
  transferId: string;
  blob: string;
  /** Bytes. */
  storageSize: number;
  spatialInformation?: object | undefined;
  temporalInformation?: object | undefined;
  /** It holds what it held, and more: what is known of its time stays where nothing newer is. */
  grown?: boolean;
  /** Added to those that it has. */
  properties?: object | undefined;
  userId: string;
}

/** `statistics` that a conversion wrote describe what the dataset held: with its content they go. A caller's own have no `kind`. */
export const keptProperties = sql.fragment`case
  when properties #> '{statistics,kind}' is null then properties else properties - 'statistics' end`;

const jsonb = (value: object | undefined) => (value === undefined ? null : sql.jsonb(value as never));

/** Parts like `releases`, where the one transfer that ended has written a dataset: it changes and is free in one step. */
export const replacement = (content: NewContent, ended: Fragment): Fragment => sql.fragment`
  unread as (delete from dataset_readers where transfer_id in (select id from ${ended})),
  replaced as (
    update datasets set blob = ${content.blob}, storage_size = ${content.storageSize}::bigint,
      spatial_information = ${jsonb(content.spatialInformation)}::jsonb,
      temporal_information = coalesce(${jsonb(content.temporalInformation)}::jsonb,
        case when ${content.grown ?? false} then temporal_information end),
      properties = ${keptProperties} || ${jsonb(content.properties ?? {})}::jsonb,
      row_version = row_version + 1, updated_at = now(), updated_by = ${content.userId}::uuid, locked_by = null
    where id = ${content.datasetId} and locked_by = ${content.transferId} and exists (select from ${ended}))`;
