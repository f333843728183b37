import { spawn } from 'node:child_process';
import type { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '../../src/config.ts';
import { Database } from '../../src/db.ts';
import { isLoopbackName } from '../../src/http/rules/this-host.ts';
import { checkListening } from '../../src/platform/net/listening.ts';
import { type OpenDatabase, openDatabase } from '../../src/platform/postgres/database.ts';
import { newFirstLink } from '../../src/tenants/first-link.ts';
import { cleanEnvironment, settingsMessage } from '../clean-environment.ts';
import { readableLines } from '../log-lines.ts';
import { API_FLAGS } from '../node-flags.ts';
import { abortWhenParentEnds, stopSignal, unlessStopped } from '../stop-signal.ts';
import { type Ready, SupervisedProcess } from '../supervisor.ts';

type Environment = Record<string, string | undefined>;

export interface StartOutput {
  out(line: string): void;
  note(line: string): void;
}

const PROGRAM = fileURLToPath(new URL('../../bin/platform', import.meta.url));
const COMMAND = 'npm run platform -- admin bootstrap --id admin';
/** Descriptor of the pipe with the settings of a process. */
const SETTINGS = 4;
/** Time for the processes to stop; everything including the database has ten seconds. */
const PATIENCE_MS = 8000;
/** Time for all to end after a second request. It takes a fraction of a second; on a busy machine longer. */
const HURRIED_MS = 8000;

/**
 * Runs the platform in one terminal: the embedded database unless the settings name another, the API and one worker.
 * API and worker are processes that are restarted when they exit or hang. Runs until it is asked to stop; a second
 * request ends it at once. Returns the exit code.
 */
export async function start(env: Environment, io: StartOutput): Promise<number> {
  const config = loadConfig(env);
  await checkListening(config);
  const parts: SupervisedProcess[] = [];
  let opening: Promise<OpenDatabase> | undefined;
  let hurried: Promise<void> | undefined;
  /** Without the database server, which is no child, a second request would leave it running for ever. */
  const endAtOnce = async () => {
    const ended = async () => {
      // first, because the database is not stopped for a process that still runs
      await Promise.all(parts.map((part) => part.kill()));
      await (await opening)?.close();
    };
    await Promise.race([ended().catch(() => {}), sleep(HURRIED_MS)]);
  };
  const asked = stopSignal(() => {
    hurried ??= endAtOnce();
    return hurried;
  });
  const stop = env.npm_lifecycle_event === undefined ? asked : AbortSignal.any([asked, abortWhenParentEnds()]);
  const stopped = new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve()));

  opening = openDatabase(config, stop);
  const database = await unlessStopped(opening, stop);
  if (database === undefined) return 0;
  try {
    if (stop.aborted) return 0;
    const shared = { hangLimitMs: config['process.hangLimit'], note: io.note };
    const api = new SupervisedProcess({ name: 'api', launch: (before) => launch('serve', env, before), ...shared });
    const worker = new SupervisedProcess({ name: 'worker', launch: () => launch('work', env), ...shared });
    parts.push(api, worker);
    await Promise.race([stopped, Promise.all([api.ready, worker.ready])]);
    if (stop.aborted) return 0;
    const address = (await api.ready).address ?? '';
    io.out(`The platform is ready at ${address}`);
    for (const line of await leadToAdministrator(database.url, address)) io.out(line);
    await stopped;
    return 0;
  } finally {
    await Promise.all(parts.map((part) => part.stop(PATIENCE_MS)));
    // `stopSignal` ends this process, with the code of the signal
    if (hurried !== undefined) await new Promise<never>(() => {});
    await database.close();
  }
}

/** What to do while there is no administrator; nothing if there is one. */
async function leadToAdministrator(databaseUrl: string, address: string): Promise<string[]> {
  const db = new Database(databaseUrl, 2, 'platform start');
  try {
    const token = await newFirstLink(db);
    if (token === undefined) return [];
    const here = addressHere(address);
    if (here === undefined)
      return [`There is no administrator yet. Create one in another terminal, on this machine: ${COMMAND}`];
    return [
      'There is no administrator yet. Make one in a browser on this machine, within an hour, with this link:',
      `${here}/activate?bootstrap=${token}`,
      `Or in another terminal: ${COMMAND}`,
    ];
  } finally {
    await db.end();
  }
}

/** The address by which a browser on this machine reaches the platform over loopback, if it listens there. */
function addressHere(address: string): string | undefined {
  const { hostname, port } = new URL(address);
  if (isLoopbackName(hostname)) return address;
  if (hostname === '0.0.0.0') return `http://127.0.0.1:${port}`;
  return hostname === '[::]' ? `http://[::1]:${port}` : undefined;
}

/**
 * Starts a process in a process group of its own, so that Ctrl-C reaches only this process, which then stops the
 * others.
 */
function launch(command: 'serve' | 'work', env: Environment, before?: Ready) {
  const terminal = process.stderr.isTTY;
  const logs = terminal ? 'pipe' : process.stderr.fd;
  // a restarted API listens on the same port, even if the setting is 0 (any port)
  const settings = before?.address === undefined ? env : { ...env, PLATFORM_PORT: new URL(before.address).port };
  const child = spawn(process.execPath, [...(command === 'serve' ? API_FLAGS : []), PROGRAM, command], {
    detached: process.platform !== 'win32',
    stdio: ['ignore', logs, logs, 'ipc', 'pipe'],
    env: cleanEnvironment(settings, SETTINGS),
  });
  const pipe = child.stdio[SETTINGS] as Writable;
  pipe.on('error', () => {}); // the process has ended, which `supervise` reports
  pipe.end(settingsMessage(settings));
  for (const output of [child.stdout, child.stderr]) {
    if (output !== null) readableLines(command, output, (line) => process.stderr.write(`${line}\n`));
  }
  return child;
}
