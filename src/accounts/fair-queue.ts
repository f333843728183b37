import { AppError } from '../errors.ts';

/** Runs work for one of several askers. */
export type FairQueue = <T>(asker: string, work: () => Promise<T>) => Promise<T>;

interface Waiting {
  start(): void;
  refuse(error: AppError): void;
}

const RETRY_AFTER = 3;

/**
 * Runs at most `atOnce` pieces of work. Askers that wait take turns, so that whoever asks a hundred times delays himself alone. Beyond
 * `mostEach` waiting of one asker, or `most` of all, work is turned away before any is done; when all places are taken, the last of whoever
 * holds most of them has to go for an asker who holds fewer.
 */
export function fairQueue({ atOnce, most, mostEach }: { atOnce: number; most: number; mostEach: number }): FairQueue {
  const lines = new Map<string, Waiting[]>();
  let running = 0;
  let waiting = 0;

  function join(asker: string): Promise<void> {
    const line = lines.get(asker) ?? [];
    if (line.length >= mostEach)
      throw new AppError(
        'tooManyRequests',
        'Too many passwords from this address are being checked. Try again later.',
        {
          retryAfter: RETRY_AFTER,
        },
      );
    if (waiting >= most) makeRoom(line.length);
    waiting++;
    return new Promise<void>((start, refuse) => {
      line.push({ start, refuse });
      lines.set(asker, line);
    });
  }

  function makeRoom(fewerThan: number) {
    let longest: Waiting[] = [];
    for (const line of lines.values()) if (line.length > longest.length) longest = line;
    const last = longest.length > fewerThan + 1 ? longest.pop() : undefined;
    if (!last) throw full();
    waiting--;
    last.refuse(full());
  }

  /** The place goes straight to the next in turn, so that nobody who comes in between can take it. */
  function next() {
    const [asker, line] = lines.entries().next().value ?? [];
    if (asker === undefined || line === undefined) {
      running--;
      return;
    }
    lines.delete(asker);
    const [first, ...rest] = line;
    // behind everybody else who waits
    if (rest.length > 0) lines.set(asker, rest);
    waiting--;
    first?.start();
  }

  return async (asker, work) => {
    if (running < atOnce) running++;
    else await join(asker);
    try {
      return await work();
    } finally {
      next();
    }
  };
}

const full = () =>
  new AppError('unavailable', 'Too many passwords are being checked. Try again later.', { retryAfter: RETRY_AFTER });
