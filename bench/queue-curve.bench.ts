import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { Database } from '../src/db.ts';
import { sweep } from '../src/transfers/queue/sweep.ts';
import { quantile } from './arrivals.ts';
import {
  type Call,
  CONCURRENCY,
  caller,
  type Processes,
  prepareSubmission,
  SUBMIT_PATH,
  type Submission,
  withProcesses,
} from './processes.ts';

const DEPTHS = [100, 1000, 10_000, 100_000];
/** Up and down again, so that a drift of the machine's speed is not mistaken for an effect of the depth. */
const PASSES = [...DEPTHS, ...DEPTHS.toReversed()];
const SUBMITS = 300;
const LOOKS = 20;
const RUN_SECONDS = 8;
const CLIENTS = 4;

interface Figures {
  /** Transfers per second, and CPU milliseconds of database and worker per transfer. */
  completed: number;
  cpu: number;
  /** Median milliseconds, like the next ones. */
  submit: number;
  sweep: number;
  list: number;
  page: number;
  one: number;
}

/**
 * Cost of the queue depth: 10² to 10⁵ waiting transfers while others are started, listed and swept, and while one
 * worker runs transfers (refilled, so that the depth is constant). Prints each figure relative to the shortest queue.
 * Target: flat.
 */
export const bench = () =>
  withProcesses(async (processes) => {
    const api = await processes.launch('serve');
    const call = caller(api.address, CLIENTS);
    const submission = await prepareSubmission(call);
    const template = await takeTemplate(processes.pool, call, submission);
    const measured = new Map<number, Figures[]>(DEPTHS.map((depth) => [depth, []]));
    for (const depth of PASSES) {
      await template.fill(depth);
      const figures = { ...(await ask(processes, call, submission)), ...(await run(processes, template)) };
      measured.get(depth)?.push(figures);
      console.log(`${depth}: ${shown(figures)}`);
    }
    const [shortest, ...longer] = DEPTHS.map((depth) => mean(measured.get(depth) ?? []));
    for (const [n, figures] of longer.entries()) {
      const ratios = Object.entries(figures).map(
        ([name, value]) => `${name} ${(value / (shortest?.[name as keyof Figures] ?? 0)).toFixed(2)}`,
      );
      console.log(`${DEPTHS[n + 1]} relative to ${DEPTHS[0]}: ${ratios.join(', ')}`);
    }
  });

const shown = ({ completed, cpu, ...times }: Figures) =>
  `${completed.toFixed(0)}/s, ${cpu.toFixed(1)} ms of CPU per transfer; ${Object.entries(times)
    .map(([name, ms]) => `${name} ${ms.toFixed(1)}`)
    .join(', ')} ms`;

function mean(all: readonly Figures[]): Figures {
  const names = Object.keys(all[0] ?? {}) as (keyof Figures)[];
  const sums = names.map((name) => [name, all.reduce((sum, one) => sum + one[name], 0) / all.length]);
  return Object.fromEntries(sums);
}

/** Response times of requests and the sweep, without workers. */
async function ask({ databaseUrl }: Processes, call: Call, { body, headers }: Submission) {
  const median = async (count: number, work: () => Promise<unknown>) => {
    const durations: number[] = [];
    for (let n = 0; n < count; n++) {
      const start = performance.now();
      await work();
      durations.push(performance.now() - start);
    }
    return quantile(durations, 0.5);
  };
  const get = (path: string) => () => call('GET', path, '', headers);
  const { id } = JSON.parse(await call('POST', SUBMIT_PATH, body, headers));
  const db = new Database(databaseUrl, 1);
  try {
    return {
      submit: await median(SUBMITS, () => call('POST', SUBMIT_PATH, body, headers)),
      sweep: await median(LOOKS, () => sweep(db, { thorough: true, patience: 60_000 })),
      list: await median(LOOKS, get('/api/conversion/transfer/list-summaries?limit=50')),
      page: await median(LOOKS, get('/api/conversion/transfer/list?limit=50&status=Pending')),
      one: await median(LOOKS, get(`/api/conversion/transfer/${id}`)),
    };
  } finally {
    await db.end();
  }
}

async function run({ pool, launch, databaseCpu }: Processes, template: Template) {
  const completed = async () =>
    Number((await pool.query("select count(*) from transfers where status = 'Completed'")).rows[0].count);
  const worker = await launch('work', { PLATFORM_WORKER_CONCURRENCY: String(CONCURRENCY) });
  try {
    while ((await completed()) === 0) await sleep(20);
    const cpu = async () => (await databaseCpu()) + (await worker.cpu());
    const [cpuBefore, before, start] = [await cpu(), await completed(), performance.now()];
    let done = before;
    let refilled = 0;
    while (performance.now() - start < RUN_SECONDS * 1000) {
      await sleep(100);
      done = await completed();
      await template.add(done - refilled);
      refilled = done;
    }
    const count = done - before;
    return {
      completed: (count / (performance.now() - start)) * 1000,
      cpu: ((await cpu()) - cpuBefore) / count,
    };
  } finally {
    await worker.stop();
  }
}

interface Template {
  /** Empties the queue, then adds `depth` transfers. */
  fill(depth: number): Promise<void>;
  add(count: number): Promise<void>;
}

/** Starts one transfer through the API and copies its rows as a template. */
async function takeTemplate(pool: pg.Pool, call: Call, { body, headers }: Submission): Promise<Template> {
  await call('POST', SUBMIT_PATH, body, headers);
  await pool.query('create schema bench');
  await pool.query('create table bench.transfer as select * from transfers');
  await pool.query('create table bench.job as select * from graphile_worker._private_jobs');
  const transfers = await columns(pool, 'public', 'transfers', ['id', 'created_at']);
  const jobs = await columns(pool, 'graphile_worker', '_private_jobs', ['id', 'key', 'payload']);
  async function add(count: number) {
    await pool.query(
      `with fresh as materialized (select uuidv7() as id, n from generate_series(1, $1::int) n),
       begun as (
         insert into transfers (id, created_at, ${transfers})
         select fresh.id, now() - n * interval '1 millisecond', ${transfers} from bench.transfer, fresh)
       insert into graphile_worker._private_jobs (key, payload, ${jobs})
       select fresh.id::text, json_build_object('transferId', fresh.id), ${jobs} from bench.job, fresh`,
      [count],
    );
  }
  return {
    add,
    async fill(depth) {
      await pool.query('truncate transfers, transfer_log, datasets, dataset_readers, events cascade');
      await pool.query('truncate graphile_worker._private_jobs');
      await add(depth);
      await pool.query('vacuum analyze transfers, graphile_worker._private_jobs');
    },
  };
}

/** Names of the columns of a table, without generated ones and those in `but`. */
async function columns(pool: pg.Pool, schema: string, table: string, but: readonly string[]): Promise<string> {
  const { rows } = await pool.query(
    `select column_name as name from information_schema.columns
     where table_schema = $1 and table_name = $2 and is_generated = 'NEVER' and column_name <> all($3)`,
    [schema, table, but],
  );
  return rows.map(({ name }) => `"${name}"`).join(', ');
}
