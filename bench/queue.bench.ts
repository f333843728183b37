import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { openBareQueue } from './bare-queue.ts';
import {
  type BenchProcess,
  CONCURRENCY,
  caller,
  prepareSubmission,
  SUBMIT_PATH,
  times,
  withProcesses,
} from './processes.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
/** Rounds before those that count: code is compiled, and the tables have grown, for both sides. */
const WARM_UP = 2;
const TRANSFERS = 1000;
const CLIENTS = 10;

/**
 * Throughput of no-op transfers from the first HTTP request to the last completed transfer, with rights, locks, log,
 * event, receipt and fsync. Compared to bare graphile-worker with the same three commits and rows, alternating, on the
 * same server. Target: 0.7 end to end.
 */
export const bench = () =>
  withProcesses(async (processes) => {
    const { pool, databaseCpu, launch } = processes;
    const bare = await openBareQueue(processes, { clients: CLIENTS, concurrency: CONCURRENCY });
    const theirs: Contender = { pool: bare.pool, processes: { worker: bare.worker }, submit: bare.submit };
    const api = await launch('serve');
    const call = caller(api.address, CLIENTS);
    const { body, headers } = await prepareSubmission(call);
    const worker = await launch('work', { PLATFORM_WORKER_CONCURRENCY: String(CONCURRENCY) });
    const ours: Contender = {
      pool,
      processes: { api, worker },
      submit: () => call('POST', SUBMIT_PATH, body, headers),
    };
    const rounds: { submit: number; all: number }[] = [];
    try {
      for (let round = 1; round <= WARM_UP + ROUNDS; round++) {
        const peer = await measure(theirs, databaseCpu);
        const own = await measure(ours, databaseCpu);
        const ratio = { submit: own.submit / peer.submit, all: own.all / peer.all };
        if (round > WARM_UP) rounds.push(ratio);
        console.log(
          `ours ${shown(own)}\nbare ${shown(peer)}\nratio: ${ratio.all.toFixed(2)} end to end, ${ratio.submit.toFixed(2)} submit`,
        );
      }
      const median = (of: 'submit' | 'all') => rounds.map((ratio) => ratio[of]).sort((a, b) => a - b)[ROUNDS >> 1] ?? 0;
      console.log(
        `\nmedian ratio: ${median('all').toFixed(2)} end to end (target: 0.7), ${median('submit').toFixed(2)} submit`,
      );
    } finally {
      await bare.close();
    }
  });

interface Contender {
  pool: pg.Pool;
  processes: Record<string, BenchProcess>;
  submit(): Promise<unknown>;
}

interface Figures {
  /** Per second. */
  submit: number;
  all: number;
  /** CPU milliseconds per transfer, by process. */
  cpu: Record<string, number>;
}

async function measure({ pool, processes, submit }: Contender, databaseCpu: () => Promise<number>): Promise<Figures> {
  const cpu = async () => [
    await databaseCpu(),
    ...(await Promise.all(Object.values(processes).map((one) => one.cpu()))),
  ];
  const before = await cpu();
  const started = performance.now();
  await times(TRANSFERS, CLIENTS, submit);
  const submitted = performance.now();
  await allCompleted(pool, TRANSFERS);
  const ended = performance.now();
  const after = await cpu();
  await pool.query('truncate transfers, transfer_log, datasets, dataset_readers, events cascade');
  const names = ['database', ...Object.keys(processes)];
  return {
    submit: (TRANSFERS / (submitted - started)) * 1000,
    all: (TRANSFERS / (ended - started)) * 1000,
    cpu: Object.fromEntries(names.map((name, n) => [name, ((after[n] ?? 0) - (before[n] ?? 0)) / TRANSFERS])),
  };
}

const shown = ({ submit, all, cpu }: Figures) =>
  `${all.toFixed(0)}/s end to end, ${submit.toFixed(0)}/s submit; CPU per transfer: ${Object.entries(cpu)
    .map(([name, ms]) => `${name} ${ms.toFixed(1)}`)
    .join(', ')} ms`;

async function allCompleted(pool: pg.Pool, count: number) {
  for (;;) {
    const { rows } = await pool.query(
      `select count(*) filter (where status = 'Completed')::int as done, count(*) filter (where status = 'Error')::int as failed from transfers`,
    );
    const { done, failed } = rows[0];
    if (failed > 0) throw new Error(`${failed} transfers failed.`);
    if (done === count) return;
    await sleep(20);
  }
}
