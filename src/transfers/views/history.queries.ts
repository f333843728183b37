import { z } from 'zod';
import { type Reads, sql } from '../../db.ts';

const Row = z.object({
  id: z.number(),
  time: z.string(),
  by: z.string().optional(),
  size: z.number().optional(),
  xxh3: z.string().optional(),
  sha256: z.string().optional(),
  current: z.boolean(),
  transferId: z.string().optional(),
});
/** A content of a dataset. */
export type ContentRow = z.infer<typeof Row>;

const END = '9223372036854775807';

/**
 * Contents of a dataset, newest first, from its activity. The entry that replaces a content says how large it was: a
 * content that is still there may be written on.
 * @param before id of the last entry of the previous page
 */
export const listContents = (db: Reads, datasetId: string, before: string | undefined, limit: number) =>
  db.any(sql.type(Row)`
    select a.id, a.time, a.user_id as by, n.id is null as current, t.id as transfer_id, t.receipt #>> '{output,sha256}' as sha256,
      case when n.id is null then d.storage_size else (n.before ->> 'storageSize')::bigint end as size,
      case when n.id is null then (select digest from blob_digests b where b.name = d.blob) else n.before ->> 'xxh3' end as xxh3
    from activity a join datasets d on d.id = a.dataset_id
      left join lateral (
        select id, before from activity where dataset_id = a.dataset_id and id > a.id and action = 'dataset.content.replace'
        order by id limit 1) n on true
      left join transfers t on t.id = case when a.action <> 'dataset.create' then a.transfer_id else (
        select id from transfers where output_dataset_id = a.dataset_id and status = 'Completed'
          and (carry = 'copy' or carry is null and type in ('Import', 'Conversion')) limit 1) end
    where a.dataset_id = ${datasetId} and a.action in ('dataset.create', 'dataset.content.replace') and a.id < ${before ?? END}::bigint
    order by a.id desc limit ${limit}`);
