import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { TestFn } from 'ava';
import { API_FLAGS } from '../../cli/node-flags.ts';
import { environmentName } from '../../src/config.ts';

const PROGRAM = fileURLToPath(new URL('../../bin/platform', import.meta.url));

/** `NODE_OPTIONS` that make a process loop forever on SIGUSR2. */
export const SPIN_AT_SIGUSR2 = "--import=data:text/javascript,process.on('SIGUSR2',()=>{for(;;);})";

/** Database and folder of a platform, and `bin/platform` of another version if it is not the present one. */
interface Place {
  url: string;
  folder: string;
  program?: string;
}

const LAST_WORDS_MS = 10_000;

/** A running `platform serve` or `platform work`. */
export interface Started {
  readonly process: ChildProcess;
  readonly pid: number;
  /** Standard error so far. */
  output(): string;
  /** Resolves with exit code and signal after all output is read. */
  readonly ended: Promise<[number | null, NodeJS.Signals | null]>;
  /** Sends SIGTERM and waits for the end. */
  stop(): Promise<void>;
}

export type WorkerProcess = Started;

/**
 * Starts a worker with the database and folder of a world, and waits until it takes jobs. `settings` have dotted names;
 * `more` are additional environment variables.
 */
export const startWorker = async (
  world: Place,
  settings: Record<string, string> = {},
  more: Record<string, string> = {},
): Promise<WorkerProcess> => (await startProcess('work', world, settings, more)).started;

/** Starts `platform work` or `platform serve`, with more words; `ready` is its IPC message. */
export async function startProcess(
  words: 'work' | 'serve' | readonly string[],
  world: Place,
  settings: Record<string, string>,
  more: Record<string, string> = {},
): Promise<{ started: Started; ready: unknown }> {
  const argv = typeof words === 'string' ? [words] : words;
  const program = world.program ?? PROGRAM;
  const child = spawn(process.execPath, [...(words === 'serve' ? API_FLAGS : []), program, ...argv], {
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
      throw new Error(`platform ${argv.join(' ')} ended before it was ready (${code ?? signal}): ${said}`);
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

/** Environment variables of a platform with the database and folder of a world. */
export function environmentOf(
  world: { url: string; runtimeUrl?: string; folder: string },
  settings: Record<string, string>,
) {
  const url = world.runtimeUrl ?? world.url;
  const unlimited = {
    'limits.rate': 'off',
    'limits.concurrent': '0',
    'limits.heavyRate': 'off',
    'limits.heavyConcurrent': '0',
  };
  const named = Object.entries({ data: world.folder, 'database.url': url, ...unlimited, ...settings });
  const env = Object.fromEntries(named.map(([name, value]) => [environmentName(name), value]));
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  return { PATH, NODE_COMPILE_CACHE, PLATFORM_LOG_LEVEL: 'warn', ...env };
}

/** A process that exits by itself. */
export interface Once {
  readonly process: ChildProcess;
  /** Resolves with the exit code (or the signal), stdout and stderr. */
  readonly ended: Promise<{ code: number | NodeJS.Signals | null; out: string; err: string }>;
}

/** Starts a command of the platform that exits by itself, such as `['work', '--transfer', id]`. */
export function startOnce(world: Place, argv: readonly string[], settings: Record<string, string> = {}): Once {
  const child = spawn(process.execPath, [world.program ?? PROGRAM, ...argv], {
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

/**
 * Waits for the exit and then for the rest of the output. Limits the wait, because orphaned children could hold the
 * pipe open.
 */
async function end(child: ChildProcess): Promise<[number | null, NodeJS.Signals | null]> {
  const closed = once(child, 'close');
  const [code, signal] = await once(child, 'exit');
  const late = new AbortController();
  await Promise.race([closed, sleep(LAST_WORDS_MS, undefined, { signal: late.signal }).catch(() => {})]);
  late.abort();
  return [code, signal];
}

/** One worker process for a test file, started on first use. */
export function sharedProcess(
  test: TestFn,
  world: { readonly url: string; readonly folder: string },
  settings: Record<string, string> = {},
): () => Promise<WorkerProcess> {
  let started: Promise<WorkerProcess> | undefined;
  test.after.always('the worker process ends', async () => (await started?.catch(() => undefined))?.stop());
  return () => {
    started ??= startWorker(world, settings);
    return started;
  };
}
