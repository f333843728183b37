import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import test from 'ava';
import { SPIN_AT_SIGUSR2, startProcess } from '../world/worker.ts';
import { world } from '../world.ts';

const w = world(test);
/** CPU time that is long enough for the start of a process. */
const LIMIT_S = 2;
/** Duration of the suspension: longer than an event loop may hang. */
const SUSPENDED_S = 10 * LIMIT_S + 2;

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
    await sleep(SUSPENDED_S * 1000);
    started.process.kill('SIGCONT');
    await beat();
    await beat();
    t.is(started.process.signalCode, null);

    started.process.kill('SIGUSR2');
    t.deepEqual(await started.ended, [null, 'SIGKILL']);
    t.regex(
      started.output(),
      // where others leave it little of the machine, the wall time comes first
      /"level":60,.*The event loop has been blocked for (?:2 s of CPU time|20 s)\. This process is killed\./,
    );
  });
}

test('an event loop that waits without using CPU time may do so for ten times the limit', async (t) => {
  const waits = `
    import { watchEventLoop } from ${JSON.stringify(import.meta.resolve('../../cli/watchdog.ts'))};
    watchEventLoop(300);
    const never = new Int32Array(new SharedArrayBuffer(4));
    const wait = (ms) => Atomics.wait(never, 0, 0, ms);
    await new Promise((resolve) => setTimeout(resolve, 1000));
    wait(1200);
    console.log('waited');
    await new Promise((resolve) => setTimeout(resolve, 100));
    wait(60_000);
    console.log('not ended');
  `;
  const program = join(await mkdtemp(join(tmpdir(), 'platform-test-')), 'waits.mjs');
  t.teardown(() => rm(dirname(program), { recursive: true }));
  await writeFile(program, waits);
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [out, err, [, signal]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  t.deepEqual([out, signal], ['waited\n', 'SIGKILL']);
  t.regex(err, /The event loop has been blocked for 3 s\. This process is killed\./);
});
