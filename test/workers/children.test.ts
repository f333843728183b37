import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import test from 'ava';
import { AppError } from '../../src/errors.ts';
import { Child } from '../../src/transfers/children/child.ts';
import { Children } from '../../src/transfers/children/children.ts';
import { ChildDied } from '../../src/transfers/run/conversion.ts';

const program = fileURLToPath(new URL('programs/misbehave.ts', import.meta.url));
// a busy machine needs minutes to fill 300 MB with small objects
const limits = { memoryMb: 300, scratchGb: 1, time: 300_000, timeLimit: 300_000 };

/** Orders something of a child that does what `reader` names. */
function misbehaving(reader: string, given: Partial<typeof limits> = {}, scratch = '/nowhere') {
  const children = new Children({ program, memoryMb: 300 });
  const stop = new AbortController();
  const said: string[] = [];
  const nowhere = { path: '/nowhere', name: 'x' };
  const began = Promise.withResolvers<void>();
  const end = children
    .convert(
      { input: nowhere, output: nowhere, scratch, reader: { name: reader }, writer: { name: '-' } },
      { ...limits, ...given },
      {
        signal: stop.signal,
        progress: () => {},
        log(_, message) {
          said.push(message);
          began.resolve();
        },
      },
    )
    .then(
      () => undefined,
      (error: unknown) => error,
    );
  return { end, stop, said, began: began.promise, pid: () => began.promise.then(() => pidOf(said[0])) };
}

const pidOf = (line = '') => Number(/^pid (\d+)/.exec(line)?.[1]);

/** Whether a process has ended; a zombie counts as ended. */
async function isGone(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, 'latin1').catch(() => undefined);
  return status === undefined || /\) [ZX] /.test(status);
}

async function allGone(pids: number[]): Promise<boolean> {
  for (let tries = 0; tries < 1000; tries++) {
    if ((await Promise.all(pids.map(isGone))).every(Boolean)) return true;
    await sleep(50);
  }
  return false;
}

test('a conversion that exceeds its memory limit ends with an error message that names the limit', async (t) => {
  const { end, pid } = misbehaving('eat');
  const error = (await end) as AppError;
  t.true(error instanceof AppError, String(error));
  t.is(error.message, 'The conversion needed more than its memory limit of 300 MB.');
  t.true(await allGone([await pid()]));
});

for (const [misdeed, what] of [
  ['eatAtOnce', 'buffers, all at once'],
  ['eatShared', 'memory that threads share'],
  ['eatWasm', 'memory of WebAssembly'],
  ['eatExternal', 'array buffers outside of the heap'],
  ['eatInThreads', 'heaps of threads'],
  ['eatSmall', 'many small objects, in a loop that never ends'],
]) {
  test(`the memory limit includes ${what}`, async (t) => {
    const error = (await misbehaving(misdeed as string).end) as AppError;
    t.is(error.message, 'The conversion needed more than its memory limit of 300 MB.');
  });
}

test('a conversion that exceeds its scratch space ends with an error message', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'platform-scratch-'));
  try {
    const { end, pid } = misbehaving('writeMuch', { scratchGb: 0.03125 }, folder);
    const error = (await end) as AppError;
    t.true(error instanceof AppError, String(error));
    t.is(error.message, 'The conversion needed more than its 0.03125 GB of scratch space.');
    t.true(await allGone([await pid()]));
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('the end of a full V8 heap has the same sentence', async (t) => {
  const error = (await misbehaving('eatHeap').end) as AppError;
  t.is(error.message, 'The conversion needed more than its memory limit of 300 MB.');
});

test('a conversion in an endless loop is killed at its time limit', async (t) => {
  const { end, said } = misbehaving('spin', { time: 1500, timeLimit: 120_000 });
  const error = (await end) as AppError;
  t.true(error instanceof AppError, String(error));
  t.is(error.message, 'The conversion took longer than its time limit of 2 min.');
  // it has exited; a child that the machine paused may not have said its pid before
  t.true(await allGone(said.map(pidOf)));
});

test('a time limit beyond the longest timer does not end a conversion at once', async (t) => {
  const { end, began, stop } = misbehaving('spin', { time: 2 ** 31 });
  await Promise.race([began, end]);
  const reason = new Error('cancelled');
  stop.abort(reason);
  t.is(await end, reason);
});

test('a cancelled conversion that ignores signals is killed, with the reason of the cancellation', async (t) => {
  const { end, began, stop, pid } = misbehaving('spin');
  await began;
  const reason = new Error('cancelled');
  stop.abort(reason);
  t.is(await end, reason);
  t.true(await allGone([await pid()]));
});

test('a conversion that is cancelled before its start never starts', async (t) => {
  const children = new Children({ program, memoryMb: 300 });
  const nowhere = { path: '/nowhere', name: 'x' };
  const request = { input: nowhere, output: nowhere, scratch: '/', reader: { name: 'spin' }, writer: { name: '-' } };
  const signal = AbortSignal.abort(new Error('too late'));
  await t.throwsAsync(children.convert(request, limits, { signal, progress: () => {}, log: () => {} }), {
    message: 'too late',
  });
});

for (const misdeed of ['crash', 'leave']) {
  test(`a child that dies by itself is distinguished from one that was killed: ${misdeed}`, async (t) => {
    t.true((await misbehaving(misdeed).end) instanceof ChildDied);
  });
}

test('a full disk is neither the fault of the file nor of the converter', async (t) => {
  const error = await misbehaving('fillDisk').end;
  t.false(error instanceof AppError || error instanceof ChildDied);
  t.regex(String(error), /no space left/);
});

test("a child does not get the worker's environment variables", async (t) => {
  process.env.PLATFORM_SECRET_OF_THE_TEST = 'secret';
  const { said, began, stop, end } = misbehaving('wait');
  await began;
  t.false(said[0]!.includes('PLATFORM') || said[0]!.includes('PATH'), said[0]);
  stop.abort();
  await end;
});

test('children of a killed worker end, also in an endless loop', async (t) => {
  const parent = spawn(process.execPath, [fileURLToPath(new URL('programs/parent.ts', import.meta.url)), program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const pids: number[] = [];
  for await (const line of createInterface(parent.stdout)) if (pids.push(Number(line)) === 2) break;
  t.true(pids.every((pid) => pid > 0));
  parent.kill('SIGKILL');
  await once(parent, 'exit');
  t.true(await allGone(pids));
});

test('the converter runs in a child that is reused, and is replaced after its limit of conversions or memory', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'platform-children-'));
  const children = new Children({ memoryMb: 1024, maxIdle: 1 });
  try {
    await children.warm();
    await writeFile(join(folder, 'in'), 'a few bytes');
    const convert = async (n: number) => {
      const result = await children.convert(
        {
          input: { path: join(folder, 'in'), name: 'in.txt' },
          output: { path: join(folder, `out-${n}`), name: 'out.txt' },
          scratch: folder,
          reader: { name: 'FileReader' },
          writer: { name: 'FileWriter' },
        },
        { ...limits, memoryMb: 1024 },
        { signal: new AbortController().signal, progress: () => {}, log: () => {} },
      );
      t.is(result.receipt.output.size, 11);
    };
    for (let n = 0; n < 202; n++) await convert(n);
    t.is(await readFile(join(folder, 'out-201'), 'utf8'), 'a few bytes');
  } finally {
    await children.close(new Error('the end'));
    await rm(folder, { recursive: true });
  }
});

test('a conversion that is aborted before its child has started ends at once, and the child is reused', async (t) => {
  const children = new Children({ memoryMb: 300, maxIdle: 1 });
  const nowhere = { path: '/nowhere', name: 'x' };
  const order = {
    input: nowhere,
    output: nowhere,
    scratch: '/',
    reader: { name: 'FileReader' },
    writer: { name: 'FileWriter' },
  };
  const stop = new AbortController();
  const hooks = { progress: () => {}, log: () => {} };
  const first = children.convert(order, limits, { ...hooks, signal: stop.signal });
  const reason = new Error('called off');
  stop.abort(reason);
  t.is(await first.catch((error: unknown) => error), reason);
  await t.throwsAsync(children.convert(order, limits, { ...hooks, signal: new AbortController().signal }));
  await children.close(new Error('the end'));
});

test('signals to the process group do not end a child; only its worker does', async (t) => {
  const child = await Child.start({
    program: fileURLToPath(new URL('../../src/transfers/children/convert-process.ts', import.meta.url)),
    memoryMb: 300,
    signal: new AbortController().signal,
  });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(child.pid, signal);
  const nowhere = { path: '/nowhere', name: 'x' };
  const order = {
    input: nowhere,
    output: nowhere,
    scratch: '/',
    reader: { name: 'FileReader' },
    writer: { name: 'FileWriter' },
  };
  const error = await child.convert(order, { progress: () => {}, log: () => {} }).catch((each: unknown) => each);
  t.regex(String(error), /ENOENT/, 'it takes its order');
  child.kill(new Error('the end'));
  await child.exited;
});

test('a request to a child that is exiting fails, in any order of its events', async (t) => {
  const nowhere = { path: '/nowhere', name: 'x' };
  const order = { input: nowhere, output: nowhere, scratch: '/', reader: { name: 'wait' }, writer: { name: '-' } };
  for (let round = 0; round < 8; round++) {
    const child = await Child.start({ program, memoryMb: 300, signal: new AbortController().signal });
    process.kill(child.pid, 'SIGKILL');
    while (child.usable) await immediate();
    const error = await t.throwsAsync(child.convert(order, { progress: () => {}, log: () => {} }));
    t.true(error instanceof ChildDied, String(error));
  }
});

test('closing also ends a child that is still starting', async (t) => {
  const children = new Children({
    program: fileURLToPath(new URL('programs/never-ready.ts', import.meta.url)),
    memoryMb: 300,
  });
  const warming = children.warm();
  await children.close(new Error('the worker stops'));
  await t.throwsAsync(warming, { message: /ended by SIGKILL/ });
});

test('closing waits for the end of a child that is still starting', async (t) => {
  const children = new Children({
    program: fileURLToPath(new URL('programs/never-ready.ts', import.meta.url)),
    memoryMb: 300,
  });
  const order: string[] = [];
  const warming = children.warm().catch(() => order.push('the child has ended'));
  await children.close(new Error('the worker stops'));
  order.push('the children are closed');
  await warming;
  t.deepEqual(order, ['the child has ended', 'the children are closed']);
});
