/** A time limit. */
export interface Patience {
  /** Begins to count. Further calls do nothing. */
  start(): void;
  /** Resolves when the limit is exceeded. */
  readonly over: Promise<undefined>;
  /** Stops counting, so that `over` does not resolve. */
  stop(): void;
}

const TICKS = 70;

/**
 * Counts a time limit in timer ticks of this process instead of clock time: a clock timer fires at the end of a stall
 * of the process, before the answers are read that came during the stall.
 */
export function openPatience(limitMs: number): Patience {
  const over = Promise.withResolvers<undefined>();
  let timer: NodeJS.Timeout | undefined;
  let ticks = 0;
  const tick = () => {
    ticks++;
    if (ticks < TICKS) return;
    clearInterval(timer);
    over.resolve(undefined);
  };
  return {
    start() {
      timer ??= setInterval(tick, limitMs / TICKS);
    },
    over: over.promise,
    stop: () => clearInterval(timer),
  };
}
