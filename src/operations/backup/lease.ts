import { setTimeout as sleep } from 'node:timers/promises';

/** How often a file is written again. */
const RENEW_MS = 60_000;
/** A process that could not write for this time gives up. */
const LOST_MS = 5 * 60_000;
/** A file that nobody has written for this time is that of a process that died. */
export const DEAD_MS = 10 * 60_000;

/**
 * A file in a target that tells other machines, by the time of its last change, that this process still works. A
 * process that was suspended for too long notices it by `check`, before it relies on what others did not do meanwhile.
 */
export class Lease {
  readonly #write: () => Promise<unknown>;
  readonly #stopping = new AbortController();
  readonly #renewing: Promise<void>;
  #writtenAt: Times;

  private constructor(write: () => Promise<unknown>, begunAt: Times) {
    this.#write = write;
    this.#writtenAt = begunAt;
    this.#renewing = this.#renew();
  }

  /** @param write writes the file: now, and then every minute */
  static async begin(write: () => Promise<unknown>): Promise<Lease> {
    const begunAt = times();
    await write();
    return new Lease(write, begunAt);
  }

  /** Throws if other processes may have taken this one for dead. */
  check(): void {
    const [monotonic, clock] = times();
    const silence = Math.max(monotonic - this.#writtenAt[0], clock - this.#writtenAt[1]);
    if (silence > LOST_MS)
      throw new Error(
        `This process could not write into the target for ${Math.round(silence / 1000)} s, so that others may have taken it for dead. Run it again.`,
      );
  }

  /** Resolves when the file is not written any more. */
  async end(): Promise<void> {
    this.#stopping.abort();
    await this.#renewing;
  }

  async #renew(): Promise<void> {
    const { signal } = this.#stopping;
    for (;;) {
      await sleep(RENEW_MS, undefined, { signal, ref: false }).catch(() => {});
      if (signal.aborted) return;
      const begunAt = times();
      // `check` tells if it fails for too long
      const written = await this.#write().then(
        () => true,
        () => false,
      );
      if (written) this.#writtenAt = begunAt;
    }
  }
}

/** The first one does not count the sleep of a machine, and an operator may set the second one. */
type Times = readonly [monotonic: number, clock: number];
const times = (): Times => [performance.now(), Date.now()];
