import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FairQueue } from 'hydrofiles/threads';
import { AppError } from '../../errors.ts';
import { Children } from '../children/children.ts';
import type { AnyInspection, InspectRequest } from '../children/messages.ts';
import { ChildDied, scratchExceeded, timeExceeded } from '../run/conversion.ts';
import type { ScratchRoom } from '../sources/remote.ts';

/** Limits of an inspection: the least memory that a transfer may ask for. */
export const LIMITS = { timeMs: 30_000, memoryMb: 1024, scratchGb: 2 } as const;
/** Inspections at once, and those that may wait, of all tenants and of one. */
const CONCURRENCY = 2;
const [MAX_WAITING, MAX_WAITING_OF_TENANT] = [20, 5];
const RETRY_AFTER = 5;
const GB = 2 ** 30;
/** A folder of this age is no longer in use: its process was killed before it could remove it. */
const LEFT_AFTER_MS = 20 * LIMITS.timeMs;

export interface InspectorOptions {
  /** Folder for files that are being inspected, which other processes may use, too. */
  readonly scratch: string;
  /** Private folder of Node's compile cache. */
  readonly compileCache: string;
  /** See `ChildrenOptions`. */
  readonly program?: string;
  readonly limits?: { readonly timeMs: number; readonly memoryMb: number; readonly scratchGb: number };
}

/** Whose share of the places an inspection takes. */
export interface InspectTurn {
  readonly tenant: string;
  /** Aborted when the client leaves. */
  readonly signal: AbortSignal;
}

/** Writes the file to inspect to a path, within the room. */
export type FetchFile = (path: string, fetching: { signal: AbortSignal; room: ScratchRoom }) => Promise<void>;

/** Inspects files in child processes, with the limits of conversions. Nothing is kept. */
export class Inspector {
  readonly #children: Children;
  readonly #scratch: string;
  readonly #limits: NonNullable<InspectorOptions['limits']>;
  readonly #queue = new FairQueue({
    concurrency: CONCURRENCY,
    maxWaiting: MAX_WAITING,
    maxWaitingOfKey: MAX_WAITING_OF_TENANT,
    refusal: () =>
      new AppError('unavailable', `Too many files are waiting to be inspected. Try again in ${RETRY_AFTER} s.`, {
        retryAfter: RETRY_AFTER,
      }),
  });

  constructor({ scratch, compileCache, program, limits = LIMITS }: InspectorOptions) {
    this.#scratch = scratch;
    this.#limits = limits;
    const { memoryMb } = limits;
    this.#children = new Children({
      memoryMb,
      maxIdle: 1,
      compileCache,
      ...(program === undefined ? {} : { program }),
    });
  }

  /**
   * @throws AppError unprocessable with the reader's sentence for a broken file, or with the limit that it exceeded;
   * unavailable if all places are taken
   */
  inspect(
    { tenant, signal: left }: InspectTurn,
    request: Omit<InspectRequest, 'path' | 'scratch'>,
    fetch: FetchFile,
  ): Promise<AnyInspection> {
    const inPlace = async () => {
      const over = new AbortController();
      const { memoryMb, scratchGb, timeMs } = this.#limits;
      const late = () => over.abort(new AppError('unprocessable', timeExceeded(timeMs, undefined, 'inspection')));
      const timer = setTimeout(late, timeMs);
      const signal = AbortSignal.any([left, over.signal]);
      const folder = await this.#makeFolder();
      try {
        const path = join(folder, 'input');
        const room = { bytes: scratchGb * GB, exceeded: () => scratchExceeded(scratchGb, 'inspection') };
        signal.throwIfAborted();
        await fetch(path, { signal, room });
        const limits = { memoryMb, scratchGb, time: timeMs, timeLimit: timeMs };
        return await this.#children.inspect({ ...request, path, scratch: folder }, limits, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (!(error instanceof ChildDied)) throw error;
        throw new AppError('unprocessable', 'The file could not be inspected: the process that read it has died.');
      } finally {
        clearTimeout(timer);
        await rm(folder, { recursive: true, force: true });
      }
    };
    return this.#queue.run(tenant, inPlace, left);
  }

  /** Makes a folder for an inspection, and removes those that killed processes have left. */
  async #makeFolder(): Promise<string> {
    await mkdir(this.#scratch, { recursive: true, mode: 0o700 });
    const oldest = Date.now() - LEFT_AFTER_MS;
    for (const name of await readdir(this.#scratch)) {
      const path = join(this.#scratch, name);
      // another process may be removing it
      const { mtimeMs = Infinity } = (await stat(path).catch(() => undefined)) ?? {};
      if (mtimeMs < oldest) await rm(path, { recursive: true, force: true });
    }
    return mkdtemp(join(this.#scratch, 'inspect-'));
  }

  async close(): Promise<void> {
    const reason = new AppError('unavailable', 'The server is closing.');
    this.#queue.close(reason);
    await this.#children.close(reason);
  }
}
