import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { openSource } from '../world/source.ts';
import { clientOf } from './campaign/client.ts';
import { addCredits, PRICES, useCredits } from './campaign/credits.ts';
import { disturb } from './campaign/disturbances.ts';
import { judge } from './campaign/judge.ts';
import { EQUIPMENT } from './campaign/kinds.ts';
import { type Platform, processesOf, startPlatform } from './campaign/platform.ts';
import { prepareWork } from './campaign/work.ts';
import { choices, MIX, SEED, times } from './flags.ts';

const KILLS = times(60, 500);
/**
 * Ends that a broken connection brings about, also if the worker was asked to end before it noticed: one that has heard
 * the signal ends with 0, and says nothing of its connection.
 */
const EXPECTED = /^worker(, asked to end,)? 1 : (the connection with the liveness lock is lost|the queue has stopped)/;
const OPEN_TRANSFERS = 12;
const PATIENCE_MS = 240_000;

test('every acknowledged transfer takes effect exactly once while workers, API and database are killed', async (t) => {
  t.log(`CRASH_SEED=${SEED}`);
  const source = await openSource();
  const settings = { 'outbound.allow': source.place, 'credits.prices': PRICES };
  const platform = await startPlatform({ workers: 3, concurrency: 2, equipment: EQUIPMENT, settings });
  try {
    const client = clientOf(platform);
    await addCredits(platform);
    const work = await prepareWork(platform, client, choices(1), source);
    const began = Date.now();
    work.begin(OPEN_TRANSFERS);
    const credits = useCredits(platform, client, choices(5));
    const counts = await disturb(platform, choices(2), KILLS, MIX);
    await Promise.all([work.stop(), credits.stop()]);
    const disturbed = Date.now();
    const allEnded = await untilAllEnded(platform);
    const ended = Date.now();
    await platform.stopWorkers();

    const broken = await judge(platform, work.acknowledged, counts, credits.acknowledged);
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
    const { held, priced } = await creditsOf(platform);
    t.log(
      `${credits.acknowledged.length} operations with credits, ${priced} priced transfers have ended, ${held} holds are open`,
    );
    t.log(
      `${client.repeats} requests were sent again; answers of the API besides success: ${JSON.stringify([...client.troubles])}`,
    );
    t.log(
      `${platform.surprises.length - surprises.length} workers ended by themselves, as they must when they lose what proves them alive`,
    );
    t.true(credits.acknowledged.length > 0 && priced > 0, 'There was nothing to judge of credits.');
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

async function creditsOf({ sql }: Platform) {
  const [row] = await sql<{ held: number; priced: number }>(
    `select (select count(*)::int from credit_holds where is_open) as held,
      (select count(*)::int from transfers where price is not null and finished_at is not null) as priced`,
  );
  return row ?? { held: 0, priced: 0 };
}

async function untilAllEnded({ sql }: Platform): Promise<boolean> {
  const deadline = Date.now() + PATIENCE_MS;
  for (;;) {
    const open = await sql('select from transfers where finished_at is null limit 1');
    if (open.length === 0) return true;
    if (Date.now() > deadline) return false;
    await sleep(200);
  }
}
