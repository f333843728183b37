import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../db.ts';

export const STATES = ['building', 'ready', 'failed'] as const;
/** Formats of stores, as writers name them. */
const STORE_FORMATS = ['md', 'gis', 'ts'] as const;
export type StoreFormat = (typeof STORE_FORMATS)[number];

/** What is made of a content. */
const NEEDS = ['store', 'overview'] as const;
export type Needs = (typeof NEEDS)[number];

const Row = z.object({
  state: z.enum(STATES),
  needs: z.enum(NEEDS),
  progress: z.number(),
  reason: z.string().optional(),
  store: z.string().optional(),
  storeFormat: z.enum(STORE_FORMATS).optional(),
  storeSize: z.number().optional(),
  overview: z.string().optional(),
  /** Its last use was noted more than an hour ago. */
  isOld: z.boolean(),
});

export type PreviewRow = z.infer<typeof Row>;

/** What is known of the preview of a content. */
export const findPreview = (db: Reads, blob: string) =>
  db.maybeOne(sql.prepared('preview', Row)`
    select state, needs, progress, reason, store, store_format, store_size, overview, used_at < now() - interval '1 hour' as is_old
    from previews where blob = ${blob}`);

/** Locks the content against a write or a deletion for good that would leave its preview behind. */
const content = (blob: string) => sql.fragment`
  (select blob from datasets where blob = ${blob} for key share) content`;

/**
 * Begins the making of a store or an overview, unless there is a row of the preview or the content is gone. One that
 * has an overview and now needs a store begins anew. Enqueues the job, also again where nobody makes it any more.
 */
export async function requestStore(tx: Transaction, blob: string, needs: Needs): Promise<void> {
  await tx.query(sql.unsafe`
    insert into previews (blob, needs) select blob, ${needs} from ${content(blob)}
    on conflict (blob) do update set needs = 'store', state = 'building', progress = 0, reason = null, digest = null,
      overview = null, overview_size = null, attempt = 0
    where previews.needs = 'overview' and excluded.needs = 'store'`);
  await tx.query(sql.unsafe`
    select enqueue_preview(p.blob, '0') from previews p
    where p.blob = ${blob} and p.state = 'building' and not exists (
      select from queue_jobs q where q.key = 'preview ' || p.blob
        -- one that has failed each time rests, however often the preview is asked for; one without an error was taken
        -- by workers that ended, some before they began
        and (q.attempts < q.max_attempts or q.last_error is not null and q.run_at > now() - interval '10 minutes'))`);
}

/** Whether a job waits or runs that makes the store of a content. */
export const isBeingMade = (db: Reads, blob: string) =>
  db.exists(sql.unsafe`select from queue_jobs where key = ${`preview ${blob}`} and attempts < max_attempts`);

/** Enqueues the job again, for a worker that has the capacity, or when another content is done. */
export const putOffStore = (tx: Transaction, blob: string) =>
  tx.query(sql.unsafe`select enqueue_preview(${blob}, '5 seconds')`);

/** Notes why a content cannot be read. Does nothing if it is gone. */
export const markUnreadable = (tx: Transaction, blob: string, reason: string) =>
  tx.query(sql.unsafe`
    insert into previews (blob, state, reason) select blob, 'failed', ${reason} from ${content(blob)} on conflict do nothing`);

/** Forgets that a content could not be read. Its next request tries again. */
export const forgetFailure = (tx: Transaction, blob: string) =>
  tx.query(sql.unsafe`delete from previews where blob = ${blob} and state = 'failed'`);

/** Forgets a store or overview that is lost. Its next request makes it again. */
export const forgetStore = (tx: Transaction, blob: string, store: string) =>
  tx.query(sql.unsafe`delete from previews where blob = ${blob} and ${store} in (store, overview)`);

export const noteUse = (tx: Transaction, blob: string) =>
  tx.query(sql.unsafe`update previews set used_at = now() where blob = ${blob}`);

const Subject = z.object({
  datasetId: z.string(),
  datasetFormat: z.string(),
  fileExtension: z.string().optional(),
  name: z.string(),
  storageSize: z.number(),
  needs: z.enum(NEEDS),
  attempt: z.number(),
});
/** What a job makes a store or an overview of. */
export type StoreSubject = z.infer<typeof Subject>;

/** Begins a run of the job: runs that began before write nothing any more. Null: there is nothing to make. */
export const beginStore = (tx: Transaction, blob: string) =>
  tx.maybeOne(sql.write(Subject)`
    update previews p set attempt = p.attempt + 1 from datasets d
    where p.blob = ${blob} and p.state = 'building' and d.blob = p.blob
    returning d.id as dataset_id, d.dataset_format, d.file_extension, d.name, d.storage_size, p.needs, p.attempt`);

/** A run of the job. */
export interface StoreRun {
  readonly blob: string;
  readonly attempt: number;
}

const own = ({ blob, attempt }: StoreRun) => sql.fragment`
  p.blob = ${blob} and p.state = 'building' and p.attempt = ${attempt}`;

/** Whether a run is the last one, and its content still there. */
export const isCurrentRun = (db: Reads, run: StoreRun) =>
  db.exists(sql.unsafe`select from previews p where ${own(run)}`);

/** Does not count a run that ended with its worker at work: one more may well succeed. */
export const uncountRun = (tx: Transaction, run: StoreRun) =>
  tx.query(sql.unsafe`update previews p set attempt = p.attempt - 1 where ${own(run)}`);

/** Whether a job makes the store of another content with the same bytes, as far as their checksums are known. */
export const isEqualBeingMade = (db: Reads, { blob }: StoreRun) =>
  db.exists(sql.unsafe`
    select from previews o join blob_digests other on other.name = o.blob
      join blob_digests mine on mine.size = other.size and mine.digest = other.digest
      join queue_jobs q on q.key = 'preview ' || o.blob and q.attempts < q.max_attempts
    where o.state = 'building' and o.digest is not null and o.blob <> ${blob} and mine.name = ${blob}`);

/** Waits for other runs that look at the same digest. */
const lockDigest = (tx: Transaction, digest: Buffer) =>
  tx.query(sql.unsafe`select pg_advisory_xact_lock(hashtextextended('preview ' || ${digest.toString('hex')}, 0))`);

/**
 * Notes the digest of the content. `shared`: the preview of an equal content has a store, which this one now has, too.
 * `elsewhere`: another job makes it.
 */
export async function claimDigest(
  tx: Transaction,
  run: StoreRun,
  digest: Buffer,
): Promise<'own' | 'shared' | 'elsewhere'> {
  await lockDigest(tx, digest);
  const bytes = sql.binary(digest);
  // locked, so that the store is not released meanwhile
  const found = await tx.maybeOneFirst(sql.write(z.object({ blob: z.string() }))`
    select blob from previews where digest = ${bytes} and state = 'ready' limit 1 for update`);
  if (found !== null) {
    const { rowCount } = await tx.query(sql.unsafe`
      update previews p set state = 'ready', progress = 1, digest = ${bytes}, store = o.store, store_format = o.store_format,
        store_size = o.store_size, overview = o.overview, overview_size = o.overview_size, used_at = now()
      from previews o where o.blob = ${found} and ${own(run)}`);
    if (rowCount > 0) await tellReady(tx, run.blob);
    return 'shared';
  }
  const others = sql.fragment`previews o where o.digest = ${bytes} and o.state = 'building' and o.blob <> ${run.blob}`;
  const isTaken = await tx.exists(sql.unsafe`
    select from ${others} and exists (
      select from queue_jobs q where q.key = 'preview ' || o.blob and q.attempts < q.max_attempts)`);
  if (isTaken) return 'elsewhere';
  // of one that nobody makes any more
  await tx.query(sql.unsafe`update previews set digest = null where blob in (select o.blob from ${others})`);
  await tx.query(sql.unsafe`update previews p set digest = ${bytes} where ${own(run)}`);
  return 'own';
}

export const setProgress = (tx: Transaction, run: StoreRun, progress: number) =>
  tx.query(sql.unsafe`update previews p set progress = ${progress}::real where ${own(run)}`);

/** A blob that a run has made. */
interface MadeBlob {
  readonly name: string;
  readonly size: number;
}
export interface Made {
  readonly store?: MadeBlob & { readonly format: StoreFormat };
  readonly overview?: MadeBlob;
}

/** Whether the blobs were accepted: they are not after a later run has begun, or when the content is gone. */
export async function finishStore(tx: Transaction, run: StoreRun, { store, overview }: Made): Promise<boolean> {
  const { rowCount } = await tx.query(sql.unsafe`
    update previews p set state = 'ready', progress = 1, store = ${store?.name ?? null},
      store_format = ${store?.format ?? null}, store_size = ${store?.size ?? null}::bigint,
      overview = ${overview?.name ?? null}, overview_size = ${overview?.size ?? null}::bigint, used_at = now()
    where ${own(run)}`);
  if (rowCount === 0) return false;
  await tellReady(tx, run.blob);
  return true;
}

export const failStore = (tx: Transaction, run: StoreRun, reason: string) =>
  tx.query(sql.unsafe`update previews p set state = 'failed', reason = ${reason}, digest = null where ${own(run)}`);

/** Emits `previewreadyevent`. */
const tellReady = (tx: Transaction, blob: string) =>
  tx.query(sql.unsafe`
    select emit_changes(array_agg(
      row('preview', 'ready', d.id, p.tenant_id, d.project_id, d.id, null, d.row_version, '{}', null)::entity_change))
    from datasets d join projects p on p.id = d.project_id where d.blob = ${blob} having count(*) > 0`);

/** Deletes stores and overviews that were not used for this time, and failures as old. */
export const deleteUnused = (tx: Transaction, keep: number) =>
  tx.query(sql.unsafe`
    delete from previews where state <> 'building' and used_at < now() - ${keep} * interval '1 millisecond'`);

/** Deletes the stores and overviews that were not used for longest, until the others have at most `most` bytes. */
export const deleteOldest = (tx: Transaction, most: number) =>
  tx.query(sql.unsafe`
    delete from previews where coalesce(store, overview) in (
      select name from (
        select name, sum(size) over (order by used_at desc, name) as bytes from (
          select coalesce(store, overview) as name, max(coalesce(store_size, 0) + coalesce(overview_size, 0)) as size,
            max(used_at) as used_at
          from previews where coalesce(store, overview) is not null group by 1) stores) s
      where bytes > ${most}::bigint)`);

const Kept = z.object({ scheme: z.record(z.string(), z.unknown()) });

/** The scheme that was set for a dataset. */
export const findScheme = (db: Reads, datasetId: string) =>
  db.maybeOneFirst(
    sql.prepared('preview scheme', Kept)`select scheme from preview_schemes where dataset_id = ${datasetId}`,
  );

/** Sets the scheme of a dataset, which gets another row version. Fires the triggers of a changed dataset. */
export async function putScheme(tx: Transaction, datasetId: string, scheme: object, userId: string): Promise<void> {
  await tx.query(sql.unsafe`
    insert into preview_schemes (dataset_id, scheme, updated_by) values (${datasetId}, ${sql.jsonb(scheme as never)}, ${userId})
    on conflict (dataset_id) do update set scheme = excluded.scheme, updated_by = excluded.updated_by, updated_at = now()`);
  await tx.query(sql.unsafe`
    with changed as (
      update datasets set row_version = row_version + 1, updated_at = now(), updated_by = ${userId} where id = ${datasetId}
      returning id, project_id, row_version)
    select emit_changes(array_agg(
      row('dataset', 'changed', c.id, p.tenant_id, c.project_id, c.id, ${userId}::uuid, c.row_version, '{preview}', null)::entity_change))
    from changed c join projects p on p.id = c.project_id having count(*) > 0`);
}
