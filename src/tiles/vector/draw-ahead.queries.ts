import { z } from 'zod';
import { type Reads, sql, type Transaction } from '../../db.ts';

/** The content of a dataset of features, also of one in the recycle bin: it may be restored. */
export const findVectorContent = (db: Reads, datasetId: string) =>
  db.maybeOneFirst(sql.type(z.object({ blob: z.string() }))`
    select blob from datasets where id = ${datasetId} and dataset_type = 'gisvectordata' and blob is not null`);

/** Enqueues the job of a dataset again, for a worker that has the capacity. It waits five seconds. */
export async function putOff(tx: Transaction, datasetId: string): Promise<void> {
  await tx.query(sql.unsafe`select enqueue_vector_overview(${datasetId}::uuid, 0)`);
}

/** Whether a job of the dataset waits or runs. */
export const drawingAheadIsDue = (db: Reads, datasetId: string) =>
  db.exists(sql.unsafe`
    select from queue_jobs where key = ${`vector overview ${datasetId}`} and attempts < max_attempts`);
