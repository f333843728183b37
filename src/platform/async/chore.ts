/** One run of work that is done by the clock. A failure concerns its item alone: it is noted, the rest goes on, the next run tries again. */
export interface Chore {
  /** Aborted when the worker stops; whoever throws its reason is started again by the queue. */
  signal?: AbortSignal | undefined;
  /**
   * Does a part, or the part for one item; tells whether it succeeded. Throws what concerns the whole run (the worker stops, the database
   * is away) and, of an item, what concerns the whole part (the blob store is away).
   */
  attempt(part: string, work: () => Promise<unknown>, item?: string): Promise<boolean>;
}

/** For callers that want to hear of the first failure. */
export const FAIL_FAST: Chore = {
  async attempt(_part, work) {
    await work();
    return true;
  },
};

/** Does all items in one step or, where that fails, each in a step of its own. */
export async function batchOrEach<Item extends { id: string }>(
  { signal, attempt }: Chore,
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
