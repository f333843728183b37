/**
 * Takes all of these steps, one after the other, also where one fails: the others do not wait for what may never succeed. Throws the first
 * error when all were taken.
 */
export async function runAll(steps: Iterable<() => Promise<unknown>>): Promise<void> {
  const errors: unknown[] = [];
  for (const step of steps) {
    try {
      await step();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
}
