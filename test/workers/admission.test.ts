import test from 'ava';
import { Admission } from '../../workers/admission.ts';
import { Allocator } from '../../workers/allocator.ts';

const CAPACITY = { labels: ['north'], memoryMb: 4096, cores: 2, scratchGb: 10, concurrency: 2 };

async function forbidden(waiting: readonly (readonly string[])[]) {
  const admission = new Admission({
    allocator: new Allocator(CAPACITY),
    shortJobsWait: async () => false,
    nudge: () => {},
  });
  admission.update({ waiting, draining: false });
  const flags = await admission.forbiddenFlags();
  admission.close();
  return flags;
}

test('a poll forbids one unmet flag per combination of flags, without duplicates', async (t) => {
  const labels = Array.from({ length: 100 }, (_, n) => `label:machine-${n}`);
  t.deepEqual(await forbidden([labels]), ['label:machine-0']);
  t.deepEqual(await forbidden([['label:b'], ['label:a', 'label:b', 'memory:8192'], ['cores:4', 'label:north']]), [
    'label:b',
    'cores:4',
  ]);
  t.deepEqual(await forbidden([['label:north', 'memory:4096'], [], ['memory~2048']]), null);
});
