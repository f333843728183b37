import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../db.ts';
import { STATUSES } from '../transfers/queries.ts';

const Id = z.object({ id: z.string() });

/** Locks a link until the transaction ends. Null: it is not open any more. */
export const holdOpenShare = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.write(Id)`
    select id from dataset_shares where id = ${id} and ended_at is null and expires_at > now() for no key update`);

const Recent = z.object({ count: z.number(), wait: z.number() });
/** Conversions of a link in the last 24 hours, and seconds until the first of them is older. */
export const countRecent = (tx: Transaction, shareId: string) =>
  tx.one(sql.type(Recent)`
    select count(*) as count, coalesce(ceil(extract(epoch from min(created_at) + interval '1 day' - now())), 0)::int as wait
    from transfers where share_id = ${shareId} and created_at > now() - interval '1 day'`);

const Conversion = z.object({
  id: z.string(),
  status: z.enum(STATUSES),
  progress: z.number(),
  errorMessage: z.string().optional(),
  fileName: z.string().optional(),
  mediaType: z.string().optional(),
  /** Name in the blob store, while the file is stored. */
  blob: z.string().optional(),
});
export type ConversionRow = z.infer<typeof Conversion>;

/** A conversion of this link. */
export const findConversion = (db: Reads, shareId: string, id: string) =>
  db.maybeOne(sql.type(Conversion)`
    select id, status, progress, error_message, output_file_name as file_name, output_media_type as media_type, output_blob as blob
    from transfers where id = ${id} and share_id = ${shareId}`);

/** Locks the conversions of a link that have not ended. */
export const lockUnended = (tx: Transaction, shareId: string) =>
  tx.anyFirst(sql.write(Id)`
    select id from transfers where share_id = ${shareId} and finished_at is null order by id for update`);
