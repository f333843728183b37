import { open } from 'node:fs/promises';

/**
 * Flushes directories (fsync). Calls during a flush share the next flush of the directory, so that under load one flush
 * serves many writes.
 */
export function groupedSync() {
  const running = new Map<string, { now: Promise<void>; next?: Promise<void> }>();
  const flush = async (folder: string) => {
    await using handle = await open(folder, 'r');
    await handle.sync();
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
