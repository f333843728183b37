import { execFile } from 'node:child_process';
import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { open, readdir, readFile, readlink, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { recordHost, refuseIfElsewhere, removeSockets } from './elsewhere.ts';
import { postgresPrograms } from './postgres-programs.ts';

// Creates, starts, finds and stops the server of a cluster with Postgres' own programs. Callers hold the lock of its
// folder.

/** Superuser of the cluster. */
export const USER = 'platform';
/** How long failed starts are retried. */
export const START_TIMEOUT_MS = 30_000;
/**
 * Initial `postgresql.conf`, which operators may change. Failed statements are not logged, because they may contain
 * secrets.
 */
const POSTGRES_CONF = {
  max_connections: '200',
  shared_buffers: '128MB',
  jit: 'off',
  timezone: 'UTC',
  log_timezone: 'UTC',
  logging_collector: 'on',
  log_filename: 'postgres-%a.log',
  log_rotation_age: '1d',
  log_truncate_on_rotation: 'on',
  log_checkpoints: 'off',
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
};
/** Settings of each start, which `postgresql.conf` and the caller cannot change. */
const FORCED = {
  listen_addresses: '127.0.0.1',
  // in the folder of the cluster: shows other containers on the folder that the server runs
  unix_socket_directories: process.platform === 'win32' ? '' : '.',
  // Ends statements of clients that are gone: while one runs, the server counts as in use. Windows has no such check.
  ...(process.platform === 'win32' ? {} : { client_connection_check_interval: '1s' }),
};
/**
 * Backends of a killed server keep its shared memory for a moment; another program may take the port between the check
 * and the start.
 */
const TRANSIENT = /pre-existing shared memory block|Address already in use|could not create any TCP\/IP sockets/;
/** How long a stop waits for the server's logger. */
const LOGGER_MS = 5000;

/** Stops the server even if it has clients. Does nothing if it does not run. */
export async function stopServer(home: string): Promise<void> {
  const cluster = clusterFolder(home);
  const running = await readPidFile(cluster);
  if (running === undefined || !(await isServer(running.pid, cluster))) return;
  const programs = await postgresPrograms(home);
  await programs.run('pg_ctl', ['stop', '-D', cluster, '-m', 'fast', '-t', '60']).catch(async (error) => {
    // a server that ends by itself meanwhile is gone, or has removed its pid file
    if ((await isServer(running.pid, cluster)) && (await readPidFile(cluster))?.pid === running.pid) throw error;
  });
  while (await isServer(running.pid, cluster)) await sleep(10);
  // the logger ends after the server: on a busy machine seconds later
  const start = Date.now();
  while (Date.now() - start < LOGGER_MS && (await serverProcesses(cluster)).length > 0) await sleep(10);
}

const clusterFolder = (home: string) => join(home, 'cluster');
const passwordFile = (cluster: string) => join(cluster, 'password');
const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

/** The password of `USER`. Creates the cluster if there is none. */
export async function clusterPassword(home: string): Promise<string> {
  const cluster = clusterFolder(home);
  if (!(await exists(cluster))) await createCluster(home);
  return (await readFile(passwordFile(cluster), 'utf8')).trim();
}

/** Creates the cluster under another name and renames it, so that the cluster is complete or absent. */
async function createCluster(home: string): Promise<void> {
  await removeUnfinished(home);
  const programs = await postgresPrograms(home);
  const temporary = join(home, `new-${randomUUID()}`);
  const password = `${temporary}.password`;
  await writeFile(password, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600, flush: true });
  await programs.chown(home);
  await programs.run('initdb', [
    `--pgdata=${temporary}`,
    `--username=${USER}`,
    `--pwfile=${password}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    ...Object.entries(POSTGRES_CONF).map(([name, value]) => `--set=${name}=${value}`),
  ]);
  await rename(password, passwordFile(temporary));
  await rename(temporary, clusterFolder(home));
  // the initdb of a killed start may have created its folder again after the first removal
  await removeUnfinished(home);
}

/** Deletes unfinished clusters of killed starts. */
async function removeUnfinished(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    if (name.startsWith('new-')) await rm(join(home, name), { recursive: true, force: true, maxRetries: 10 });
  }
}

/**
 * Starts the server. Returns its port when it accepts connections. A server of a starter that was killed may appear
 * meanwhile; then returns the port of that.
 */
export async function startServer(home: string, settings: Record<string, string>): Promise<number> {
  const programs = await postgresPrograms(home);
  const cluster = clusterFolder(home);
  await programs.chown(home);
  const stale = await readPidFile(cluster);
  if (stale !== undefined) {
    const running = await portOfRunning(home);
    if (running !== undefined) return running;
  }
  if (!(await isRunningHere(cluster))) {
    await refuseIfElsewhere(home, cluster);
    await removeSockets(cluster);
  }
  if (stale !== undefined) await clearAfterCrash(cluster, stale.pid);
  await recordHost(home);
  const deadline = Date.now() + START_TIMEOUT_MS;
  for (;;) {
    const port = await freePort(await lastPort(cluster));
    const log = await open(join(home, 'start.log'), 'w', 0o600);
    const forced = { ...settings, ...FORCED, port: String(port) };
    const flags = Object.entries(forced).map(([name, value]) => `--${name}=${value}`);
    const server = programs.launch('postgres', ['-D', cluster, ...flags], log.fd);
    server.unref();
    await once(server, 'spawn');
    await log.close();
    while (server.exitCode === null && server.signalCode === null) {
      const now = await readPidFile(cluster);
      if (now?.status === 'ready' && now.pid === server.pid) return now.port;
      await sleep(10);
    }
    const running = await portOfRunning(home);
    if (running !== undefined) return running;
    const messages = await startupMessages(home, server.pid);
    if (!TRANSIENT.test(messages) || Date.now() > deadline)
      throw new Error(`Postgres in ${cluster} did not start: ${messages}`);
    await sleep(100);
  }
}

/** Port of the running server; undefined if none runs. Waits while the server is starting or stopping. */
export async function portOfRunning(home: string): Promise<number | undefined> {
  const cluster = clusterFolder(home);
  for (;;) {
    const found = await readPidFile(cluster);
    if (found === undefined || !(await isServer(found.pid, cluster))) return undefined;
    if (found.status === 'ready') return found.port;
    await sleep(20);
  }
}

interface PidFile {
  pid: number;
  port: number;
  status: string;
}

/**
 * Lines: pid, folder, start time, port, socket folder, address, shared memory, status. The server appends them during
 * its start.
 */
async function readPidFile(cluster: string): Promise<PidFile | undefined> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  const lines = text.split('\n');
  if (!/^\d+$/.test(lines[0] ?? '')) return undefined;
  return { pid: Number(lines[0]), port: Number(lines[3] ?? 0), status: (lines[7] ?? '').trim() };
}

/**
 * Whether the process is the server of this cluster or a child of it, and no zombie or other program with a reused pid.
 */
async function isServer(pid: number, cluster: string): Promise<boolean> {
  try {
    if (process.platform === 'linux') {
      return (
        (await readlink(`/proc/${pid}/cwd`)) === cluster &&
        (await readFile(`/proc/${pid}/comm`, 'utf8')) === 'postgres\n'
      );
    }
    process.kill(pid, 0);
    if (process.platform === 'win32') return true;
    const { stdout } = await promisify(execFile)('ps', ['-p', String(pid), '-o', 'state=,command='], {
      env: { PATH: '/usr/bin:/bin' },
    });
    return !stdout.trim().startsWith('Z') && stdout.includes(cluster);
  } catch {
    return false;
  }
}

/** @param pid pid of the server that crashed */
async function clearAfterCrash(cluster: string, pid: number): Promise<void> {
  // if another process has the pid now, Postgres takes it for a running server and refuses to start
  if (signalProcess(pid)) await rm(join(cluster, 'postmaster.pid'), { force: true });
  // backends of a killed server run until their statement ends, and prevent a new server from starting
  for (const left of await serverProcesses(cluster)) signalProcess(left, 'SIGQUIT');
}

/** The server of the cluster and its children. None on systems without `/proc`. */
async function serverProcesses(cluster: string): Promise<number[]> {
  if (process.platform !== 'linux') return [];
  const found: number[] = [];
  for (const name of await readdir('/proc'))
    if (/^\d+$/.test(name) && (await isServer(Number(name), cluster))) found.push(Number(name));
  return found;
}

/** Whether processes of the cluster run in the PID namespace of this process; the ids of others mean nothing here. */
async function isRunningHere(cluster: string): Promise<boolean> {
  const pidNamespace = (pid: number | 'self') => readlink(`/proc/${pid}/ns/pid`).catch(() => '');
  const own = await pidNamespace('self');
  for (const pid of await serverProcesses(cluster)) if ((await pidNamespace(pid)) === own) return true;
  return false;
}

/** Sends a signal; 0 only tests. Returns whether the process exists. */
export function signalProcess(pid: number, signal: NodeJS.Signals | 0 = 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Port of the last start. Reusing it lets clients reconnect. */
async function lastPort(cluster: string): Promise<number> {
  const command = await readFile(join(cluster, 'postmaster.opts'), 'utf8').catch(() => '');
  return Number(/--port=(\d+)/.exec(command)?.[1] ?? 0);
}

/**
 * Ports that a new cluster gets: below those that systems give to outgoing connections (from 32768 on Linux), which
 * could take the port while the server restarts.
 */
const PORTS = { first: 20_000, end: 32_768 };
const MAX_PORT_TRIES = 100;

/** `preferred` if it is free, else a free one of `PORTS`, else any. */
async function freePort(preferred: number): Promise<number> {
  for (let tries = 0, port = preferred; tries < MAX_PORT_TRIES; tries++, port = randomInt(PORTS.first, PORTS.end))
    if (port !== 0 && (await listensAt(port))) return port;
  return listensAt(0);
}

/** The port (for 0 any) on which a server can listen here; 0 if it cannot. */
async function listensAt(port: number): Promise<number> {
  const server = createServer();
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  } catch (error) {
    if (port === 0) throw error;
    return 0;
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

/** Lines of the server with this pid on stderr and in the daily logs. */
async function startupMessages(home: string, pid: number | undefined): Promise<string> {
  const folder = join(clusterFolder(home), 'log');
  const logs = await readdir(folder).catch(() => []);
  const texts = await Promise.all([join(home, 'start.log'), ...logs.map((log) => join(folder, log))].map(tail));
  const lines = texts.join('\n').split('\n');
  return lines.filter((line) => line.includes(`[${pid}]`)).join('\n') || texts[0]!.trim();
}

async function tail(path: string): Promise<string> {
  await using file = await open(path).catch(() => undefined);
  if (file === undefined) return '';
  const { size } = await file.stat();
  const buffer = Buffer.alloc(16_384);
  const { bytesRead } = await file.read({ buffer, position: Math.max(0, size - buffer.length) });
  return buffer.toString('utf8', 0, bytesRead);
}
