import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { type Client, clientOf } from './campaign/client.ts';
import { grid } from './campaign/kinds.ts';
import { childrenOf, type Platform, signal, startPlatform } from './campaign/platform.ts';
import { LONG, times } from './flags.ts';

/** In each round every worker is asked to stop, one after another, and replaced. */
const ROUNDS = times(1, 20);
const WORKERS = 2;
const RUNNING = LONG ? 50 : 12;
/** More than run at a time, so that a place that becomes free is taken at once. */
const OPEN = RUNNING + 10;
const LINES = 1000;
/**
 * Of the conversions this share goes on; the others are stopped, so that they last as long as they must and leave the
 * machine to the rest.
 */
const GOES_ON = 0.1;

test('a rolling restart fails no running transfer and uses none of its attempts', async (t) => {
  const platform = await startPlatform({ workers: WORKERS, concurrency: RUNNING / WORKERS });
  try {
    const client = clientOf(platform);
    const submit = await submitter(client);
    let going = true;
    const supply = whileTrue(
      () => going,
      async () => {
        const [{ open } = { open: 0 }] = await platform.sql<{ open: number }>(
          'select count(*)::int as open from transfers where finished_at is null',
        );
        await Promise.all(Array.from({ length: OPEN - open }, submit));
      },
    );
    const stopped = new Set<number>();
    const freezing = whileTrue(
      () => going,
      () => freeze(platform, stopped),
    );
    const interrupted = [];
    for (let round = 0; round < ROUNDS; round++) {
      for (const worker of [...platform.workers]) {
        await untilRunning(platform, RUNNING);
        interrupted.push(await runBy(platform, worker.pid));
        platform.expectEnd(worker);
        worker.process.kill('SIGTERM');
        t.deepEqual(await worker.ended, [0, null], worker.output());
        while (platform.workers.size < WORKERS) await sleep(50);
      }
    }
    going = false;
    await Promise.all([supply, freezing]);
    for (const pid of stopped) signal(pid, 'SIGCONT');
    while ((await platform.sql('select from transfers where finished_at is null limit 1')).length > 0) await sleep(500);
    // the last transfers leave thumbnails to draw
    while ((await platform.sql('select from graphile_worker._private_jobs limit 1')).length > 0) await sleep(500);
    await platform.stopWorkers();

    const handedBack = interrupted.reduce((sum, count) => sum + count, 0);
    const [total] = await platform.sql<{ all: number; back: number; most: number }>(
      'select count(*)::int as all, sum(handed_back)::int as back, max(handed_back) as most from transfers',
    );
    t.log(
      `${ROUNDS} rounds, ${interrupted.length} workers stopped under ${handedBack} of their jobs; ${total?.all} transfers, handed back ${total?.back} times, one of them ${total?.most} times`,
    );
    t.true((total?.back ?? 0) > 0, 'There was something to hand back.');
    t.deepEqual(await platform.sql(`select id, error_message from transfers where status <> 'Completed'`), []);
    t.deepEqual(
      await platform.sql(
        `select id, attempt, handed_back, worker_losses, child_deaths, outages from transfers
         where attempt - handed_back <> 1 or worker_losses <> 0 or child_deaths <> 0 or outages <> 0`,
      ),
      [],
      'No attempt is consumed.',
    );
    t.deepEqual(await platform.sql('select id from graphile_worker._private_jobs'), []);
    t.deepEqual([...platform.surprises, ...platform.failures], []);
  } finally {
    await platform.close();
  }
});

async function whileTrue(going: () => boolean, work: () => Promise<unknown>) {
  while (going()) {
    await work();
    await sleep(100);
  }
}

/** Stops the conversions of the workers, but for a few. */
async function freeze({ workers }: Platform, stopped: Set<number>) {
  for (const { pid } of workers) {
    for (const child of await childrenOf(pid)) {
      if (stopped.has(child) || child % 100 < GOES_ON * 100) continue;
      stopped.add(child);
      signal(child, 'SIGSTOP');
    }
  }
}

async function submitter(client: Client): Promise<() => Promise<void>> {
  const project = await client.post('/api/metadata/project', { name: 'River' }, randomUUID());
  const place = await client.get('/api/conversion/transfer/upload-url');
  await client.put(place.body.data, Buffer.from(grid(LINES)));
  const body = {
    projectId: project.body.id,
    originalFileName: 'terrain.asc',
    uploadUrl: place.body.data,
    outputDatasetData: { name: 'terrain' },
    readerName: 'AsciiGridReader',
    writerName: 'GeoTiffWriter',
  };
  return async () => {
    const { status, body: answer } = await client.post('/api/conversion/upload-convert', body, randomUUID());
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(answer)}`);
  };
}

async function untilRunning({ sql }: Platform, count: number) {
  for (;;) {
    const rows = await sql<{ running: number }>(
      `select count(*)::int as running from transfers where status = 'InProgress'`,
    );
    if ((rows[0]?.running ?? 0) >= count) return;
    await sleep(20);
  }
}

async function runBy({ sql }: Platform, pid: number): Promise<number> {
  const rows = await sql<{ running: number }>(
    `select count(*)::int as running from transfers join workers on pool = worker_pool where status = 'InProgress' and pid = $1`,
    [pid],
  );
  return rows[0]?.running ?? 0;
}
