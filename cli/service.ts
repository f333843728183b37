import type { Io } from './io.ts';
import { stopSignal, tellAlive, tellReady } from './stop-signal.ts';
import { watchEventLoop } from './watchdog.ts';

/** What runs in a process of its own until it is asked to stop. */
export interface Service {
  /** Where it listens, if it does. */
  url?: string;
  /** Resolves if the embedded database went to another address: the process must start anew. */
  moved: Promise<void>;
  /** Finishes in order what is under way, within seconds. */
  close(): Promise<void>;
}

/**
 * Runs a service until SIGINT, SIGTERM or the end of the process that started it; kills it when its event loop hangs for `hangLimitMs`.
 * Throws if it must be started anew.
 */
export async function runService(
  open: () => Promise<Service>,
  hangLimitMs: number,
  io: Pick<Io, 'out'>,
): Promise<void> {
  let ready = false;
  watchEventLoop(hangLimitMs, () => {
    if (ready) tellAlive();
  });
  const stop = stopSignal();
  const stopped = new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve()));
  const service = await open();
  try {
    if (stop.aborted) return;
    const supervised = tellReady(service.url);
    ready = supervised;
    if (!supervised && service.url !== undefined) io.out(`Listening at ${service.url}`);
    await Promise.race([stopped, service.moved]);
  } finally {
    await service.close();
  }
  if (!stop.aborted) throw new Error('The database has another address now: start again.');
}
