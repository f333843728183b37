import test from 'ava';
import { startWorker } from '../world/worker.ts';
import { workHere } from '../world/worker-here.ts';
import { world } from '../world.ts';

const w = world(test);

test('a start warns if the workers of a host claim more memory and cores than it has', async (t) => {
  const claims =
    /The 2 workers of this host claim \d+ MB of memory and \d+(\.\d+)? cores together; it has \d+ MB and \d+\. Give each its part: --memory and --cores/;
  const first = await workHere(w);
  t.teardown(first.stop);
  const second = await startWorker(w);
  t.regex(second.output(), claims);
  await second.stop();
  await first.stop();
  const part = { 'worker.memory': '256', 'worker.cores': '0.5' };
  const small = await workHere(w, part);
  t.teardown(small.stop);
  const other = await startWorker(w, part);
  t.notRegex(other.output(), /workers of this host claim/);
  await other.stop();
});
