import { open } from 'node:fs/promises';

/**
 * Flushes directories. Who comes while a directory is being flushed waits for the next flush, which serves all that came meanwhile:
 * under load one flush stands for many writes.
 */
export function groupedSync() {
  const running = new Map<string, { now: Promise<void>; next?: Promise<void> }>();
  const flush = async (folder: string) => {
    const handle = await open(folder, 'r');
    try {
      await handle.sync();
    } finally {
      await handle.close();
    }
  };
  function start(folder: string): Promise<void> {
    const state: { now: Promise<void>; next?: Promise<void> } = { now: flush(folder) };
    running.set(folder, state);
    const done = () => {
      if (running.get(folder) === state && state.next === undefined) running.delete(folder);
    };
    state.now.then(done, done);
    return state.now;
  }
  return (folder: string): Promise<void> => {
    const state = running.get(folder);
    if (!state) return start(folder);
    state.next ??= state.now.catch(() => {}).then(() => start(folder));
    return state.next;
  };
}
