import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { readSteadily } from '../../src/blobs/steady-read.ts';

test('the time in which the reader works on a chunk does not count as silence of the connection', async (t) => {
  let opened = 0;
  async function* content(signal: AbortSignal) {
    for (const byte of [1, 2, 3]) {
      signal.throwIfAborted();
      yield Uint8Array.of(byte);
    }
  }
  const open = async (_: unknown, signal: AbortSignal) => {
    opened++;
    return content(signal);
  };
  const read: number[] = [];
  for await (const chunk of readSteadily({ name: 'slowly', range: { start: 0, end: 2 }, open, idleMs: 20 })) {
    read.push(...chunk);
    await sleep(60);
  }
  t.deepEqual(read, [1, 2, 3]);
  t.is(opened, 1);
});
