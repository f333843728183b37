import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import test from 'ava';
import { SupervisedProcess } from '../../cli/supervisor.ts';

/** A process that says that it is ready, and ends with code 7 when it is told anything. */
const launched = (): ChildProcess =>
  spawn(process.execPath, ['-e', "process.send({ ready: true }); process.on('message', () => process.exit(7))"], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });

test('launching a process that fails for lack of memory is retried and reported', async (t) => {
  const notes: string[] = [];
  const works = Promise.withResolvers<void>();
  const children: ChildProcess[] = [];
  let launches = 0;
  const part = new SupervisedProcess({
    name: 'api',
    launch() {
      launches++;
      // as `spawn` does where there is no memory for a process
      if (launches === 2) throw Object.assign(new Error('spawn ENOMEM'), { code: 'ENOMEM' });
      const child = launched();
      children.push(child);
      if (launches === 3) child.once('message', () => works.resolve());
      return child;
    },
    hangLimitMs: 60_000,
    note: (sentence) => notes.push(sentence),
  });
  t.teardown(() => part.stop(1000));
  await part.ready;
  children[0]?.send('end');
  await works.promise;
  t.deepEqual(notes, [
    'api ended with code 7. Restarting it.',
    'api could not be launched: spawn ENOMEM. Restarting it.',
  ]);
});

const STOP_SIGNAL = JSON.stringify(import.meta.resolve('../../cli/stop-signal.ts'));

/**
 * Runs code that stops by `stopSignal` in a process of its own, and returns its exit code and output.
 * @param ipc whether this process has an IPC channel to it, which it closes at the first message
 */
async function run(code: string, ipc = true) {
  const program = `import { sendReady, stopSignal } from ${STOP_SIGNAL};\n${code}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit', ipc ? 'ipc' : 'ignore'],
  });
  child.on('message', () => child.disconnect());
  const [out, [exitCode]] = await Promise.all([text(child.stdout!), once(child, 'exit')]);
  return { exitCode, out };
}

test('a process whose parent ended before it listened to signals stops', async (t) => {
  const orphaned = await run(`
    process.once('disconnect', () => {
      console.log(stopSignal().aborted);
      sendReady();
    });
    process.send('begun');
  `);
  t.deepEqual(orphaned, { exitCode: 0, out: 'true\n' });
});

test('a second signal ends a process at once, but not if its parent may have passed on the first', async (t) => {
  const signals = (...names: NodeJS.Signals[]) => `
    let now = Date.now();
    Date.now = () => (now += 1000);
    stopSignal();
    for (const name of ${JSON.stringify(names)}) process.emit(name, name);
    setImmediate(() => process.exit(7));
  `;
  const parentEnds = `
    const now = Date.now();
    Date.now = () => now;
    stopSignal();
    process.once('disconnect', () => {
      process.emit('SIGTERM', 'SIGTERM');
      setImmediate(() => process.exit(7));
    });
    setInterval(() => {}, 1000);
    process.send('begun');
  `;
  const ends = await Promise.all([
    run(signals('SIGTERM', 'SIGTERM'), false),
    run(signals('SIGINT', 'SIGINT'), false),
    run(signals('SIGINT', 'SIGINT')),
    run(signals('SIGTERM', 'SIGTERM')),
    run(signals('SIGINT', 'SIGTERM')),
    run(parentEnds),
  ]);
  t.deepEqual(
    ends.map(({ exitCode }) => exitCode),
    [143, 130, 130, 7, 7, 7],
  );
});
