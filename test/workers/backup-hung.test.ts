import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import test from 'ava';
import { Snapshot } from '../../src/operations/backup/snapshot.queries.ts';
import { until } from '../world/hooks.ts';
import { world } from '../world.ts';

const w = world(test);

test('the server ends the backup of a process that hangs, and not that of one that works', async (t) => {
  const hungMs = 1500;
  const thread = new Worker(new URL('hung-backup.ts', import.meta.url), { workerData: { url: w.runtimeUrl, hungMs } });
  t.teardown(async () => void (await thread.terminate()));
  await once(thread, 'message');
  const open = () => Snapshot.open(w.runtimeUrl, new AbortController().signal, hungMs);
  await t.throwsAsync(open(), { message: /Another backup of this database is being made/ });
  let snapshot: Snapshot | undefined;
  await until(async () => {
    snapshot = await open().catch(() => undefined);
    return snapshot !== undefined;
  });
  try {
    const isOld = () =>
      w.sql(
        `select from pg_stat_activity where application_name = 'platform backup' and datname = current_database()
           and now() - xact_start > $1 * interval '2 milliseconds'`,
        [hungMs],
      );
    await until(async () => (await isOld()).length > 0);
    t.false(snapshot!.signal.aborted);
  } finally {
    await snapshot!.close();
  }
});
