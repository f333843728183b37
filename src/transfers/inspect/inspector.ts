import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
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
  readonly #queue = new FairQueue({
    concurrency: CONCURRENCY,
    maxWaiting: MAX_WAITING,
    maxWaitingOfKey: MAX_WAITING_OF_TENANT,
    refusal: () =>
      new AppError('unavailable', `Too many files are waiting to be inspected. Try again in ${RETRY_AFTER} s.`, {
        retryAfter: RETRY_AFTER,
      }),
  });

  /** @param compileCache private folder of Node's compile cache */
  constructor(compileCache: string) {
    this.#children = new Children({ memoryMb: LIMITS.memoryMb, maxIdle: 1, compileCache });
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
      const late = () =>
        over.abort(new AppError('unprocessable', timeExceeded(LIMITS.timeMs, undefined, 'inspection')));
      const timer = setTimeout(late, LIMITS.timeMs);
      const signal = AbortSignal.any([left, over.signal]);
      const folder = await mkdtemp(join(tmpdir(), 'inspect-'));
      try {
        const path = join(folder, 'input');
        const room = { bytes: LIMITS.scratchGb * GB, exceeded: () => scratchExceeded(LIMITS.scratchGb, 'inspection') };
        signal.throwIfAborted();
        await fetch(path, { signal, room });
        const { memoryMb, scratchGb, timeMs } = LIMITS;
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

  async close(): Promise<void> {
    const reason = new AppError('unavailable', 'The server is closing.');
    this.#queue.close(reason);
    await this.#children.close(reason);
  }
}
