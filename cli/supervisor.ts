import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHECKS, PATIENCE } from './watchdog.ts';

export interface Ready {
  ready: true;
  /** Address on which it listens, if any. */
  address?: string;
}

const MIN_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 10_000;
/** A process that ran this long is not in a crash loop. */
const STABLE_AFTER_MS = 10_000;

export interface SupervisedOptions {
  readonly name: string;
  /**
   * Starts the process; gets its first `Ready`, if it was ever ready. The process sends `Ready` over its IPC channel,
   * and then repeatedly that it is alive.
   */
  launch(before: Ready | undefined): ChildProcess;
  readonly hangLimitMs: number;
  /** Called with a sentence about exits and restarts. */
  note(sentence: string): void;
}

/**
 * A process that is restarted with exponential backoff when it exits, until it is asked to stop. It is killed when it
 * has not reported for `PATIENCE` times `hangLimitMs` that its event loop runs. One that uses CPU time meanwhile ends
 * itself before (`watchEventLoop`).
 */
export class SupervisedProcess {
  readonly #options: SupervisedOptions;
  readonly #first = Promise.withResolvers<Ready>();
  readonly #stopping = new AbortController();
  readonly #running: Promise<void>;
  #lastReady: Ready | undefined;
  #child: ChildProcess | undefined;

  constructor(options: SupervisedOptions) {
    this.#options = options;
    this.#first.promise.catch(() => {});
    this.#running = this.#run().catch((error) => this.#first.reject(error));
  }

  /** Resolves when it is first ready. Rejects if it exited by itself before, because a restart would not help. */
  get ready(): Promise<Ready> {
    return this.#first.promise;
  }

  /** Stops it with SIGTERM, and kills it after `patience` milliseconds. Resolves when it has exited. */
  async stop(patience: number): Promise<void> {
    this.#stopping.abort();
    this.#child?.kill('SIGTERM');
    const timer = setTimeout(() => this.#child?.kill('SIGKILL'), patience);
    await this.#running;
    clearTimeout(timer);
  }

  /** Resolves when it has exited. */
  async kill(): Promise<void> {
    this.#stopping.abort();
    this.#child?.kill('SIGKILL');
    await this.#running;
  }

  async #run(): Promise<void> {
    const { name, note } = this.#options;
    const { signal } = this.#stopping;
    let crashes = 0;
    while (!signal.aborted) {
      const started = Date.now();
      const end = await this.#runOnce();
      if (signal.aborted) return;
      if (this.#lastReady === undefined && end.byItself) throw new Error(`${name} did not start: ${end.sentence}.`);
      crashes = Date.now() - started > STABLE_AFTER_MS ? 1 : crashes + 1;
      note(`${name} ${end.sentence}. Restarting it.`);
      const wait = Math.min(MIN_BACKOFF_MS * 2 ** (crashes - 1), MAX_BACKOFF_MS);
      await sleep(wait, undefined, { signal }).catch(() => {});
    }
  }

  /** Runs one process until it exits. */
  async #runOnce(): Promise<End> {
    const { name, launch, hangLimitMs, note } = this.#options;
    let child: ChildProcess;
    try {
      child = launch(this.#lastReady);
    } catch (error) {
      // such as too little memory for a process
      return notLaunched(error);
    }
    this.#child = child;
    const patienceMs = PATIENCE * hangLimitMs;
    const silence = new SilenceWatch(patienceMs, () => {
      note(`${name} has not responded for ${patienceMs / 1000} s and is killed.`);
      child.kill('SIGKILL');
    });
    child.on('message', (message) => {
      silence.broken();
      if (!isReady(message)) return;
      this.#lastReady = message;
      this.#first.resolve(message);
    });
    child.on('error', () => {}); // reported by `waitForEnd`
    const end = await waitForEnd(child);
    silence.stop();
    return end;
  }
}

/**
 * Calls `tooLong` after `limitMs` without a message, counted from the first message. Counts timer ticks of this process
 * instead of clock time, because while this process is suspended it receives no messages.
 */
class SilenceWatch {
  readonly #limitMs: number;
  readonly #tooLong: () => void;
  #silent = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(limitMs: number, tooLong: () => void) {
    this.#limitMs = limitMs;
    this.#tooLong = tooLong;
  }

  /** A message came. */
  broken(): void {
    this.#silent = 0;
    this.#timer ??= setInterval(() => this.#check(), this.#limitMs / CHECKS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #check(): void {
    this.#silent++;
    if (this.#silent !== CHECKS + 1) return;
    this.stop();
    this.#tooLong();
  }
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
