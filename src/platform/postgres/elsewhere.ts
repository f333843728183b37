import { once } from 'node:events';
import { open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { lockFile } from './folder-lock.ts';

// A server may use the folder that this process cannot see: in another container or PID namespace, or on another
// machine.

/** Names the machine of the last start. */
const HOST = 'host';
/** Locked by all processes that are attached. */
const ATTACHED = 'attached';
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
  release();
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
      () => false,
    );
    socket.destroy();
    if (answered) return true;
  }
  return false;
}
