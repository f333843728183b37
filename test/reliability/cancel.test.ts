import { randomUUID } from 'node:crypto';
import { access, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { type Client, clientOf } from './campaign/client.ts';
import { judge } from './campaign/judge.ts';
import { type AcceptedSubmission, expect, grid, prepareProject } from './campaign/kinds.ts';
import { type Platform, startPlatform } from './campaign/platform.ts';
import { type Choices, choices, SEED, times } from './flags.ts';

const CANCELS = times(20, 200);
/** At a time: more than run, so that some wait. */
const ATTENDED = 5;
const LINES = 1000;

/** When a transfer is cancelled; `over` tells that it has ended before. */
interface Phase {
  name: string;
  reached(platform: Platform, id: string, choose: Choices, over: AbortSignal): Promise<unknown>;
}

const PHASES: readonly Phase[] = [
  { name: 'right after the submit', reached: async () => {} },
  { name: 'some time after it', reached: (_, __, choose) => sleep(choose.between(0, 3000)) },
  { name: 'when it begins', reached: (platform, id, _, over) => until(over, () => hasBegun(platform, id)) },
  {
    name: 'while it is converted',
    async reached(platform, id, choose, over) {
      await until(over, () => hasBegun(platform, id));
      await sleep(choose.between(0, 1000));
    },
  },
  { name: 'while its result is written', reached: (platform, id, _, over) => until(over, () => writes(platform, id)) },
  {
    name: 'at the commit',
    reached: ({ folder }, id, _, over) =>
      until(over, () =>
        access(join(folder, 'blobs', 'dataset', `${id}-1`)).then(
          () => true,
          () => false,
        ),
      ),
  },
];

test('a transfer cancelled at any moment ends soon, without visible output', async (t) => {
  t.log(`CRASH_SEED=${SEED}`);
  const platform = await startPlatform({ workers: 2, concurrency: 2 });
  try {
    const client = clientOf(platform);
    const choose = choices(3);
    const { put, importing, imported } = await prepareProject(client);
    const url = await put(grid(LINES));
    const { entry, sha256 } = await imported(importing(url, 'terrain', 'AsciiGrid', 'GeoTiff'));
    const acknowledged: AcceptedSubmission[] = [{ ...entry, sha256 }];
    const ends: { phase: string; ms: number }[] = [];
    let tooLate = 0;

    async function cancelOne() {
      const phase = choose.of(PHASES);
      const name = randomUUID();
      const body = importing(url, name, 'AsciiGrid', 'GeoTiff');
      const { id } = expect(await client.post('/api/conversion/upload-convert', body, randomUUID()), 200);
      const one: AcceptedSubmission = { id, kind: phase.name, name, sha256 };
      acknowledged.push(one);
      const over = new AbortController();
      await Promise.race([phase.reached(platform, id, choose, over.signal), untilEnded(client, id)]);
      over.abort();
      const asked = performance.now();
      const { status } = await client.post(`/api/conversion/transfer/${id}/cancel`, {}, randomUUID());
      if (status === 202) {
        await untilEnded(client, id);
        ends.push({ phase: phase.name, ms: performance.now() - asked });
        one.cancelled = true;
      } else tooLate++;
    }
    const attend = async () => {
      while (ends.length < CANCELS) await cancelOne();
    };
    await Promise.all(Array.from({ length: ATTENDED }, attend));
    await platform.stopWorkers();

    for (const { name } of PHASES) t.log(`${name}: ${figures(ends.filter(({ phase }) => phase === name))}`);
    t.log(`all: ${figures(ends)}; ${tooLate} had ended before the cancel`);
    const datasets = await platform.sql<{ name: string }>('select name from datasets');
    const cancelled = acknowledged.filter((each) => each.cancelled).map(({ name }) => name);
    t.deepEqual(
      datasets.filter(({ name }) => cancelled.includes(name)),
      [],
    );
    const broken = await judge(platform, acknowledged);
    const { surprises, failures } = platform;
    t.deepEqual({ broken, surprises, failures }, { broken: {}, surprises: [], failures: [] });
  } finally {
    await platform.close();
  }
});

function figures(ends: readonly { ms: number }[]): string {
  const sorted = ends.map(({ ms }) => ms).sort((a, b) => a - b);
  const at = (share: number) => `${Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN)} ms`;
  return `${sorted.length} cancels, p50 ${at(0.5)}, p95 ${at(0.95)}, the longest ${at(1)}`;
}

async function until(over: AbortSignal, look: () => Promise<boolean>) {
  while (!over.aborted && !(await look())) await sleep(3);
}

const untilEnded = async (client: Client, id: string) => {
  for (;;) {
    const { body } = await client.get(`/api/conversion/transfer/${id}`, { prefer: 'wait=20' });
    if (body.finishedAt !== undefined) return;
  }
};

async function hasBegun({ sql }: Platform, id: string): Promise<boolean> {
  return (await sql(`select from transfers where id = $1 and status <> 'Pending'`, [id])).length > 0;
}

async function writes({ folder }: Platform, id: string): Promise<boolean> {
  const scratch = join(folder, 'scratch');
  for (const pool of await readdir(scratch)) {
    const there = await access(join(scratch, pool, `${id}-1`, 'output')).then(
      () => true,
      () => false,
    );
    if (there) return true;
  }
  return false;
}
