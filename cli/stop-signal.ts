import process from 'node:process';

/**
 * Two signals this close are one: a terminal sends Ctrl-C to every process of the group, and npm then hands it on once more.
 */
const SAME_WITHIN_MS = 300;
const LOOK_AT_PARENT_MS = 500;
/** What a shell says of a process that such a signal ended. */
const CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/**
 * Aborts when the process is asked to stop: SIGINT, SIGTERM, SIGHUP, or the end of the process that started it over a channel.
 * The second signal ends the process at once, after `last`, if it is given.
 */
export function stopSignal(last: () => Promise<void> = async () => {}): AbortSignal {
  const stop = new AbortController();
  let first = 0;
  const onSignal = (signal: keyof typeof CODES) => {
    if (!stop.signal.aborted) {
      first = Date.now();
      stop.abort(new Error(`asked to stop by ${signal}`));
    } else if (Date.now() - first > SAME_WITHIN_MS) void last().finally(() => process.exit(CODES[signal]));
  };
  for (const signal of Object.keys(CODES) as (keyof typeof CODES)[]) process.on(signal, onSignal);
  if (process.channel !== undefined) {
    process.once('disconnect', () => stop.abort(new Error('the process that started this one is gone')));
    process.channel?.unref();
  }
  return stop.signal;
}

/** Tells the process that started this one over a channel that it does its work now. False if there is none. */
export function tellReady(address?: string): boolean {
  process.send?.({ ready: true, ...(address === undefined ? {} : { address }) });
  return process.send !== undefined;
}

/** Tells the process that started this one over a channel that its event loop turns. */
export function tellAlive(): void {
  // who started it may be gone at this moment, which ends this process, too
  if (process.connected) process.send?.({ alive: true }, undefined, undefined, () => {});
}

/** Aborts when the parent of this process is gone. npm is such a parent: without it, nobody could stop what it started. */
export function untilParentEnds(): AbortSignal {
  const gone = new AbortController();
  const parent = process.ppid;
  const look = () => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    gone.abort(new Error('the process that started this one is gone'));
  };
  const timer = setInterval(look, LOOK_AT_PARENT_MS);
  timer.unref();
  return gone.signal;
}
