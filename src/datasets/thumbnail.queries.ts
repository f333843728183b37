import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../db.ts';
import { SIDES, type Side } from '../projects/picture-side.ts';
import { pictureColumn } from '../projects/thumbnail.queries.ts';

const Picture = z.object({ picture: z.instanceof(Buffer) });

/** The picture of a dataset, whoever may see it. */
export const findPicture = (db: Reads, datasetId: string, side: Side) =>
  db.maybeOneFirst(sql.type(Picture)`
    select ${pictureColumn(side)} as picture from dataset_thumbnails t
    where t.dataset_id = ${datasetId} and t.png_512 is not null`);

/** A content of a dataset. */
export interface Content {
  datasetId: string;
  /** Name in the blob store; absent for time series. */
  blob?: string | undefined;
}

/**
 * Stores what was drawn of a content; undefined: it cannot be drawn. Nothing is written if the dataset has another
 * content by now, or is gone.
 * @param lease of time series: what `claimThumbnail` gave, so that rows that were written meanwhile are drawn later
 */
export const putThumbnail = (
  tx: Transaction,
  { datasetId, blob }: Content,
  pictures: readonly Uint8Array[] | undefined,
  lease?: string,
) => {
  const [large, medium, small, least] = (pictures ?? SIDES.map(() => null)).map((one) =>
    one === null ? null : sql.binary(Buffer.from(one)),
  );
  return tx.query(sql.unsafe`
    update dataset_thumbnails
    set png_512 = ${large!}::bytea, png_256 = ${medium!}::bytea, png_128 = ${small!}::bytea, png_64 = ${least!}::bytea,
      due_at = case when ${lease ?? null}::text <> due_at::text then due_at end
    where dataset_id = ${datasetId} and content is not distinct from ${blob ?? null}::text`);
};

/** Gives a copy of a dataset the picture of its source, unless that is still to be drawn. */
export const copyThumbnail = (tx: Transaction, from: string, to: string) =>
  tx.query(sql.unsafe`
    update dataset_thumbnails t
    set png_512 = s.png_512, png_256 = s.png_256, png_128 = s.png_128, png_64 = s.png_64, due_at = null
    from dataset_thumbnails s where t.dataset_id = ${to} and s.dataset_id = ${from} and s.due_at is null`);

const Claimed = z.object({
  datasetId: z.string(),
  blob: z.string().optional(),
  lease: z.string().optional(),
  datasetFormat: z.string(),
  storageSize: z.number(),
});
export type ClaimedThumbnail = z.infer<typeof Claimed>;

/** How often a content is tried: a process that dies of it must not die for ever. */
const MAX_ATTEMPTS = 3;

/**
 * Takes the content that has waited longest for its picture, and postpones it: if this process dies, another one takes
 * it in half an hour. Null: nothing is due.
 */
export const claimThumbnail = (tx: Transaction) =>
  tx.maybeOne(sql.write(Claimed)`
    update dataset_thumbnails t
    set attempts = t.attempts + 1,
      due_at = case when t.attempts + 1 < ${MAX_ATTEMPTS} then now() + interval '30 minutes' end
    from datasets d
    where t.dataset_id = (
        select dataset_id from dataset_thumbnails where due_at <= now() order by due_at limit 1 for update skip locked)
      and d.id = t.dataset_id
    returning t.dataset_id, t.content as blob, t.due_at::text as lease, d.dataset_format, d.storage_size`);

/**
 * Gives a claimed content back. After an outage of the blob store or the machine it is tried again in ten minutes.
 * Other errors may come each time: then the pause doubles up to about a day.
 */
export const releaseThumbnail = (tx: Transaction, { datasetId, blob }: Content, isOutage: boolean) =>
  tx.query(sql.unsafe`
    update dataset_thumbnails
    set due_at = now() + interval '10 minutes' * case when ${isOutage} then 1 else power(2, least(attempts - 1, 7)) end,
      attempts = case when ${isOutage} then greatest(0, attempts - 1) else attempts end
    where dataset_id = ${datasetId} and content is not distinct from ${blob ?? null}::text`);
