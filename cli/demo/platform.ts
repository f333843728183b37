import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Env } from '../env.ts';

const PROGRAM = fileURLToPath(new URL('../../bin/platform', import.meta.url));
/** `start` itself needs at most ten seconds to end in order. */
const PATIENCE_MS = 12_000;

/** A whole platform of its own, beside whatever else runs on this machine. */
export interface RunningPlatform {
  url: string;
  /** The settings it was started with. */
  env: Env;
  /** Resolves when all of its processes are gone. */
  stop(): Promise<void>;
}

/**
 * Starts the platform as `npm start` does: database, API and worker in an empty folder, on a free port. No setting of the caller's
 * environment reaches it. Its output goes to a file; the end of that file is what an error says. `asked` ends a start that is not over yet.
 */
export async function startPlatform(folder: string, outer: Env, asked: AbortSignal): Promise<RunningPlatform> {
  const others = Object.entries(outer).filter(([name]) => !/^(PLATFORM_|DATABASE_URL$)/.test(name));
  const env = {
    ...Object.fromEntries(others),
    PLATFORM_DATA: join(folder, 'data'),
    PLATFORM_HOST: '127.0.0.1',
    PLATFORM_PORT: '0',
    XDG_CONFIG_HOME: join(folder, 'config'),
  };
  const log = join(folder, 'platform.log');
  const output = await open(log, 'w');
  const child = spawn(process.execPath, [PROGRAM, 'start'], {
    // in a group of its own: Ctrl-C is the demo's to deal with
    detached: process.platform !== 'win32',
    // the platform ends when this channel does, in whatever way the demo ends
    stdio: ['ignore', 'pipe', output.fd, 'ipc'],
    env,
  });
  const gone = once(child, 'exit');
  await output.close();
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), PATIENCE_MS);
    await gone;
    clearTimeout(timer);
  };
  asked.addEventListener('abort', () => void stop());
  const url = await Promise.race([addressIn(child.stdout!), gone.then(() => undefined)]);
  if (url !== undefined) return { url, env: { ...env, PLATFORM_URL: url }, stop };
  await stop();
  const said = (await readFile(log, 'utf8')).trim().split('\n').slice(-3).join(' ');
  throw new Error(`The platform did not start: ${said}`);
}

/** Undefined if the output ends without one. */
async function addressIn(output: NodeJS.ReadableStream): Promise<string | undefined> {
  for await (const line of createInterface({ input: output })) {
    const address = /ready at (https?:\S+)/.exec(line)?.[1];
    if (address === undefined) continue;
    output.resume();
    return address;
  }
  return undefined;
}
