import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { AppError } from '../src/errors.ts';
import { type Convert, scratchExceeded, timeExceeded } from '../src/transfers/run/conversion.ts';
import { MAX_TIMER_MS } from '../src/transfers/run/time-limit.ts';
import { type Child, memoryExceeded, startChild } from './child.ts';
import { watchFolder } from './folder-size.ts';
import { residentMb, watchMemory } from './resident-memory.ts';

export interface ChildrenOptions {
  /** Program of a child; speaks `messages.ts`. Default: `convert-process.ts`. */
  program?: string;
  /** Memory limit in MB of the children that are kept warm; a request with another limit gets a new process. */
  memoryMb: number;
  /** Maximum number of idle children. */
  kept?: number;
  /** Private folder of Node's compile cache: a child then starts in less than half the time. */
  compileCache?: string;
}

/** A pool of warm child processes: a message to one takes 0.1 ms, a new process 25 ms and more. */
export interface Children {
  convert: Convert;
  /** Starts a child before the first request. */
  warm(): Promise<void>;
  /** Kills all children, also those that are starting, and waits for their end; running requests fail with `reason`. */
  close(reason: unknown): Promise<void>;
}

const PROGRAM = fileURLToPath(new URL('./convert-process.ts', import.meta.url));
const GB = 2 ** 30;
/** A child is replaced after this number of requests. */
const MAX_REQUESTS = 200;
/** A child is replaced when its memory exceeds that after its first request by this factor. */
const MAX_GROWTH = 2;

export function keepChildren({
  program = PROGRAM,
  memoryMb,
  kept = availableParallelism(),
  compileCache,
}: ChildrenOptions): Children {
  const watch = watchMemory();
  const all = new Set<Child>();
  const starting = new Set<Promise<Child>>();
  const idle: Child[] = [];
  /** Resident MB after the first request, when all usual modules are loaded. */
  const firstSizes = new WeakMap<Child, number>();
  let closed: { reason: unknown } | undefined;
  const closing = new AbortController();

  function start(megabytes: number): Promise<Child> {
    const begun = boot(megabytes);
    starting.add(begun);
    const settled = () => void starting.delete(begun);
    begun.then(settled, settled);
    return begun;
  }

  async function boot(megabytes: number): Promise<Child> {
    const child = await startChild({ program, memoryMb: megabytes, compileCache, signal: closing.signal });
    all.add(child);
    void child.gone.then(() => {
      all.delete(child);
      const at = idle.indexOf(child);
      if (at >= 0) idle.splice(at, 1);
    });
    if (closed) child.kill(closed.reason);
    return child;
  }

  /**
   * Starts a child for a request. If the request is aborted before the child is ready, the child is kept for the next
   * one.
   */
  async function startFor(megabytes: number, signal: AbortSignal): Promise<Child> {
    const begun = start(megabytes);
    const aborted = Promise.withResolvers<never>();
    const onAbort = () => aborted.reject(signal.reason);
    signal.addEventListener('abort', onAbort);
    try {
      return await Promise.race([begun, aborted.promise]);
    } catch (error) {
      begun.then(giveBack, () => {});
      throw error;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  function giveBack(child: Child) {
    if (child.usable && child.memoryMb === memoryMb && idle.length < kept && !isWorn(child)) idle.push(child);
    else child.kill(new Error('this idle conversion process is no longer needed'));
  }

  function isWorn(child: Child): boolean {
    if (child.requests === 0) return false;
    if (child.requests >= MAX_REQUESTS) return true;
    const size = residentMb([child.pid]).get(child.pid) ?? 0;
    const first = firstSizes.get(child);
    if (first === undefined) firstSizes.set(child, size);
    return first !== undefined && size > first * MAX_GROWTH;
  }

  return {
    async convert(request, limits, hooks) {
      hooks.signal.throwIfAborted();
      const child = (limits.memoryMb === memoryMb && idle.pop()) || (await startFor(limits.memoryMb, hooks.signal));
      const onAbort = () => child.kill(hooks.signal.reason);
      hooks.signal.addEventListener('abort', onAbort);
      if (hooks.signal.aborted) onAbort();
      const timer = setTimeout(
        () => child.kill(new AppError('unprocessable', timeExceeded(limits.timeLimit, limits.maxCredits))),
        Math.min(limits.time, MAX_TIMER_MS),
      );
      const unwatch = watch.add(child.pid, {
        limitMb: limits.memoryMb,
        exceeded: () => child.kill(memoryExceeded(limits.memoryMb)),
      });
      const unwatchFolder = watchFolder(request.scratch, limits.scratchGb * GB, () =>
        child.kill(scratchExceeded(limits.scratchGb)),
      );
      try {
        return await child.run(request, hooks);
      } finally {
        unwatchFolder();
        unwatch();
        clearTimeout(timer);
        hooks.signal.removeEventListener('abort', onAbort);
        giveBack(child);
      }
    },
    async warm() {
      giveBack(await start(memoryMb));
    },
    async close(reason) {
      closed = { reason };
      closing.abort(reason);
      for (const child of all) child.kill(reason);
      // one of them may have become ready before it was killed
      await Promise.allSettled(starting);
      await Promise.all([...all].map((child) => child.gone));
    },
  };
}
