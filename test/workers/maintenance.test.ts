import { setImmediate as nextTurn } from 'node:timers/promises';
import test from 'ava';
import { Maintenance } from '../../workers/maintenance.ts';
import { Patience } from '../../workers/patience.ts';

const log = { info: () => {}, warn: () => {} };

test('maintenance that is stopped ends the step under way and takes no more', async (t) => {
  const taken: string[] = [];
  const begun = Promise.withResolvers<void>();
  const going = Promise.withResolvers<void>();
  const maintenance = new Maintenance(log, [
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

test('a stall of the process does not use up a time limit', async (t) => {
  const patience = new Patience(70);
  patience.start();
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100);
  // answers that came during the stall are read in the next turns of the event loop
  const answer = nextTurn().then(() => nextTurn('answer'));
  t.is(await Promise.race([answer, patience.over]), 'answer');
  t.is(await patience.over, undefined);
});
