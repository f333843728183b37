import { once } from 'node:events';
import { mkdir, rm, stat } from 'node:fs/promises';
import type { Server } from 'node:net';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const TIMEOUT_MS = 5 * 60_000;

/**
 * Runs `work` with an exclusive lock of the folder among the processes of this machine. Waits at most five minutes. The
 * lock is a listening socket, which the kernel closes when its process dies.
 */
export async function withFolderLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
  // Postgres may run as another user, who needs the search permission of the parent folder
  await mkdir(dirname(folder), { recursive: true, mode: 0o711 });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const address = await lockAddress(folder);
  const deadline = Date.now() + TIMEOUT_MS;
  let held = await tryLock(address);
  while (held === undefined) {
    if (Date.now() > deadline) throw new Error(`Another process has kept ${folder} locked for five minutes.`);
    await sleep(20 + Math.random() * 20);
    held = await tryLock(address);
  }
  try {
    return await work();
  } finally {
    held.close();
    await once(held, 'close');
  }
}

/** Contains device and inode of the folder, so that all paths to it have one lock. */
async function lockAddress(folder: string): Promise<string> {
  const { dev, ino } = await stat(folder, { bigint: true });
  const name = `platform-folder-${dev}-${ino}`;
  if (process.platform === 'linux') return `\0${name}`;
  if (process.platform === 'win32') return `\\\\.\\pipe\\${name}`;
  return join(tmpdir(), `${name}.sock`);
}

async function tryLock(address: string): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy());
  try {
    server.listen(address);
    await once(server, 'listening');
    return server;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    await removeIfStale(address);
    return undefined;
  }
}

/** macOS has neither abstract sockets nor named pipes. Its socket is a file, which outlives the process. */
async function removeIfStale(address: string): Promise<void> {
  if (process.platform === 'linux' || process.platform === 'win32') return;
  const socket = connect(address);
  try {
    await once(socket, 'connect');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') await rm(address, { force: true });
  } finally {
    socket.destroy();
  }
}
