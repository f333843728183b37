import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { LOOKS } from './watchdog.ts';

/** A process that is kept running until it is told to stop. */
export interface Part {
  /** What it said when it was first ready. Rejects if it gave up by itself before that: trying again would change nothing. */
  ready: Promise<Ready>;
  /** Lets it finish within `patience` milliseconds, then kills it; resolves when it is gone. */
  stop(patience: number): Promise<void>;
  kill(): void;
}

export interface Ready {
  ready: true;
  /** Where it listens, if it does. */
  address?: string;
}

const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 10_000;
/** Who lived this long is not in a loop of deaths. */
const SOUND_AFTER_MS = 10_000;

/**
 * A process that has not said for `hangLimitMs` that its event loop turns is killed: it hangs, or was stopped for good.
 * @param launch starts the process; it gets what the process said when it was ready, if it ever was. The process sends `Ready` over its channel, and
 * after that again and again that it is alive.
 * @param note hears in a sentence of deaths and new starts
 */
export function keepRunning(
  name: string,
  launch: (before: Ready | undefined) => ChildProcess,
  hangLimitMs: number,
  note: (sentence: string) => void,
): Part {
  const first = Promise.withResolvers<Ready>();
  const stopping = new AbortController();
  let said: Ready | undefined;
  let child: ChildProcess | undefined;

  /** One process, from its launch to its end. */
  const live = async (): Promise<End> => {
    try {
      child = launch(said);
    } catch (error) {
      // where there is no memory for a process
      return notLaunched(error);
    }
    const silence = watchSilence(hangLimitMs, () => {
      note(`${name} has not answered for ${hangLimitMs / 1000} s; it is killed.`);
      child?.kill('SIGKILL');
    });
    child.on('message', (message) => {
      silence.broken();
      if (!isReady(message)) return;
      said = message;
      first.resolve(message);
    });
    child.on('error', () => {}); // `endOf` tells
    const end = await endOf(child);
    silence.stop();
    return end;
  };
  const run = async () => {
    let deaths = 0;
    while (!stopping.signal.aborted) {
      const started = Date.now();
      const end = await live();
      if (stopping.signal.aborted) return;
      if (said === undefined && end.byItself) throw new Error(`${name} did not start: ${end.sentence}.`);
      deaths = Date.now() - started > SOUND_AFTER_MS ? 1 : deaths + 1;
      note(`${name} ${end.sentence}; it is started again.`);
      const wait = Math.min(FIRST_WAIT_MS * 2 ** (deaths - 1), LONGEST_WAIT_MS);
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
    kill() {
      stopping.abort();
      child?.kill('SIGKILL');
    },
  };
}

/**
 * Calls `tooLong` when nothing was heard for `limitMs` since the first time. Counted in looks of this process and not by a clock: when it
 * was stopped itself, or slept with its machine, it has heard nothing of anybody.
 */
function watchSilence(limitMs: number, tooLong: () => void): { broken(): void; stop(): void } {
  let silent = 0;
  let timer: NodeJS.Timeout | undefined;
  const look = () => {
    silent++;
    if (silent !== LOOKS + 1) return;
    clearInterval(timer);
    tooLong();
  };
  return {
    broken() {
      silent = 0;
      timer ??= setInterval(look, limitMs / LOOKS);
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

async function endOf(child: ChildProcess): Promise<End> {
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
