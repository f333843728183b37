/** At most so often the counter is raised. */
const INTERVAL_MS = 30_000;

/** Raises the counter that database and store share when blobs were written: soon, but not at each of many writes. */
export function openCounter(raise: () => Promise<void>) {
  let raisedAt = Date.now();
  let isWaiting = false;
  const raiseNow = () => {
    isWaiting = false;
    raisedAt = Date.now();
    void raise();
  };
  return {
    /** Blobs were written since the counter was raised. */
    wanted(): void {
      if (isWaiting) return;
      isWaiting = true;
      setTimeout(raiseNow, Math.max(0, raisedAt + INTERVAL_MS - Date.now())).unref();
    },
  };
}
