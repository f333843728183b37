import { once } from 'node:events';
import { mkdir, rm, stat } from 'node:fs/promises';
import type { Server } from 'node:net';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const PATIENCE_MS = 5 * 60_000;

/**
 * Runs `work` while no other process of this machine holds the lock of this folder; waits for it at most five minutes.
 * The lock is a listening socket, so that the kernel takes it back when its holder dies, in whatever way.
 */
export async function withFolderLock<T>(folder: string, work: () => Promise<T>): Promise<T> {
  // Postgres may have to run as another user, who must be able to pass through.
  await mkdir(dirname(folder), { recursive: true, mode: 0o711 });
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const address = await lockAddress(folder);
  const deadline = Date.now() + PATIENCE_MS;
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

/** Named after the folder's identity on its device, so that every path to it means the same lock. */
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
    await removeIfForsaken(address);
    return undefined;
  }
}

/** Only a socket that is a file can outlive its process: a Mac has neither abstract sockets nor named pipes. */
async function removeIfForsaken(address: string): Promise<void> {
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
