import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { SPIN_AT_SIGUSR2, startProcess } from '../world/worker.ts';
import { world } from '../world.ts';

const w = world(test);
/** Long enough for the start of a process on a busy machine. */
const LIMIT_S = 10;

for (const [command, more] of [
  ['serve', { port: '0' }],
  ['work', {}],
] as const) {
  test(`'${command}' ends if its event loop hangs, but not if it was suspended`, async (t) => {
    const settings = { ...more, 'process.hangLimit': `${LIMIT_S}s` };
    const { started } = await startProcess(command, w, settings, { NODE_OPTIONS: SPIN_AT_SIGUSR2 });
    t.teardown(() => void started.process.kill('SIGKILL'));
    const beats: unknown[] = [];
    started.process.on('message', (message) => beats.push(message));
    const beat = async () => {
      const before = beats.length;
      while (beats.length === before && started.process.signalCode === null) await sleep(20);
    };
    await beat();
    started.process.kill('SIGSTOP');
    await sleep((LIMIT_S + 2) * 1000);
    started.process.kill('SIGCONT');
    await beat();
    await beat();
    t.is(started.process.signalCode, null);

    started.process.kill('SIGUSR2');
    t.deepEqual(await started.ended, [null, 'SIGKILL']);
    t.regex(started.output(), /"level":60,.*The event loop has been blocked for 10 s\. This process is killed\./);
  });
}
