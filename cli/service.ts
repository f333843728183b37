import { flushCompileCache } from 'node:module';
import type { Io } from './io.ts';
import { sendAlive, sendReady, stopSignal, unlessStopped } from './stop-signal.ts';
import { watchEventLoop } from './watchdog.ts';

/** A service with a process of its own, which runs until it is asked to stop. */
export interface Service {
  /** Address on which it listens, if any. */
  url?: string;
  /** Resolves when the embedded database has a new address; the process must then restart. */
  databaseMoved: Promise<void>;
  /** Finishes or hands back its work, within seconds. */
  close(): Promise<void>;
}

/**
 * Runs a service until SIGINT, SIGTERM or the end of the parent process. Kills this process if its event loop hangs for
 * `hangLimitMs`. Throws if it must be restarted.
 * @param open throws the reason of the signal if it is asked to stop while it waits
 */
export async function runService(
  open: (stop: AbortSignal) => Promise<Service>,
  hangLimitMs: number,
  io: Pick<Io, 'out'>,
): Promise<void> {
  // Node writes it at exit, which a killed process does not come to: its successors would compile everything again.
  // Before the process is watched and listens, because the event loop waits for two thousand files, which a busy disk
  // takes its time for.
  flushCompileCache();
  let ready = false;
  watchEventLoop(hangLimitMs, () => {
    if (ready) sendAlive();
  });
  const stop = stopSignal();
  const stopped = new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve()));
  const service = await unlessStopped(open(stop), stop);
  if (service === undefined) return;
  try {
    if (stop.aborted) return;
    const supervised = sendReady(service.url);
    ready = supervised;
    if (!supervised && service.url !== undefined) io.out(`Listening at ${service.url}`);
    await Promise.race([stopped, service.databaseMoved]);
  } finally {
    await service.close();
  }
  if (!stop.aborted) throw new Error('The address of the database has changed. Start again.');
}
