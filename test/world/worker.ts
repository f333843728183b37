import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { TestFn } from 'ava';
import { environmentName } from '../../src/config.ts';

const PROGRAM = fileURLToPath(new URL('../../bin/platform', import.meta.url));

/** `NODE_OPTIONS` with which a process turns round and round for ever at SIGUSR2. */
export const SPIN_AT_SIGUSR2 = "--import=data:text/javascript,process.on('SIGUSR2',()=>{for(;;);})";

const LAST_WORDS_MS = 10_000;

/** A part of the platform as the command line starts it. */
export interface Started {
  readonly process: ChildProcess;
  readonly pid: number;
  /** Everything it said on standard error. */
  output(): string;
  /** Resolves with exit code and signal, when everything it said has been read. */
  readonly ended: Promise<[number | null, NodeJS.Signals | null]>;
  /** Asks it to stop and waits. */
  stop(): Promise<void>;
}

export type WorkerProcess = Started;

/**
 * Starts a worker on a world's database and folder, and waits until it takes jobs. `settings` are dotted names, `more` is what else stands
 * in its environment.
 */
export const startWorker = async (
  world: { url: string; folder: string },
  settings: Record<string, string> = {},
  more: Record<string, string> = {},
): Promise<WorkerProcess> => (await startProcess('work', world, settings, more)).started;

/** Any part of it; `ready` is what it said when it was. */
export async function startProcess(
  command: 'work' | 'serve',
  world: { url: string; folder: string },
  settings: Record<string, string>,
  more: Record<string, string> = {},
): Promise<{ started: Started; ready: unknown }> {
  const child = spawn(process.execPath, [PROGRAM, command], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    env: { ...environmentOf(world, settings), ...more },
  });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (process.env.TEST_LOG) process.stderr.write(text);
  });
  const ended = end(child);
  const [ready] = await Promise.race([
    once(child, 'message'),
    ended.then(([code, signal]) => {
      throw new Error(`platform ${command} ended before it was ready (${code ?? signal}): ${said}`);
    }),
  ]);
  const started: Started = {
    process: child,
    pid: child.pid as number,
    output: () => said,
    ended,
    async stop() {
      child.kill('SIGTERM');
      await ended;
    },
  };
  return { started, ready };
}

function environmentOf(world: { url: string; folder: string }, settings: Record<string, string>) {
  const named = Object.entries({ data: world.folder, 'database.url': world.url, ...settings });
  const env = Object.fromEntries(named.map(([name, value]) => [environmentName(name), value]));
  return { PATH: process.env.PATH ?? '', PLATFORM_LOG_LEVEL: 'warn', ...env };
}

/** A process that ends by itself. */
export interface Once {
  readonly process: ChildProcess;
  /** Resolves with the exit code (or the signal) and what it said. */
  readonly ended: Promise<{ code: number | NodeJS.Signals | null; out: string; err: string }>;
}

/** Starts a command of the platform that ends by itself, such as `['work', '--transfer', id]`. */
export function startOnce(
  world: { url: string; folder: string },
  argv: readonly string[],
  settings: Record<string, string> = {},
): Once {
  const child = spawn(process.execPath, [PROGRAM, ...argv], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: environmentOf(world, settings),
  });
  const said = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said.out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said.err += text;
  });
  return { process: child, ended: end(child).then(([code, signal]) => ({ code: code ?? signal, ...said })) };
}

/** What a process said just before it ended may be read only after its end. Children that it left could hold the pipe open. */
async function end(child: ChildProcess): Promise<[number | null, NodeJS.Signals | null]> {
  const closed = once(child, 'close');
  const [code, signal] = await once(child, 'exit');
  const late = new AbortController();
  await Promise.race([closed, sleep(LAST_WORDS_MS, undefined, { signal: late.signal }).catch(() => {})]);
  late.abort();
  return [code, signal];
}

/** One worker for a test file, started by the first test that asks for it. */
export function sharedWorker(
  test: TestFn,
  world: { readonly url: string; readonly folder: string },
  settings: Record<string, string> = {},
): () => Promise<WorkerProcess> {
  let started: Promise<WorkerProcess> | undefined;
  test.after.always('the worker ends', async () => (await started?.catch(() => undefined))?.stop());
  return () => {
    started ??= startWorker(world, settings);
    return started;
  };
}
