import { z } from 'zod';
import { type Fragment, type Reads, sql } from '../../../db.ts';

const NamedBlob = z.object({
  name: z.string(),
  /** Bytes, as its row says. Absent: files of transfers. */
  size: z.number().optional(),
  /** Bytes that were written. Absent: written by an earlier version, and not verified yet. */
  writtenSize: z.number().optional(),
  /** XXH3 of the bytes that were written. */
  digest: z.string().optional(),
});
export type NamedBlob = z.infer<typeof NamedBlob>;

const named = sql.fragment`(
  select blob as name, storage_size as size from datasets where blob is not null
  union all select blob, size from staged_blobs where blob is not null
  union all select output_blob, null from transfers where type = 'Export' and output_blob is not null
  union all select bad_records_blob, null from transfers where bad_records_blob is not null)`;

const select = (where: Fragment) => sql.fragment`
  select n.name, max(n.size) as size, d.size as written_size, d.digest
  from ${named} n left join blob_digests d on d.name = n.name where ${where} group by n.name, d.name order by n.name`;

const among = (only: readonly string[] | undefined) =>
  only === undefined ? sql.fragment`true` : sql.fragment`n.name = any(${sql.array(only, 'text')})`;

/** The next blobs that are the content of something, by name. */
export const listNamed = (db: Reads, after: string, limit: number, only?: readonly string[]) =>
  db.any(sql.type(NamedBlob)`
    ${select(sql.fragment`n.name > ${after} and ${among(only)}`)} limit ${limit}`);

/** Some of these blobs, chosen at random. */
export const sampleNamed = (db: Reads, count: number) =>
  db.any(
    sql.type(
      NamedBlob,
    )`${select(sql.fragment`n.name in (select name from ${named} chosen order by random() limit ${count})`)}`,
  );
