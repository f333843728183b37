import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { type BenchProcess, type Processes, startProcess } from './processes.ts';

const WORKER = fileURLToPath(new URL('./bare-worker.ts', import.meta.url));

/** The baseline of the queue benchmarks: graphile-worker with only the commits and rows of a transfer. */
export interface BareQueue {
  pool: pg.Pool;
  worker: BenchProcess;
  submit(): Promise<string>;
  close(): Promise<void>;
}

/** Uses a second database with the same tables, so that notifications do not wake the platform's workers. */
export async function openBareQueue(
  { anotherDatabase }: Processes,
  { clients, concurrency }: { clients: number; concurrency: number },
): Promise<BareQueue> {
  const url = await anotherDatabase();
  const pool = new pg.Pool({ connectionString: url, max: clients });
  await pool.query(
    `insert into projects (id, root_id, path, member_source_id, name, created_by, updated_by, tenant_id)
     select id, id, array[id], id, 'bench', user_id, user_id, tenant_id from (select uuidv7() id, user_id, tenant_id from tenant_members) x`,
  );
  const worker = await startProcess([WORKER, url, String(concurrency)], {});
  return {
    pool,
    worker,
    submit: () => submit(pool),
    async close() {
      await worker.stop();
      await pool.end();
    },
  };
}

/** Inserts a transfer and its job in one transaction. Returns the id of the transfer. */
async function submit(pool: pg.Pool): Promise<string> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const { rows } = await client.query(
      `insert into transfers (tenant_id, project_id, type, format, request, created_by, updated_by, account_id, memory_mb)
       select tenant_id, id, 'Import', 'file', $1, created_by, created_by, 'bench', 4096 from projects limit 1 returning id`,
      [JSON.stringify({ readerName: 'FileReader', writerName: 'FileWriter' })],
    );
    const { id } = rows[0];
    await client.query(
      `select graphile_worker.add_job('runTransfer', payload => json_build_object('transferId', $1::text), job_key => $1)`,
      [id],
    );
    await client.query('commit');
    return id;
  } finally {
    client.release();
  }
}
