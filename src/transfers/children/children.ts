import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { AppError } from '../../errors.ts';
import {
  type ConversionLimits,
  type Convert,
  type Draw,
  type Inspect,
  type MakeOverview,
  scratchExceeded,
  timeExceeded,
  type Work,
} from '../run/conversion.ts';
import { MAX_TIMER_MS } from '../run/time-limit.ts';
import { Child, memoryExceeded } from './child.ts';
import { watchFolder } from './folder-size.ts';
import { MemoryWatch, residentMb } from './resident-memory.ts';

export interface ChildrenOptions {
  /** Program of a child; speaks `messages.ts`. Default: `convert-process.ts`. */
  program?: string;
  /** Memory limit in MB of the children that are kept warm; a request with another limit gets a new process. */
  memoryMb: number;
  /** Maximum number of idle children. */
  maxIdle?: number;
  /** Private folder of Node's compile cache: a child then starts in less than half the time. */
  compileCache?: string;
}

const PROGRAM = fileURLToPath(new URL('./convert-process.ts', import.meta.url));
const GB = 2 ** 30;
/** A child is replaced after this number of requests. */
const MAX_REQUESTS = 200;
/** A child is replaced when its memory exceeds that after its first request by this factor. */
const MAX_GROWTH = 2;

interface LentLimits extends ConversionLimits {
  readonly work: Work;
  readonly scratch: string;
  readonly signal: AbortSignal;
}

/** A pool of warm child processes: a message to one takes 0.1 ms, a new process 25 ms and more. */
export class Children {
  readonly #program: string;
  readonly #memoryMb: number;
  readonly #kept: number;
  readonly #compileCache: string | undefined;
  readonly #watch = new MemoryWatch();
  readonly #all = new Set<Child>();
  readonly #starting = new Set<Promise<Child>>();
  readonly #idle: Child[] = [];
  /** Resident MB after the first request, when all usual modules are loaded. */
  readonly #firstSizes = new WeakMap<Child, number>();
  #closed: { reason: unknown } | undefined;
  readonly #closing = new AbortController();

  constructor({ program = PROGRAM, memoryMb, maxIdle = availableParallelism(), compileCache }: ChildrenOptions) {
    this.#program = program;
    this.#memoryMb = memoryMb;
    this.#kept = maxIdle;
    this.#compileCache = compileCache;
  }

  readonly convert: Convert = (request, limits, hooks) =>
    this.#lend({ ...limits, work: 'conversion', scratch: request.scratch, signal: hooks.signal }, (child) =>
      child.convert(request, hooks),
    );

  readonly inspect: Inspect = (request, limits, signal) =>
    this.#lend({ ...limits, work: 'inspection', scratch: request.scratch, signal }, (child) => child.inspect(request));

  readonly draw: Draw = async (file, limits, signal) => {
    const lent = { ...limits, work: 'drawing', scratch: file.scratch, signal } as const;
    const { pictures } = await this.#lend(lent, (child) => child.draw(file));
    return pictures?.map((text) => Buffer.from(text, 'base64'));
  };

  readonly writeOverview: MakeOverview = async (request, limits, hooks) => {
    const lent = { ...limits, work: 'overview', scratch: request.scratch, signal: hooks.signal } as const;
    return (await this.#lend(lent, (child) => child.writeOverview(request, hooks))).written;
  };

  async #lend<T>(limits: LentLimits, use: (child: Child) => Promise<T>): Promise<T> {
    const { signal, work } = limits;
    signal.throwIfAborted();
    const child =
      (limits.memoryMb === this.#memoryMb && this.#idle.pop()) || (await this.#startFor(limits.memoryMb, signal));
    const onAbort = () => child.kill(signal.reason);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    const timer = setTimeout(
      () => child.kill(new AppError('unprocessable', timeExceeded(limits.timeLimit, limits.maxCredits, work))),
      Math.min(limits.time, MAX_TIMER_MS),
    );
    const unwatch = this.#watch.add(child.pid, {
      limitMb: limits.memoryMb,
      exceeded: () => child.kill(memoryExceeded(limits.memoryMb, work)),
    });
    const unwatchFolder = watchFolder(limits.scratch, limits.scratchGb * GB, () =>
      child.kill(scratchExceeded(limits.scratchGb, work)),
    );
    try {
      return await use(child);
    } finally {
      unwatchFolder();
      unwatch();
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      this.#giveBack(child);
    }
  }

  /** Starts a child before the first request. */
  async warm(): Promise<void> {
    this.#giveBack(await this.#start(this.#memoryMb));
  }

  /** Kills all children, also those that are starting, and waits for their end; running requests fail with `reason`. */
  async close(reason: unknown): Promise<void> {
    this.#closed = { reason };
    this.#closing.abort(reason);
    for (const child of this.#all) child.kill(reason);
    // one of them may have become ready before it was killed
    await Promise.allSettled(this.#starting);
    await Promise.all([...this.#all].map((child) => child.exited));
  }

  #start(megabytes: number): Promise<Child> {
    const begun = this.#boot(megabytes);
    this.#starting.add(begun);
    const settled = () => void this.#starting.delete(begun);
    begun.then(settled, settled);
    return begun;
  }

  async #boot(megabytes: number): Promise<Child> {
    const child = await Child.start({
      program: this.#program,
      memoryMb: megabytes,
      compileCache: this.#compileCache,
      signal: this.#closing.signal,
    });
    this.#all.add(child);
    void child.exited.then(() => {
      this.#all.delete(child);
      const at = this.#idle.indexOf(child);
      if (at >= 0) this.#idle.splice(at, 1);
    });
    if (this.#closed) child.kill(this.#closed.reason);
    return child;
  }

  /**
   * Starts a child for a request. If the request is aborted before the child is ready, the child is kept for the next
   * one.
   */
  async #startFor(megabytes: number, signal: AbortSignal): Promise<Child> {
    const begun = this.#start(megabytes);
    const aborted = Promise.withResolvers<never>();
    const onAbort = () => aborted.reject(signal.reason);
    signal.addEventListener('abort', onAbort);
    try {
      return await Promise.race([begun, aborted.promise]);
    } catch (error) {
      begun.then(
        (child) => this.#giveBack(child),
        () => {},
      );
      throw error;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  #giveBack(child: Child) {
    if (child.usable && child.memoryMb === this.#memoryMb && this.#idle.length < this.#kept && !this.#isWorn(child))
      this.#idle.push(child);
    else child.kill(new Error('this idle conversion process is no longer needed'));
  }

  #isWorn(child: Child): boolean {
    if (child.requests === 0) return false;
    if (child.requests >= MAX_REQUESTS) return true;
    const size = residentMb([child.pid]).get(child.pid) ?? 0;
    const first = this.#firstSizes.get(child);
    if (first === undefined) this.#firstSizes.set(child, size);
    return first !== undefined && size > first * MAX_GROWTH;
  }
}
