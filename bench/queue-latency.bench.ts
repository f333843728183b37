import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { arrivals, arrivalTimes, quantile, runAt } from './arrivals.ts';
import { type BareQueue, openBareQueue } from './bare-queue.ts';
import {
  type Call,
  CONCURRENCY,
  caller,
  prepareSubmission,
  SUBMIT_PATH,
  type Submission,
  withProcesses,
} from './processes.ts';

const ROUNDS = 4;
const PER_SECOND = 100;
const SECONDS = 10;
const SINGLE = 100;

/**
 * Latency of no-op transfers: the response time of submits at 100 requests per second, while a worker runs the
 * transfers; and, on an idle platform, the time from the answer until a worker starts the transfer. Compared to bare
 * graphile-worker on the same server, alternating. Targets: p99 of the response ≤ 50 ms, p95 of the start ≤ 100 ms.
 */
export const bench = () =>
  withProcesses(async (processes) => {
    const { pool, launch } = processes;
    const bare = await openBareQueue(processes, { clients: 50, concurrency: CONCURRENCY });
    try {
      const api = await launch('serve');
      const call = caller(api.address);
      const submission = await prepareSubmission(call);
      await launch('work', { PLATFORM_WORKER_CONCURRENCY: String(CONCURRENCY) });
      await idle(pool, bare, call, submission);
      await load(pool, bare, { url: new URL(SUBMIT_PATH, api.address).href, ...submission });
    } finally {
      await bare.close();
    }
  });

async function load(pool: pg.Pool, bare: BareQueue, to: Submission & { url: string }) {
  const rate = { perSecond: PER_SECOND, seconds: SECONDS };
  const [ours, theirs]: number[][] = [[], []];
  for (let round = 0; round <= ROUNDS; round++) {
    const peer = await runAt(arrivalTimes(rate), bare.submit);
    await settled(bare.pool);
    const own = await arrivals({ url: to.url, headers: to.headers, body: to.body, ...rate });
    await settled(pool);
    // the first round warms both up
    if (round === 0) continue;
    ours?.push(...own);
    theirs?.push(...peer);
    console.log(`round ${round}: ours ${shown(own)}; bare ${shown(peer)}`);
  }
  console.log(
    `${PER_SECOND} submits per second: ${shown(ours ?? [])} (target: p99 ≤ 50 ms)\nbare: ${shown(theirs ?? [])}`,
  );
}

/** One transfer at a time. Database and benchmark use the clock of the same machine. */
async function idle(pool: pg.Pool, bare: BareQueue, call: Call, { body, headers }: Submission) {
  const submit = async () => JSON.parse(await call('POST', SUBMIT_PATH, body, headers)).id as string;
  const ours: Start[] = [];
  const theirs: Start[] = [];
  for (let n = 0; n < SINGLE; n++) {
    theirs.push(await started(bare.pool, bare.submit));
    ours.push(await started(pool, submit));
  }
  const line = (starts: readonly Start[]) =>
    `${shown(starts.map(({ answered }) => answered))} after the answer, ${shown(starts.map(({ asked }) => asked))} after the request`;
  console.log(
    `idle, until a worker starts: ${line(ours)} (target: p95 ≤ 100 ms after the answer)\nbare: ${line(theirs)}`,
  );
}

/** Milliseconds from the request and from the answer until a worker starts the transfer. */
interface Start {
  asked: number;
  answered: number;
}

async function started(pool: pg.Pool, submit: () => Promise<string>): Promise<Start> {
  await sleep(50 + Math.random() * 100);
  const now = () => performance.timeOrigin + performance.now();
  const asked = now();
  const id = await submit();
  const answered = now();
  await settled(pool);
  const { rows } = await pool.query('select extract(epoch from started_at) * 1000 as at from transfers where id = $1', [
    id,
  ]);
  const at = Number(rows[0].at);
  return { asked: at - asked, answered: Math.max(0, at - answered) };
}

async function settled(pool: pg.Pool) {
  for (;;) {
    const { rowCount } = await pool.query('select from transfers where finished_at is null limit 1');
    if (rowCount === 0) return;
    await sleep(20);
  }
}

const shown = (times: readonly number[]) =>
  [0.5, 0.95, 0.99].map((share) => `p${share * 100} ${quantile(times, share).toFixed(1)}`).join(', ');
