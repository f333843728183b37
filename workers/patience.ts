const TICKS = 70;

/**
 * A time limit that counts in timer ticks of this process instead of clock time: a clock timer fires at the end of a
 * stall of the process, before the answers are read that came during the stall.
 */
export class Patience {
  readonly #limitMs: number;
  readonly #over = Promise.withResolvers<undefined>();
  #timer: NodeJS.Timeout | undefined;
  #ticks = 0;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  /** Resolves when the limit is exceeded. */
  get over(): Promise<undefined> {
    return this.#over.promise;
  }

  /** Begins to count. Further calls do nothing. */
  start(): void {
    this.#timer ??= setInterval(() => this.#tick(), this.#limitMs / TICKS);
  }

  /** Stops counting, so that `over` does not resolve. */
  stop(): void {
    clearInterval(this.#timer);
  }

  #tick() {
    if (++this.#ticks < TICKS) return;
    this.stop();
    this.#over.resolve(undefined);
  }
}
