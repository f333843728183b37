/** At most so often the counter is raised. */
const INTERVAL_MS = 30_000;

/** Raises the counter that database and store share when blobs were written: soon, but not at each of many writes. */
export class Counter {
  readonly #raise: () => Promise<void>;
  #raisedAt = Date.now();
  #isWaiting = false;

  /** @param raise never throws */
  constructor(raise: () => Promise<void>) {
    this.#raise = raise;
  }

  /** Blobs were written since the counter was raised. */
  blobsWritten(): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    setTimeout(() => this.#raiseNow(), Math.max(0, this.#raisedAt + INTERVAL_MS - Date.now())).unref();
  }

  #raiseNow(): void {
    this.#isWaiting = false;
    this.#raisedAt = Date.now();
    void this.#raise();
  }
}
