/** How long something has lasted, in ms. Starts to count, or forgets. */
export function elapsed(since: Map<string, number>, name: string, lasts: boolean): number {
  if (!lasts) {
    since.delete(name);
    return 0;
  }
  const now = performance.now();
  const start = since.get(name) ?? now;
  since.set(name, start);
  // more than 0, so that it counts as begun
  return Math.max(now - start, 1);
}
