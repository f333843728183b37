import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { openSource } from '../world/source.ts';
import { clientOf } from './campaign/client.ts';
import { disturb } from './campaign/disturbances.ts';
import { judge } from './campaign/judge.ts';
import { EQUIPMENT } from './campaign/kinds.ts';
import type { Platform } from './campaign/platform.ts';
import { processesOf, startPlatform } from './campaign/platform.ts';
import { prepareWork } from './campaign/work.ts';
import { choices, SEED, times } from './flags.ts';

const KILLS = times(60, 500);
/** Ends that a broken connection brings about. */
const EXPECTED = /^worker 1 : (the connection with the liveness lock is lost|the queue has stopped)/;
const OPEN_TRANSFERS = 12;
const PATIENCE_MS = 240_000;

test('every acknowledged transfer takes effect exactly once while workers, API and database are killed', async (t) => {
  t.log(`CRASH_SEED=${SEED}`);
  const source = await openSource();
  const settings = { 'outbound.allow': source.place };
  const platform = await startPlatform({ workers: 3, concurrency: 2, equipment: EQUIPMENT, settings });
  try {
    const client = clientOf(platform);
    const work = await prepareWork(platform, client, choices(1), source);
    const began = Date.now();
    work.begin(OPEN_TRANSFERS);
    const counts = await disturb(platform, choices(2), KILLS);
    await work.stop();
    const disturbed = Date.now();
    const allEnded = await untilAllEnded(platform);
    const ended = Date.now();
    await platform.stopWorkers();

    const broken = await judge(platform, work.acknowledged, counts);
    const surprises = platform.surprises.filter((each) => !EXPECTED.test(each));
    const found = { allEnded, surprises, failures: platform.failures, broken };
    // before all else, of which a short report keeps little
    for (const [name, each] of Object.entries(found)) {
      if (each !== true && Object.keys(each).length !== 0)
        t.log(`NOT AS IT MUST BE, ${name}: ${JSON.stringify(each).slice(0, 3000)}`);
    }
    t.log([...counts].map(([name, times]) => `${times} × ${name}`).join('; '));
    const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
    t.log(
      `${work.acknowledged.length} transfers in ${seconds(disturbed - began)}, the last ended ${seconds(ended - disturbed)} later`,
    );
    t.log(
      `${client.repeats} requests were sent again; answers of the API besides success: ${JSON.stringify([...client.troubles])}`,
    );
    t.log(
      `${platform.surprises.length - surprises.length} workers ended by themselves, as they must when they lose what proves them alive`,
    );
    t.deepEqual(found, { allEnded: true, surprises: [], failures: [], broken: {} });
  } catch (error) {
    t.log(
      `${platform.api() ? 'an' : 'no'} API is there; starts that failed: ${platform.failedStarts.slice(-5).join(' | ')}`,
    );
    throw error;
  } finally {
    await platform.close();
    await source.close();
  }
  t.deepEqual(await processesOf(platform.folder), [], 'No process is left.');
});

async function untilAllEnded({ sql }: Platform): Promise<boolean> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const open = await sql('select from transfers where finished_at is null limit 1');
    if (open.length === 0) return true;
    if (Date.now() > deadline) return false;
    await sleep(200);
  }
}
