import { z } from 'zod';
import { notDeleted } from '../datasets/bytes.queries.ts';
import { type Reads, sql, type Transaction } from '../db.ts';

/** What a link lets its holder take: nothing, the stored file, or also files of other formats. */
export const DOWNLOADS = ['None', 'Original', 'Formats'] as const;
export type Downloads = (typeof DOWNLOADS)[number];

const Row = z.object({
  id: z.string(),
  datasetId: z.string(),
  name: z.string().optional(),
  downloads: z.enum(DOWNLOADS),
  createdAt: z.string(),
  createdBy: z.string(),
  expiresAt: z.string(),
  opens: z.number(),
  lastOpenedAt: z.string().optional(),
  endedAt: z.string().optional(),
  endedBy: z.string().optional(),
});
/** A link without its token. */
export type ShareRow = z.infer<typeof Row>;

const columns = sql.fragment`
  s.id, s.dataset_id, s.name, s.downloads, s.created_at, s.created_by, s.expires_at, s.opens, s.last_opened_at, s.ended_at, s.ended_by`;

export interface NewShare {
  datasetId: string;
  /** SHA-256 of the token. */
  hash: Buffer;
  name?: string | undefined;
  downloads: Downloads;
  /** UTC. Absent: 30 days from now. */
  expiresAt?: string | undefined;
  createdBy: string;
}

/** Null if the time of expiry has passed, or is more than a year away. */
export const insertShare = (tx: Transaction, row: NewShare) =>
  tx.maybeOne(sql.write(Row)`
    insert into dataset_shares as s (dataset_id, hash, name, downloads, expires_at, created_by)
    select ${row.datasetId}::uuid, ${sql.binary(row.hash)}, ${row.name ?? null}::text, ${row.downloads}::text, expiry.at, ${row.createdBy}::uuid
    from (select coalesce(${row.expiresAt ?? null}::timestamptz, now() + interval '30 days') as at) expiry
    where expiry.at > now() and expiry.at <= now() + interval '366 days'
    returning ${columns}`);

/** Number of links of a dataset that are open. */
export const countOpenShares = (tx: Transaction, datasetId: string) =>
  tx.oneFirst(sql.type(z.object({ count: z.number() }))`
    select count(*) as count from dataset_shares where dataset_id = ${datasetId} and ended_at is null and expires_at > now()`);

interface Window {
  offset?: number | undefined;
  limit?: number | undefined;
}
const newest = ({ offset = 0, limit }: Window) => sql.fragment`
  order by s.created_at desc, s.id desc offset ${offset} limit ${limit ?? null}::bigint`;

export const listShares = (db: Reads, datasetId: string, window: Window) =>
  db.any(sql.type(Row)`select ${columns} from dataset_shares s where s.dataset_id = ${datasetId} ${newest(window)}`);

const OfTenant = Row.extend({ datasetName: z.string() });
/** Links of all datasets of a tenant, also of those in the recycle bin. */
export const listTenantShares = (db: Reads, tenantId: string, window: Window) =>
  db.any(sql.type(OfTenant)`
    select ${columns}, d.name as dataset_name
    from dataset_shares s join datasets d on d.id = s.dataset_id join projects p on p.id = d.project_id
    where p.tenant_id = ${tenantId} ${newest(window)}`);

const Found = z.object({ datasetId: z.string(), tenantId: z.string() });
/** A link with the dataset and the tenant that it belongs to. */
export const findShare = (db: Reads, id: string) =>
  db.maybeOne(sql.type(Found)`
    select s.dataset_id, p.tenant_id
    from dataset_shares s join datasets d on d.id = s.dataset_id join projects p on p.id = d.project_id where s.id = ${id}`);

/** False if it does not exist, or somebody has ended it before. */
export const endShareRow = async (tx: Transaction, id: string, userId: string): Promise<boolean> =>
  (
    await tx.query(sql.unsafe`
    update dataset_shares set ended_at = now(), ended_by = ${userId} where id = ${id} and ended_at is null`)
  ).rowCount === 1;

const Open = z.object({
  id: z.string(),
  datasetId: z.string(),
  createdBy: z.string(),
  expiresAt: z.string(),
  downloads: z.enum(DOWNLOADS),
  name: z.string(),
  description: z.string().optional(),
  datasetFormat: z.string(),
  fileExtension: z.string().optional(),
  /** Absent for time series. */
  blob: z.string().optional(),
  /** Name of the tenant. */
  publisher: z.string(),
  /** Year of the last change. */
  year: z.number(),
});
/** What the holder of a link may use of it and of its dataset. */
export type OpenShare = z.infer<typeof Open>;

/** The link with this SHA-256 of its token, unless it was ended, has expired, or its dataset is deleted. */
export const findOpenShare = (db: Reads, hash: Buffer) =>
  db.maybeOne(sql.type(Open)`
    select s.id, s.dataset_id, s.created_by, s.expires_at, s.downloads, d.name, d.description, d.dataset_format, d.file_extension, d.blob,
      t.name as publisher, extract(year from d.updated_at)::int as year
    from dataset_shares s join datasets d on d.id = s.dataset_id
      join projects on projects.id = d.project_id join tenants t on t.id = projects.tenant_id
    where s.hash = ${sql.binary(hash)} and s.ended_at is null and s.expires_at > now() and ${notDeleted}`);

const hashed = (browser: string) => sql.fragment`substring(sha256(salt || convert_to(${browser}, 'UTF8')) for 16)`;

/** Whether this browser was counted today. */
export const wasCounted = (db: Reads, id: string, browser: string) =>
  db.exists(sql.unsafe`
    select from share_opens join share_days using (day)
    where day = current_date and share_id = ${id} and browser = ${hashed(browser)}`);

/** Makes the salt of the day, unless another request has made it. */
export const insertDay = (tx: Transaction, salt: Buffer) =>
  tx.query(sql.unsafe`
    insert into share_days (day, salt) values (current_date, ${sql.binary(salt)}) on conflict do nothing`);

/**
 * Counts a browser once a day, unless `most` others were counted today. `insertDay` comes before. The lock makes the
 * number of rows exact, and keeps the link while they are written.
 */
export const insertOpen = (tx: Transaction, id: string, browser: string, most: number) =>
  tx.query(sql.unsafe`
    with share as (select id from dataset_shares where id = ${id} for no key update),
    opened as (
      insert into share_opens (share_id, day, browser)
      select share.id, day, ${hashed(browser)} from share, share_days
      where day = current_date and (select count(*) from share_opens o where o.share_id = share.id and o.day = current_date) < ${most}
      on conflict do nothing returning share_id)
    update dataset_shares set opens = opens + 1, last_opened_at = now() where id in (select share_id from opened)`);

/** Deletes salts and hashes of days that are over. */
export const deletePastDays = (tx: Transaction) =>
  tx.query(sql.unsafe`delete from share_days where day < current_date`);

/** Deletes links that have ended or expired three months ago. */
export const deleteOldShares = (tx: Transaction) =>
  tx.query(sql.unsafe`delete from dataset_shares where least(ended_at, expires_at) < now() - interval '90 days'`);
