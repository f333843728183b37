import { z } from 'zod';
import { type Db, sql } from '../../db.ts';

const Content = z.object({
  blob: z.string(),
  /** The overview of this content is drawn already. */
  isDrawn: z.boolean(),
});

/** The content of a dataset of features, also of one in the recycle bin: it may be restored. */
export const findVectorContent = (db: Db, datasetId: string) =>
  db.maybeOne(sql.type(Content)`
    select d.blob, exists (select from vector_overviews o where o.dataset_id = d.id and o.blob = d.blob) as is_drawn
    from datasets d where d.id = ${datasetId} and d.dataset_type = 'gisvectordata' and d.blob is not null`);

/** Notes the name of an archive before it is stored, so that the clean-up knows it if no row gets to name it. */
export const noteArchive = (db: Db, name: string) =>
  db.query(sql.unsafe`insert into released_blobs (name) values (${name}) on conflict do nothing`);

export interface NewOverview {
  readonly datasetId: string;
  readonly blob: string;
  /** Absent: no tile has many features. */
  readonly archive?: string;
  readonly tiles: number;
  readonly bytes: number;
  readonly lastLevel?: number;
}

/** Stores the overview of a content. False: the dataset has another content, or was destroyed. */
export async function insertOverview(db: Db, overview: NewOverview): Promise<boolean> {
  const { datasetId, blob, archive, tiles, bytes, lastLevel } = overview;
  const { rowCount } = await db.query(sql.unsafe`
    insert into vector_overviews (dataset_id, blob, archive, tiles, bytes, last_level)
    select id, blob, ${archive ?? null}::text, ${tiles}::int, ${bytes}::bigint, ${lastLevel ?? null}::int
    from datasets where id = ${datasetId} and blob = ${blob} for share
    on conflict (dataset_id) do update set blob = excluded.blob, archive = excluded.archive, tiles = excluded.tiles,
      bytes = excluded.bytes, last_level = excluded.last_level, made_at = now()`);
  return rowCount > 0;
}

const Archive = z.object({ archive: z.string().optional(), lastLevel: z.number().optional() });

/** The archive of the overview of a content. Null: the job has not run yet. */
export const findArchive = (db: Db, datasetId: string, blob: string) =>
  db.maybeOne(sql.type(Archive)`
    select archive, last_level from vector_overviews where dataset_id = ${datasetId}::uuid and blob = ${blob}`);

const Overview = Archive.extend({ tiles: z.number(), bytes: z.number(), madeAt: z.string() });

export const findOverview = (db: Db, datasetId: string, blob: string) =>
  db.maybeOne(sql.type(Overview)`
    select archive, last_level, tiles, bytes, made_at
    from vector_overviews where dataset_id = ${datasetId}::uuid and blob = ${blob}`);

/** Enqueues the job of a dataset again, for a worker that has the capacity. It waits five seconds. */
export async function putOff(db: Db, datasetId: string): Promise<void> {
  await db.query(sql.unsafe`select enqueue_vector_overview(${datasetId}::uuid, 0)`);
}

/** Whether a job of the dataset waits or runs. */
export const overviewIsDue = (db: Db, datasetId: string) =>
  db.exists(sql.unsafe`
    select from queue_jobs
    where key = ${`vector overview ${datasetId}`} and attempts < max_attempts`);
