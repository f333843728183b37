import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { open, readdir, readFile, readlink, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { postgresPrograms } from './postgres-programs.ts';

/** The server of the cluster in a folder: made, started, found and stopped by Postgres' own programs. Callers hold the folder's lock. */

/** Who owns the cluster and everything in it. */
export const USER = 'platform';
/** How long a server that does not come up is started again. */
export const START_AGAIN_FOR_MS = 30_000;
/** What a person may change in `postgresql.conf`. Failed statements are the caller's to log: they may quote secrets. */
const SETTINGS = {
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
/** A busy backend of a killed server holds its memory until it notices; a port may be taken while we look at it. */
const PASSING = /pre-existing shared memory block|Address already in use|could not create any TCP\/IP sockets/;
/** However it is used; does nothing when none runs. */
export async function stopServer(home: string): Promise<void> {
  const cluster = clusterOf(home);
  const running = await readPidFile(cluster);
  if (running === undefined || !(await isServer(running.pid, cluster))) return;
  const programs = await postgresPrograms(home);
  await programs.run('pg_ctl', ['stop', '-D', cluster, '-m', 'fast', '-t', '60']);
  while (await isServer(running.pid, cluster)) await sleep(10);
}

const clusterOf = (home: string) => join(home, 'cluster');
const passwordFile = (cluster: string) => join(cluster, 'password');
const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

/** The password of its user; makes the cluster if there is none. */
export async function clusterPassword(home: string): Promise<string> {
  const cluster = clusterOf(home);
  if (!(await exists(cluster))) await makeCluster(home);
  return (await readFile(passwordFile(cluster), 'utf8')).trim();
}

/** Made aside and renamed, so that a cluster is whole or not there. */
async function makeCluster(home: string): Promise<void> {
  await removeHalfMade(home);
  const programs = await postgresPrograms(home);
  const aside = join(home, `new-${randomUUID()}`);
  const password = `${aside}.password`;
  await writeFile(password, `${randomBytes(24).toString('base64url')}\n`, { mode: 0o600, flush: true });
  await programs.give(home);
  await programs.run('initdb', [
    `--pgdata=${aside}`,
    `--username=${USER}`,
    `--pwfile=${password}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    ...Object.entries(SETTINGS).map(([name, value]) => `--set=${name}=${value}`),
  ]);
  await rename(password, passwordFile(aside));
  await rename(aside, clusterOf(home));
  // The initdb of a killed start makes its folder again if it was still at work at the first removal.
  await removeHalfMade(home);
}

/** Removes what killed starts have left. */
async function removeHalfMade(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    if (name.startsWith('new-')) await rm(join(home, name), { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Gives the port on which the server accepts connections. */
export async function startServer(home: string, settings: Record<string, string>): Promise<number> {
  const programs = await postgresPrograms(home);
  const cluster = clusterOf(home);
  await programs.give(home);
  const left = await readPidFile(cluster);
  if (left !== undefined) await clearAfterCrash(cluster, left.pid);
  const deadline = Date.now() + START_AGAIN_FOR_MS;
  for (;;) {
    const port = await freePort(await lastPort(cluster));
    const log = await open(join(home, 'start.log'), 'w', 0o600);
    const forced = { ...settings, listen_addresses: '127.0.0.1', unix_socket_directories: '', port: String(port) };
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
    const said = await lastWords(home, server.pid);
    if (!PASSING.test(said) || Date.now() > deadline) throw new Error(`Postgres in ${cluster} did not start: ${said}`);
    await sleep(100);
  }
}

/** Waits while a server is starting or stopping; undefined if none runs. */
export async function portOfRunning(home: string): Promise<number | undefined> {
  const cluster = clusterOf(home);
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

/** Lines: pid, folder, start, port, socket folder, address, shared memory, status; the later ones come as the server gets there. */
async function readPidFile(cluster: string): Promise<PidFile | undefined> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  const lines = text.split('\n');
  if (!/^\d+$/.test(lines[0] ?? '')) return undefined;
  return { pid: Number(lines[0]), port: Number(lines[3] ?? 0), status: (lines[7] ?? '').trim() };
}

/** A number in a file proves little: it may be a zombie's, or have passed to another program. */
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
    const { stdout } = await promisify(execFile)('ps', ['-p', String(pid), '-o', 'state=,command=']);
    return !stdout.trim().startsWith('Z') && stdout.includes(cluster);
  } catch {
    return false;
  }
}

/** `pid` is that of a server that is no more. */
async function clearAfterCrash(cluster: string, pid: number): Promise<void> {
  // Postgres takes every living process of that number for a server, and would refuse to start for ever.
  if (numberIsTaken(pid)) await rm(join(cluster, 'postmaster.pid'), { force: true });
  // Backends of a killed server go on until their statement ends, and no other server may start before.
  if (process.platform !== 'linux') return;
  for (const name of await readdir('/proc')) {
    if (/^\d+$/.test(name) && (await isServer(Number(name), cluster))) numberIsTaken(Number(name), 'SIGQUIT');
  }
}

function numberIsTaken(pid: number, signal: NodeJS.Signals | 0 = 0): boolean {
  try {
    process.kill(pid, signal);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Taking the same port again lets clients that held the address come back by themselves. */
async function lastPort(cluster: string): Promise<number> {
  const command = await readFile(join(cluster, 'postmaster.opts'), 'utf8').catch(() => '');
  return Number(/--port=(\d+)/.exec(command)?.[1] ?? 0);
}

async function freePort(wanted: number): Promise<number> {
  const server = createServer();
  try {
    server.listen(wanted, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  } catch (error) {
    if (wanted === 0) throw error;
    return freePort(0);
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

/** What the server with this pid wrote before it gave up: on stderr first, then in its log of the day. */
async function lastWords(home: string, pid: number | undefined): Promise<string> {
  const folder = join(clusterOf(home), 'log');
  const logs = await readdir(folder).catch(() => []);
  const texts = await Promise.all([join(home, 'start.log'), ...logs.map((log) => join(folder, log))].map(tail));
  const lines = texts.join('\n').split('\n');
  return lines.filter((line) => line.includes(`[${pid}]`)).join('\n') || texts[0]!.trim();
}

async function tail(path: string): Promise<string> {
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return '';
  try {
    const { size } = await file.stat();
    const { buffer, bytesRead } = await file.read({
      buffer: Buffer.alloc(16_384),
      position: Math.max(0, size - 16_384),
    });
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}
