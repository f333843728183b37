const MOST = 10_000;

/** Answers to a question that every request asks, as they are now or were a few seconds ago. */
export interface TtlCache<Value> {
  /** The kept answer to `name`, else what `look` finds. */
  find(name: string, look: () => Promise<Value>): Promise<Value>;
  /** What this process changed shows at once. */
  forgetAll(): void;
}

/** @param keepMs after this time at the latest changes made by other processes show */
export function openTtlCache<Value>(keepMs: number): TtlCache<Value> {
  let kept = new Map<string, { since: number; answer: Promise<Value> }>();
  return {
    find(name, look) {
      const found = kept.get(name);
      if (found && performance.now() - found.since < keepMs) return found.answer;
      const home = kept;
      home.delete(name);
      const oldest = home.size >= MOST ? home.keys().next().value : undefined;
      if (oldest !== undefined) home.delete(oldest);
      const entry = { since: performance.now(), answer: look() };
      home.set(name, entry);
      entry.answer.catch(() => {
        // an outage is not remembered
        if (home.get(name) === entry) home.delete(name);
      });
      return entry.answer;
    },
    // a question under way is answered into the map that it was begun with, never into the new one
    forgetAll() {
      kept = new Map();
    },
  };
}
