import { run } from 'graphile-worker';
import pg from 'pg';

/**
 * Program: a minimal worker for transfers. One statement claims a transfer; a transaction of two statements completes
 * it and inserts its dataset. Arguments: database URL, concurrency. Sends an IPC message when it is ready, and stops on
 * SIGTERM.
 */
const [databaseUrl, concurrency] = process.argv.slice(2) as [string, string];
const pool = new pg.Pool({ connectionString: databaseUrl, max: Number(concurrency) });

async function runTransfer(payload: unknown) {
  const { transferId } = payload as { transferId: string };
  const { rows } = await pool.query(
    `update transfers set status = 'InProgress', attempt = attempt + 1, worker_pool = 'bare', started_at = now(), updated_at = now(),
       deadline = now() + interval '2 hours'
     where id = $1 and status = 'Pending' returning project_id, created_by, attempt`,
    [transferId],
  );
  const transfer = rows[0];
  if (!transfer) return;
  const client = await pool.connect();
  try {
    await client.query('begin');
    await client.query(
      `update transfers set status = 'Completed', progress = 100, finished_at = now(), updated_at = now()
       where id = $1 and attempt = $2 and status = 'InProgress'`,
      [transferId, transfer.attempt],
    );
    await client.query(
      `insert into datasets (project_id, name, dataset_type, dataset_format, blob, storage_size, created_by, updated_by)
       values ($1, 'file.txt', 'file', 'file', $2, 1024, $3, $3)`,
      [transfer.project_id, `dataset/${transferId}`, transfer.created_by],
    );
    await client.query('commit');
  } finally {
    client.release();
  }
}

const runner = await run({
  taskList: { runTransfer },
  noHandleSignals: true,
  preset: {
    worker: {
      connectionString: databaseUrl,
      concurrentJobs: Number(concurrency),
      maxPoolSize: Number(concurrency) + 2,
      completeJobBatchDelay: 0,
      failJobBatchDelay: 0,
    },
  },
});
process.once('SIGTERM', () => void runner.stop().then(() => process.exit()));
process.send?.({});
