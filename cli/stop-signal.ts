import process from 'node:process';
import { Interrupted } from 'hydrofiles/terminal';

/** Signals within this time count once: a terminal sends Ctrl-C to every process of the group, and npm forwards it. */
const DEBOUNCE_MS = 300;
const CHECK_PARENT_EVERY_MS = 500;
/** Exit codes of processes that a signal ended, as in shells. */
const CODES = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 };

/**
 * Aborts on SIGINT, SIGTERM, SIGHUP, or when the parent process ends, if it started this one with an IPC channel. A
 * second signal ends the process at once, after `last`; with a parent only a second Ctrl-C does.
 */
export function stopSignal(last: () => Promise<void> = async () => {}): AbortSignal {
  const stop = new AbortController();
  let first = 0;
  const ask = (reason: string, signal: keyof typeof CODES) => {
    if (!stop.signal.aborted) first = Date.now();
    stop.abort(Object.assign(new Error(reason), { exitCode: CODES[signal] }));
  };
  const onSignal = (signal: keyof typeof CODES) => {
    if (!stop.signal.aborted) return ask(`asked to stop by ${signal}`, signal);
    // A service manager signals all processes of the group, and the parent passes its signal on, on a busy machine
    // seconds later. A supervisor kills a process that does not stop.
    if (process.connected && signal !== 'SIGINT') return;
    if (Date.now() - first > DEBOUNCE_MS) void last().finally(() => process.exit(CODES[signal]));
  };
  for (const signal of Object.keys(CODES) as (keyof typeof CODES)[]) process.on(signal, onSignal);
  if (process.send !== undefined) {
    const onGone = () => ask('the process that started this one is gone', 'SIGTERM');
    process.once('disconnect', onGone);
    process.channel?.unref();
    // it may have ended while this process loaded its code
    if (!process.connected) onGone();
  }
  return stop.signal;
}

/** The result of work; undefined if it ended because it was asked to stop, and threw the reason. */
export const unlessStopped = <Result>(work: Promise<Result>, stop: AbortSignal): Promise<Result | undefined> =>
  work.catch((error: unknown) => {
    if (error !== stop.reason) throw error;
    return undefined;
  });

/**
 * Runs a command to its end although this process is asked to stop meanwhile, and then throws `Interrupted`. For
 * commands that open the embedded database: its server is no child and would run for ever. A second signal ends the
 * process at once.
 * @param command gets the signal, so that it begins nothing more once it is aborted
 */
export async function finishBeforeStop(command: (stop: AbortSignal) => Promise<void>): Promise<void> {
  const stop = stopSignal();
  await unlessStopped(command(stop), stop);
  if (stop.aborted) throw new Interrupted(stop.reason.message, stop.reason.exitCode);
}

/** Tells the parent process over the IPC channel that this one is ready. False if there is no channel. */
export function sendReady(address?: string): boolean {
  // the parent may have ended, which ends this process, too
  process.send?.({ ready: true, ...(address === undefined ? {} : { address }) }, () => {});
  return process.send !== undefined;
}

/** Tells the parent process over the IPC channel that the event loop runs. */
export function sendAlive(): void {
  // the parent may end at this moment, which ends this process, too
  if (process.connected) process.send?.({ alive: true }, undefined, undefined, () => {});
}

/** Aborts when the parent process ends. For npm, which has no IPC channel: if it is killed, this process must stop. */
export function abortWhenParentEnds(): AbortSignal {
  const gone = new AbortController();
  const parent = process.ppid;
  const check = () => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    gone.abort(new Error('the process that started this one is gone'));
  };
  const timer = setInterval(check, CHECK_PARENT_EVERY_MS);
  timer.unref();
  return gone.signal;
}
