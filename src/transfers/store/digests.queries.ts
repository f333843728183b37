import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../../db.ts';
import { component, text, timeText, uuidText } from '../../http/rules/members.ts';

const Known = z.object({ size: z.number(), digest: z.string() });

/** Expected size and digest. Null for a blob of an earlier version that was not verified yet. */
export const findDigest = (db: Reads, name: string) =>
  db.maybeOne(sql.prepared('blob digest', Known)`select size, digest from blob_digests where name = ${name}`);

/**
 * Records what a blob contains, just written or just checked. Does not wait for the disk: the commit that names the
 * blob comes later in the log of the database, and takes this one along.
 */
export const putDigest = (tx: Transaction, name: string, { size, hex }: { size: number; hex: string }) =>
  tx.maybeOne(sql.write(z.object({}), 'put blob digest')`
    insert into blob_digests (name, size, digest)
    select ${name}, ${size}::bigint, ${hex}::text
    from (select set_config('synchronous_commit', 'off', true) as mode) set where set.mode = 'off'
    on conflict (name) do update set size = excluded.size, digest = excluded.digest, checked_at = now()`);

const PROBLEMS = ['damaged', 'missing'] as const;
export type BlobProblem = (typeof PROBLEMS)[number];

const Listed = z.object({ name: z.string(), problem: z.enum(PROBLEMS), etag: z.string().optional() });

/** Blobs that were found to be damaged or missing; the first ones if they are very many. */
export const listProblems = (db: Reads, limit: number) =>
  db.any(sql.type(Listed)`select name, problem, etag from damaged_blobs order by found_at limit ${limit}`);

/** Records a damaged or missing blob. Returns null if it is recorded with this problem already. */
export const putProblem = (tx: Transaction, name: string, problem: BlobProblem, etag: string | undefined) =>
  tx.maybeOne(sql.write(z.object({ name: z.string() }))`
    insert into damaged_blobs (name, problem, etag) values (${name}, ${problem}, ${etag ?? null})
    on conflict (name) do update set problem = excluded.problem, etag = excluded.etag
    where damaged_blobs.problem <> excluded.problem or damaged_blobs.etag is distinct from excluded.etag
    returning name`);

export const removeProblem = (tx: Transaction, name: string) =>
  tx.query(sql.unsafe`delete from damaged_blobs where name = ${name}`);

const Named = z.object({
  kind: z.enum(['dataset', 'upload', 'transfer']),
  id: z.string(),
  title: z.string(),
  /** Size in bytes; absent for files of transfers. */
  size: z.number().optional(),
});
/** Owner of the content: a dataset, transfer or upload. */
export type NamedBlob = z.infer<typeof Named>;

/** A reference to the blob, preferably a dataset's. Null: none, so the blob may be deleted at any time. */
export const findNamed = (db: Reads, name: string) =>
  db.maybeOne(sql.type(Named)`
    select * from (
      select 'dataset' as kind, id::text as id, name as title, storage_size as size from datasets where blob = ${name}
      union all select 'upload', name, name, size from staged_blobs where blob = ${name}
      union all select 'transfer', id::text, 'export', null from transfers where type = 'Export' and output_blob = ${name}
      union all select 'transfer', id::text, 'skipped records', null from transfers where bad_records_blob = ${name}) named
    order by kind limit 1`);

export const DamagedBlob = component('DamagedBlob', {
  blob: text('Name of the blob in the store.', 'dataset/0192f7a2-3b44-7f0e-8c11-5d6a7e8f9012-1'),
  problem: z
    .enum(PROBLEMS)
    .describe('`damaged`: its bytes are not those that were written. `missing`: the store does not have it.'),
  foundAt: timeText('Time when it was found, UTC.'),
  kind: z.enum(['dataset', 'upload', 'transfer']).describe('Owner of the blob: `dataset`, `upload` or `transfer`.'),
  id: uuidText('Id of the dataset or transfer, or name of the upload.'),
  title: text('Name of the dataset or upload; of a transfer, `export` or `skipped records`.', 'Valley'),
  projectId: uuidText('Project of the dataset or transfer.').optional(),
});

export type DamagedBlob = z.infer<typeof DamagedBlob>;

/** Damaged and missing blobs that something refers to, with what refers to them. */
export const listDamaged = (db: Reads, { after, limit }: { after: string; limit: number }) =>
  db.any(sql.type(DamagedBlob)`
    select b.name as blob, b.problem, b.found_at, n.kind, n.id, n.title, n.project_id
    from damaged_blobs b cross join lateral (
      select * from (
        select 'dataset' as kind, id::text as id, name as title, project_id from datasets where blob = b.name
        union all select 'upload', name, name, null from staged_blobs where blob = b.name
        union all select 'transfer', id::text, 'export', project_id from transfers where type = 'Export' and output_blob = b.name
        union all select 'transfer', id::text, 'skipped records', project_id from transfers where bad_records_blob = b.name) named
      order by kind limit 1) n
    where b.name > ${after} order by b.name limit ${limit}`);

const Count = z.object({ problem: z.enum(PROBLEMS), count: z.number() });

/** Number of blobs in use that are damaged or missing. */
export const countDamaged = (db: Reads) =>
  db.any(sql.type(Count)`
    select problem, count(*) as count from damaged_blobs b
    where exists (select from named_blobs n where n.name = b.name) group by problem`);

/** Number of blobs that are the content of something. */
export const countNamed = (db: Reads) =>
  db.oneFirst(sql.type(z.object({ count: z.number() }))`select count(distinct name) as count from named_blobs`);

/** Deletes digests of blobs without references; a new blob may get its reference soon. */
export const forgetUnnamed = (tx: Transaction) =>
  tx.query(sql.unsafe`
    with digests as (
      delete from blob_digests b where checked_at < now() - interval '1 day'
        and not exists (select from named_blobs n where n.name = b.name))
    delete from damaged_blobs b where not exists (select from named_blobs n where n.name = b.name)`);
