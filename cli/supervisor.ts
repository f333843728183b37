import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHECKS, PATIENCE } from './watchdog.ts';

/** A process that is restarted until it is asked to stop. */
export interface SupervisedProcess {
  /** Resolves when it is first ready. Rejects if it exited by itself before, because a restart would not help. */
  ready: Promise<Ready>;
  /** Stops it with SIGTERM, and kills it after `patience` milliseconds. Resolves when it has exited. */
  stop(patience: number): Promise<void>;
  /** Resolves when it has exited. */
  kill(): Promise<void>;
}

export interface Ready {
  ready: true;
  /** Address on which it listens, if any. */
  address?: string;
}

const MIN_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 10_000;
/** A process that ran this long is not in a crash loop. */
const STABLE_AFTER_MS = 10_000;

/**
 * Supervises a process: restarts it with exponential backoff when it exits, and kills it when it has not reported for
 * `PATIENCE` times
 * `hangLimitMs` that its event loop runs. One that uses CPU time meanwhile ends itself before (`watchEventLoop`).
 * @param launch starts the process; gets its first `Ready`, if it was ever ready. The process sends `Ready` over its
 * IPC channel, and then repeatedly that it is alive.
 * @param note called with a sentence about exits and restarts
 */
export function supervise(
  name: string,
  launch: (before: Ready | undefined) => ChildProcess,
  hangLimitMs: number,
  note: (sentence: string) => void,
): SupervisedProcess {
  const first = Promise.withResolvers<Ready>();
  const stopping = new AbortController();
  let lastReady: Ready | undefined;
  let child: ChildProcess | undefined;

  /** Runs one process until it exits. */
  const runOnce = async (): Promise<End> => {
    try {
      child = launch(lastReady);
    } catch (error) {
      // such as too little memory for a process
      return notLaunched(error);
    }
    const patienceMs = PATIENCE * hangLimitMs;
    const silence = watchSilence(patienceMs, () => {
      note(`${name} has not responded for ${patienceMs / 1000} s and is killed.`);
      child?.kill('SIGKILL');
    });
    child.on('message', (message) => {
      silence.broken();
      if (!isReady(message)) return;
      lastReady = message;
      first.resolve(message);
    });
    child.on('error', () => {}); // reported by `waitForEnd`
    const end = await waitForEnd(child);
    silence.stop();
    return end;
  };
  const run = async () => {
    let crashes = 0;
    while (!stopping.signal.aborted) {
      const started = Date.now();
      const end = await runOnce();
      if (stopping.signal.aborted) return;
      if (lastReady === undefined && end.byItself) throw new Error(`${name} did not start: ${end.sentence}.`);
      crashes = Date.now() - started > STABLE_AFTER_MS ? 1 : crashes + 1;
      note(`${name} ${end.sentence}. Restarting it.`);
      const wait = Math.min(MIN_BACKOFF_MS * 2 ** (crashes - 1), MAX_BACKOFF_MS);
      await sleep(wait, undefined, { signal: stopping.signal }).catch(() => {});
    }
  };
  const running = run().catch((error) => first.reject(error));
  first.promise.catch(() => {});
  return {
    ready: first.promise,
    async stop(patience) {
      stopping.abort();
      child?.kill('SIGTERM');
      const timer = setTimeout(() => child?.kill('SIGKILL'), patience);
      await running;
      clearTimeout(timer);
    },
    async kill() {
      stopping.abort();
      child?.kill('SIGKILL');
      await running;
    },
  };
}

/**
 * Calls `tooLong` after `limitMs` without a message, counted from the first message. Counts timer ticks of this process
 * instead of clock time, because while this process is suspended it receives no messages.
 */
function watchSilence(limitMs: number, tooLong: () => void): { broken(): void; stop(): void } {
  let silent = 0;
  let timer: NodeJS.Timeout | undefined;
  const check = () => {
    silent++;
    if (silent !== CHECKS + 1) return;
    clearInterval(timer);
    tooLong();
  };
  return {
    broken() {
      silent = 0;
      timer ??= setInterval(check, limitMs / CHECKS);
    },
    stop: () => clearInterval(timer),
  };
}

interface End {
  sentence: string;
  byItself: boolean;
}

const notLaunched = (error: unknown): End => ({
  sentence: `could not be launched: ${(error as Error).message}`,
  byItself: true,
});

async function waitForEnd(child: ChildProcess): Promise<End> {
  try {
    const [code, signal] = await once(child, 'exit');
    if (signal !== null) return { sentence: `was ended by ${signal}`, byItself: false };
    return { sentence: `ended with code ${code}`, byItself: true };
  } catch (error) {
    return notLaunched(error);
  }
}

const isReady = (message: unknown): message is Ready =>
  typeof message === 'object' && message !== null && 'ready' in message && message.ready === true;
