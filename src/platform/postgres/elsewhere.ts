import { once } from 'node:events';
import { open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { lockFile } from './folder-lock.ts';

// A server may use the folder that this process cannot see: in another container or PID namespace, or on another
// machine.

/** Names the machine of the last start. */
const HOST = 'host';
/** Locked by all processes that are attached. */
const ATTACHED = 'attached';
const PID_FILE = 'postmaster.pid';
/** No process id: the file is not that of a running server. */
const NOBODY = 0;
/** A server looks at its lock file once a minute. */
const OUTLAST_MS = 75_000;
const NOBODY_LISTENS = new Set(['ECONNREFUSED', 'ENOENT', 'ENOTSOCK']);
const SOCKET = /^\.s\.PGSQL\.\d+$/;

/** Marks the folder as in use by this process until the returned function is called, or the process ends. */
export async function markAttached(home: string): Promise<() => void> {
  // cannot be refused: only a starting server locks this file exclusively, while it holds the lock of the folder
  return (await lockFile(home, ATTACHED, 'shared')) ?? (() => {});
}

/**
 * Throws if a server uses the folder although its process is not visible here. Callers hold the lock of the folder.
 * @param cluster folder with the sockets of the server
 */
export async function refuseIfElsewhere(home: string, cluster: string): Promise<void> {
  if (await isListening(cluster))
    throw new Error(
      `${home} is in use by a Postgres that this process cannot see: it runs in another container or PID namespace. Stop the platform there, give this one another PLATFORM_DATA, or let both use one DATABASE_URL.`,
    );
  const before = (await readFile(join(home, HOST), 'utf8').catch(() => '')).trim();
  if (before === '' || before === (await thisHost())) return;
  const release = await lockFile(home, ATTACHED, 'exclusive');
  if (release === undefined)
    throw new Error(
      `${home} is in use by a platform on another machine (${before.split(' ')[0]}). Stop it, give this one another PLATFORM_DATA, or let both use one DATABASE_URL.`,
    );
  try {
    if (!isSameMachine(before, await thisHost())) await outlast(home, join(cluster, PID_FILE), before.split(' ')[0]!);
  } finally {
    release();
  }
}

/**
 * Ends a server that outlived all its processes on another machine, where they were killed: it ends itself when its
 * lock file names another process, which it looks at once a minute. Nothing tells sooner whether there is such a
 * server.
 */
async function outlast(home: string, pidFile: string, host: string): Promise<void> {
  if (!(await exists(pidFile))) return; // it was stopped
  process.emitWarning(
    `The Postgres in ${home} was not stopped on ${host}. It is started here in ${OUTLAST_MS / 1000} s, when it has ended there for certain.`,
  );
  await writeFile(pidFile, `${NOBODY}\n`);
  await sleep(OUTLAST_MS);
  await rm(pidFile, { force: true });
}

const exists = (path: string) =>
  stat(path).then(
    () => true,
    () => false,
  );

/** Machines have names of their own, and a container has that of its pod or its own one on the same kernel. */
function isSameMachine(one: string, other: string): boolean {
  const [host, boot] = one.split(' ');
  const [otherHost, otherBoot] = other.split(' ');
  return host === otherHost || (boot !== undefined && boot === otherBoot);
}

/**
 * Removes sockets of a server that crashed, in whose lock files Postgres may take an unrelated process for that server.
 */
export async function removeSockets(cluster: string): Promise<void> {
  for (const name of await readdir(cluster))
    if (/^\.s\.PGSQL\./.test(name)) await rm(join(cluster, name), { force: true });
}

/** Records the machine of a start. */
export const recordHost = async (home: string): Promise<void> => writeFile(join(home, HOST), `${await thisHost()}\n`);

/** Containers on one kernel see each other's sockets; machines do not. */
async function thisHost(): Promise<string> {
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  return boot === '' ? hostname() : `${hostname()} ${boot.trim()}`;
}

/** Whether a server listens at a socket in its folder. The kernel closes it when the server dies; the file stays. */
async function isListening(cluster: string): Promise<boolean> {
  if (process.platform === 'win32') return false;
  await using folder = await open(cluster, 'r');
  for (const name of (await readdir(cluster)).filter((one) => SOCKET.test(one))) {
    // an address has at most 107 bytes, and the folder may be deep
    const path = process.platform === 'linux' ? `/proc/self/fd/${folder.fd}/${name}` : join(cluster, name);
    const socket = connect(path);
    const answered = await once(socket, 'connect').then(
      () => true,
      // a frozen server accepts no more connections than wait already
      ({ code }: NodeJS.ErrnoException) => !NOBODY_LISTENS.has(code ?? ''),
    );
    socket.destroy();
    if (answered) return true;
  }
  return false;
}
