import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import {
  type Call,
  CONCURRENCY,
  caller,
  type Processes,
  prepareConversion,
  prepareSubmission,
  SUBMIT_PATH,
  type Submission,
  times,
  withProcesses,
} from './processes.ts';

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 5);
const CLIENTS = 10;
const PRICES = 'FileReader=1,FileWriter=0.5,AsciiGridReader=1,GeoTiffWriter=0.5,memoryGbHour=2';

const copyOf = (bytes: number) => (call: Call) => prepareSubmission(call, Buffer.alloc(bytes, 'x'));

/**
 * What is transferred: a copy of a file that is so small that all costs are those of the platform, a small grid that is
 * converted, and a copy of a file with content.
 */
const KINDS = [
  { name: 'copy of 1 kB', prepare: copyOf(1024), transfers: 400 },
  // many: processes that convert are replaced after some hundred conversions, and the next ones are slow
  { name: 'conversion of 10 kB', prepare: (call: Call) => prepareConversion(call), transfers: 1000 },
  { name: 'copy of 16 MB', prepare: copyOf(16 * 2 ** 20), transfers: 60 },
];

/**
 * Transfers that cost credits: reserved at submit, spent and released at the end. Compared to the same transfers
 * without prices, alternating, with the same worker. Target: at most 1.1 times the time.
 */
export const bench = () =>
  withProcesses(async (processes) => {
    const settings = { free: {}, priced: { PLATFORM_CREDITS_PRICES: PRICES } };
    const free = await processes.launch('serve', settings.free);
    const priced = await processes.launch('serve', settings.priced);
    const worker = await processes.launch('work', { PLATFORM_WORKER_CONCURRENCY: String(CONCURRENCY) });
    await processes.pool.query(
      `select credit_add(id, 1e8, '3000-01-01', '2999-12-31', 'S', 'R', 'EXT', '', null, null, false) from tenants`,
    );
    const calls = { free: caller(free.address, CLIENTS), priced: caller(priced.address, CLIENTS) };
    const cpu = async () => ({
      database: await processes.databaseCpu(),
      api: (await free.cpu()) + (await priced.cpu()),
      worker: await worker.cpu(),
    });
    for (const { name, prepare, transfers } of KINDS) {
      const submission = await prepare(calls.free);
      const ratios: { time: number; cpu: number }[] = [];
      for (let round = 0; round <= ROUNDS; round++) {
        const without = await measure(processes, calls.free, submission, transfers, cpu);
        const withPrice = await measure(processes, calls.priced, submission, transfers, cpu);
        // the first round warms both up
        if (round > 0) ratios.push({ time: withPrice.ms / without.ms, cpu: sum(withPrice.cpu) / sum(without.cpu) });
        console.log(`${name}: priced ${shown(withPrice)}; free ${shown(without)}`);
      }
      const median = (of: 'time' | 'cpu') =>
        (ratios.map((ratio) => ratio[of]).sort((a, b) => a - b)[ROUNDS >> 1] ?? 0).toFixed(2);
      console.log(`${name}: median ratio of the times ${median('time')} (target: 1.1), of the CPU ${median('cpu')}`);
    }
    const { rows } = await processes.pool.query('select count(*)::int as settled from credit_holds where not is_open');
    if (rows[0].settled === 0) throw new Error('No transfer has cost credits.');
  });

interface Figures {
  /** Milliseconds per transfer. */
  ms: number;
  cpu: Cpu;
}

/** CPU milliseconds by process. */
type Cpu = Record<'database' | 'api' | 'worker', number>;
const sum = ({ database, api, worker }: Cpu) => database + api + worker;

async function measure(
  { pool }: Processes,
  call: Call,
  { body, headers }: Submission,
  transfers: number,
  cpu: () => Promise<Cpu>,
): Promise<Figures> {
  const before = await cpu();
  const started = performance.now();
  await times(transfers, CLIENTS, () => call('POST', SUBMIT_PATH, body, headers));
  await allCompleted(pool, transfers);
  const ms = (performance.now() - started) / transfers;
  const after = await cpu();
  const used = (name: keyof Cpu) => (after[name] - before[name]) / transfers;
  await pool.query('truncate transfers, transfer_log, datasets, dataset_readers, events cascade');
  return { ms, cpu: { database: used('database'), api: used('api'), worker: used('worker') } };
}

const shown = ({ ms, cpu }: Figures) =>
  `${ms.toFixed(1)} ms, CPU ${sum(cpu).toFixed(1)} ms (database ${cpu.database.toFixed(1)}, API ${cpu.api.toFixed(1)}, worker ${cpu.worker.toFixed(1)})`;

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
