import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Env } from '../env.ts';

const PROGRAM = fileURLToPath(new URL('../../bin/platform', import.meta.url));
/** More than `start` needs, which limits the time of its parts: killed, it would leave the database running. */
const PATIENCE_MS = 30_000;

/** A temporary platform, independent of others on this machine. */
export interface RunningPlatform {
  url: string;
  /** The settings it was started with. */
  env: Env;
  /** Its last lines about itself, to explain an error. */
  said(): Promise<string>;
  /** Resolves when all of its processes have exited. */
  stop(): Promise<void>;
}

/**
 * Starts the platform like `npm start`: database, API and worker in an empty folder, on a free port, without settings
 * of the caller's environment. Its output goes to a file, whose end is in the message of an error.
 * @param stopping aborts the start
 */
export async function startPlatform(folder: string, outer: Env, stopping: AbortSignal): Promise<RunningPlatform> {
  const others = Object.entries(outer).filter(([name]) => !/^(PLATFORM_|DATABASE_URL$)/.test(name));
  const env = {
    ...Object.fromEntries(others),
    PLATFORM_DATA: join(folder, 'data'),
    PLATFORM_HOST: '127.0.0.1',
    PLATFORM_PORT: '0',
    PLATFORM_ACCOUNTS_REGISTRATION: 'true',
    XDG_CONFIG_HOME: join(folder, 'config'),
  };
  const log = join(folder, 'platform.log');
  const output = await open(log, 'w');
  const child = spawn(process.execPath, [PROGRAM, 'start'], {
    // in a process group of its own, so that Ctrl-C reaches only the demonstration
    detached: process.platform !== 'win32',
    // the platform stops when this channel closes, however the demonstration ends
    stdio: ['ignore', 'pipe', output.fd, 'ipc'],
    env,
  });
  const exited = once(child, 'exit');
  await output.close();
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
    await exited;
    clearTimeout(timer);
  };
  stopping.addEventListener('abort', () => void stop());
  const url = await Promise.race([addressIn(child.stdout!), exited.then(() => undefined)]);
  const said = async () => (await readFile(log, 'utf8')).trim().split('\n').slice(-3).join(' ');
  if (url !== undefined) return { url, env: { ...env, PLATFORM_URL: url }, said, stop };
  await stop();
  throw new Error(`The platform did not start: ${await said()}`);
}

/**
 * Starts the platform of a folder again, on its port, so that it stays when this process ends. Its output goes to
 * `platform.log` in the folder.
 * @param stop aborts the start
 * @returns id of the process that ends it when it is killed
 */
export async function leaveRunning(
  folder: string,
  { url, env }: Pick<RunningPlatform, 'url' | 'env'>,
  stop: AbortSignal,
): Promise<number> {
  const log = join(folder, 'platform.log');
  const output = await open(log, 'w');
  // npm ends, too; what it started does not end with it
  const { npm_lifecycle_event: _, ...rest } = env;
  const child = spawn(process.execPath, [PROGRAM, 'start'], {
    detached: true,
    stdio: ['ignore', output.fd, output.fd],
    env: { ...rest, PLATFORM_PORT: new URL(url).port },
  });
  const exited = once(child, 'exit');
  await output.close();
  for (;;) {
    const said = await readFile(log, 'utf8');
    if (said.includes(`ready at ${url}`)) break;
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error(`The platform did not start again: ${said.trim().split('\n').at(-1)}`);
    if (stop.aborted) {
      // nobody would know of it
      child.kill('SIGTERM');
      await exited;
      throw stop.reason;
    }
    await sleep(100);
  }
  child.unref();
  return child.pid!;
}

/** Address in the output of `start`. Undefined if the output ends without one. */
async function addressIn(output: NodeJS.ReadableStream): Promise<string | undefined> {
  for await (const line of createInterface({ input: output })) {
    const address = /ready at (https?:\S+)/.exec(line)?.[1];
    if (address === undefined) continue;
    output.resume();
    return address;
  }
  return undefined;
}
