import test from 'ava';
import { maintain } from '../../workers/maintenance.ts';

const log = { info: () => {}, warn: () => {} };

test('maintenance that is stopped ends the step under way and takes no more', async (t) => {
  const taken: string[] = [];
  const begun = Promise.withResolvers<void>();
  const going = Promise.withResolvers<void>();
  const maintenance = maintain(log, [
    {
      part: 'first',
      async work() {
        taken.push('first');
        begun.resolve();
        await going.promise;
        taken.push('first has ended');
      },
    },
    { part: 'second', work: async () => void taken.push('second') },
  ]);
  await begun.promise;
  const stopped = maintenance.stop();
  going.resolve();
  await stopped;
  t.deepEqual(taken, ['first', 'first has ended']);
});
