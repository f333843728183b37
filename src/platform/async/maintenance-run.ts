/**
 * One run of a cron task. A failure is recorded and does not stop the other parts or items; the next run retries it.
 */
export interface MaintenanceRun {
  /** Aborted when the worker stops. If the task throws the signal's reason, the queue restarts it. */
  signal?: AbortSignal | undefined;
  /**
   * Runs a part of the task, or the part for one item. Returns whether it succeeded. Throws errors that concern the
   * whole run (the worker stops, the database is unreachable) and, for an item, errors that concern the whole part (the
   * blob store is unreachable).
   */
  attempt(part: string, work: () => Promise<unknown>, item?: string): Promise<boolean>;
}

/** Throws the first failure. */
export const FAIL_FAST: MaintenanceRun = {
  async attempt(_part, work) {
    await work();
    return true;
  },
};

/** Processes all items in one batch. If that fails, processes each item separately. */
export async function batchOrEach<Item extends { id: string }>(
  { signal, attempt }: MaintenanceRun,
  part: string,
  items: readonly Item[],
  work: (items: readonly Item[]) => Promise<unknown>,
): Promise<void> {
  try {
    await work(items);
  } catch {
    for (const item of items) {
      signal?.throwIfAborted();
      await attempt(part, () => work([item]), item.id);
    }
  }
}
