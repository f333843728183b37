import test from 'ava';
import { openGate } from '../../workers/admission.ts';
import { openCapacity } from '../../workers/allocator.ts';

const HAS = { labels: ['north'], memoryMb: 4096, cores: 2, scratchGb: 10, concurrency: 2 };

async function forbidden(waiting: readonly (readonly string[])[]) {
  const gate = openGate({ capacity: openCapacity(HAS), choresWait: async () => false, nudge: () => {} });
  gate.learn({ waiting, draining: false });
  const flags = await gate.forbidden();
  gate.close();
  return flags;
}

test('a look names one obstacle of each needs, however many there are, and none twice', async (t) => {
  const labels = Array.from({ length: 100 }, (_, n) => `label:machine-${n}`);
  t.deepEqual(await forbidden([labels]), ['label:machine-0']);
  t.deepEqual(await forbidden([['label:b'], ['label:a', 'label:b', 'memory:8192'], ['cores:4', 'label:north']]), [
    'label:b',
    'cores:4',
  ]);
  t.deepEqual(await forbidden([['label:north', 'memory:4096'], [], ['memory~2048']]), null);
});
