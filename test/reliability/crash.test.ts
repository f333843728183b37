import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionContext } from 'ava';
import test from 'ava';
import pg from 'pg';
import { removeOrphanBlobs } from '../../src/transfers/orphan-blobs.ts';
import { randomOf } from '../world/random.ts';
import { copyRequest, newProject, start, untilEnd, upload } from '../world/transfers.ts';
import type { WorkerProcess } from '../world/worker.ts';
import { startWorker } from '../world/worker.ts';
import { world } from '../world.ts';

/**
 * Workers are killed, and stopped for a while, at random while they run transfers. `CRASH_TEST=long` for four workers and 200 transfers,
 * `CRASH_SEED=n` for the choices of an earlier run.
 */
const LONG = process.env.CRASH_TEST === 'long';
const WORKERS = LONG ? 4 : 3;
const TRANSFERS = LONG ? 200 : 40;
const SEED = Number(process.env.CRASH_SEED ?? Math.floor(Math.random() * 2 ** 31));
/** Lines of a grid, so that conversions last from a tenth of a second to a second or two. */
const SIZES = [300, 1000, 2000];
/**
 * Between two blows. Not much shorter than a conversion: a transfer is given back eight times, and with 80 blows at conversions of some
 * seconds one in 200 lost its worker nine times.
 */
const LEAST_PAUSE_MS = LONG ? 300 : 100;
const MORE_PAUSE_MS = LONG ? 1000 : 700;

const w = world(test);
test.after.always('nobody is left', () => Promise.all([...alive].map((worker) => worker.process.kill('SIGKILL'))));
const alive = new Set<WorkerProcess>();

const random = randomOf(SEED);
const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;

function grid(lines: number): string {
  const row = Array.from({ length: lines }, (_, column) => (column * 0.37).toFixed(3)).join(' ');
  const head = `ncols ${lines}\nnrows ${lines}\nxllcorner 0\nyllcorner 0\ncellsize 1\n`;
  return `${head}${`${row}\n`.repeat(lines)}`;
}

interface Kill {
  at: Date;
  transfers: { id: string; attempt: number }[];
}

test('every transfer ends Completed and takes effect once, whatever is done to the workers', async (t) => {
  t.timeout(15 * 60_000);
  t.log(`seed ${SEED}`);
  const client = w.as(await w.account());
  const projectId = await newProject(client);
  const db = new pg.Pool({ connectionString: w.url, max: 4 });
  const starts = watchStarts(db);
  try {
    const inputs = await Promise.all(SIZES.map((lines) => upload(w, client, grid(lines))));
    for (let n = 0; n < WORKERS; n++) await launch();
    const requests = Array.from({ length: TRANSFERS }, (_, n) => ({
      ...copyRequest(projectId, pick(inputs)),
      readerName: 'AsciiGridReader',
      writerName: 'GeoTiffWriter',
      outputDatasetData: { name: `result ${n}` },
    }));
    const ids = await Promise.all(requests.map(async (request) => (await start(client, request)).body.id as string));
    const kills = await torment(t, db, ids);
    const ended = [];
    for (const id of ids) ended.push(await untilEnd(client, id));

    for (const { id, status, errorMessage } of ended) t.is(status, 'Completed', `${id}: ${errorMessage}`);
    await effectsOnce(t, db, ids, projectId);
    await blobsAndRows(t, db);
    figures(t, kills, await starts.stop());
  } finally {
    await starts.stop();
    await Promise.all([...alive].map((worker) => worker.stop()));
    await db.end();
  }
  t.deepEqual(await readdir(join(w.folder, 'scratch')), [], 'nothing is left in the scratch folder');
});

async function launch() {
  const worker = await startWorker(w, { 'worker.concurrency': '2', 'log.level': 'warn' });
  alive.add(worker);
  void worker.ended.then(() => alive.delete(worker));
}

/** Until all have ended: kills a worker and starts another, or stops one and lets it go on. */
async function torment(t: ExecutionContext, db: pg.Pool, ids: string[]): Promise<Kill[]> {
  const kills: Kill[] = [];
  const launches: Promise<void>[] = [];
  let pauses = 0;
  const until = Date.now() + (LONG ? 10 * 60_000 : 25_000);
  while (Date.now() < until && (await countOpen(db, ids)) > 0) {
    await sleep(LEAST_PAUSE_MS + random() * MORE_PAUSE_MS);
    const worker = pick([...alive]);
    if (worker === undefined) continue;
    if (random() < 0.6) {
      kills.push(await kill(db, worker));
      launches.push(launch());
    } else {
      pauses++;
      worker.process.kill('SIGSTOP');
      await sleep(200 + random() * 1800);
      worker.process.kill('SIGCONT');
    }
  }
  await Promise.all(launches);
  t.log(`${kills.length} workers killed, ${pauses} stopped for a while`);
  return kills;
}

async function kill(db: pg.Pool, worker: WorkerProcess): Promise<Kill> {
  worker.process.kill('SIGKILL');
  const at = new Date();
  const { rows } = await db.query(
    `select id, attempt from transfers join workers on workers.pool = worker_pool where status = 'InProgress' and pid = $1`,
    [worker.pid],
  );
  await worker.ended;
  return { at, transfers: rows };
}

async function countOpen(db: pg.Pool, ids: string[]): Promise<number> {
  const { rows } = await db.query(
    `select count(*)::int as open from transfers where id = any($1) and status in ('Pending', 'InProgress')`,
    [ids],
  );
  return rows[0].open;
}

async function effectsOnce(t: ExecutionContext, db: pg.Pool, ids: string[], projectId: string) {
  const { rows: datasets } = await db.query('select name from datasets where project_id = $1', [projectId]);
  t.is(new Set(datasets.map(({ name }) => name)).size, ids.length, 'a dataset for each');
  t.is(datasets.length, ids.length, 'and no second one');
  const { rows: events } = await db.query(
    `select resource_id, type, count(*)::int as times from events
     where resource_id = any($1) and type <> 'svc.platform.events.transferprogressevent' group by 1, 2`,
    [ids],
  );
  t.is(events.length, 2 * ids.length);
  t.deepEqual(
    events.filter(({ times }) => times !== 1),
    [],
  );
  const { rows: jobs } = await db.query('select id from graphile_worker._private_jobs where locked_at is not null');
  t.deepEqual(jobs, [], 'no row of the queue stays locked');
}

/** After the sweep no blob without a row, and no row without its bytes. */
async function blobsAndRows(t: ExecutionContext, db: pg.Pool) {
  await removeOrphanBlobs(w.db, w.blobs, { olderThanMs: 0 });
  const stored = new Set<string>();
  for await (const { name } of w.blobs.list('dataset/')) stored.add(name);
  const { rows } = await db.query(
    `select d.blob, t.receipt->'output'->>'sha256' as sha256 from datasets d join transfers t on t.output_dataset_id = d.id`,
  );
  t.deepEqual([...stored].sort(), rows.map(({ blob }) => blob).sort());
  for (const { blob, sha256 } of rows) {
    const hash = createHash('sha256');
    for await (const chunk of await w.blobs.read(blob)) hash.update(chunk);
    t.is(hash.digest('hex'), sha256, blob);
  }
}

/** Notes when each attempt of each transfer started. */
function watchStarts(db: pg.Pool) {
  const started = new Map<string, Date>();
  let stopped = false;
  const loop = async () => {
    while (!stopped) {
      const { rows } = await db.query('select id, attempt, started_at from transfers where attempt > 0');
      for (const { id, attempt, started_at } of rows) started.set(`${id} ${attempt}`, started_at);
      await sleep(50);
    }
  };
  const running = loop();
  return {
    async stop() {
      stopped = true;
      await running;
      return started;
    },
  };
}

/** From a kill to the next start of what the worker ran. */
function figures(t: ExecutionContext, kills: Kill[], started: Map<string, Date>) {
  const waits = kills.flatMap(({ at, transfers }) =>
    transfers.flatMap(({ id, attempt }) => {
      const next = started.get(`${id} ${attempt + 1}`);
      return next === undefined ? [] : [next.getTime() - at.getTime()];
    }),
  );
  waits.sort((a, b) => a - b);
  const at = (share: number) => waits[Math.min(waits.length - 1, Math.floor(share * waits.length))];
  t.log(`from a kill to the next start, ${waits.length} cases: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`);
}
