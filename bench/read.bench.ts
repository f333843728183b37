import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { quantile } from './arrivals.ts';
import {
  type BenchProcess,
  caller,
  type Processes,
  prepareSubmission,
  SUBMIT_PATH,
  startProcess,
  withProcesses,
} from './processes.ts';
import { answersPerSecond } from './wrk.ts';

const BARE = fileURLToPath(new URL('./bare-route.ts', import.meta.url));
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3);
const CONNECTIONS = 16;
const OTHERS = 5000;

/** A route to measure, and the target of its rate relative to the bare route. */
interface Read {
  name: string;
  path: string;
  target: number;
}

/**
 * Request rates of reads on one API process with logging to a file, compared to a bare Fastify route that selects a
 * project by primary key through `pg`, unprepared, from the same database, in its own process. Alternating.
 */
export const bench = () =>
  withProcesses(async (processes) => {
    const { reads, headers, projectId } = await plant(processes);
    const ours = await processes.launch('serve', { PLATFORM_LOG_LEVEL: 'info' });
    const bare = await startProcess([BARE, processes.databaseUrl], {});
    const peer = { name: 'bare route', path: `/project/${projectId}`, target: 1 };
    const ask = async (part: BenchProcess, read: Read) => {
      const cpu = async () => [await part.cpu(), await processes.databaseCpu()];
      const before = await cpu();
      const url = new URL(read.path, part.address).href;
      const rate = await answersPerSecond({ url, headers, connections: CONNECTIONS, seconds: SECONDS });
      const [node = 0, database = 0] = (await cpu()).map((ms, n) => ((ms - (before[n] ?? 0)) / rate / SECONDS) * 1000);
      return { rate, node, database };
    };
    const measured = new Map<Read, Awaited<ReturnType<typeof ask>>[]>([peer, ...reads].map((read) => [read, []]));
    const ratios = new Map<Read, number[]>(reads.map((read) => [read, []]));
    try {
      for (let round = 0; round <= ROUNDS; round++) {
        for (const read of reads) {
          const theirs = await ask(bare, peer);
          const own = await ask(ours, read);
          // the first round warms both up
          if (round === 0) continue;
          measured.get(peer)?.push(theirs);
          measured.get(read)?.push(own);
          ratios.get(read)?.push(own.rate / theirs.rate);
        }
      }
    } finally {
      await bare.stop();
    }
    for (const [read, figures] of measured) {
      const median = (of: 'rate' | 'node' | 'database') =>
        quantile(
          figures.map((each) => each[of]),
          0.5,
        ).toFixed(0);
      const share = ratios.get(read);
      const ratio = share ? `, ratio ${quantile(share, 0.5).toFixed(2)} (target: ${read.target.toFixed(2)})` : '';
      console.log(
        `${read.name.padEnd(22)} ${median('rate').padStart(6)}/s; CPU per request: API ${median('node')}, database ${median('database')} µs${ratio}`,
      );
    }
  });

/**
 * Inserts a project with 50 subprojects, 50 datasets and 50 transfers, and thousands of others that are not requested.
 */
export async function plant({ pool, launch }: Processes) {
  const api = await launch('serve');
  const call = caller(api.address);
  const submission = await prepareSubmission(call);
  const { headers, projectId } = submission;
  const { id: transferId } = JSON.parse(await call('POST', SUBMIT_PATH, submission.body, headers));
  const worker = await launch('work');
  while (JSON.parse(await call('GET', `/api/conversion/transfer/${transferId}`, '', headers)).status !== 'Completed')
    await sleep(50);
  await worker.stop();
  const copies = (table: string, columns: string, values: string, count: string) =>
    pool.query(`insert into ${table} (${columns}) select ${values} from ${table} t, generate_series(1, ${count}) n`);
  const place = 'parent_id, root_id, path, inherits_members, member_source_id, name, created_by, updated_by, tenant_id';
  await pool.query(
    `insert into projects (id, ${place})
     select x.id, case when n <= 50 then t.id end, case when n <= 50 then t.id else x.id end,
       case when n <= 50 then t.path else '{}' end || x.id, n <= 50, case when n <= 50 then t.id else x.id end, 'project ' || n,
       t.created_by, t.created_by, t.tenant_id
     from projects t, (select uuidv7() id, n from generate_series(1, $2::int) n) x where t.id = $1`,
    [projectId, OTHERS],
  );
  const dataset = 'dataset_type, dataset_format, blob, storage_size, created_by, updated_by';
  await copies(
    'datasets',
    `project_id, name, ${dataset}`,
    `case when n < 50 then project_id else (select id from projects where name = 'project ' || (n % 1000 + 51)) end,
     'dataset ' || n, dataset_type, dataset_format, blob || n, storage_size, created_by, updated_by`,
    String(OTHERS),
  );
  const transfer = `tenant_id, project_id, type, status, format, request, staged_blob, created_at, created_by, account_id, updated_by,
    attempt, progress, started_at, finished_at, memory_mb, output_dataset_id, receipt, records_read`;
  await copies(
    'transfers',
    transfer,
    transfer.replace('created_at', "created_at - n * interval '1 second'"),
    String(OTHERS),
  );
  await pool.query('vacuum analyze');
  await api.stop();
  const { rows } = await pool.query('select id from datasets where project_id = $1 limit 1', [projectId]);
  const single = 0.5;
  const list = 0.25;
  const reads: Read[] = [
    { name: 'project', path: `/api/metadata/project/${projectId}`, target: single },
    { name: 'dataset', path: `/api/metadata/dataset/${rows[0].id}`, target: single },
    { name: 'transfer', path: `/api/conversion/transfer/${transferId}`, target: single },
    { name: 'capabilities', path: `/api/metadata/project/${projectId}/capabilities`, target: single },
    { name: '50 projects', path: '/api/metadata/project/list?limit=50', target: list },
    { name: '50 subprojects', path: `/api/metadata/project/${projectId}/subproject/list?limit=50`, target: list },
    { name: '50 datasets', path: `/api/metadata/project/${projectId}/dataset/list?limit=50`, target: list },
    { name: '50 transfers', path: '/api/conversion/transfer/list?limit=50', target: list },
    { name: '50 own transfers', path: '/api/conversion/transfer/list-summaries?limit=50', target: list },
  ];
  const { 'content-type': _, ...signedIn } = headers;
  return { reads, headers: signedIn, projectId };
}
